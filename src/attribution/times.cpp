// SPDX-License-Identifier: Apache-2.0
#include "attribution/times.hpp"

namespace assay::attribution {
namespace {

constexpr std::size_t kFewTimes = 4096;  // below, std::sort is as fast
constexpr unsigned kDigit = 11;          // bits a pass of the radix sort

}  // namespace

void sort_times(std::vector<Nanos>& times) {
  if (std::is_sorted(times.begin(), times.end())) return;
  if (times.size() < kFewTimes) {
    std::sort(times.begin(), times.end());
    return;
  }
  const auto [low, high] = std::minmax_element(times.begin(), times.end());
  const Nanos base = *low;
  const std::uint64_t range = elapsed(base, *high);
  std::vector<Nanos> other(times.size());
  for (unsigned shift = 0; shift < 64 && (range >> shift) != 0; shift += kDigit) {
    std::array<std::size_t, std::size_t{1} << kDigit> place = {};
    constexpr std::uint64_t kMask = (std::uint64_t{1} << kDigit) - 1;
    for (const Nanos t : times) ++place[(elapsed(base, t) >> shift) & kMask];
    std::size_t sum = 0;
    for (std::size_t& count : place) {
      const std::size_t here = count;
      count = sum;
      sum += here;
    }
    for (const Nanos t : times) other[place[(elapsed(base, t) >> shift) & kMask]++] = t;
    times.swap(other);
  }
}

Levels levels_of(Steps steps) { return levels_of(steps, 0); }

Levels levels_of(Steps steps, std::uint64_t at_least) {
  Levels result;
  // Time at each count: the counts of a pipeline are small, and those of a hostile trace are
  // bounded by its events.
  std::vector<Wide> time_at;
  walk(std::array{steps}, [&](Nanos from, Nanos to, const std::array<std::int64_t, 1>& counts) {
    if (counts[0] <= 0) return;
    const auto count = static_cast<std::size_t>(counts[0]);
    if (count >= time_at.size()) time_at.resize(std::max(count + 1, time_at.size() * 2), 0);
    time_at[count] += elapsed(from, to);
    result.integral += Wide{elapsed(from, to)} * counts[0];
  });
  Wide above = 0;
  for (std::size_t count = time_at.size(); count-- > 1;) {
    above += time_at[count];
    if (above <= Wide{at_least}) continue;
    result.most = count;
    break;
  }
  if (result.most == 0) return result;
  bool found = false;
  walk(std::array{steps}, [&](Nanos from, Nanos, const std::array<std::int64_t, 1>& counts) {
    if (found || counts[0] < static_cast<std::int64_t>(result.most)) return;
    found = true;
    result.most_at = from;
  });
  return result;
}

}  // namespace assay::attribution
