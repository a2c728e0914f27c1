// SPDX-License-Identifier: Apache-2.0
// Any bytes as a .zkey: what opens can be read to its last byte, whatever its counts say.
#include "prover/files/zkey.hpp"
#include "prover_fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace prover::files;
  const Bytes file = prover::fuzz::bytes_of(data, size);
  const auto key = Zkey::parse(file, "fuzz.zkey");
  if (!key) {
    prover::fuzz::check_error(key.error());
    return 0;
  }
  for (const Bytes part : {key->alpha1, key->beta1, key->beta2, key->gamma2, key->delta1,
                           key->delta2, key->ic, key->a, key->b1, key->b2, key->c, key->h})
    prover::fuzz::touch(part);
  prover::fuzz::touch(key->coefficients.records());
  if (const auto checked = check_coefficients(*key); !checked)
    prover::fuzz::check_error(checked.error());
  return 0;
}
