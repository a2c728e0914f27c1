// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "prover/base/text.hpp"
#include "prover/cli/commands.hpp"
#include "prover/cli/curves.hpp"
#include "prover/cli/exit_status.hpp"
#include "prover/cli/outputs.hpp"
#include "prover/cli/terminal.hpp"
#include "prover/groth16/verify.hpp"

namespace prover::cli {
namespace {

// Refuses a key with which nothing could be verified.
template <class C>
Result<files::VerificationKeyText> text_of(const files::Zkey& key) {
  const auto verifying = groth16::verifying_key<C>(key);
  if (const auto usable = groth16::Verifier<C>::create(verifying); !usable)
    return fail(usable.error());
  files::VerificationKeyText text = groth16::to_text(verifying);
  text.alphabeta = groth16::alphabeta(verifying);
  return text;
}

}  // namespace

Result<int> run_vkey(const Arguments& arguments) {
  const std::string path = printable(arguments.positionals[0]);
  const std::span<const std::string> all = arguments.positionals;
  if (auto ok = check_outputs(all.first(1), all.subspan(1)); !ok) return fail(ok.error());
  const auto key = files::ZkeyFile::open(arguments.positionals[0]);
  if (!key) return fail(key.error());
  const auto text = with_curve(key->key().curve, [&]<class C>() { return text_of<C>(key->key()); });
  if (!text) return fail(in_file(path, text.error()));
  if (auto done = files::write_verification_key(arguments.positionals[1], *text); !done)
    return fail(done.error());
  if (key->key().insecure())
    warn(fmt::format("{} is INSECURE: what its proofs state may be false", path));
  return kFine;
}

}  // namespace prover::cli
