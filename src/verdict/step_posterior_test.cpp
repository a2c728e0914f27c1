// SPDX-License-Identifier: Apache-2.0
#include "verdict/step_posterior.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "base/random.hpp"

namespace assay::verdict {
namespace {

// A path with a change of `effect` at `at`; both ends six times, others `each` times every
// `stride`.
std::vector<StepRun> draw_path(std::size_t positions, std::size_t at, double effect, double sigma,
                               std::size_t stride, Random& random) {
  std::vector<StepRun> runs;
  const auto add = [&](std::size_t p) {
    runs.push_back(
        {static_cast<std::uint32_t>(p), -3 + sigma * random.normal() + (p >= at ? effect : 0)});
  };
  for (int i = 0; i < 6; ++i) add(0), add(positions - 1);
  for (std::size_t p = stride; p + 1 < positions; p += stride) add(p), add(p);
  return runs;
}

// The definition, in long double and without any prefix sum.
std::vector<long double> by_definition(const std::vector<StepRun>& runs, std::size_t positions,
                                       const std::vector<double>& weights) {
  const std::vector<bool> counts = runs_that_count(runs, positions);
  std::vector<long double> logs(positions, -INFINITY);
  for (std::size_t b = 1; b < positions; ++b) {
    long double n[2] = {0, 0}, sum[2] = {0, 0}, rss = 0;
    for (std::size_t i = 0; i < runs.size(); ++i)
      if (counts[i]) n[runs[i].position >= b] += 1, sum[runs[i].position >= b] += runs[i].value;
    for (std::size_t i = 0; i < runs.size(); ++i) {
      const std::size_t side = runs[i].position >= b;
      const long double r = runs[i].value - sum[side] / n[side];
      if (counts[i]) rss += r * r;
    }
    logs[b] = std::log(static_cast<long double>(weights[b])) - 0.5L * std::log(n[0] * n[1]) -
              0.5L * (n[0] + n[1] - 2) * std::log(rss);
  }
  return logs;
}

TEST(StepPosterior, IsTheDefinitionForLongPaths) {
  Random random(7);
  for (const std::size_t positions : {2u, 3u, 17u, 1024u, 5000u}) {
    for (const double sigma : {0.001, 0.01, 0.2}) {
      std::vector<double> weights(positions, 1);
      for (double& w : weights) w = 0.5 + 4 * random.uniform();
      const auto runs = draw_path(positions, positions / 3 + 1, 0.03, sigma,
                                  std::max<std::size_t>(1, positions / 40), random);
      const auto wanted = by_definition(runs, positions, weights);
      const StepPosterior found = step_posterior(runs, positions, weights);
      double sum = found.none;
      for (std::size_t b = 1; b < positions; ++b) {
        sum += found.probability[b];
        if (found.probability[b] < 1e-250) continue;  // about to underflow
        EXPECT_NEAR(std::log(found.probability[b] / found.probability[found.likeliest]),
                    static_cast<double>(wanted[b] - wanted[found.likeliest]), 1e-7)
            << positions << " " << b;
      }
      EXPECT_NEAR(sum, 1, 1e-12);
    }
  }
}

TEST(StepPosterior, FindsAStepAndSharesItAmongTheUnmeasured) {
  Random random(3);
  std::vector<StepRun> runs = draw_path(10, 6, 0.1, 0.01, 20, random);
  for (const std::uint32_t p : {4u, 8u})
    for (int i = 0; i < 3; ++i)
      runs.push_back({p, -3 + 0.01 * random.normal() + (p >= 6 ? 0.1 : 0)});
  const StepPosterior found = step_posterior(runs, 10, std::vector<double>(10, 1));
  for (const std::size_t b : {5u, 6u, 7u, 8u}) EXPECT_NEAR(found.probability[b], 0.25, 0.01);
  EXPECT_NEAR(found.effect, 0.1, 0.01);
  EXPECT_NEAR(found.sigma, 0.01, 0.004);
  const auto behind = found.behind();
  EXPECT_NEAR(behind[4], 0, 1e-6);
  EXPECT_NEAR(behind[8], 1, 1e-6);
  // A prior moves what the runs cannot tell apart.
  std::vector<double> weights(10, 1);
  weights[7] = 97;
  EXPECT_NEAR(step_posterior(runs, 10, weights).probability[7], 0.97, 0.01);
}

TEST(StepPosterior, SaysNoneWhenThereIsNone) {
  Random random(5);
  double sum = 0;
  for (int i = 0; i < 50; ++i) {
    const auto runs = draw_path(64, 10, 0, 0.01, 4, random);
    sum += step_posterior(runs, 64, std::vector<double>(64, 1)).none;
  }
  EXPECT_GT(sum / 50, 0.7);
}

TEST(StepPosterior, CountersThatDoNotVaryAreNoTrouble) {
  std::vector<StepRun> runs;
  for (int i = 0; i < 6; ++i) runs.push_back({0, 1.0}), runs.push_back({4, 1.001});
  runs.push_back({2, 1.001});
  const StepPosterior found = step_posterior(runs, 5, std::vector<double>(5, 1));
  EXPECT_NEAR(found.probability[1] + found.probability[2], 1, 1e-9);
}

// Three runs of the good side that something disturbed do not speak for the bad one.
TEST(StepPosterior, DisturbedRunsSayNothing) {
  Random random(11);
  std::vector<StepRun> runs = draw_path(9, 5, 0.04, 0.01, 1, random);
  const std::size_t clean = runs.size();
  const StepPosterior before = step_posterior(runs, 9, std::vector<double>(9, 1));
  runs.push_back({4, -3 + 0.5});
  runs.push_back({4, -3 + 0.9});
  const StepPosterior after = step_posterior(runs, 9, std::vector<double>(9, 1));
  EXPECT_EQ(after.left_out, runs.size() - clean + before.left_out);
  EXPECT_NEAR(after.probability[5], before.probability[5], 0.02);
}

// Never more than a tenth: a third of slow runs is how the program is.
TEST(StepPosterior, ManyFarRunsCount) {
  std::vector<StepRun> runs;
  for (int i = 0; i < 30; ++i) {
    const double slow = i % 3 == 0 ? 0.08 : 0;
    runs.push_back({0, slow + 1e-4 * i});
    runs.push_back({1, slow + 1e-4 * i + 0.01});
  }
  const auto counts = runs_that_count(runs, 2);
  EXPECT_GE(std::count(counts.begin(), counts.end(), true), 54);
}

TEST(TestEnds, IsStudentsT) {
  // By hand: means 1.1 and 2.1, variances 0.01, pooled 0.01, error 0.1 sqrt(2 / 3).
  const double good[] = {1.0, 1.1, 1.2}, bad[] = {2.0, 2.1, 2.2};
  const EndsTest test = test_ends(good, bad);
  EXPECT_NEAR(test.effect, 1, 1e-12);
  EXPECT_NEAR(test.error, 0.0816497, 1e-6);
  EXPECT_NEAR(test.t, 12.2474, 1e-3);
  EXPECT_EQ(test.df, 4u);
  const auto interval = interval_of(test);
  ASSERT_TRUE(interval.has_value());
  EXPECT_NEAR(interval->hi - test.effect, 4.6041 * 0.0816497, 1e-4);
  EXPECT_EQ(test_ends(std::span(good).first(1), bad).t, 0);
}

TEST(Information, IsThatOfABinaryChannelWithNormalNoise) {
  // Far apart it is the entropy of q; at no distance nothing; symmetric in q; concave in runs.
  EXPECT_NEAR(information_of_runs(0.5, 12, 1), 1, 1e-6);
  EXPECT_NEAR(information_of_runs(0.25, 12, 1), 0.811278, 1e-5);
  EXPECT_NEAR(information_of_runs(0.5, 0, 3), 0, 1e-6);
  EXPECT_NEAR(information_of_runs(0.2, 2, 1), information_of_runs(0.8, 2, 1), 1e-6);
  // Capacity of antipodal signals at signal-to-noise ratio 1 (d = 2): 0.4859 bits.
  EXPECT_NEAR(information_of_runs(0.5, 2, 1), 0.4859, 5e-4);
  EXPECT_NEAR(information_of_runs(0.5, 2, 4), information_of_runs(0.5, 4, 1), 1e-9);
  EXPECT_LT(information_of_runs(0.5, 2, 2), 2 * information_of_runs(0.5, 2, 1));
}

}  // namespace
}  // namespace assay::verdict
