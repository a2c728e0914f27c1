// SPDX-License-Identifier: Apache-2.0
// What single options and calls change: priorities, deadlines, slots, jobs in synthesis, the
// device held through finish, freeing later, handing back.
#include <gtest/gtest.h>

#include <thread>

#include "prover/engine/engine.hpp"
#include "prover/engine/fake_work.hpp"

namespace prover {
namespace {

using test::comes_true;
using test::is_idle;
using test::is_whole;
using test::Rig;

JobSpec job(std::uint32_t partitions, std::int32_t priority) {
  return {partitions, nullptr, priority, {}};
}

JobSpec due_in(std::chrono::milliseconds wait, std::uint32_t partitions) {
  return {partitions, nullptr, 0, std::chrono::steady_clock::now() + wait};
}

TEST(EnginePolicy, PriorityBeforeJobBeforePartition) {
  Rig rig({.partition_workers = 1});
  rig.work.synthesis_gate.shut();
  ASSERT_TRUE(rig.submit(job(3, 0)));
  // The first is in its synthesis, the second has the dispatcher, the third can be overtaken.
  ASSERT_TRUE(comes_true([&] { return rig.engine().snapshot().partitions_waiting == 1; }));
  ASSERT_TRUE(rig.submit(job(1, -1)));
  ASSERT_TRUE(rig.submit(job(2, 5)));
  rig.work.synthesis_gate.open();
  rig.engine().drain();
  const std::vector<Task> expected = {{JobId{1}, 0}, {JobId{1}, 1}, {JobId{3}, 0},
                                      {JobId{3}, 1}, {JobId{1}, 2}, {JobId{2}, 0}};
  EXPECT_EQ(rig.work.order(), expected);
}

TEST(EnginePolicy, ADeadlineEndsItsJobWhereverItsPartitionsAre) {
  for (const bool on_device : {false, true}) {
    Rig rig({.partition_workers = 2, .channel = 1, .memory_budget = 500});
    (on_device ? rig.work.start_gate : rig.work.synthesis_gate).shut();
    ASSERT_TRUE(rig.submit(due_in(std::chrono::milliseconds(5), 9)));
    ASSERT_TRUE(rig.submit(2));
    ASSERT_TRUE(comes_true([&] { return rig.outcome(JobId{1}).has_value(); }));
    EXPECT_EQ(rig.outcome(JobId{1})->error->kind, ErrorKind::deadline);
    EXPECT_FALSE(rig.outcome(JobId{2}));
    (on_device ? rig.work.start_gate : rig.work.synthesis_gate).open();
    rig.engine().drain();
    EXPECT_TRUE(is_whole(*rig.outcome(JobId{2}), 2));
    EXPECT_TRUE(is_idle(rig.engine().snapshot(), 0));
    EXPECT_EQ(rig.engine().snapshot().jobs_deadline, 1u);
  }
}

TEST(EnginePolicy, ADeadlineThatIsKeptOrHasPassedAlready) {
  Rig rig;
  ASSERT_TRUE(rig.submit(due_in(std::chrono::hours(1), 3)));
  rig.work.synthesis_gate.shut();
  ASSERT_TRUE(rig.submit(due_in(-std::chrono::hours(1), 3)));
  ASSERT_TRUE(comes_true([&] { return rig.outcome(JobId{2}).has_value(); }));
  rig.work.synthesis_gate.open();
  rig.engine().drain();
  EXPECT_EQ(rig.outcome(JobId{2})->error->to_text(), "job: the job was not done by its deadline");
  EXPECT_TRUE(is_whole(*rig.outcome(JobId{1}), 3));
}

TEST(EnginePolicy, SlotsBoundWhatIsInTheEngine) {
  for (const std::uint32_t slots : {1u, 2u}) {
    Rig rig({.partition_workers = 4, .prove_workers = 2, .channel = 4, .slots = slots});
    for (int i = 0; i < 3; ++i) ASSERT_TRUE(rig.submit(5));
    rig.engine().drain();
    const Snapshot after = rig.engine().snapshot();
    EXPECT_LE(after.peaks.total, slots);
    EXPECT_LE(rig.work.most_bytes_held(), slots * 100);
    EXPECT_EQ(after.jobs_done, 3u);
    EXPECT_TRUE(is_idle(after, 0));
  }
}

TEST(EnginePolicy, SoManyJobsAreSynthesisedAtOnce) {
  Rig rig({.partition_workers = 6, .order = Order::fifo, .synthesis_jobs = 2});
  rig.work.synthesis_gate.shut();
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(rig.submit(2));
  ASSERT_TRUE(comes_true([&] { return rig.work.order().size() == 4; }));
  EXPECT_EQ(rig.engine().snapshot().partitions_waiting, 2u) << "there are permits left for them";
  for (const Task& task : rig.work.order()) EXPECT_NE(task.job, JobId{3});
  EXPECT_TRUE(rig.engine().cancel(JobId{1}));
  ASSERT_TRUE(comes_true([&] { return rig.work.order().size() == 6; })) << "its turn is free";
  rig.work.synthesis_gate.open();
  rig.engine().drain();
  EXPECT_EQ(rig.engine().snapshot().jobs_done, 2u);
}

TEST(EnginePolicy, WithoutSplitTheDeviceIsHeldThroughFinish) {
  for (const bool split : {true, false}) {
    Rig rig({.partition_workers = 4, .prove_workers = 2, .split = split});
    rig.work.finish_gate.shut();
    ASSERT_TRUE(rig.submit(6));
    ASSERT_TRUE(comes_true([&] {
      return rig.engine().snapshot().in_flight[Place::proving] == 2 &&
             rig.work.in_finish() == (split ? 2 : 1);
    }));
    rig.work.finish_gate.open();
    rig.engine().drain();
    EXPECT_EQ(rig.work.most_on_device() == 1, !split);
    EXPECT_TRUE(is_whole(rig.outcomes().at(0), 6));
  }
}

TEST(EnginePolicy, AsyncFreeAnswersBeforeTheMemoryIsFree) {
  Rig rig({.async_free = true, .memory_budget = 250});
  rig.work.free_gate.shut();
  ASSERT_TRUE(rig.submit(1));
  ASSERT_TRUE(comes_true([&] { return rig.outcomes().size() == 1; }));
  const Snapshot before = rig.engine().snapshot();
  EXPECT_EQ(before.partitions_freeing, 1u);
  EXPECT_EQ(before.reserved, 20u) << "a, b, c went early";
  EXPECT_EQ(before.in_flight.total(), 0u);
  EXPECT_EQ(before.permits_taken, 0u);
  EXPECT_EQ(rig.work.bytes_held(), 20u);
  // What is not free yet is reserved still, so only so many more come in.
  ASSERT_TRUE(rig.submit(20));
  ASSERT_TRUE(comes_true([&] { return rig.engine().snapshot().partitions_freeing >= 3; }));
  rig.work.free_gate.open();
  rig.engine().drain();
  EXPECT_TRUE(is_idle(rig.engine().snapshot(), 0));
  EXPECT_EQ(rig.work.bytes_held(), 0u);
  EXPECT_LE(rig.work.most_bytes_held(), 250u);
  for (const JobOutcome& outcome : rig.outcomes()) EXPECT_TRUE(outcome.proof);
}

TEST(EnginePolicy, HandingBackFinishesWhatHasBegunAndReturnsTheRest) {
  Rig rig({.partition_workers = 2, .channel = 1});
  rig.work.start_gate.shut();
  ASSERT_TRUE(rig.submit(2));
  ASSERT_TRUE(rig.submit(8));
  ASSERT_TRUE(rig.submit(3));
  ASSERT_TRUE(test::is_full(rig, 2));  // both of job 1, and two of job 2
  std::vector<JobId> back;
  std::thread stopper([&] { back = rig.engine().hand_back(); });
  ASSERT_TRUE(comes_true([&] { return rig.outcomes().size() == 1; }));
  EXPECT_EQ(rig.submit(1).error().kind, ErrorKind::draining);
  rig.work.start_gate.open();
  stopper.join();
  EXPECT_EQ(back, (std::vector<JobId>{JobId{3}}));
  EXPECT_TRUE(is_whole(*rig.outcome(JobId{1}), 2));
  EXPECT_TRUE(is_whole(*rig.outcome(JobId{2}), 8));
  EXPECT_EQ(rig.outcome(JobId{3})->error->kind, ErrorKind::draining);
  const Snapshot after = rig.engine().snapshot();
  EXPECT_TRUE(is_idle(after, 0));
  EXPECT_EQ(after.jobs_handed_back, 1u);
}

}  // namespace
}  // namespace prover
