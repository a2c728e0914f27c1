// SPDX-License-Identifier: Apache-2.0
#include "attribution/replay.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "tests/support/traces.hpp"

namespace assay::attribution {
namespace {

using testing::SimLog;
using testing::SimStage;

RunModel modelled(const trace::Trace& run) {
  const auto pipeline = build_pipeline(run);
  EXPECT_TRUE(pipeline) << pipeline.error().to_text();
  auto model = model_of(*pipeline, run);
  EXPECT_TRUE(model) << model.error().to_text();
  return model ? *model : RunModel();
}

std::vector<SimStage> three_stages(std::uint32_t permits, std::uint64_t capacity) {
  return {{"load", testing::lognormal(120, 3, .3, 5), permits, {}, true},
          {"make", testing::lognormal(120, 7, .5, 6), 3, capacity, true},
          {"ship", testing::lognormal(120, 2, .2, 7), 1, 2, true}};
}

TEST(Replay, ReproducesASimulationToTheNanosecond) {
  struct Case {
    const char* name;
    std::vector<SimStage> stages;
  };
  auto released = testing::two_stages(200, 9, 1, 1);
  released[0].hold_through_send = false;
  const std::vector<Case> cases = {{"bottleneck downstream", testing::two_stages(200, 5, 3, 1)},
                                   {"bottleneck upstream", testing::two_stages(200, 3, 3, 1)},
                                   {"two servers", testing::two_stages(200, 9, 1, 2)},
                                   {"released before the send", released},
                                   {"three stages", three_stages(4, 1)},
                                   {"wide", three_stages(40, 30)},
                                   {"one item", testing::two_stages(1, 5, 3, 1)}};
  Replayer replayer;  // one for all: nothing of a run is left in it
  for (const Case& c : cases) {
    const auto schedule = testing::simulate(c.stages);
    for (const bool sends : {true, false}) {
      SimLog log;
      log.blocked_send = sends;
      const RunModel model = modelled(testing::trace_of(c.stages, schedule, log));
      EXPECT_EQ(model.measured, schedule.makespan) << c.name;
      EXPECT_EQ(replay(replayer, model), schedule.makespan) << c.name;
      EXPECT_TRUE(model.source == ReplaySource()) << c.name;
    }
  }
}

TEST(Replay, TheCounterfactualIsTheSimulationWithIt) {
  auto before = testing::two_stages(300, 5, 3, 1);
  RunModel model = modelled(testing::trace_of(before, testing::simulate(before)));
  struct Case {
    const char* name;
    std::uint32_t permits;
    std::uint64_t capacity;
    std::uint32_t servers;
    bool held;
  };
  for (const Case& c : std::vector<Case>{{"permits", 4, 3, 1, true},
                                         {"capacity", 5, 1, 1, true},
                                         {"servers", 5, 3, 2, true},
                                         {"scope", 5, 3, 1, false}}) {
    auto stages = testing::two_stages(300, c.permits, c.capacity, c.servers);
    stages[0].hold_through_send = c.held;
    RunModel other = model;
    other.stages[0].servers = other.stages[0].permits = c.permits;
    other.stages[0].server_through_send = other.stages[0].permit_through_send = c.held;
    other.stages[1].capacity = c.capacity;
    other.stages[1].servers = c.servers;
    Replayer replayer;
    EXPECT_EQ(replay(replayer, other), testing::simulate(stages).makespan) << c.name;
  }
}

TEST(Replay, RoundedTimesComeOutWithinTheRounding) {
  SimLog log;
  log.resolution_ns = 1'000'000;
  const auto stages = testing::two_stages(400, 5, 3, 1);
  const auto schedule = testing::simulate(stages);
  const RunModel model = modelled(testing::trace_of(stages, schedule, log));
  Replayer replayer;
  EXPECT_NEAR(double(replay(replayer, model)), double(schedule.makespan), 50e6);
  EXPECT_TRUE(model.stages[0].permit_through_send);
  EXPECT_TRUE(model.source == ReplaySource());
}

// By hand: two workers, a device of one, then a part that runs beside it.
//   item 0: start 0-4, finish 4-14; item 1: waits, start 4-8, finish 8-18; item 2: at 14, 14-18-28.
TEST(Replay, APartUnderALockIsWaitedForWhileTheWorkerIsHeld) {
  const std::vector<ReplayStage> stages = {{2, UINT64_MAX, 0, true, true, false, {1, 0}}};
  const std::vector<Nanos> start(3, 4), finish(3, 10);
  const std::vector<std::span<const Nanos>> services = {start, finish};
  const std::vector<std::uint32_t> entry = {0, 1, 2};
  Replayer replayer;
  EXPECT_EQ(replayer.makespan({stages, services, entry, nullptr}), 28);
  // Without the lock: 0-14, 0-14, 14-28. With it the second is late, but the last is not.
  const std::vector<std::uint32_t> four = {0, 1, 2, 1};
  EXPECT_EQ(replayer.makespan({stages, services, four, nullptr}), 32);
  const std::vector<ReplayStage> free = {{2, UINT64_MAX, 0, true, true, false, {2, 0}}};
  EXPECT_EQ(replayer.makespan({free, services, four, nullptr}), 28);
}

TEST(Replay, SplitServicesAddUpToTheVisit) {
  trace::Trace run;
  const std::uint32_t prove = run.stage_id("prove");
  run.stages[prove].servers = 2;
  run.stages[run.stage_id("prove.start")].parent = prove;
  run.stages[run.stage_id("finish")].parent = prove;
  run.stages[1].servers = 1;
  const auto span = [&](std::uint32_t item, std::uint32_t stage, Nanos from, Nanos to) {
    run.spans.push(from, to, item, stage, trace::kNone, trace::SpanKind::service,
                   trace::Quality::exact);
  };
  for (std::uint32_t i = 0; i < 2; ++i) {
    run.items.intern(run.strings.intern(std::to_string(i)));
    span(i, prove, 0, 40);
    span(i, 1, 2 + 10 * i, 10 + 10 * i);  // a wait of 2 or 12 for the device
    span(i, 2, 13 + 10 * i, 38);          // 3 between them, 2 after it
  }
  const RunModel model = modelled(run);
  ASSERT_EQ(model.columns.size(), 2u);
  EXPECT_EQ(model.columns[0].name, "prove.start");
  EXPECT_EQ(model.columns[1].name, "prove.finish");
  EXPECT_EQ(model.services[0], (std::vector<Nanos>{8, 8}));
  EXPECT_EQ(model.services[1], (std::vector<Nanos>{27, 17}));
  EXPECT_EQ(model.hand_over[1], (std::vector<Nanos>{3, 3}));
}

TEST(Replay, AQueueThatGivesTheEarliestEnteredIsSeen) {
  // The second stage is slow; item 2 is served before item 1 although 1 was queued first... or not.
  for (const bool by_order : {true, false}) {
    trace::Trace run;
    const std::uint32_t a = run.stage_id("a"), b = run.stage_id("b");
    run.stages[a].servers = 3;
    run.stages[b].servers = 1;
    run.stages[b].capacity = 10;
    const auto add = [&](std::uint32_t item, Nanos end, Nanos from, Nanos to) {
      run.items.intern(run.strings.intern(std::to_string(item)));
      const auto push = [&](Nanos t0, Nanos t1, std::uint32_t stage, trace::SpanKind kind) {
        run.spans.push(t0, t1, item, stage, trace::kNone, kind, trace::Quality::exact);
      };
      push(0, end, a, trace::SpanKind::service);
      push(end, from, b, trace::SpanKind::queue_wait);
      push(from, to, b, trace::SpanKind::service);
    };
    // Queued in the order 0, 2, 1; the first is in service until 100.
    add(0, 10, 10, 100);
    add(1, 30, by_order ? 100 : 200, by_order ? 200 : 300);
    add(2, 20, by_order ? 200 : 100, by_order ? 300 : 200);
    const RunModel model = modelled(run);
    EXPECT_EQ(model.stages[1].by_order, by_order);
    Replayer replayer;
    EXPECT_EQ(replay(replayer, model), 300);
  }
}

TEST(Replay, ASourceWithNothingToGiveIsSeen) {
  // One server of 10; items come every 25.
  trace::Trace run;
  run.stages[run.stage_id("work")].servers = 1;
  for (std::uint32_t i = 0; i < 20; ++i) {
    run.items.intern(run.strings.intern(std::to_string(i) + "/0"));
    run.spans.push(25 * i, 25 * i + 10, i, 0, trace::kNone, trace::SpanKind::service,
                   trace::Quality::exact);
  }
  RunModel model = modelled(run);
  EXPECT_EQ(model.source.arrival.size(), 20u);
  ASSERT_EQ(model.notes.size(), 1u);
  EXPECT_NE(model.notes[0].find("19 of 20 items began later"), std::string::npos) << model.notes[0];
  Replayer replayer;
  EXPECT_EQ(replay(replayer, model), 19 * 25 + 10);
  model.services[0].assign(20, 5);  // faster service does not bring the items
  EXPECT_EQ(replay(replayer, model), 19 * 25 + 5);
}

TEST(Replay, ALimitOfJobsInFlightIsSeen) {
  // Four servers, jobs of two items, one job at a time: a job enters when the one before has left.
  trace::Trace run;
  run.stages[run.stage_id("work")].servers = 4;
  Nanos at = 0;
  for (std::uint32_t i = 0; i < 20; ++i) {
    run.items.intern(run.strings.intern(std::to_string(i / 2) + "/" + std::to_string(i % 2)));
    const Nanos service = 100 + (i % 2) * 50;
    run.spans.push(at, at + service, i, 0, trace::kNone, trace::SpanKind::service,
                   trace::Quality::exact);
    if (i % 2 == 1) at += service;
  }
  RunModel model = modelled(run);
  EXPECT_EQ(model.source.jobs_in_flight, 1u);
  Replayer replayer;
  EXPECT_EQ(replay(replayer, model), 1500);
  model.source.jobs_in_flight = 2;
  EXPECT_EQ(replay(replayer, model), 750);
}

TEST(Replay, WhatNobodyStatedIsAskedFor) {
  const auto stages = testing::two_stages(20, 2, 1, 1);
  SimLog log;
  log.topology = false;
  const trace::Trace run = testing::trace_of(stages, testing::simulate(stages), log);
  const auto pipeline = build_pipeline(run);
  ASSERT_TRUE(pipeline);
  const auto model = model_of(*pipeline, run);
  ASSERT_FALSE(model);
  EXPECT_EQ(model.error().what,
            "the log does not say servers or permits of synth, servers of gpu, capacity of gpu");
  EXPECT_NE(model.error().hint.find("--rules"), std::string::npos);
}

TEST(Replay, ItemsThatMissAStageAreRefused) {
  const auto stages = testing::two_stages(50, 2, 1, 1);
  SimLog log;
  log.lose = 0.1;
  const trace::Trace run = testing::trace_of(stages, testing::simulate(stages), log);
  const auto pipeline = build_pipeline(run);
  ASSERT_TRUE(pipeline);
  const auto model = model_of(*pipeline, run);
  ASSERT_FALSE(model);
  EXPECT_NE(model.error().what.find("miss gpu"), std::string::npos) << model.error().what;
}

// What passes between the steps is measured item by item, and a run replays to its own log.
TEST(Replay, HandOversAreMeasuredAndReplayed) {
  const SimLog log;
  for (const std::uint32_t servers : {1U, 2U}) {
    for (const std::uint64_t capacity : {1U, 3U, 50U}) {
      auto stages = testing::two_stages(60, 5, capacity, servers);
      const auto none = modelled(testing::trace_of(stages, testing::simulate(stages)));
      for (const auto& column : none.hand_over) EXPECT_TRUE(column.empty());
      for (const auto& column : none.send_delay) EXPECT_TRUE(column.empty());
      stages[0].hand_over_s = testing::lognormal(60, 1, .5, 5);
      stages[0].hand_over_s[0] = 0;  // the run begins with its first begin
      stages[0].send_delay_s = testing::lognormal(60, .2, .5, 6);
      stages[1].hand_over_s = testing::lognormal(60, .8, .5, 7);
      const auto schedule = testing::simulate(stages);
      const RunModel model = modelled(testing::trace_of(stages, schedule));
      Replayer replayer;
      if (servers > 1) {  // pick-ups overlap: their order is not that of the begins
        EXPECT_NEAR(double(replay(replayer, model)), double(schedule.makespan),
                    0.01 * double(schedule.makespan));
        continue;
      }
      EXPECT_EQ(replay(replayer, model), schedule.makespan) << capacity;
      ASSERT_EQ(model.hand_over[1].size(), 60u);
      for (std::size_t item = 0; item < 60; ++item) {
        // Rows are in the order of begins.
        const auto key = std::find(model.keys.begin(), model.keys.end(),
                                   testing::item_key(item, log.partitions));
        ASSERT_NE(key, model.keys.end());
        const auto row = static_cast<std::size_t>(key - model.keys.begin());
        EXPECT_NEAR(double(model.hand_over[1][row]) * 1e-9, stages[1].hand_over_s[item], 1e-8);
      }
    }
  }
}

// A second server that was stated and not there is no hand-over: the replay is to miss the log.
TEST(Replay, WaitsTooLongForAMachineAreNoHandOver) {
  const auto stages = testing::two_stages(60, 5, 3, 1);
  trace::Trace run = testing::trace_of(stages, testing::simulate(stages));
  run.stages[1].servers = 2;
  const RunModel model = modelled(run);
  EXPECT_TRUE(model.hand_over[1].empty());
  ASSERT_FALSE(model.notes.empty());
  EXPECT_NE(model.notes.back().find("between the steps of gpu"), std::string::npos);
  Replayer replayer;
  EXPECT_LT(replay(replayer, model), model.measured * 9 / 10);
}

// A coarse clock makes no hand-over of its rounding.
TEST(Replay, RoundedTimesAreNoHandOver) {
  const auto stages = testing::two_stages(60, 5, 3, 1);
  SimLog log;
  log.resolution_ns = 100'000'000;
  const RunModel model = modelled(testing::trace_of(stages, testing::simulate(stages), log));
  for (const auto& column : model.hand_over) EXPECT_TRUE(column.empty());
  for (const auto& column : model.send_delay) EXPECT_TRUE(column.empty());
}

}  // namespace
}  // namespace assay::attribution
