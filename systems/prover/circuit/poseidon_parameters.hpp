// SPDX-License-Identifier: Apache-2.0
// The Poseidon permutation with x^5 on three elements, 8 full and 57 partial rounds: that of
// circomlib on BN254, x5_254_3 and x5_255_3 of the paper's reference implementation. Its constants
// are generated when they are first needed (a few milliseconds).
// Ref: Grassi, Khovratovich, Rechberger, Roy, Schofnegger, Poseidon (2021), appendix E (Grain).
#pragma once

#include <array>
#include <bitset>
#include <vector>

#include "prover/field/params.hpp"

namespace prover::circuit {

inline constexpr std::size_t kPoseidonWidth = 3, kPoseidonFull = 8, kPoseidonPartial = 57;
inline constexpr std::size_t kPoseidonRounds = kPoseidonFull + kPoseidonPartial;

// Rounds 0 to 3 and the last four take the fifth power of all elements, the others of the first.
constexpr bool is_full_round(std::size_t round) {
  return round < kPoseidonFull / 2 || round >= kPoseidonFull / 2 + kPoseidonPartial;
}

template <class F>
using PoseidonState = std::array<F, kPoseidonWidth>;

template <class F>
struct PoseidonParameters {
  std::array<PoseidonState<F>, kPoseidonRounds> constants;
  std::array<PoseidonState<F>, kPoseidonWidth> mix;    // new[i] = sum of mix[i][j] old[j]
  std::array<PoseidonState<F>, kPoseidonWidth> unmix;  // its inverse
  // old[0] = first[0] new[0] + first[1] old[1] + first[2] old[2]
  PoseidonState<F> first;
};

// The Grain LFSR in its self-shrinking mode: of each two bits, the second counts when the first is
// set.
class Grain {
 public:
  // `field_bits` is the bit length of the modulus.
  explicit Grain(unsigned field_bits);
  bool next();

 private:
  bool step();
  std::bitset<80> state_;  // bit 0 is the oldest
};

namespace poseidon_parts {

template <class F>
constexpr unsigned modulus_bits() {
  unsigned bits = 64 * F::kLimbs;
  while (!field::bit(F::kModulus, bits - 1)) --bits;
  return bits;
}

// The next integer of so many bits, most significant first.
template <class F>
typename F::Plain grain_integer(Grain& grain) {
  typename F::Plain limbs{};
  for (unsigned i = modulus_bits<F>(); i-- > 0;)
    limbs[i / 64] |= std::uint64_t{grain.next()} << (i % 64);
  return limbs;
}

template <class F>
void invert_mix(PoseidonParameters<F>& parameters) {
  const auto& m = parameters.mix;
  const auto cofactor = [&](std::size_t i, std::size_t j) {
    const std::size_t a = (i + 1) % 3, b = (i + 2) % 3, c = (j + 1) % 3, d = (j + 2) % 3;
    return m[a][c] * m[b][d] - m[a][d] * m[b][c];
  };
  const F determinant =
      m[0][0] * cofactor(0, 0) + m[0][1] * cofactor(0, 1) + m[0][2] * cofactor(0, 2);
  const F scale = determinant.inverse();
  for (std::size_t i = 0; i < kPoseidonWidth; ++i)
    for (std::size_t j = 0; j < kPoseidonWidth; ++j)
      parameters.unmix[i][j] = cofactor(j, i) * scale;
  const F corner = m[0][0].inverse();
  parameters.first = {corner, -(m[0][1] * corner), -(m[0][2] * corner)};
}

// Round constants are drawn again when they are not below the modulus; the 2 x 3 numbers of the
// Cauchy matrix 1 / (x_i + y_j) are reduced.
template <class F>
PoseidonParameters<F> generate() {
  Grain grain(modulus_bits<F>());
  PoseidonParameters<F> parameters;
  for (auto& round : parameters.constants)
    for (F& constant : round) {
      auto limbs = grain_integer<F>(grain);
      while (!field::less(limbs, F::kModulus)) limbs = grain_integer<F>(grain);
      constant = F::from_plain(limbs);
    }
  std::array<F, 2 * kPoseidonWidth> points;
  for (F& point : points) {
    auto limbs = grain_integer<F>(grain);
    if (!field::less(limbs, F::kModulus)) field::sub_from(limbs, F::kModulus);
    point = F::from_plain(limbs);
  }
  for (std::size_t i = 0; i < kPoseidonWidth; ++i)
    for (std::size_t j = 0; j < kPoseidonWidth; ++j)
      parameters.mix[i][j] = (points[i] + points[kPoseidonWidth + j]).inverse();
  invert_mix(parameters);
  return parameters;
}

}  // namespace poseidon_parts

template <class F>
const PoseidonParameters<F>& poseidon_parameters() {
  static const PoseidonParameters<F> parameters = poseidon_parts::generate<F>();
  return parameters;
}

// The permutation on values.
template <class F>
PoseidonState<F> poseidon_permutation(PoseidonState<F> state) {
  const PoseidonParameters<F>& parameters = poseidon_parameters<F>();
  for (std::size_t round = 0; round < kPoseidonRounds; ++round) {
    for (std::size_t i = 0; i < kPoseidonWidth; ++i) state[i] += parameters.constants[round][i];
    const std::size_t powers = is_full_round(round) ? kPoseidonWidth : 1;
    for (std::size_t i = 0; i < powers; ++i) state[i] *= state[i].squared().squared();
    PoseidonState<F> mixed;
    for (std::size_t i = 0; i < kPoseidonWidth; ++i)
      for (std::size_t j = 0; j < kPoseidonWidth; ++j) mixed[i] += parameters.mix[i][j] * state[j];
    state = mixed;
  }
  return state;
}

// circomlib's Poseidon(2): the first element of the permutation of (0, left, right).
template <class F>
F poseidon_hash(const F& left, const F& right) {
  return poseidon_permutation<F>({F::zero(), left, right})[0];
}

}  // namespace prover::circuit
