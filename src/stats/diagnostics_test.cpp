// SPDX-License-Identifier: Apache-2.0
// False alarms of every check on series with nothing odd about them, and alarms where there is
// something.
#include "stats/diagnostics.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "base/random.hpp"
#include "stats/order.hpp"

namespace assay::stats {
namespace {

std::vector<double> normals(Random& random, std::size_t n, double sd = 0.01) {
  std::vector<double> values(n);
  for (double& x : values) x = sd * random.normal();
  return values;
}

std::vector<double> exponentials(Random& random, std::size_t n) {
  std::vector<double> values(n);
  for (double& x : values) x = -0.01 * std::log(1 - random.uniform());
  return values;
}

// How many of `rounds` series alarm.
int alarms(int rounds, const std::function<bool()>& alarm) {
  int count = 0;
  for (int i = 0; i < rounds; ++i) count += alarm();
  return count;
}

// Largest count still plausible at a true rate: mean + 4 standard deviations + 1.
double upper(int rounds, double rate) { return rounds * rate + 4 * std::sqrt(rounds * rate) + 1; }

constexpr int kRounds = 6000;

TEST(Drift, FalseAlarms) {
  for (const std::size_t blocks : {8u, 12u, 33u}) {
    Random random(60 + blocks);
    const int count = alarms(kRounds, [&] { return find_drift(normals(random, blocks))->alarm; });
    EXPECT_LE(count, upper(kRounds, 0.001)) << blocks;
  }
}

TEST(Drift, SeesOneAndItsSize) {
  std::vector<double> medians;
  Random random(61);
  for (int b = 0; b < 20; ++b) medians.push_back(0.002 * b + 0.001 * random.normal());
  const auto drift = find_drift(medians);
  ASSERT_TRUE(drift);
  EXPECT_TRUE(drift->alarm);
  EXPECT_NEAR(drift->change, 0.038, 0.004);
  std::reverse(medians.begin(), medians.end());
  EXPECT_NEAR(find_drift(medians)->change, -drift->change, 1e-12);
  EXPECT_EQ(find_drift(medians)->p, drift->p);
}

TEST(Drift, EdgeCases) {
  EXPECT_FALSE(find_drift(std::vector<double>(7, 1.0)));
  const auto constant = find_drift(std::vector<double>(9, 1.0));
  ASSERT_TRUE(constant);
  EXPECT_FALSE(constant->alarm);
  EXPECT_EQ(constant->change, 0);
  std::vector<double> line(5000);
  std::iota(line.begin(), line.end(), 0.0);
  EXPECT_TRUE(find_drift(line)->alarm);  // thinned to a few hundred points
}

// 6 A and 6 B in random order in every block, B slower by 5 %, both with the same noise.
struct Blocks {
  std::vector<double> logs;
  std::vector<std::uint32_t> sides;
};
Blocks random_blocks(Random& random, std::size_t blocks,
                     const std::function<double(std::size_t)>& slot_effect) {
  Blocks result;
  for (std::size_t b = 0; b < blocks; ++b) {
    std::vector<std::uint32_t> order = {0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1};
    for (std::size_t k = 11; k >= 1; --k) std::swap(order[k], order[random.below(k + 1)]);
    for (std::size_t s = 0; s < 12; ++s) {
      result.logs.push_back(0.05 * order[s] + 0.01 * random.normal() + slot_effect(s));
      result.sides.push_back(order[s]);
    }
  }
  return result;
}

TEST(Position, FalseAlarms) {
  for (const std::size_t blocks : {5u, 8u, 20u}) {
    Random random(70 + blocks);
    const int count = alarms(kRounds / 2, [&] {
      const auto data = random_blocks(random, blocks, [](std::size_t) { return 0.0; });
      return find_position_effect(within_side_residuals(data.logs, data.sides, 12), 12)->alarm;
    });
    EXPECT_LE(count, upper(kRounds / 2, 0.001)) << blocks;
  }
}

TEST(Position, SeesASlowFirstRunAndAlternation) {
  Random random(71);
  const auto first = random_blocks(random, 12, [](std::size_t s) { return s == 0 ? 0.05 : 0; });
  const auto found = find_position_effect(within_side_residuals(first.logs, first.sides, 12), 12);
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->alarm);
  EXPECT_EQ(found->slot, 0u);
  EXPECT_NEAR(found->shift, 0.05, 0.02);
  const auto every = random_blocks(random, 16, [](std::size_t s) { return s % 2 == 0 ? 0.02 : 0; });
  EXPECT_TRUE(find_position_effect(within_side_residuals(every.logs, every.sides, 12), 12)->alarm);
}

TEST(Position, EdgeCases) {
  EXPECT_FALSE(find_position_effect(std::vector<double>(4 * 12, 0.0), 12));
  const auto constant = find_position_effect(std::vector<double>(5 * 12, 0.0), 12);
  ASSERT_TRUE(constant);
  EXPECT_EQ(constant->p, 1);
  const std::vector<double> logs = {1, 5, 3, 9};
  const std::vector<std::uint32_t> sides = {0, 1, 0, 1};
  EXPECT_EQ(within_side_residuals(logs, sides, 4), (std::vector<double>{-1, -2, 1, 2}));
}

TEST(TwoModes, FalseAlarms) {
  for (const std::size_t n : {18u, 36u, 120u}) {
    Random random(80 + n);
    const auto rate = [&](auto draw) {
      return alarms(kRounds, [&] { return find_two_modes(sorted(draw(random, n)))->alarm; });
    };
    const auto normal = [](Random& r, std::size_t k) { return normals(r, k); };
    EXPECT_LE(rate(normal), upper(kRounds, 0.001)) << n;
    EXPECT_LE(rate(exponentials), upper(kRounds, 0.006)) << n;
  }
}

TEST(TwoModes, SeesThem) {
  Random random(81);
  int seen = 0;
  for (int round = 0; round < 100; ++round) {
    auto values = normals(random, 36);
    for (std::size_t i = 0; i < 12; ++i) values[i] += 0.15;
    const auto modes = find_two_modes(sorted(values));
    seen += modes->alarm;
    if (modes->alarm) {
      EXPECT_NEAR(modes->share_high, 1.0 / 3, 1e-12);
      EXPECT_GT(modes->low, -0.05);
      EXPECT_LT(modes->low, 0.06);
      EXPECT_GT(modes->high, 0.1);
    }
  }
  EXPECT_GE(seen, 99);
}

TEST(TwoModes, EdgeCases) {
  Random random(82);
  EXPECT_FALSE(find_two_modes(sorted(normals(random, 17))));
  EXPECT_FALSE(find_two_modes(std::vector<double>(40, 1.0)));
  std::vector<double> ticks;  // a clock with two ticks is not two modes
  for (int i = 0; i < 40; ++i) ticks.push_back(i < 20 ? 0.0 : 0.1);
  EXPECT_FALSE(find_two_modes(ticks));
}

TEST(Outliers, FalseAlarms) {
  const struct {
    std::size_t n;
    double rate;
  } cases[] = {{18, 0.006}, {36, 0.001}, {120, 0.001}};
  for (const auto& c : cases) {
    Random random(90 + c.n);
    const int count =
        alarms(kRounds, [&] { return find_outliers(sorted(normals(random, c.n)))->alarm; });
    EXPECT_LE(count, upper(kRounds, c.rate)) << c.n;
  }
}

TEST(Outliers, CountsBothSides) {
  Random random(91);
  auto values = normals(random, 40);
  values[3] += 0.9;
  values[9] += 0.4;
  values[20] -= 0.5;
  const auto found = find_outliers(sorted(values));
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->alarm);
  EXPECT_EQ(found->high, 2u);
  EXPECT_EQ(found->low, 1u);
  EXPECT_NEAR(found->largest, 0.9, 0.05);
  EXPECT_FALSE(find_outliers(sorted(normals(random, 17))));
  EXPECT_FALSE(find_outliers(std::vector<double>(30, 1.0)));
}

}  // namespace
}  // namespace assay::stats
