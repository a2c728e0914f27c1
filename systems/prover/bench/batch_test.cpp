// SPDX-License-Identifier: Apache-2.0
#include "prover/bench/batch.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <thread>

#include "prover/bench/report.hpp"

namespace prover::bench {
namespace {

// Work that takes no time and little memory.
BatchOptions quick(std::uint32_t jobs, std::uint32_t at_once, std::uint32_t partitions) {
  BatchOptions options;
  options.load.circuit.reset();
  options.jobs = jobs;
  options.at_once = at_once;
  options.partitions = partitions;
  options.load.synthetic.synth.mean_ms = 0;
  options.load.synthetic.start.mean_ms = 0;
  options.load.synthetic.finish.mean_ms = 0;
  options.load.synthetic.vectors = 64 << 10;
  options.load.synthetic.witness = 16 << 10;
  options.load.synthetic.srs = 1 << 20;
  return options;
}

Result<BatchResult> run(const BatchOptions& options, Timeline& timeline, StopRequests& stops) {
  ResidentMemory resident;
  const auto load = Load::open(options.load, options.settings.work);
  if (!load) return fail(load.error());
  return run_batch(options, **load, resident, timeline, stops);
}

TEST(Batch, ProvesAllOfEveryJobHoweverManyAreAtOnce) {
  for (const std::uint32_t at_once : {1u, 3u, 15u}) {
    const BatchOptions options = quick(15, at_once, 10);
    Timeline timeline;
    StopRequests stops;
    const auto result = run(options, timeline, stops);
    ASSERT_TRUE(result) << result.error().to_text();
    const Counts counts = counts_of(options, *result);
    EXPECT_TRUE(counts.complete());
    EXPECT_EQ(counts.partitions_in_proofs, 150u);
    EXPECT_EQ(result->engine.in_flight.total(), 0u);
    EXPECT_EQ(result->engine.reserved, 0u);
    EXPECT_GT(result->peak.bytes, 0u);
    EXPECT_GE(result->end, result->begin);
    EXPECT_TRUE(result->warnings.empty()) << result->warnings.front();
  }
}

TEST(Batch, AStopLetsWhatIsInFlightEndAndSubmitsNoMore) {
  const BatchOptions options = quick(100000, 2, 3);
  Timeline timeline;
  StopRequests stops;
  std::thread stopper([&] { stops.request(SIGTERM); });
  const auto result = run(options, timeline, stops);
  stopper.join();
  ASSERT_TRUE(result);
  EXPECT_EQ(result->signal_number, SIGTERM);
  EXPECT_LT(result->submitted, 100000u);
  EXPECT_EQ(result->outcomes.size(), result->submitted);
  for (const JobOutcome& outcome : result->outcomes) EXPECT_TRUE(outcome.proof);
  EXPECT_FALSE(counts_of(options, *result).complete());
}

TEST(Batch, ASecondStopCancelsWhatIsInFlight) {
  BatchOptions options = quick(2, 2, 3);
  options.load.synthetic.synth.mean_ms = 600000;  // only a stop ends it
  options.load.synthetic.synth.cpu = 0;
  Timeline timeline;
  StopRequests stops;
  std::thread stopper([&] {
    stops.request(SIGINT);
    stops.request(SIGTERM);
  });
  const auto result = run(options, timeline, stops);
  stopper.join();
  ASSERT_TRUE(result);
  EXPECT_EQ(result->signal_number, SIGINT) << "the first one";
  EXPECT_EQ(result->outcomes.size(), result->submitted);
  for (const JobOutcome& outcome : result->outcomes)
    EXPECT_EQ(outcome.error->kind, ErrorKind::cancelled);
}

TEST(Batch, WhatCannotFitTheBudgetIsRefusedBeforeAnythingStarts) {
  BatchOptions options = quick(2, 2, 3);
  options.load.synthetic.vectors = 512u << 20;
  options.settings.engine.memory_budget = 300u << 20;
  Timeline timeline;
  StopRequests stops;
  auto result = run(options, timeline, stops);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind, ErrorKind::too_large);
  EXPECT_NE(result.error().what.find("partition 0 of a job needs 512 MiB"), std::string::npos)
      << result.error().to_text();
  options.settings.engine.memory_budget = 1u << 20;
  result = run(options, timeline, stops);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind, ErrorKind::too_large);
}

TEST(Batch, APileBeforeTheQueueIsWarnedOf) {
  BatchOptions options = quick(4, 4, 10);
  options.settings.engine.permit_scope = PermitScope::synthesis;
  options.settings.engine.channel = 1;
  options.settings.engine.partition_workers = 2;
  options.load.synthetic.start = {.mean_ms = 5, .cpu = 0};
  Timeline timeline;
  StopRequests stops;
  const auto result = run(options, timeline, stops);
  ASSERT_TRUE(result);
  EXPECT_TRUE(counts_of(options, *result).complete());
  ASSERT_EQ(result->warnings.size(), 1u);
  EXPECT_NE(result->warnings[0].find("because the permit is given back before the send"),
            std::string::npos);
}

TEST(Batch, OptionsThatDoNotGoTogetherAreRefused) {
  BatchOptions options = quick(2, 3, 1);
  EXPECT_EQ(check(options).error().where, "--in-flight");
  options.at_once = 2;
  options.command = Command::stages;
  EXPECT_EQ(check(options).error().where, "--work");
  options.command = Command::batch;
  options.json = options.timeline = "-";
  EXPECT_EQ(check(options).error().where, "--json and --timeline");
  options.timeline.reset();
  options.assay_metrics = true;
  EXPECT_EQ(check(options).error().where, "--json and --assay-metrics");
  options.json = "report.json";
  EXPECT_TRUE(check(options));
}

}  // namespace
}  // namespace prover::bench
