// SPDX-License-Identifier: Apache-2.0
// Cancelling, wherever the job's partitions are at that moment.
#include <gtest/gtest.h>

#include "prover/engine/engine.hpp"
#include "prover/engine/fake_work.hpp"

namespace prover {
namespace {

using test::comes_true;
using test::is_idle;
using test::Rig;

void expect_cancelled(const Rig& rig, JobId job) {
  ASSERT_TRUE(comes_true([&] { return rig.outcome(job).has_value(); }));
  ASSERT_TRUE(rig.outcome(job)->error);
  EXPECT_EQ(rig.outcome(job)->error->kind, ErrorKind::cancelled);
  EXPECT_FALSE(rig.outcome(job)->proof);
}

TEST(EngineCancel, AJobNobodyKnowsIsNotCancelled) {
  Rig rig;
  EXPECT_FALSE(rig.engine().cancel(JobId{7}));
  ASSERT_TRUE(rig.submit(1));
  rig.engine().drain();
  EXPECT_FALSE(rig.engine().cancel(JobId{1})) << "it has ended";
}

TEST(EngineCancel, InTheSynthesis) {
  Rig rig({.partition_workers = 2});
  rig.work.synthesis_gate.shut();
  ASSERT_TRUE(rig.submit(5));
  ASSERT_TRUE(comes_true([&] { return rig.work.order().size() == 2; }));
  EXPECT_TRUE(rig.engine().cancel(JobId{1}));
  expect_cancelled(rig, JobId{1});
  EXPECT_TRUE(comes_true([&] { return is_idle(rig.engine().snapshot(), 0); }));
  EXPECT_EQ(rig.work.synthesised(), 2) << "the gate lets stopped ones pass; no other was begun";
}

// Job 1 holds what job 2 waits for; job 2 goes without waiting for job 1.
TEST(EngineCancel, WaitingForBytesOrForAPermit) {
  const Options for_bytes{.partition_workers = 4, .memory_budget = 150};
  const Options for_permit{.partition_workers = 1};
  for (const Options& options : {for_bytes, for_permit}) {
    Rig rig(options);
    rig.work.synthesis_gate.shut();
    ASSERT_TRUE(rig.submit(1));
    ASSERT_TRUE(comes_true([&] { return rig.work.order().size() == 1; }));
    ASSERT_TRUE(rig.submit(3));
    EXPECT_TRUE(rig.engine().cancel(JobId{2}));
    expect_cancelled(rig, JobId{2});
    EXPECT_FALSE(rig.outcome(JobId{1})) << "it was not waited for";
    rig.work.synthesis_gate.open();
    rig.engine().drain();
    EXPECT_TRUE(rig.outcome(JobId{1})->proof);
    EXPECT_TRUE(is_idle(rig.engine().snapshot(), 0));
  }
}

// One on the device, one queued, the rest before the queue.
TEST(EngineCancel, QueuedBlockedInTheSendAndOnTheDevice) {
  for (const PermitScope scope : {PermitScope::send, PermitScope::synthesis}) {
    Rig rig({.partition_workers = 2, .channel = 1, .permit_scope = scope});
    rig.work.start_gate.shut();
    ASSERT_TRUE(rig.submit(8));
    const std::uint32_t unsent = scope == PermitScope::send ? 2 : 6;
    ASSERT_TRUE(test::is_full(rig, unsent));
    ASSERT_TRUE(rig.submit(2));
    EXPECT_TRUE(rig.engine().cancel(JobId{1}));
    expect_cancelled(rig, JobId{1});
    rig.work.start_gate.open();
    rig.engine().drain();
    EXPECT_TRUE(rig.outcome(JobId{2})->proof);
    EXPECT_TRUE(is_idle(rig.engine().snapshot(), 0));
    EXPECT_EQ(rig.work.bytes_held(), 0u);
  }
}

TEST(EngineCancel, TheEndOfTheEngineCancelsWhatIsLeftAndAnswersEveryJob) {
  Rig rig({.partition_workers = 2, .channel = 1});
  rig.work.start_gate.shut();
  for (int job = 0; job < 4; ++job) ASSERT_TRUE(rig.submit(3));
  ASSERT_TRUE(test::is_full(rig, 2));
  rig.end();
  ASSERT_EQ(rig.outcomes().size(), 4u);
  for (const JobOutcome& outcome : rig.outcomes())
    EXPECT_EQ(outcome.error->kind, ErrorKind::cancelled);
  EXPECT_EQ(rig.work.bytes_held(), 0u);
}

// Cancels from another thread while the jobs run: each ends exactly once, one way or the other.
TEST(EngineCancel, RacesWithTheJobs) {
  Rig rig({.partition_workers = 3, .prove_workers = 2, .memory_budget = 500});
  std::vector<JobId> jobs;
  for (int job = 0; job < 200; ++job) {
    const auto id = rig.submit(3);
    ASSERT_TRUE(id);
    jobs.push_back(*id);
  }
  std::thread canceller([&] {
    for (std::size_t i = 0; i < jobs.size(); i += 3) rig.engine().cancel(jobs[i]);
  });
  rig.engine().drain();
  canceller.join();
  const auto outcomes = rig.outcomes();
  ASSERT_EQ(outcomes.size(), jobs.size());
  std::vector<bool> seen(jobs.size() + 1);
  for (const JobOutcome& outcome : outcomes) {
    const auto id = static_cast<std::size_t>(outcome.job);
    EXPECT_FALSE(seen[id]);
    seen[id] = true;
    EXPECT_NE(outcome.proof.has_value(), outcome.error.has_value());
    if ((id - 1) % 3 != 0) {
      EXPECT_TRUE(outcome.proof) << "nobody cancelled it";
    }
  }
  EXPECT_TRUE(is_idle(rig.engine().snapshot(), 0));
}

}  // namespace
}  // namespace prover
