// SPDX-License-Identifier: Apache-2.0
#include "experiment/noise_models.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

namespace assay::experiment {
namespace {

std::vector<double> logs_of(const NoiseModel& model, std::size_t runs, double NoisyRun::*member,
                            std::uint64_t seed = 1) {
  Noise noise(model, runs, seed);
  std::vector<double> logs;
  for (std::size_t i = 0; i < runs; ++i)
    logs.push_back(std::log(noise.next().*member / (model.typical.*member)));
  return logs;
}

double mean(const std::vector<double>& x) {
  double sum = 0;
  for (const double value : x) sum += value;
  return sum / static_cast<double>(x.size());
}

double sd(const std::vector<double>& x) {
  const double middle = mean(x);
  double sum = 0;
  for (const double value : x) sum += (value - middle) * (value - middle);
  return std::sqrt(sum / static_cast<double>(x.size()));
}

double share(const std::vector<double>& x, const std::function<bool(double)>& is) {
  return static_cast<double>(std::count_if(x.begin(), x.end(), is)) / static_cast<double>(x.size());
}

// 20,000 runs: standard errors are 1/200 of a standard deviation; the bounds are 4 of them or more.
TEST(NoiseModels, LognormalHasTheSpreadOfItsName) {
  const struct {
    const char* name;
    double sd;
  } cases[] = {{"ln1", 0.01}, {"ln3", 0.03}, {"ln10", 0.10}, {"ln1.5", 0.015}, {"ln0", 0}};
  for (const auto& c : cases) {
    const auto model = parse_noise(c.name);
    ASSERT_TRUE(model.has_value()) << c.name;
    const auto cpu = logs_of(*model, 20000, &NoisyRun::cpu_s);
    EXPECT_NEAR(mean(cpu), 0, 0.04 * c.sd + 1e-12) << c.name;
    EXPECT_NEAR(sd(cpu), c.sd, 0.03 * c.sd + 1e-12) << c.name;
    // Wall time has half as much noise of its own on top.
    const auto wall = logs_of(*model, 20000, &NoisyRun::wall_s);
    EXPECT_NEAR(sd(wall), std::sqrt(1.25) * c.sd, 0.03 * c.sd + 1e-12) << c.name;
  }
}

TEST(NoiseModels, ShapesAreWhatTheyClaim) {
  const auto cpu = [](const char* name, std::size_t runs = 20000) {
    return logs_of(*parse_noise(name), runs, &NoisyRun::cpu_s);
  };
  EXPECT_NEAR(share(cpu("heavy"), [](double x) { return x > 0.15; }), 0.05, 0.007);
  EXPECT_NEAR(share(cpu("bimodal"), [](double x) { return x > 0.04; }), 0.3, 0.015);
  EXPECT_NEAR(share(cpu("levels"), [](double x) { return std::fabs(x - 0.002) < 1e-9; }), 0.5,
              0.015);

  const auto position = cpu("position");
  std::vector<double> differences;
  for (std::size_t i = 0; i + 1 < position.size(); i += 2)
    differences.push_back(position[i + 1] - position[i]);
  EXPECT_NEAR(mean(differences), -0.02, 0.0006);

  const auto trend = cpu("lindrift", 400);
  EXPECT_NEAR((trend.back() - trend.front()) / 399, 0.001, 0.0001);

  // Neighbours of drift are alike: .9 of a variance of 4e-4 against 1e-4 of white noise.
  const auto drift = cpu("drift", 400);
  double shared = 0;
  for (std::size_t i = 0; i + 1 < drift.size(); ++i)
    shared += (drift[i] - mean(drift)) * (drift[i + 1] - mean(drift));
  EXPECT_GT(shared / 399 / (sd(drift) * sd(drift)), 0.5);
}

TEST(NoiseModels, ASeedGivesTheSameRuns) {
  for (const NoiseModel& model : noise_models()) {
    const auto once = logs_of(model, 100, &NoisyRun::wall_s, 7);
    EXPECT_EQ(once, logs_of(model, 100, &NoisyRun::wall_s, 7)) << model.name;
    EXPECT_NE(once, logs_of(model, 100, &NoisyRun::wall_s, 8)) << model.name;
  }
}

TEST(RecordedNoise, IsThereWhole) {
  const auto all = recorded_series();
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0].name, "cpu_aa_shared");
  EXPECT_EQ(all[0].runs.size(), 6000u);
  EXPECT_EQ(all[1].runs.size(), 1800u);
  EXPECT_EQ(all[2].runs.size(), 4400u);
  // The first and the last row of data/noise/cpu_aa_shared.csv.
  EXPECT_EQ(all[0].runs.front().wall_s, 0.035334088);
  EXPECT_EQ(all[0].runs.front().cpu_s, 0.017951);
  EXPECT_EQ(all[0].runs.front().peak_kib, 2692);
  EXPECT_EQ(all[0].runs.back().wall_s, 0.144460934);
  for (const RecordedSeries& series : all)
    for (const RecordedRun& run : series.runs)
      ASSERT_TRUE(run.wall_s > 0 && run.cpu_s > 0 && run.peak_kib > 0) << series.name;
}

// Contiguous rows, the three values of a row together, a new place after 500 runs.
TEST(RecordedNoise, ReplaysStretches) {
  const auto model = parse_noise("cpu_aa_shared");
  ASSERT_TRUE(model.has_value());
  const auto rows = model->series->runs;
  Noise noise(*model, 1200, 3);
  std::size_t jumps = 0;
  std::optional<std::size_t> at;
  for (int i = 0; i < 1200; ++i) {
    const NoisyRun run = noise.next();
    const auto is_row = [&](const RecordedRun& row) {
      return row.wall_s == run.wall_s && row.cpu_s == run.cpu_s &&
             1024 * row.peak_kib == run.peak_bytes;
    };
    if (at && *at + 1 < rows.size() && is_row(rows[*at + 1])) {
      ++*at;
      continue;
    }
    const auto found = std::find_if(rows.begin(), rows.end(), is_row);
    ASSERT_NE(found, rows.end()) << "run " << i;
    at = static_cast<std::size_t>(found - rows.begin());
    ++jumps;
  }
  EXPECT_EQ(jumps, 3u);
}

TEST(NoiseModels, UnknownNamesAreErrors) {
  const struct {
    const char* name;
    const char* hint;
  } cases[] = {{"drifft", "did you mean 'drift'?"},
               {"cpu_aa_share", "did you mean 'cpu_aa_shared'?"},
               {"gamma-distributed",
                "there are ln1, ln3, ln10, heavy, bimodal, drift, position, lindrift, "
                "cpu_aa_shared, cpu_aa_blocks, mem_aa_shared, levels, and lnX for X % lognormal"}};
  for (const auto& c : cases) {
    const auto model = parse_noise(c.name);
    ASSERT_FALSE(model.has_value()) << c.name;
    EXPECT_EQ(model.error().what, "no noise model is called '" + std::string(c.name) + "'");
    EXPECT_EQ(model.error().hint, c.hint);
  }
  for (const char* name : {"", "ln", "ln-1", "lnx", "ln101", "ln1e999", "lnnan"})
    EXPECT_FALSE(parse_noise(name).has_value()) << name;
}

}  // namespace
}  // namespace assay::experiment
