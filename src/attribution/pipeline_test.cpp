// SPDX-License-Identifier: Apache-2.0
#include "attribution/pipeline.hpp"

#include <gtest/gtest.h>

#include "tests/support/traces.hpp"

namespace assay::attribution {
namespace {

using trace::Quality;
using trace::SpanKind;
using trace::Trace;

constexpr auto kService = SpanKind::service;

std::uint32_t item(Trace& run, std::string_view key) {
  return run.items.intern(run.strings.intern(key));
}
void span(Trace& run, std::string_view stage, std::string_view key, SpanKind kind, Nanos from,
          Nanos to) {
  run.spans.push(from, to, item(run, key), run.stage_id(stage), kNone, kind, Quality::exact);
}
void edge(Trace& run, std::string_view from, std::string_view to) {
  run.edges.push_back({run.stage_id(from), run.stage_id(to)});
}
std::string names(const Pipeline& pipeline) {
  std::string text;
  for (const PipelineStage& stage : pipeline.stages) {
    text += (text.empty() ? "" : " ") + stage.name;
    for (const std::uint32_t part : stage.parts) text += "+" + pipeline.parts[part].name;
  }
  return text;
}

TEST(Pipeline, JoinsWaitsServicesAndSendsByItem) {
  auto stages = testing::two_stages(50, 5, 3, 1);
  const auto schedule = testing::simulate(stages);
  const Trace run = testing::trace_of(stages, schedule);
  const auto pipeline = build_pipeline(run);
  ASSERT_TRUE(pipeline) << pipeline.error().to_text();
  ASSERT_EQ(names(*pipeline), "synth gpu");
  EXPECT_EQ(pipeline->stages[0].permits, 5u);
  EXPECT_EQ(pipeline->stages[1].servers, 1u);
  EXPECT_EQ(pipeline->stages[1].capacity, 3u);
  EXPECT_EQ(pipeline->begin, 0);
  EXPECT_EQ(pipeline->end, schedule.makespan);
  for (std::size_t s = 0; s < 2; ++s) {
    ASSERT_EQ(pipeline->visits[s].size(), 50u);
    Nanos before = INT64_MIN;
    for (const Visit& visit : pipeline->visits[s]) {
      const testing::SimVisit& truth = schedule.visits[s][visit.item];
      EXPECT_GE(visit.begin, before);
      before = visit.begin;
      EXPECT_EQ(visit.begin, truth.begin);
      EXPECT_EQ(visit.end, truth.end);
      if (s == 0) {
        EXPECT_EQ(visit.sent, truth.sent);
        EXPECT_FALSE(visit.queued);
        EXPECT_EQ(visit.worker, kNone);
      } else {
        EXPECT_EQ(visit.queued, truth.queued);
        EXPECT_FALSE(visit.sent);
        EXPECT_EQ(visit.worker, 0u);
      }
    }
  }
}

TEST(Pipeline, WithoutSendsNothingIsClaimed) {
  auto stages = testing::two_stages(20, 2, 1, 1);
  testing::SimLog log;
  log.blocked_send = false;
  const Trace run = testing::trace_of(stages, testing::simulate(stages), log);
  const auto pipeline = build_pipeline(run);
  ASSERT_TRUE(pipeline);
  for (const Visit& visit : pipeline->visits[0]) EXPECT_FALSE(visit.sent);
}

TEST(Pipeline, OrderIsTheEdgesElseTheMedianPassage) {
  struct Case {
    std::vector<std::pair<const char*, const char*>> edges;
    const char* expected;  // or the words of the error
  };
  const std::vector<Case> cases = {
      {{}, "load make ship"},
      {{{"load", "make"}, {"make", "ship"}}, "load make ship"},
      {{{"load", "queue"}, {"queue", "make"}}, "load make ship"},  // a box without services
      {{{"make", "ship"}}, "load make ship"},                      // the rest by passage
      {{{"load", "make"}, {"load", "ship"}}, "'load' leads to"},
      {{{"load", "ship"}, {"make", "ship"}}, "both lead to 'ship'"},
      {{{"load", "make"}, {"make", "ship"}, {"ship", "load"}}, "loop through"},
  };
  for (const Case& c : cases) {
    Trace run;
    run.source = "x.log";
    run.clock.resolution_ns = 1;
    for (int i = 0; i < 5; ++i) {
      const std::string key = "j/" + std::to_string(i);
      span(run, "ship", key, kService, 20 + i, 22 + i);  // stages appear in another order
      span(run, "load", key, kService, i, 5 + i);
      span(run, "make", key, kService, 10 + i, 15 + i);
    }
    for (const auto& [from, to] : c.edges) edge(run, from, to);
    const auto pipeline = build_pipeline(run);
    if (pipeline) {
      EXPECT_EQ(names(*pipeline), c.expected);
    } else {
      EXPECT_NE(pipeline.error().what.find(c.expected), std::string::npos) << pipeline.error().what;
      EXPECT_EQ(pipeline.error().where, "x.log");
      EXPECT_FALSE(pipeline.error().hint.empty());
    }
  }
}

TEST(Pipeline, PartsHoldTheWorkerOfTheirStage) {
  for (const bool own : {true, false}) {
    Trace run;
    const std::uint32_t prove = run.stage_id("prove");
    // Declared in the wrong order: the begins say which is first.
    run.stages[run.stage_id("finish")].parent = prove;
    run.stages[run.stage_id("start")].parent = prove;
    run.stages[run.find_stage("start")].servers = 1;
    span(run, "synth", "a", kService, 0, 10);
    span(run, "start", "a", kService, 12, 20);
    span(run, "finish", "a", kService, 25, 40);
    span(run, "finish", "a", SpanKind::lock_wait, 21, 24);
    if (own) span(run, "prove", "a", kService, 10, 42);
    const auto pipeline = build_pipeline(run);
    ASSERT_TRUE(pipeline);
    ASSERT_EQ(names(*pipeline), "synth prove+start+finish");
    EXPECT_EQ(pipeline->parts[pipeline->stages[1].parts[0]].servers, 1u);
    const Visit& visit = pipeline->visits[1].at(0);
    EXPECT_EQ(visit.begin, own ? 10 : 12);
    EXPECT_EQ(visit.end, own ? 42 : 40);
    EXPECT_EQ(visit.part_service, (std::vector<Nanos>{8, 15}));
    EXPECT_EQ(visit.part_wait, (std::vector<Nanos>{own ? 2 : 0, 3}));
  }
}

TEST(Pipeline, ARetryHasItsOwnWaitAndSend) {
  Trace run;
  span(run, "work", "a", SpanKind::queue_wait, 0, 5);
  span(run, "work", "a", kService, 5, 9);
  span(run, "work", "a", SpanKind::blocked_send, 9, 10);
  span(run, "work", "a", SpanKind::blocked_send, 10, 11);  // periodic partials
  span(run, "work", "a", SpanKind::queue_wait, 15, 20);
  span(run, "work", "a", kService, 20, 29);
  const auto pipeline = build_pipeline(run);
  ASSERT_TRUE(pipeline);
  ASSERT_EQ(pipeline->visits[0].size(), 2u);
  EXPECT_EQ(pipeline->visits[0][0].queued, 0);
  EXPECT_EQ(pipeline->visits[0][0].sent, 11);
  EXPECT_EQ(pipeline->visits[0][1].queued, 15);
  EXPECT_FALSE(pipeline->visits[0][1].sent);
}

TEST(Pipeline, WhatIsNotAPipelineIsSaid) {
  Trace empty;
  EXPECT_EQ(build_pipeline(empty).error().what, "no items: plain spans");
  Trace plain;
  plain.spans.push(0, 1, kNone, plain.stage_id("f"), kNone, kService, Quality::exact);
  plain.spans.push(0, 1, 77, 99, kNone, kService, Quality::exact);  // ids of nothing
  EXPECT_EQ(build_pipeline(plain).error().what, "no items: plain spans");
  Trace nested;
  for (int i = 0; i < 3; ++i) {
    const std::string key = std::to_string(i);
    span(nested, "prove", key, kService, i * 100, i * 100 + 90);
    span(nested, "msm", key, kService, i * 100 + 10, i * 100 + 50);
  }
  const auto refused = build_pipeline(nested);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().what,
            "'msm' runs inside 'prove' for 3 of 3 items: not one after the other");
  EXPECT_NE(refused.error().hint.find("parent = \"prove\""), std::string::npos);
}

}  // namespace
}  // namespace assay::attribution
