// SPDX-License-Identifier: Apache-2.0
#include "prover/circuit/poseidon_parameters.hpp"

namespace prover::circuit {

// The start: a prime field (1, 2 bits), x^5 (0, 4 bits), field size and width (12 bits each), full
// and partial rounds (10 bits each), and 30 ones. The first 160 bits that come out are dropped.
Grain::Grain(unsigned field_bits) {
  std::size_t at = 0;
  const auto append = [&](std::size_t value, unsigned bits) {
    for (unsigned i = bits; i-- > 0;) state_[at++] = (value >> i & 1) != 0;
  };
  append(1, 2);
  append(0, 4);
  append(field_bits, 12);
  append(kPoseidonWidth, 12);
  append(kPoseidonFull, 10);
  append(kPoseidonPartial, 10);
  append((std::size_t{1} << 30) - 1, 30);
  for (int i = 0; i < 160; ++i) step();
}

bool Grain::step() {
  const bool bit = state_[62] ^ state_[51] ^ state_[38] ^ state_[23] ^ state_[13] ^ state_[0];
  state_ >>= 1;
  state_[79] = bit;
  return bit;
}

bool Grain::next() {
  while (!step()) step();
  return step();
}

}  // namespace prover::circuit
