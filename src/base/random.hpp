// SPDX-License-Identifier: Apache-2.0
// The generator of the rule (rule.md section 1): xoshiro256**, seeded by SplitMix64.
// Everything that draws random numbers takes a seed, so that a stored seed replays it.
// Ref: Blackman and Vigna, Scrambled Linear Pseudorandom Number Generators, 2021.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace assay {

// 64-bit FNV-1a of the bytes of `text`.
std::uint64_t fnv1a64(std::string_view text);

class Random {
 public:
  explicit Random(std::uint64_t seed);

  std::uint64_t next();
  // Uniform in 0..bound-1 by rejection; bound >= 1.
  std::uint64_t below(std::uint64_t bound);
  // Uniform in [0, 1), 53 bits.
  double uniform();
  // Standard normal (polar method).
  double normal();

 private:
  std::array<std::uint64_t, 4> state_;
  double spare_ = 0;
  bool has_spare_ = false;
};

// A seed from the kernel's generator.
std::uint64_t random_seed();

}  // namespace assay
