// SPDX-License-Identifier: Apache-2.0
// The promises of the rule, counted on simulated comparisons with fixed seeds. The full table is
// made by `assay simulate`; here is what every build must hold.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <functional>
#include <vector>

#include "base/random.hpp"
#include "verdict/pair_test.hpp"

namespace assay::verdict {
namespace {

// Log noise of one run, given its index in the execution order.
using Noise = std::function<double(Random&, std::size_t)>;

struct Count {
  int slower = 0, faster = 0, equivalent = 0, undecided = 0;
  int covered = 0;  // the 99 % interval at the stop contains the true ratio
  double runs = 0;
};

// Sequential comparisons as the tool makes them: 12 runs in random order a block.
Count simulate(int repetitions, std::uint64_t seed, double log_ratio, const RuleOptions& options,
               const Noise& noise) {
  Count count;
  Random random(seed);
  for (int r = 0; r < repetitions; ++r) {
    PairTest test(options);
    for (std::size_t run = 0; test.is_open() && test.runs() < options.max_runs;) {
      std::array<int, 12> order = {0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1};
      for (std::size_t k = 11; k >= 1; --k) std::swap(order[k], order[random.below(k + 1)]);
      std::vector<double> sides[2];
      for (const int side : order)
        sides[side].push_back(std::exp(noise(random, run++) + side * log_ratio));
      test.add_block(sides[0], sides[1]);
    }
    count.slower += test.verdict() == Verdict::slower;
    count.faster += test.verdict() == Verdict::faster;
    count.equivalent += test.verdict() == Verdict::equivalent;
    count.undecided += test.verdict() == Verdict::undecided;
    const Reading reading = test.reading();
    count.runs += reading.runs;
    count.covered += (!reading.lo99 || *reading.lo99 <= log_ratio) &&
                     (!reading.hi99 || *reading.hi99 >= log_ratio);
  }
  count.runs /= repetitions;
  return count;
}

double most(int n, double rate) { return n * rate + 4 * std::sqrt(n * rate * (1 - rate)); }
double least(int n, double rate) { return n * rate - 4 * std::sqrt(n * rate * (1 - rate)); }

double quiet(Random& random, std::size_t) { return 0.01 * random.normal(); }
double heavy(Random& random, std::size_t) {
  return 0.01 * random.normal() +
         (random.uniform() < 0.05 ? std::log(1.3 + 1.7 * random.uniform()) : 0);
}
double drifting(Random& random, std::size_t run) {
  return 0.01 * random.normal() + 0.002 * static_cast<double>(run) +
         (run > 40 ? 0.1 : 0.0);  // and a step
}
double alternating(Random& random, std::size_t run) {
  return 0.01 * random.normal() - 0.02 * static_cast<double>(run % 2);
}

TEST(Calibration, FalseAlarmsUnderAnyNoise) {
  RuleOptions options;
  options.tolerance = 0.002;  // tight, so that few stop at EQUIVALENT before they can err
  options.max_runs = 96;
  constexpr int kReps = 1500;
  const Noise noises[] = {quiet, heavy, drifting, alternating};
  std::uint64_t seed = 201;
  for (const Noise& noise : noises) {
    const Count count = simulate(kReps, seed++, 0, options, noise);
    EXPECT_LE(count.slower + count.faster, most(kReps, 0.01)) << seed;
    EXPECT_GE(count.covered, least(kReps, 0.99)) << seed;
  }
}

TEST(Calibration, AFamilysAlphaHolds) {
  RuleOptions options;
  options.tolerance = 0.002;
  options.alpha = 0.001;
  options.max_runs = 96;
  constexpr int kReps = 2000;
  const Count count = simulate(kReps, 211, 0, options, quiet);
  EXPECT_LE(count.slower + count.faster, most(kReps, 0.001));
}

TEST(Calibration, EquivalentAtTheToleranceIsRare) {
  constexpr int kReps = 1500;
  const Count count = simulate(kReps, 221, std::log(1.02), RuleOptions{}, quiet);
  EXPECT_LE(count.equivalent, most(kReps, 0.025));
  EXPECT_EQ(count.faster, 0);
  EXPECT_GE(count.slower, least(kReps, 0.85));  // rule.md: 87 %
}

TEST(Calibration, PowerAsTabulated) {
  RuleOptions options;
  options.tolerance = 0.01;
  constexpr int kReps = 600;
  const Count two = simulate(kReps, 231, std::log(1.02), options, quiet);
  EXPECT_EQ(two.slower, kReps);
  EXPECT_NEAR(two.runs, 12.4, 0.5);
  const Count equal = simulate(kReps, 232, 0, RuleOptions{}, quiet);
  EXPECT_EQ(equal.equivalent, kReps);
  EXPECT_NEAR(equal.runs, 12.5, 0.7);
}

TEST(Calibration, TheSpreadGuardKeepsEqualMediansEqual) {
  // B varies five times as much as A, same median: without the guard 2.6 % false claims.
  RuleOptions options;
  options.max_runs = 96;
  options.tolerance = 0.005;
  constexpr int kReps = 2000;
  Random random(241);
  int claims = 0;
  for (int r = 0; r < kReps; ++r) {
    PairTest test(options);
    while (test.is_open() && test.runs() < options.max_runs) {
      std::vector<double> a, b;
      for (int i = 0; i < 6; ++i) {
        a.push_back(std::exp(0.01 * random.normal()));
        b.push_back(std::exp(0.05 * random.normal()));
      }
      test.add_block(a, b);
    }
    claims += test.verdict() == Verdict::slower || test.verdict() == Verdict::faster;
  }
  EXPECT_LE(claims, most(kReps, 0.01));
}

}  // namespace
}  // namespace assay::verdict
