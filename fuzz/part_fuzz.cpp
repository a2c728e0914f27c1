// SPDX-License-Identifier: Apache-2.0
// Any bytes as a partition's proof: what is read comes out as it was, and is shown as JSON that is
// read again.
#include "prover/files/json.hpp"
#include "prover/work/part.hpp"
#include "prover_fuzz.hpp"

namespace {

template <class C>
void read(std::span<const std::uint8_t> bytes) {
  using namespace prover;
  const std::size_t points = work::part_bytes<C>(0);
  if (bytes.size() < points) return;
  bytes = bytes.first(points + (bytes.size() - points) / 32 * 32);
  const auto claim = work::decode<C>(bytes);
  if (!claim) {
    PROVER_CHECK(!claim.error().what.empty(), "what is wrong");
    return;
  }
  const auto again = work::encode<C>(claim->proof, claim->inputs);
  PROVER_CHECK(std::equal(again.begin(), again.end(), bytes.begin(), bytes.end()), "the same");
  const files::ProofText text = groth16::to_text<C>(claim->proof);
  const auto parsed = files::parse_proof(files::to_json(text), "proof.json");
  PROVER_CHECK(parsed && *parsed == text, "the proof that was written");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  read<prover::curve::Bn254>({data, size});
  read<prover::curve::Bls12_381>({data, size});
  return 0;
}
