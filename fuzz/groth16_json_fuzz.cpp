// SPDX-License-Identifier: Apache-2.0
// Any text as a proof, as public values and as a verification key: what is read comes back from
// what is written of it.
#include "prover/files/json.hpp"
#include "prover_fuzz.hpp"

namespace {

using namespace prover::files;
constexpr char kPath[] = "fuzz.json";

void check_proof(std::string_view text, std::optional<prover::CurveId> curve) {
  const auto proof = parse_proof(text, kPath, curve);
  if (!proof) return prover::fuzz::check_error(proof.error());
  const auto again = parse_proof(to_json(*proof), kPath);
  PROVER_CHECK(again && *again == *proof, "a proof that was written");
}

void check_publics(std::string_view text, prover::CurveId curve) {
  const auto publics = parse_publics(text, kPath, curve);
  if (!publics) return prover::fuzz::check_error(publics.error());
  const auto again = parse_publics(to_json(*publics), kPath, curve);
  PROVER_CHECK(again && *again == *publics, "public values that were written");
}

void check_key(std::string_view text) {
  const auto key = parse_verification_key(text, kPath);
  if (!key) return prover::fuzz::check_error(key.error());
  const auto again = parse_verification_key(to_json(*key), kPath);
  PROVER_CHECK(again && again->ic == key->ic && again->alpha1 == key->alpha1 &&
                   again->beta2 == key->beta2 && again->delta2 == key->delta2,
               "a key that was written");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  check_proof(text, {});
  check_proof(text, prover::CurveId::bls12_381);
  check_publics(text, prover::CurveId::bn254);
  check_publics(text, prover::CurveId::bls12_381);
  check_key(text);
  if (const auto kind = kind_of_json(text, kPath); !kind) prover::fuzz::check_error(kind.error());
  return 0;
}
