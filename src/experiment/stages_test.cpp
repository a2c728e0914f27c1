// SPDX-License-Identifier: Apache-2.0
#include "experiment/stages.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "base/random.hpp"

namespace assay::experiment {
namespace {

Plan two_arms() {
  Plan plan;
  plan.arms.resize(2);
  plan.metrics = {{.name = "wall", .unit = "s", .gating = true}};
  return plan;
}

// A block of six runs a side; `factors` of arm B's stages.
std::vector<Trial> block_of(Random& random, std::vector<std::pair<std::string, double>> factors) {
  std::vector<Trial> trials;
  for (std::uint32_t slot = 0; slot < 12; ++slot) {
    Trial trial;
    trial.arm = slot % 2;
    for (const auto& [name, factor] : factors) {
      const double noise = std::exp(0.01 * random.normal());
      trial.stages.push_back({name, 10, 0.1 * noise * (trial.arm == 1 ? factor : 1)});
    }
    trials.push_back(std::move(trial));
  }
  return trials;
}

void add(StageTests& tests, const std::vector<Trial>& trials) {
  std::vector<const Trial*> pointers;
  for (const Trial& trial : trials) pointers.push_back(&trial);
  tests.add_block(pointers);
}

TEST(StageTests, TheSlowStageIsNamedAndTheOthersAreNot) {
  const Plan plan = two_arms();
  StageTests tests(plan);
  Random random(7);
  for (int block = 0; block < 6; ++block)
    add(tests, block_of(random, {{"synth", 1}, {"gpu", 1.1}}));
  const auto findings = tests.findings();
  ASSERT_EQ(findings.size(), 2U);
  EXPECT_EQ(findings[0].stage, "synth");
  EXPECT_EQ(findings[0].finding.verdict, Verdict::equivalent);
  EXPECT_EQ(findings[1].stage, "gpu");
  EXPECT_EQ(findings[1].finding.verdict, Verdict::slower);
  EXPECT_NEAR(std::exp(*findings[1].finding.reading.estimate), 1.1, .01);
}

TEST(StageTests, AStageThatARunLacksHasNoVerdict) {
  const Plan plan = two_arms();
  StageTests tests(plan);
  Random random(7);
  auto trials = block_of(random, {{"synth", 1}, {"gpu", 1}});
  trials[3].stages.pop_back();
  add(tests, trials);
  const auto findings = tests.findings();
  ASSERT_EQ(findings.size(), 2U);
  EXPECT_EQ(findings[1].finding.verdict, Verdict::invalid);
  EXPECT_EQ(findings[1].finding.reason, Reason::missing_metric);
}

TEST(StageTests, WithoutEventsThereIsNothing) {
  const Plan plan = two_arms();
  StageTests tests(plan);
  Random random(7);
  add(tests, block_of(random, {}));
  EXPECT_TRUE(tests.findings().empty());
}

}  // namespace
}  // namespace assay::experiment
