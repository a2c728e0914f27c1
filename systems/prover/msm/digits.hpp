// SPDX-License-Identifier: Apache-2.0
// Scalars, cut for multi-scalar multiplications: once, for all the tables that they multiply.
// A scalar s above r / 2 counts as -(r - s), so small negative numbers are short; 0 is left out; 1
// and -1 are set apart, because a sum of points is all they need (most of a boolean witness); the
// rest is written in signed digits of `window` bits: d in [-2^(w-1), 2^(w-1)).
#pragma once

#include <cstdint>
#include <span>

#include "prover/base/pages.hpp"
#include "prover/field/limbs.hpp"

namespace prover::msm {

using Scalar = field::Limbs<4>;  // an integer below r

// Digits are stored in 16 bits.
inline constexpr unsigned kLeastWindow = 2, kMostWindow = 16;

class Digits {
 public:
  // order: r. window: kLeastWindow..kMostWindow bits. Scalars must be below r.
  Digits(std::span<const Scalar> scalars, const Scalar& order, unsigned window, unsigned threads);

  unsigned window() const { return window_; }
  // Digits of a scalar: the windows.
  unsigned windows() const { return windows_; }
  // What it takes at most while it is made, and from then on, for so many scalars.
  static std::uint64_t bytes_for(std::uint64_t scalars, const Scalar& order, unsigned window);
  // How many windows an order needs.
  static unsigned windows_for(const Scalar& order, unsigned window);

  // Indices of the scalars 1 and, with kNegate set, -1; ascending.
  std::span<const std::uint32_t> units() const { return units_; }
  // Indices of the scalars that are cut, with kNegate set for those taken negative; ascending.
  std::span<const std::uint32_t> indices() const { return indices_; }
  // The w-th digit (from the lowest) of each of those.
  std::span<const std::int16_t> digits(unsigned w) const {
    return {digits_.data() + w * indices_.size(), indices_.size()};
  }

 private:
  unsigned window_, windows_;
  Pages<std::uint32_t> units_, indices_;
  Pages<std::int16_t> digits_;
};

}  // namespace prover::msm
