// SPDX-License-Identifier: Apache-2.0
#include "stats/sums.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "stats/iterations.hpp"
#include "stats/summary.hpp"

namespace assay::stats {
namespace {

TEST(Sums, KeepTheSmallTerms) {
  EXPECT_EQ(sum(std::vector<double>{1, 1e100, 1, -1e100}), 2);
  EXPECT_EQ(sum({}), 0);
  const std::vector<double> tenths(1000, 0.1);
  EXPECT_EQ(sum(tenths), 100);
}

TEST(Sums, Moments) {
  EXPECT_FALSE(mean({}));
  EXPECT_FALSE(variance(std::vector<double>{5}));
  EXPECT_EQ(mean(std::vector<double>{1, 2, 6}), 3);
  EXPECT_EQ(variance(std::vector<double>{1, 2, 6}), 7);
  // A large offset does not eat the variance.
  EXPECT_NEAR(*variance(std::vector<double>{1e9 + 1, 1e9 + 2, 1e9 + 6}), 7, 1e-6);
}

TEST(Iterations, DropTheWarmUpAndTakeTheMedian) {
  const struct {
    std::vector<double> iterations;
    std::optional<double> expected;
  } cases[] = {{{}, std::nullopt},
               {{4}, 4},
               {{9, 4}, 4},
               {{9, 5, 6, 7}, 6},
               // 20 iterations: the first two go
               {{99, 99, 1, 1, 1, 1, 1, 1, 1, 1, 2, 3, 3, 3, 3, 3, 3, 3, 3, 3}, 2.5},
               // 19: only one goes
               {{99, 99, 1, 1, 1, 1, 1, 1, 1, 2, 3, 3, 3, 3, 3, 3, 3, 3, 3}, 3}};
  for (const auto& c : cases) EXPECT_EQ(iteration_summary(c.iterations), c.expected);
}

TEST(Summary, OfTenValues) {
  const std::vector<double> values = {10, 1, 2, 3, 9, 4, 5, 6, 8, 7};
  const auto found = summarize(values, Confidence(0.95));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->n, 10u);
  EXPECT_EQ(found->min, 1);
  EXPECT_EQ(found->median, 5.5);
  EXPECT_EQ(found->mean, 5.5);
  EXPECT_EQ(found->p90, 9);
  EXPECT_EQ(found->p99, 10);
  EXPECT_EQ(found->max, 10);
  EXPECT_NEAR(*found->deviation, std::sqrt(82.5 / 9), 1e-12);
  EXPECT_EQ(found->median_interval->lo, 2);
  EXPECT_FALSE(summarize({}));
  EXPECT_FALSE(summarize(std::vector<double>{3})->deviation);
}

}  // namespace
}  // namespace assay::stats
