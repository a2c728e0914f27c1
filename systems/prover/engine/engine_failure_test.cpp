// SPDX-License-Identifier: Apache-2.0
// A job that fails ends with its own error; the others do not notice, and nothing stays behind.
#include <gtest/gtest.h>

#include "prover/engine/engine.hpp"
#include "prover/engine/fake_work.hpp"

namespace prover {
namespace {

using test::comes_true;
using test::is_idle;
using test::Rig;
using test::Step;

TEST(EngineFailure, EndsItsJobAlone) {
  const struct {
    Step step;
    std::uint32_t partition;
    const char* where;
  } cases[] = {
      {Step::synthesize, 0, "synthesis of partition 0 of job 00000003"},
      {Step::synthesize, 4, "synthesis of partition 4 of job 00000003"},
      {Step::upload, 1, "proving of partition 1 of job 00000003"},
      {Step::start, 2, "proving of partition 2 of job 00000003"},
      {Step::finish, 4, "proving of partition 4 of job 00000003"},
      {Step::check, 0, "self-check of job 00000003"},
  };
  for (const auto& one : cases) {
    for (const PermitScope scope : {PermitScope::send, PermitScope::synthesis}) {
      SCOPED_TRACE(one.where);
      Rig rig({.partition_workers = 3,
               .prove_workers = 2,
               .permit_scope = scope,
               .memory_budget = 600});
      rig.work.failure = [&](Step step, const Task& task) -> std::optional<Error> {
        if (step != one.step || task != Task{JobId{3}, one.partition}) return std::nullopt;
        return Error{"the moon is wrong", {}, {}, ErrorKind::failed};
      };
      for (int job = 0; job < 6; ++job) ASSERT_TRUE(rig.submit(5));
      rig.engine().drain();
      ASSERT_EQ(rig.outcomes().size(), 6u);
      for (const JobOutcome& outcome : rig.outcomes()) {
        EXPECT_EQ(outcome.proof.has_value(), outcome.job != JobId{3});
        EXPECT_EQ(outcome.error.has_value(), outcome.job == JobId{3});
      }
      const auto failed = rig.outcome(JobId{3});
      ASSERT_TRUE(failed && failed->error);
      EXPECT_EQ(failed->error->to_text(), std::string(one.where) + ": the moon is wrong");
      EXPECT_TRUE(is_idle(rig.engine().snapshot(), 0));
      EXPECT_EQ(rig.work.bytes_held(), 0u);
      EXPECT_EQ(rig.engine().snapshot().jobs_failed, 1u);
    }
  }
}

TEST(EngineFailure, ADeviceThatAnswersForAnotherPartitionIsFoundOut) {
  const Task wrong[] = {{JobId{1}, 1}, {JobId{2}, 0}, {JobId{9}, 0}};
  for (const Task& answer : wrong) {
    Rig rig;
    rig.work.answers_for = [&](const Task& task) {
      return task == Task{JobId{1}, 0} ? answer : task;
    };
    ASSERT_TRUE(rig.submit(2));
    ASSERT_TRUE(rig.submit(2));
    rig.engine().drain();
    ASSERT_TRUE(rig.outcome(JobId{1})->error);
    EXPECT_EQ(rig.outcome(JobId{1})->error->kind, ErrorKind::self_check);
    EXPECT_FALSE(rig.outcome(JobId{1})->proof);
    EXPECT_TRUE(rig.outcome(JobId{2})->proof);
  }
}

TEST(EngineFailure, AFailureThrowsOutWhatWaitsOfItsJob) {
  Rig rig({.partition_workers = 2, .channel = 1, .permit_scope = PermitScope::synthesis});
  rig.work.start_gate.shut();
  rig.work.failure = [](Step step, const Task&) -> std::optional<Error> {
    if (step != Step::start) return std::nullopt;
    return Error{"broken", {}, {}, ErrorKind::failed};
  };
  ASSERT_TRUE(rig.submit(8));
  ASSERT_TRUE(test::is_full(rig, 6));
  rig.work.start_gate.open();
  rig.engine().drain();
  EXPECT_EQ(rig.outcomes().at(0).error->what, "broken");
  EXPECT_EQ(rig.outcomes().at(0).partitions_proved, 0u) << "the other seven were thrown out";
}

// Memory that the system refuses ends the engine, as it would end a service.
TEST(EngineFailure, OutOfMemoryEndsTheEngineAndSaysWhatItHeld) {
  for (const Step step : {Step::synthesize, Step::upload, Step::start}) {
    Rig rig({.partition_workers = 2, .channel = 1, .permit_scope = PermitScope::synthesis});
    rig.work.failure = [&](Step at, const Task& task) -> std::optional<Error> {
      if (at != step || task != Task{JobId{2}, 1}) return std::nullopt;
      return Error{"cannot allocate 80 B for a, b, c", {}, {}, ErrorKind::out_of_memory};
    };
    for (int job = 0; job < 5; ++job)
      if (!rig.submit(4)) break;
    rig.engine().drain();
    const Snapshot after = rig.engine().snapshot();
    ASSERT_TRUE(after.fatal);
    EXPECT_EQ(after.fatal->error.kind, ErrorKind::out_of_memory);
    EXPECT_GE(after.fatal->held.in_flight.total(), 1u);
    EXPECT_GE(after.fatal->held.reserved, 20u);
    EXPECT_GT(after.fatal->held.resident, 0u);
    EXPECT_TRUE(is_idle(after, 0));
    EXPECT_EQ(rig.outcome(JobId{2})->error->kind, ErrorKind::out_of_memory) << "its own error";
    for (const JobOutcome& outcome : rig.outcomes()) {
      if (outcome.error && outcome.job != JobId{2}) {
        EXPECT_EQ(outcome.error->what, "the engine ran out of memory");
      }
    }
    EXPECT_EQ(rig.submit(1).error().kind, ErrorKind::draining);
  }
}

TEST(EngineFailure, BadAllocIsOutOfMemory) {
  Rig rig;
  rig.work.failure = [](Step step, const Task& task) -> std::optional<Error> {
    if (step == Step::synthesize && task.partition == 1) throw std::bad_alloc();
    return std::nullopt;
  };
  ASSERT_TRUE(rig.submit(3));
  rig.engine().drain();
  ASSERT_TRUE(rig.engine().snapshot().fatal);
  EXPECT_EQ(rig.outcomes().at(0).error->kind, ErrorKind::out_of_memory);
}

}  // namespace
}  // namespace prover
