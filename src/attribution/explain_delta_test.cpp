// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>

#include "attribution/delta.hpp"
#include "attribution/stage_delta.hpp"
#include "tests/support/traces.hpp"

namespace assay::attribution {
namespace {

using testing::SimLog;
using testing::SimStage;
using trace::SpanKind;
using trace::Trace;

Trace traced(const std::vector<SimStage>& stages, const SimLog& log = {}) {
  return testing::trace_of(stages, testing::simulate(stages), log);
}

DeltaDescription explained(const Trace& a, const Trace& b) {
  const Trace* runs[2] = {&a, &b};
  return explain_delta({runs, 1}, {runs + 1, 1}, {});
}

const StageDelta* row(const DeltaDescription& delta, std::string_view stage, SpanKind kind) {
  for (const StageDelta& each : delta.stages) {
    if (each.stage == stage && each.kind == kind) return &each;
  }
  return nullptr;
}

std::vector<SimStage> slower_gpu(std::vector<SimStage> stages, double factor) {
  stages[1].service_s = testing::scaled(stages[1].service_s, factor);
  return stages;
}

TEST(ExplainDelta, StagesThenTheirPartOfTheMakespan) {
  const auto before = testing::two_stages(400, 5, 3, 1);
  const DeltaDescription delta = explained(traced(before), traced(slower_gpu(before, 1.1)));
  EXPECT_FALSE(delta.replicated);
  EXPECT_TRUE(delta.comparability.comparable);
  EXPECT_TRUE(delta.comparability.differences.empty());
  EXPECT_EQ(delta.a.size(), 1u);
  const StageDelta* gpu = row(delta, "gpu", SpanKind::service);
  ASSERT_NE(gpu, nullptr);
  EXPECT_NEAR(gpu->mean_delta_s, 0.7, 0.02);
  ASSERT_TRUE(gpu->lo_s && gpu->hi_s);
  EXPECT_LT(*gpu->hi_s - *gpu->lo_s, 0.04) << "the items' own differences, cv 0.1 of 0.7 s";
  EXPECT_EQ(gpu->shape, Shape::shift) << gpu->sentence;
  const StageDelta* synth = row(delta, "synth", SpanKind::service);
  ASSERT_NE(synth, nullptr);
  EXPECT_EQ(synth->mean_delta_s, 0);
  EXPECT_EQ(*synth->lo_s, 0);
  EXPECT_NE(row(delta, "synth", SpanKind::blocked_send), nullptr);
  EXPECT_NE(row(delta, "gpu", SpanKind::queue_wait), nullptr);
  ASSERT_TRUE(delta.attribution);
  ASSERT_FALSE(delta.attribution->refused) << delta.attribution->refused_because;
  EXPECT_EQ(delta.attribution->parts.front().factor, "gpu.service");
  EXPECT_FALSE(delta.tails.empty());
  EXPECT_TRUE(delta.spans.empty());
}

TEST(ExplainDelta, RefusalsSayWhyAndHowOn) {
  const auto stages = testing::two_stages(100, 5, 3, 1);
  SimLog lossy, silent;
  lossy.lose = 0.05;
  silent.topology = false;
  auto fewer = testing::two_stages(90, 5, 3, 1);
  Trace strangers = traced(fewer);
  for (std::size_t i = 0; i < strangers.items.size(); ++i) {
    strangers.items.key[i] = strangers.strings.intern("x" + std::to_string(i));
  }
  struct Case {
    const char* name;
    Trace b;
    const char* because;
  };
  std::vector<Case> cases;
  cases.push_back({"lost events", traced(stages, lossy), "events were lost (0 of A, "});
  cases.push_back({"no topology", traced(stages, silent), "state them in --rules"});
  cases.push_back({"other work", std::move(strangers), "none of them in common"});
  const Trace a = traced(stages);
  for (const Case& c : cases) {
    const DeltaDescription delta = explained(a, c.b);
    ASSERT_TRUE(delta.attribution) << c.name;
    EXPECT_TRUE(delta.attribution->refused) << c.name;
    EXPECT_NE(delta.attribution->refused_because.find(c.because), std::string::npos)
        << c.name << ": " << delta.attribution->refused_because;
    EXPECT_TRUE(delta.attribution->parts.empty());
    EXPECT_EQ(delta.attribution->remainder_s, delta.attribution->delta_s);
  }
}

TEST(ExplainDelta, ALostSendIsDerivedByReplayAndNotRefused) {
  const auto before = testing::two_stages(200, 5, 3, 1);
  SimLog log;
  log.blocked_send = false;
  const DeltaDescription delta =
      explained(traced(before, log), traced(slower_gpu(before, 1.1), log));
  ASSERT_TRUE(delta.attribution);
  EXPECT_FALSE(delta.attribution->refused) << delta.attribution->refused_because;
  EXPECT_EQ(row(delta, "synth", SpanKind::blocked_send), nullptr) << "nothing is claimed";
}

TEST(ExplainDelta, SeveralRunsHaveIntervalsOverRuns) {
  std::vector<Trace> traces;
  for (std::uint64_t run = 0; run < 8; ++run) {
    auto stages = testing::two_stages(60, 5, 3, 1);
    const double speed = (run < 4 ? 1.0 : 1.1) * (1 + 0.002 * double(run % 4));
    stages[1].service_s = testing::lognormal(60, 7 * speed, .1, run);
    traces.push_back(traced(stages));
  }
  std::vector<const Trace*> a, b;
  for (std::size_t i = 0; i < 8; ++i) (i < 4 ? a : b).push_back(&traces[i]);
  const DeltaDescription delta = explain_delta(a, b, {});
  EXPECT_TRUE(delta.replicated);
  const StageDelta* gpu = row(delta, "gpu", SpanKind::service);
  ASSERT_NE(gpu, nullptr);
  EXPECT_EQ(gpu->a.n, 240u);
  ASSERT_TRUE(gpu->lo_s);
  EXPECT_LT(*gpu->lo_s, 0.7);
  EXPECT_GT(*gpu->hi_s, 0.7);
  ASSERT_TRUE(delta.attribution);
  EXPECT_EQ(delta.attribution->interval_basis, "over runs");
}

TEST(ExplainDelta, WithoutAPipelineTheSpansAreCompared) {
  const auto nested = [](trace::Nanos inner) {
    Trace run;
    run.spans.push(0, 100 + inner, trace::kNone, run.stage_id("main"), trace::kNone,
                   SpanKind::service, trace::Quality::exact);
    run.spans.push(10, 10 + inner, trace::kNone, run.stage_id("msm"), trace::kNone,
                   SpanKind::service, trace::Quality::exact);
    return run;
  };
  const DeltaDescription delta = explained(nested(50), nested(80));
  EXPECT_FALSE(delta.attribution);
  EXPECT_TRUE(delta.stages.empty());
  ASSERT_EQ(delta.spans.size(), 2u);
  EXPECT_EQ(delta.spans.front().name_a, "msm");
  EXPECT_NEAR(delta.spans.front().self_b_s - delta.spans.front().self_a_s, 30e-9, 1e-15);
}

TEST(ExplainDelta, PartsOfOneSideAloneAreReplayedAsOneService) {
  const auto make = [](bool split, double factor) {
    const auto stages = slower_gpu(testing::two_stages(100, 5, 3, 1), factor);
    Trace run = traced(stages);
    if (!split) return run;
    const std::uint32_t gpu = run.find_stage("gpu"), part = run.stage_id("gpu.start");
    run.stages[part].parent = gpu;
    const std::size_t count = run.spans.size();
    for (std::size_t i = 0; i < count; ++i) {
      if (run.spans.stage[i] != gpu || run.spans.kind[i] != SpanKind::service) continue;
      run.spans.push(run.spans.begin[i], run.spans.begin[i] + 1'000'000'000, run.spans.item[i],
                     part, run.spans.worker[i], SpanKind::service, trace::Quality::exact);
    }
    return run;
  };
  const DeltaDescription delta = explained(make(false, 1), make(true, 1.1));
  ASSERT_TRUE(delta.attribution);
  ASSERT_FALSE(delta.attribution->refused) << delta.attribution->refused_because;
  EXPECT_EQ(delta.attribution->parts.front().factor, "gpu.service");
  EXPECT_NE(delta.attribution->notes.back().find("replayed as one service"), std::string::npos);
}

TEST(BlockVariance, IsThatOfTheMeanOfIndependentValues) {
  const auto values = testing::lognormal(4000, 10, .5, 9);
  const auto variance = block_variance(values, 1);
  ASSERT_TRUE(variance);
  EXPECT_NEAR(std::sqrt(*variance), 5 / std::sqrt(4000.0), 0.01);
  EXPECT_NEAR(std::sqrt(*block_variance(values, 16)), 5 / std::sqrt(4000.0), 0.02);
  // Neighbours alike in fours: half as much is known of the mean.
  std::vector<double> slow;
  for (std::size_t i = 0; i < 4000; ++i) slow.push_back(values[i / 4]);
  EXPECT_NEAR(std::sqrt(*block_variance(slow, 20)), 5 / std::sqrt(1000.0), 0.025);
  EXPECT_FALSE(block_variance(std::span(values).first(19), 2));
  EXPECT_FALSE(block_variance(values, 5000));
}

}  // namespace
}  // namespace assay::attribution
