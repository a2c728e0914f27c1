// SPDX-License-Identifier: Apache-2.0
#include "attribution/times.hpp"

#include <gtest/gtest.h>

#include "base/random.hpp"

namespace assay::attribution {
namespace {

TEST(Times, SortAgreesWithStd) {
  constexpr Nanos kMost = std::numeric_limits<Nanos>::max();
  for (const std::size_t n : {0UL, 1UL, 2UL, 5000UL, 20000UL}) {
    for (const int range : {1, 12, 40, 64}) {
      Random random(n + static_cast<std::uint64_t>(range));
      std::vector<Nanos> times(n);
      for (Nanos& t : times)
        t = static_cast<Nanos>(random.next() >> (64 - range)) - (range < 64 ? 500 : 0);
      if (n > 2) times[1] = range == 64 ? kMost : times[1];
      std::vector<Nanos> expected = times;
      std::sort(expected.begin(), expected.end());
      sort_times(times);
      EXPECT_EQ(times, expected) << n << " " << range;
    }
  }
}

TEST(Times, WhoLeavesAsAnotherComesIsNeverTwo) {
  const std::vector<Nanos> from = {0, 10, 20}, to = {10, 20, 30};
  const Levels levels = levels_of({from, to});
  EXPECT_EQ(levels.most, 1U);
  EXPECT_EQ(levels.most_at, 0);
  EXPECT_TRUE(levels.integral == 30);
}

TEST(Times, ALevelHeldForAnInstantDoesNotCount) {
  const std::vector<Nanos> from = {0, 0, 50}, to = {52, 100, 100};
  EXPECT_EQ(levels_of({from, to}).most, 3U);
  EXPECT_EQ(levels_of({from, to}).most_at, 50);
  EXPECT_EQ(levels_of({from, to}, 2).most, 2U) << "three for 2 ns only";
  EXPECT_EQ(levels_of({from, to}, 2).most_at, 0);
  EXPECT_EQ(levels_of({{}, {}}).most, 0U);
}

TEST(Times, LevelsAgreeWithCounting) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    Random random(seed);
    std::vector<Nanos> from, to;
    const std::size_t n = random.below(30);
    for (std::size_t i = 0; i < n; ++i) {
      from.push_back(static_cast<Nanos>(random.below(50)));
      to.push_back(from.back() + static_cast<Nanos>(random.below(20)));
    }
    std::uint64_t most = 0, integral = 0;
    for (Nanos t = 0; t < 80; ++t) {
      std::uint64_t count = 0;
      for (std::size_t i = 0; i < n; ++i) count += from[i] <= t && t < to[i] ? 1 : 0;
      most = std::max(most, count);
      integral += count;
    }
    sort_times(from);
    sort_times(to);
    const Levels levels = levels_of({from, to});
    EXPECT_EQ(levels.most, most) << seed;
    EXPECT_TRUE(levels.integral == Wide{integral}) << seed;
  }
}

TEST(Times, ElapsedOverTheWholeRange) {
  EXPECT_EQ(elapsed(std::numeric_limits<Nanos>::min(), std::numeric_limits<Nanos>::max()),
            std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(elapsed(-3, 4), 7U);
  EXPECT_DOUBLE_EQ(seconds_between(4, -3), -7e-9);
}

}  // namespace
}  // namespace assay::attribution
