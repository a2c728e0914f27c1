// SPDX-License-Identifier: Apache-2.0
#include "prover/engine/batch.hpp"

#include <gtest/gtest.h>

#include "prover/engine/fake_work.hpp"

namespace prover {
namespace {

using std::chrono::milliseconds;
using test::comes_true;
using test::is_idle;
using test::is_whole;
using test::Rig;
using test::Step;

JobPtr job(const char* need, std::int32_t priority, int submitted_ms) {
  auto made = std::make_shared<Job>();
  made->needs = {{need, 1}};
  made->spec.priority = priority;
  made->submitted = TimePoint(milliseconds(submitted_ms));
  return made;
}

TEST(Collector, CollectsWhatNeedsTheSame) {
  Collector collector(2, milliseconds(100));
  const JobPtr a = job("x", 0, 0), b = job("y", 0, 10), c = job("x", 1, 20), d = job("x", 0, 30);
  EXPECT_FALSE(collector.add(a));
  EXPECT_FALSE(collector.add(b));
  EXPECT_FALSE(collector.add(c)) << "another priority";
  EXPECT_EQ(collector.size(), 3u);
  EXPECT_TRUE(collector.holds(*a));
  const auto full = collector.add(d);
  ASSERT_TRUE(full);
  EXPECT_EQ(*full, (std::vector<JobPtr>{a, d}));
  EXPECT_FALSE(collector.holds(*a));
  EXPECT_EQ(collector.due(*b), TimePoint(milliseconds(110)));
  EXPECT_TRUE(collector.take_due(TimePoint(milliseconds(109))).empty());
  EXPECT_EQ(collector.take_due(TimePoint(milliseconds(110))),
            (std::vector<std::vector<JobPtr>>{{b}}));
  collector.remove(*c);
  collector.remove(*c);
  EXPECT_EQ(collector.size(), 0u);
  EXPECT_TRUE(collector.take_all().empty());
}

Options batches_of(std::uint32_t jobs, milliseconds wait = std::chrono::minutes(10)) {
  return {.partition_workers = 2, .batch = jobs, .batch_wait = wait, .memory_budget = 400};
}

TEST(EngineBatch, GoesWhenItIsFullAndIsCheckedAtOnce) {
  Rig rig(batches_of(3));
  ASSERT_TRUE(rig.submit(2));
  ASSERT_TRUE(rig.submit(1));
  EXPECT_EQ(rig.engine().snapshot().jobs_collecting, 2u);
  EXPECT_EQ(rig.engine().snapshot().partitions_waiting, 0u);
  EXPECT_TRUE(rig.work.order().empty());
  ASSERT_TRUE(rig.submit(4));
  ASSERT_TRUE(comes_true([&] { return rig.outcomes().size() == 3; }));
  const std::uint32_t partitions[] = {2, 1, 4};
  for (std::uint64_t i = 0; i < 3; ++i)
    EXPECT_TRUE(is_whole(*rig.outcome(JobId{i + 1}), partitions[i]));
  EXPECT_EQ(rig.work.checks(), (std::vector<std::size_t>{3}));
  EXPECT_EQ(rig.engine().snapshot().batches, 1u);
  rig.engine().drain();
  EXPECT_TRUE(is_idle(rig.engine().snapshot(), 0));
}

TEST(EngineBatch, GoesWhenTheFirstHasWaitedLongEnoughOrNoMoreCome) {
  Rig rig(batches_of(3, milliseconds(2)));
  ASSERT_TRUE(rig.submit(2));
  ASSERT_TRUE(comes_true([&] { return rig.outcomes().size() == 1; }));
  Rig other(batches_of(3));
  ASSERT_TRUE(other.submit(2));
  ASSERT_TRUE(other.submit(2));
  other.engine().drain();
  EXPECT_EQ(other.work.checks(), (std::vector<std::size_t>{2}));
}

TEST(EngineBatch, WhoeverFailsLeavesAndTheOthersAreAnswered) {
  for (const Step step : {Step::synthesize, Step::start, Step::finish, Step::check}) {
    Rig rig(batches_of(3));
    rig.work.failure = [&](Step at, const Task& task) -> std::optional<Error> {
      if (at != step || task.job != JobId{2}) return std::nullopt;
      return Error{"bad", {}, {}, ErrorKind::failed};
    };
    for (int i = 0; i < 3; ++i) ASSERT_TRUE(rig.submit(2));
    ASSERT_TRUE(comes_true([&] { return rig.outcomes().size() == 3; }));
    EXPECT_EQ(rig.outcome(JobId{2})->error->what, "bad");
    for (const std::uint64_t id : {1u, 3u}) EXPECT_TRUE(is_whole(*rig.outcome(JobId{id}), 2));
    EXPECT_EQ(rig.work.checks(), (std::vector<std::size_t>{step == Step::check ? 3u : 2u}));
  }
}

TEST(EngineBatch, CancelledWhileItIsCollectedOrWaitsForTheOthers) {
  Rig rig(batches_of(2));
  ASSERT_TRUE(rig.submit(1));
  EXPECT_TRUE(rig.engine().cancel(JobId{1}));
  ASSERT_TRUE(comes_true([&] { return rig.outcomes().size() == 1; }));
  ASSERT_TRUE(rig.submit(1));
  EXPECT_EQ(rig.engine().snapshot().jobs_collecting, 1u);
  // Job 3 stands on the device; job 2 is proved and waits for it.
  std::atomic<bool> there{false};
  rig.work.failure = [&](Step step, const Task& task) -> std::optional<Error> {
    if (step == Step::synthesize && task.job == JobId{3}) {
      there = true;
      rig.work.start_gate.shut();
    }
    return std::nullopt;
  };
  ASSERT_TRUE(rig.submit(1));
  ASSERT_TRUE(comes_true([&] { return there.load(); }));
  ASSERT_TRUE(comes_true([&] { return rig.engine().snapshot().in_flight[Place::proving] == 1; }));
  EXPECT_EQ(rig.outcomes().size(), 1u);
  EXPECT_TRUE(rig.engine().cancel(JobId{3}));
  rig.work.start_gate.open();
  ASSERT_TRUE(comes_true([&] { return rig.outcomes().size() == 3; }));
  EXPECT_TRUE(is_whole(*rig.outcome(JobId{2}), 1));
  EXPECT_EQ(rig.outcome(JobId{3})->error->kind, ErrorKind::cancelled);
}

TEST(EngineBatch, HandsBackWhatIsCollected) {
  Rig rig(batches_of(5));
  ASSERT_TRUE(rig.submit(1));
  ASSERT_TRUE(rig.submit(1));
  EXPECT_EQ(rig.engine().hand_back(), (std::vector<JobId>{JobId{1}, JobId{2}}));
  EXPECT_TRUE(rig.work.order().empty());
}

}  // namespace
}  // namespace prover
