// SPDX-License-Identifier: Apache-2.0
#include "attribution/attribute.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "base/random.hpp"
#include "tests/support/traces.hpp"

namespace assay::attribution {
namespace {

using testing::SimLog;
using testing::SimStage;

RunModel modelled(const std::vector<SimStage>& stages, const SimLog& log = {}) {
  const trace::Trace run = testing::trace_of(stages, testing::simulate(stages), log);
  const auto pipeline = build_pipeline(run);
  EXPECT_TRUE(pipeline);
  auto model = model_of(*pipeline, run);
  EXPECT_TRUE(model) << model.error().to_text();
  return model ? *model : RunModel();
}

Attribution attributed(const RunModel& a, const RunModel& b) {
  return attribute({&a, 1}, {&b, 1}, {});
}

double part(const Attribution& attribution, std::string_view factor) {
  for (const Part& each : attribution.parts) {
    if (each.factor == factor) return each.seconds;
  }
  return NAN;
}

double total(const Attribution& attribution) {
  double sum = attribution.remainder_s;
  for (const Part& each : attribution.parts) sum += each.seconds;
  return sum;
}

double makespan(const std::vector<SimStage>& stages) {
  return double(testing::simulate(stages).makespan) * 1e-9;
}

// Every exchange of the factors simulated anew, with the exact services: the truth.
TEST(Attribute, ShapleyOfTheTrueCounterfactuals) {
  const std::size_t n = 300;
  const auto synth = testing::lognormal(n, 29, .15, 2), gpu = testing::lognormal(n, 7, .1, 3);
  struct Case {
    const char* name;
    double synth, gpu;
    std::uint32_t permits;
  };
  for (const Case& c : std::vector<Case>{
           {"slack", 1.2, 1, 5}, {"bottleneck", 1, 1.1, 5}, {"more workers", 1.25, 1.12, 8}}) {
    const auto with = [&](bool s, bool g, bool p) {
      auto stages = testing::two_stages(n, p ? c.permits : 5, 3, 1);
      stages[0].service_s = testing::scaled(synth, s ? c.synth : 1);
      stages[1].service_s = testing::scaled(gpu, g ? c.gpu : 1);
      return stages;
    };
    double v[2][2][2];
    for (int i = 0; i < 8; ++i)
      v[i & 1][i >> 1 & 1][i >> 2] = makespan(with(i & 1, i >> 1 & 1, i >> 2));
    const auto shapley_of_first = [](auto worth) {
      return (worth(1, 1, 1) - worth(0, 1, 1)) / 3 + (worth(1, 0, 0) - worth(0, 0, 0)) / 3 +
             (worth(1, 1, 0) - worth(0, 1, 0) + worth(1, 0, 1) - worth(0, 0, 1)) / 6;
    };
    SimLog log;
    log.resolution_ns = 1'000'000;
    const Attribution out =
        attributed(modelled(with(false, false, false), log), modelled(with(true, true, true), log));
    ASSERT_FALSE(out.refused) << c.name << ": " << out.refused_because;
    EXPECT_NEAR(out.delta_s, v[1][1][1] - v[0][0][0], 0.01) << c.name;
    EXPECT_NEAR(part(out, "synth.service"),
                shapley_of_first([&](int i, int j, int k) { return v[i][j][k]; }), 0.1)
        << c.name;
    EXPECT_NEAR(part(out, "gpu.service"),
                shapley_of_first([&](int i, int j, int k) { return v[j][i][k]; }), 0.1)
        << c.name;
    if (c.permits != 5) {
      EXPECT_NEAR(part(out, "workers of synth"),
                  shapley_of_first([&](int i, int j, int k) { return v[j][k][i]; }), 0.1);
      ASSERT_FALSE(out.notes.empty());
      EXPECT_NE(out.notes[0].find("`assay ablate` separates them"), std::string::npos);
    } else {
      EXPECT_EQ(out.parts.size(), 2u);
      EXPECT_TRUE(out.notes.empty()) << out.notes[0];
    }
    EXPECT_NEAR(total(out), out.delta_s, 1e-9);
    EXPECT_EQ(out.interval_basis, "within this run");
    ASSERT_TRUE(out.lo_s && out.hi_s);
    EXPECT_LT(*out.lo_s, out.delta_s);
    EXPECT_GT(*out.hi_s, out.delta_s);
  }
}

TEST(Attribute, RandomPairsSumToTheDeltaAndExchangingTheSidesNegates) {
  Random random(11);
  for (int trial = 0; trial < 25; ++trial) {
    const auto side = [&](std::size_t n, std::uint64_t seed) {
      std::vector<SimStage> stages = {
          {"load",
           testing::lognormal(n, 3 + random.uniform(), .3, seed),
           std::uint32_t(2 + random.below(4)),
           {},
           random.below(2) == 0},
          {"make", testing::lognormal(n, 5 + random.uniform(), .4, seed + 1),
           std::uint32_t(1 + random.below(3)), 1 + random.below(4), true},
          {"ship", testing::lognormal(n, 2 + random.uniform(), .2, seed + 2), 1,
           1 + random.below(4), true}};
      return stages;
    };
    const std::size_t n = 20 + random.below(60), m = trial % 3 == 0 ? n + random.below(10) : n;
    const RunModel a = modelled(side(n, 100 + trial)), b = modelled(side(m, 200 + trial));
    DeltaOptions options;
    options.bootstrap = 0;
    const Attribution there = attribute({&a, 1}, {&b, 1}, options);
    const Attribution back = attribute({&b, 1}, {&a, 1}, options);
    ASSERT_FALSE(there.refused) << there.refused_because;
    EXPECT_NEAR(total(there), there.delta_s, 1e-9);
    EXPECT_NEAR(there.delta_s, -back.delta_s, 1e-12);
    ASSERT_EQ(there.parts.size(), back.parts.size());
    for (const Part& each : there.parts) {
      EXPECT_NEAR(each.seconds, -part(back, each.factor), 1e-6) << each.factor;
    }
    EXPECT_NEAR(there.remainder_s, 0, 1e-6);
  }
}

TEST(Attribute, TheSameRunTwiceHasPartsOfZero) {
  SimLog log;
  log.resolution_ns = 1'000'000;
  const RunModel run = modelled(testing::two_stages(100, 5, 3, 1), log);
  const Attribution out = attributed(run, run);
  EXPECT_FALSE(out.refused);
  EXPECT_EQ(out.delta_s, 0);
  for (const Part& each : out.parts) EXPECT_EQ(each.seconds, 0) << each.factor;
  EXPECT_EQ(out.parts.size(), 2u);
  EXPECT_EQ(out.remainder_s, 0);
}

TEST(Attribute, AModelThatDoesNotFitIsRefusedWithItsErrors) {
  RunModel a = modelled(testing::two_stages(100, 5, 3, 1));
  auto slower = testing::two_stages(100, 5, 3, 1);
  slower[1].service_s = testing::scaled(slower[1].service_s, 1.05);
  RunModel b = modelled(slower);
  EXPECT_FALSE(attributed(a, b).refused);
  a.stages[1].servers = b.stages[1].servers = 2;  // a wrong statement in the rules
  const Attribution out = attributed(a, b);
  EXPECT_TRUE(out.refused);
  EXPECT_TRUE(out.parts.empty());
  EXPECT_EQ(out.remainder_s, out.delta_s);
  EXPECT_LT(out.model_error_s[0], -10);
  EXPECT_NE(out.refused_because.find("more than half of the difference"), std::string::npos);
}

TEST(Attribute, TheIntervalKnowsTheSpreadOfTheItems) {
  // gpu +10 %: the part is a tenth of the sum of 400 services of cv 0.1; its standard error within
  // the run is 0.1 x 7 s x 0.1 x sqrt(400) = 1.4 s.
  const auto before = testing::two_stages(400, 8, 3, 1);
  auto after = before;
  after[1].service_s = testing::scaled(after[1].service_s, 1.1);
  const Attribution out = attributed(modelled(before), modelled(after));
  for (const Part& each : out.parts) {
    ASSERT_TRUE(each.lo && each.hi);
    if (each.factor != "gpu.service") continue;
    const double half = (*each.hi - *each.lo) / 2;
    EXPECT_GT(half, 2.58 * 1.4 * 0.6);
    EXPECT_LT(half, 2.58 * 1.4 * 1.6);
  }
}

TEST(Attribute, SeveralRunsAreJudgedOverRuns) {
  std::vector<RunModel> a, b;
  for (std::uint64_t run = 0; run < 5; ++run) {
    auto stages = testing::two_stages(100, 5, 3, 1);
    Random random(run);
    stages[1].service_s = testing::lognormal(100, 7 * (1 + 0.01 * random.normal()), .1, 50 + run);
    a.push_back(modelled(stages));
    stages[1].service_s = testing::lognormal(100, 7.7 * (1 + 0.01 * random.normal()), .1, 90 + run);
    b.push_back(modelled(stages));
  }
  const Attribution out = attribute(a, b, {});
  ASSERT_FALSE(out.refused) << out.refused_because;
  EXPECT_EQ(out.interval_basis, "over runs");
  EXPECT_EQ(out.parts.front().factor, "gpu.service");
  EXPECT_NEAR(total(out), out.delta_s, 1e-9);
  ASSERT_TRUE(out.parts.front().lo && out.lo_s);
  EXPECT_LT(*out.parts.front().lo, 70);
  EXPECT_GT(*out.parts.front().hi, 70);
  EXPECT_GT(*out.hi_s - *out.lo_s, 5) << "runs differ by 1 % of 700 s";
}

TEST(Attribute, ManyFactorsAreSampled) {
  const auto chain = [](std::uint32_t servers, std::uint64_t capacity, double factor) {
    std::vector<SimStage> stages;
    for (int s = 0; s < 5; ++s) {
      stages.push_back({"s" + std::to_string(s),
                        testing::scaled(testing::lognormal(40, 5 + s, .3, 70 + s), factor), servers,
                        capacity, true});
    }
    return stages;
  };
  const Attribution out = attributed(modelled(chain(2, 1, 1)), modelled(chain(3, 4, 1.1)));
  ASSERT_FALSE(out.refused) << out.refused_because;
  EXPECT_TRUE(out.sampled);
  EXPECT_EQ(out.parts.size(), 14u);  // 5 services, 5 workers, 4 capacities
  EXPECT_NEAR(total(out), out.delta_s, 1e-9);
}

}  // namespace
}  // namespace assay::attribution
