// SPDX-License-Identifier: Apache-2.0
// Many multiples of one point, as making a key needs them: a table of (byte of the scalar) x (its
// place) and 31 batched affine additions a multiple.
#pragma once

#include <span>
#include <vector>

#include "prover/msm/kernels.hpp"

namespace prover::groth16 {

template <class Group>
class FixedBase {
 public:
  using Point = curve::Affine<typename Group::Coordinate>;

  explicit FixedBase(const Point& base);

  // out: scalars.size() points, the i-th scalars[i] x base. Fr: a field of scalars of 4 limbs.
  template <class Fr>
  void multiply(std::span<const Fr> scalars, std::span<std::byte> out, unsigned threads) const;

 private:
  static constexpr std::size_t kPlaces = 32, kValues = 256;
  std::vector<std::byte> table_;  // [place][value]
};

}  // namespace prover::groth16
