// SPDX-License-Identifier: Apache-2.0
#include "attribution/memory_model.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "base/random.hpp"

namespace assay::attribution {
namespace {

using Columns = std::vector<std::vector<double>>;

double residual(const Columns& columns, const std::vector<double>& right,
                const std::vector<double>& x) {
  double squares = 0;
  for (std::size_t i = 0; i < right.size(); ++i) {
    double gap = right[i];
    for (std::size_t c = 0; c < columns.size(); ++c) gap -= columns[c][i] * x[c];
    squares += gap * gap;
  }
  return squares;
}

// The conditions of the optimum (Karush, Kuhn, Tucker): no negative value; no downhill direction
// for those at zero; none at all for the others.
void expect_optimal(const Columns& columns, const std::vector<double>& right,
                    const std::vector<double>& x, std::uint64_t seed) {
  double scale = 0;
  for (const double value : right) scale += value * value;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    EXPECT_GE(x[c], 0) << seed;
    double gradient = 0, length = 0;
    for (std::size_t i = 0; i < right.size(); ++i) {
      double gap = right[i];
      for (std::size_t k = 0; k < columns.size(); ++k) gap -= columns[k][i] * x[k];
      gradient += columns[c][i] * gap;
      length += columns[c][i] * columns[c][i];
    }
    const double allowed = 1e-7 * std::sqrt(scale * length);
    EXPECT_LE(gradient, allowed) << seed << " column " << c;
    if (x[c] > 0) {
      EXPECT_GE(gradient, -allowed) << seed << " column " << c;
    }
  }
}

TEST(NonNegativeLeastSquares, IsOptimalForRandomProblems) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    Random random(seed);
    const std::size_t n = 1 + random.below(40), k = 1 + random.below(6);
    Columns columns(k, std::vector<double>(n));
    std::vector<double> right(n);
    for (auto& column : columns)
      for (double& value : column) value = random.normal();
    for (double& value : right) value = random.normal();
    if (seed % 5 == 0 && k > 1) columns[1] = columns[0];  // the same
    if (seed % 7 == 0) columns[0].assign(n, 0);           // nothing at all
    if (seed % 11 == 0 && k > 2)                          // a sum of two others
      for (std::size_t i = 0; i < n; ++i) columns[2][i] = columns[0][i] + columns[1][i];
    expect_optimal(columns, right, non_negative_least_squares(columns, right), seed);
  }
}

TEST(NonNegativeLeastSquares, FindsTheTruthAtAnyScale) {
  const Columns columns = {{1, 1, 1, 1}, {0, 1, 2, 3}, {5, 0, 0, 1}};
  for (const double scale : {1e-12, 1.0, 7e11}) {
    std::vector<double> right(4);
    for (std::size_t i = 0; i < 4; ++i)
      right[i] = scale * (2 * columns[0][i] + 3 * columns[1][i] + .5 * columns[2][i]);
    const auto x = non_negative_least_squares(columns, right);
    EXPECT_NEAR(x[0], 2 * scale, 1e-9 * scale);
    EXPECT_NEAR(x[1], 3 * scale, 1e-9 * scale);
    EXPECT_NEAR(x[2], .5 * scale, 1e-9 * scale);
    EXPECT_LT(residual(columns, right, x), 1e-18 * scale * scale);
  }
  EXPECT_EQ(non_negative_least_squares({}, {1, 2}), std::vector<double>{});
  EXPECT_EQ(non_negative_least_squares({{}}, {}), std::vector<double>{0});
  EXPECT_EQ(non_negative_least_squares({{1, 1}}, {-1, -1}), std::vector<double>{0});
}

struct Synthetic {
  trace::MemorySeries series = {};
  Columns in_flight = {};
};

Synthetic synthetic(std::size_t n, double base, const std::vector<double>& bytes, double noise,
                    std::uint64_t seed) {
  Random random(seed);
  Synthetic made;
  made.series.scope = "tree";
  made.in_flight.assign(bytes.size(), std::vector<double>(n));
  for (std::size_t i = 0; i < n; ++i) {
    double total = base + noise * random.normal();
    for (std::size_t s = 0; s < bytes.size(); ++s) {
      made.in_flight[s][i] = static_cast<double>(random.below(10));
      total += bytes[s] * made.in_flight[s][i];
    }
    made.series.at.push_back(static_cast<trace::Nanos>(i) * 1000000);
    made.series.bytes.push_back(static_cast<std::uint64_t>(std::llround(std::max(total, 0.0))));
  }
  return made;
}

constexpr double kGib = 1024.0 * 1024 * 1024;

TEST(MemoryModel, FindsBaseAndBytesUnderNoise) {
  const std::vector<std::string> stages = {"synth", "gpu"};
  const Synthetic made = synthetic(2000, 69 * kGib, {20 * kGib, 3 * kGib}, kGib, 5);
  const auto fit = fit_memory(made.series, 0, stages, made.in_flight);
  ASSERT_TRUE(fit);
  EXPECT_TRUE(fit->inseparable.empty());
  EXPECT_NEAR(fit->model.base_bytes / kGib, 69, .2);
  EXPECT_NEAR(fit->model.terms[0].bytes_per_item / kGib, 20, .05);
  EXPECT_NEAR(fit->model.terms[1].bytes_per_item / kGib, 3, .05);
  EXPECT_NEAR(fit->model.residual_bytes / kGib, 1, .1);
  EXPECT_GT(fit->model.explained, .99);
  const double at_peak[] = {fit->model.terms[0].in_flight_at_peak,
                            fit->model.terms[1].in_flight_at_peak};
  EXPECT_NEAR(predicted_peak(fit->model, at_peak), fit->model.peak_model_bytes, 1);
}

TEST(MemoryModel, SaysWhatCannotBeToldApart) {
  const std::vector<std::string> stages = {"synth", "gpu"};
  Synthetic made = synthetic(200, 10 * kGib, {2 * kGib, 0}, 0, 6);
  made.in_flight[1].assign(200, 4);  // never varies
  auto fit = fit_memory(made.series, 0, stages, made.in_flight);
  ASSERT_TRUE(fit);
  EXPECT_EQ(fit->inseparable, std::vector<std::string>{"gpu"});
  EXPECT_NEAR(fit->model.terms[0].bytes_per_item / kGib, 2, 1e-6);
  EXPECT_NEAR((fit->model.base_bytes + 4 * fit->model.terms[1].bytes_per_item) / kGib, 10, 1e-6)
      << "their sum is known";
  made.in_flight[1] = made.in_flight[0];  // varies with the other
  fit = fit_memory(made.series, 0, stages, made.in_flight);
  ASSERT_TRUE(fit);
  EXPECT_EQ(fit->inseparable, std::vector<std::string>{"gpu"});
  EXPECT_NEAR((fit->model.terms[0].bytes_per_item + fit->model.terms[1].bytes_per_item) / kGib, 2,
              1e-6);
  EXPECT_FALSE(fit_memory({}, 0, stages, made.in_flight)) << "no samples";
}

TEST(MemoryModel, WhatABudgetAllows) {
  MemoryModel model;
  model.base_bytes = 69 * kGib;
  model.terms = {{"synth", 20 * kGib, 9}, {"gpu", 5 * kGib, 2}};
  model.residual_bytes = 2 * kGib;
  struct Case {
    double budget_gib;
    std::optional<std::uint64_t> most;
  };
  // 69 + 10 for what the rest takes, 4 kept back: 83 + 20 pw.
  const Case cases[] = {{400, 15}, {383, 15}, {382.9, 14}, {103, 1}, {102.9, {}}, {0, {}}};
  for (const Case& c : cases) {
    const SettingWithin answer = largest_setting_within(model, "synth", c.budget_gib * kGib);
    EXPECT_EQ(answer.most, c.most) << c.budget_gib;
    EXPECT_EQ(answer.because.empty(), c.most.has_value());
    EXPECT_NEAR(answer.margin_bytes, 4 * kGib, 1);
    if (c.most) {
      EXPECT_NEAR(answer.predicted_bytes, (79 + 20 * static_cast<double>(*c.most)) * kGib, 1);
    }
  }
  EXPECT_FALSE(largest_setting_within(model, "none", 1e12).most);
  model.terms[0].bytes_per_item = 0;
  EXPECT_EQ(largest_setting_within(model, "synth", 1e12).because,
            "memory does not grow with the items in 'synth'");
}

}  // namespace
}  // namespace assay::attribution
