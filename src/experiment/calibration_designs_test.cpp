// SPDX-License-Identifier: Apache-2.0
// The promises of docs/experiments.md, held against the shipped experiments with fixed seeds.
#include <gtest/gtest.h>

#include <utility>

#include "experiment/simulate_design.hpp"

namespace assay::experiment {
namespace {

DesignRow bisect_row(const std::string& detail, const std::string& noise,
                     std::uint64_t repetitions) {
  const auto scenarios = bisect_scenarios({});
  EXPECT_TRUE(scenarios.has_value());
  for (const DesignScenario& scenario : *scenarios) {
    if (scenario.detail != detail || scenario.noise.name != noise) continue;
    SimulateOptions options;
    options.repetitions = repetitions;
    options.threads = 2;
    return *simulate(scenario, options);
  }
  ADD_FAILURE() << "no scenario " << detail;
  return {};
}

TEST(BisectSimulated, ReachesItsBars) {
  const struct {
    const char* detail;
    double runs;
    std::uint64_t right;  // of 200: the bar less three standard errors or more
  } bars[] = {
      {"N = 1024, d = 4", 29, 200}, {"N = 1024, d = 2", 51, 196}, {"N = 1024, d = 1", 216, 175}};
  for (const auto& bar : bars) {
    const DesignRow row = bisect_row(bar.detail, "ln1", 200);
    EXPECT_LE(row.search_runs, bar.runs) << bar.detail;
    EXPECT_GE(row.right, bar.right) << bar.detail;
    EXPECT_LE(row.wrong, 1u) << bar.detail;
    EXPECT_GE(static_cast<double>(row.stated_right), 0.96 * static_cast<double>(row.stated));
  }
}

TEST(BisectSimulated, NamesNobodyWhereNothingChanged) {
  for (const char* noise : {"heavy", "drift", "cpu_aa_shared"})
    EXPECT_LE(bisect_row("N = 256, no change", noise, 100).wrong, 1u) << noise;
}

TEST(BisectSimulated, OutliersBrokenCommitsAndSecondChangesDoNotMislead) {
  for (const auto& [detail, noise] :
       {std::pair{"N = 256, +6 %", "heavy"}, std::pair{"N = 256, +6 %", "cpu_aa_shared"},
        std::pair{"N = 256, +10 %", "drift"}, std::pair{"N = 256, d = 4, 10 % do not build", "ln1"},
        std::pair{"N = 256, two changes, d = 4 and 4", "ln1"},
        std::pair{"12 merges of 5 commits, d = 4", "ln1"}}) {
    const DesignRow row = bisect_row(detail, noise, 100);
    EXPECT_GE(row.right, 97u) << detail << " " << noise;
    EXPECT_LE(row.wrong, 1u) << detail << " " << noise;
  }
}

// A true rate at the promise passes with probability .9999.
TEST(SweepSimulated, KeepsItsPromises) {
  const auto scenarios = sweep_scenarios({"ln1", "bimodal", "drift"});
  ASSERT_TRUE(scenarios);
  SimulateOptions options;
  options.repetitions = 300;
  options.threads = 2;
  for (const DesignScenario& scenario : *scenarios) {
    const bool flat =
        scenario.detail.find(" flat") != std::string::npos || scenario.detail.starts_with("flat");
    if (scenario.detail.find("8 levels") != std::string::npos) continue;  // slow
    if (!flat && scenario.noise.name != "ln1") continue;
    const auto row = simulate(scenario, options);
    ASSERT_TRUE(row);
    const std::string what = scenario.detail + " on " + scenario.noise.name;
    EXPECT_LE(row->wrong, flat ? 12u : 24u) << what;
    EXPECT_GE(row->right, scenario.noise.name == "ln1" ? 276u : 0u) << what;
  }
}

TEST(TimelineSimulated, KeepsItsPromises) {
  const auto scenarios = timeline_scenarios({"ln1"});
  ASSERT_TRUE(scenarios);
  SimulateOptions options;
  options.repetitions = 200;
  options.threads = 2;
  for (const DesignScenario& scenario : *scenarios) {
    if (scenario.detail.starts_with("20")) continue;  // slow
    const auto row = simulate(scenario, options);
    ASSERT_TRUE(row);
    EXPECT_LE(row->wrong, 9u) << scenario.detail;
    EXPECT_GE(row->right, 185u) << scenario.detail;
  }
}

// Few repetitions; docs/experiments.md has many.
TEST(AblateSimulated, KeepsItsPromises) {
  const auto scenarios = ablate_scenarios({});
  ASSERT_TRUE(scenarios);
  for (const DesignScenario& scenario : *scenarios) {
    const bool quick = scenario.plan.design->changes.size() < 5 ||
                       scenario.detail == "k = 5, AND, d = 2, with builds" ||
                       scenario.detail == "k = 5, one cause, d = 2";
    if (!quick) continue;
    const auto row = simulate(scenario, {.repetitions = 12, .seed = 5, .on_progress = {}});
    ASSERT_TRUE(row);
    EXPECT_GE(row->right, 11u) << scenario.detail;
    EXPECT_EQ(row->wrong, 0u) << scenario.detail;
  }
}

// The rows of `assay simulate audit`, a few times each.
TEST(AuditSimulated, SuitesHaveNoFalseVictims) {
  const auto scenarios = audit_scenarios({"ln1", "ln3", "cpu_aa_shared"});
  ASSERT_TRUE(scenarios);
  for (const DesignScenario& scenario : *scenarios) {
    if (scenario.detail.starts_with("300")) continue;
    SimulateOptions options;
    options.repetitions = 8;
    options.seed = 3;
    const auto row = simulate(scenario, options);
    ASSERT_TRUE(row);
    EXPECT_EQ(row->wrong, 0u) << scenario.detail << " on " << scenario.noise.name;
    const bool clear = scenario.noise.name == "ln1" || scenario.detail.find("none") < 99 ||
                       scenario.detail.find("equal") < 99 || scenario.detail.find("100") < 99;
    EXPECT_TRUE(!clear || row->right == row->repetitions)
        << scenario.detail << " on " << scenario.noise.name;
  }
}

}  // namespace
}  // namespace assay::experiment
