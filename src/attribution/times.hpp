// SPDX-License-Identifier: Apache-2.0
// Arithmetic on times that cannot overflow, and step functions of "how many at once". Internal to
// attribution.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "trace/events.hpp"

namespace assay::attribution {

using trace::kNone;
using trace::Nanos;

// Sums of spans of time: 2^63 spans of 2^64 ns fit.
__extension__ using Wide = __int128;

// to - from for to >= from, over the whole range of Nanos.
inline std::uint64_t elapsed(Nanos from, Nanos to) {
  return static_cast<std::uint64_t>(to) - static_cast<std::uint64_t>(from);
}
// to - from of either sign.
inline Wide difference(Nanos from, Nanos to) { return Wide{to} - Wide{from}; }

inline double seconds(Wide nanos) { return static_cast<double>(nanos) / 1e9; }
inline double seconds_between(Nanos from, Nanos to) { return seconds(difference(from, to)); }

// Ascending, in place; linear time for many values.
void sort_times(std::vector<Nanos>& times);

// What counts up and what counts down, both ascending.
struct Steps {
  std::span<const Nanos> up, down;
};

// Calls on(from, to, counts) for every stretch of time in which no count changes, in order; at one
// instant all changes happen together, so that one leaving as another comes is never two.
template <std::size_t K, class OnStretch>
void walk(const std::array<Steps, K>& steps, OnStretch on) {
  std::array<std::size_t, K> ups = {}, downs = {};
  std::array<std::int64_t, K> counts = {};
  bool begun = false;
  Nanos last = 0;
  for (;;) {
    bool any = false;
    Nanos next = std::numeric_limits<Nanos>::max();
    for (std::size_t k = 0; k < K; ++k) {
      if (ups[k] < steps[k].up.size()) next = std::min(next, steps[k].up[ups[k]]), any = true;
      if (downs[k] < steps[k].down.size())
        next = std::min(next, steps[k].down[downs[k]]), any = true;
    }
    if (!any) return;
    if (begun && next > last) on(last, next, counts);
    begun = true;
    last = next;
    for (std::size_t k = 0; k < K; ++k) {
      for (; ups[k] < steps[k].up.size() && steps[k].up[ups[k]] == next; ++ups[k]) ++counts[k];
      for (; downs[k] < steps[k].down.size() && steps[k].down[downs[k]] == next; ++downs[k])
        --counts[k];
    }
  }
}

// A step function of one count, summed up.
struct Levels {
  std::uint64_t most = 0;  // held for a while, not for an instant alone
  Nanos most_at = 0;       // when it was first reached
  Wide integral = 0;       // of the count over time
};
Levels levels_of(Steps steps);

// The highest count that was held, or exceeded, for more than `at_least` ns in all.
Levels levels_of(Steps steps, std::uint64_t at_least);

}  // namespace assay::attribution
