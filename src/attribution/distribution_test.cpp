// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "attribution/description.hpp"
#include "base/random.hpp"
#include "stats/sums.hpp"
#include "tests/support/traces.hpp"

namespace assay::attribution {
namespace {

// Type 7, the plain way.
double quantile(const std::vector<double>& ascending, double q) {
  const double h = q * static_cast<double>(ascending.size() - 1);
  const auto low = static_cast<std::size_t>(h);
  const std::size_t high = std::min(low + 1, ascending.size() - 1);
  return ascending[low] + (h - static_cast<double>(low)) * (ascending[high] - ascending[low]);
}

TEST(Distribution, AgreesWithASort) {
  struct Case {
    const char* name;
    std::function<double(Random&)> draw;
  };
  const Case cases[] = {
      {"log-normal", [](Random& r) { return 7 * std::exp(.15 * r.normal()); }},
      {"milliseconds", [](Random& r) { return std::round(1000 * (7 + r.normal())) / 1000; }},
      {"mostly zero", [](Random& r) { return r.uniform() < .8 ? 0.0 : 5 + r.uniform(); }},
      {"two values", [](Random& r) { return r.uniform() < .5 ? 1.0 : 2.0; }},
      {"nine decades", [](Random& r) { return std::pow(10, 9 * r.uniform() - 9); }},
      {"both signs", [](Random& r) { return r.normal(); }},
      {"one value", [](Random&) { return 3.25; }}};
  for (const Case& c : cases) {
    for (const std::size_t n : {1UL, 2UL, 3UL, 100UL, 101UL, 4096UL, 4097UL, 60000UL}) {
      Random random(n);
      std::vector<double> values(n);
      for (double& value : values) value = c.draw(random);
      std::vector<double> ascending = values;
      std::sort(ascending.begin(), ascending.end());
      const Distribution d = distribution_of(values);
      ASSERT_EQ(d.n, n);
      ASSERT_EQ(d.curve.size(), 101U);
      for (std::size_t q = 0; q <= 100; ++q) {
        const double expected = quantile(ascending, static_cast<double>(q) / 100);
        EXPECT_NEAR(d.curve[q], expected, 1e-9 * (1 + std::fabs(expected)))
            << c.name << " n=" << n << " q=" << q;
      }
      EXPECT_EQ(d.min, ascending.front());
      EXPECT_EQ(d.max, ascending.back());
      EXPECT_NEAR(d.total, stats::sum(values), 1e-9 * std::fabs(d.total));
      EXPECT_GE(d.mean, d.min);
      EXPECT_LE(d.mean, d.max);
    }
  }
}

TEST(Distribution, OfNothing) {
  for (const auto& values :
       {std::vector<double>{},
        std::vector<double>{std::nan(""), std::numeric_limits<double>::infinity()}}) {
    const Distribution d = distribution_of(values);
    EXPECT_EQ(d.n, 0U);
    EXPECT_TRUE(d.curve.empty());
    EXPECT_TRUE(d.skew.empty());
    EXPECT_EQ(d.mean, 0);
  }
}

TEST(Distribution, SaysItIsSkewed) {
  // 90 runs of 7 s and 10 of 12 s: the slowest tenth holds 120 of 750 s.
  std::vector<double> values(90, 7.0);
  values.insert(values.end(), 10, 12.0);
  EXPECT_EQ(distribution_of(values).skew,
            "mean 7,500 ms, median 7,000: the slowest tenth holds 16 % of the time");
  for (double& value : values) value *= 1e-5;
  EXPECT_EQ(distribution_of(values).skew,
            "mean 75.0 us, median 70.0: the slowest tenth holds 16 % of the time");
  EXPECT_TRUE(distribution_of(testing::lognormal(500, 7, .1, 1)).skew.empty());
  EXPECT_TRUE(distribution_of({1, 1, 1, 9}).skew.empty()) << "too few to speak of a tenth";
}

}  // namespace
}  // namespace assay::attribution
