// SPDX-License-Identifier: Apache-2.0
// Numbers that a seed decides, the same everywhere (SplitMix64: Steele, Lea, Flood, 2014).
#pragma once

#include <cstdint>

#include "beacon/base/bytes.hpp"

namespace beacon {

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  std::uint64_t below(std::uint64_t bound) { return next() % bound; }  // bound > 0; slightly uneven
  bool percent(unsigned share) { return below(100) < share; }

  template <std::size_t N>
  Bytes<N> bytes() {
    static_assert(N % 4 == 0);
    Bytes<N> out{};
    for (std::size_t i = 0; i < N; i += 4)
      store(std::span(out).subspan(i), static_cast<std::uint32_t>(next()));
    return out;
  }

 private:
  std::uint64_t state_;
};

}  // namespace beacon
