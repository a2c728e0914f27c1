// SPDX-License-Identifier: Apache-2.0
#include "prover/groth16/verify.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "prover/base/text.hpp"
#include "prover/cli/commands.hpp"
#include "prover/cli/curves.hpp"
#include "prover/cli/exit_status.hpp"
#include "prover/cli/terminal.hpp"

namespace prover::cli {
namespace {

template <class C>
Result<groth16::Verdict> verdict_of(const files::VerificationKeyText& key,
                                    const std::vector<files::Integer>& publics,
                                    const files::ProofText& proof) {
  const auto verifier = groth16::Verifier<C>::create(groth16::from_text<C>(key));
  if (!verifier) return fail(verifier.error());
  std::vector<msm::Scalar> inputs(publics.size());
  for (std::size_t i = 0; i < publics.size(); ++i)  // below r, so the limbs above are 0
    std::copy_n(publics[i].begin(), inputs[i].size(), inputs[i].begin());
  return verifier->verify(inputs, groth16::from_text<C>(proof));
}

std::string shown(const groth16::Verdict& verdict, bool json) {
  if (json)
    return fmt::format(
        "{{\n \"schema_version\": 1,\n \"kind\": \"prover-verify\",\n \"valid\": {},\n \"reason\": "
        "\"{}\"\n}}\n",
        verdict.valid, verdict.reason);
  if (verdict.valid) return "the proof is valid\n";
  return fmt::format("the proof is NOT valid: {}\n", verdict.reason);
}

}  // namespace

Result<int> run_verify(const Arguments& arguments) {
  const std::string &key_path = arguments.positionals[0], &public_path = arguments.positionals[1];
  const auto key = files::read_verification_key(key_path);
  if (!key) return fail(key.error());
  // Both generators of G2 in one place: nobody has contributed, and everybody can forge.
  if (key->delta2 == key->gamma2)
    warn(
        fmt::format("{} is INSECURE: nobody has contributed to its key (delta equals gamma), so "
                    "proofs can be forged",
                    printable(key_path)));
  const auto publics = files::read_publics(public_path, key->curve);
  if (!publics) return fail(publics.error());
  const auto proof = files::read_proof(arguments.positionals[2], key->curve, key_path);
  if (!proof) return fail(proof.error());
  if (publics->size() + 1 != key->ic.size())
    return fail(ErrorKind::usage,
                fmt::format("there are {} public values, and the verification key is for {}",
                            publics->size(), key->ic.size() - 1),
                printable(public_path), "give the publics and the key of the same circuit");
  const auto verdict =
      with_curve(key->curve, [&]<class C>() { return verdict_of<C>(*key, *publics, *proof); });
  if (!verdict) return fail(in_file(printable(key_path), verdict.error()));
  if (auto printed = print(shown(*verdict, arguments.has("json"))); !printed)
    return fail(printed.error());
  return verdict->valid ? kFine : kInvalid;
}

}  // namespace prover::cli
