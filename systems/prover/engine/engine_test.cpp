// SPDX-License-Identifier: Apache-2.0
// What the engine promises whatever its options, and what each option changes.
#include "prover/engine/engine.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "prover/engine/fake_work.hpp"

namespace prover {
namespace {

using test::comes_true;
using test::FakeWork;
using test::is_idle;
using test::Rig;

constexpr std::uint64_t kResident = 1000, kPart = 100;

std::vector<Options> all_options() {
  std::vector<Options> all;
  for (const std::uint32_t workers : {1u, 3u})
    for (const std::uint32_t provers : {1u, 2u})
      for (const std::uint32_t channel : {0u, 1u, 4u})
        for (const Order order : {Order::priority, Order::fifo})
          for (const PermitScope scope : {PermitScope::send, PermitScope::synthesis})
            for (const bool early : {true, false})
              for (const std::uint64_t parts : {0u, 1u, 3u}) {  // of the budget; 0: none
                Options one;
                one.partition_workers = workers;
                one.prove_workers = provers;
                if (channel > 0) one.channel = channel;
                one.order = order;
                one.permit_scope = scope;
                one.early_free = early;
                one.resident_bytes = kResident;
                if (parts > 0) one.memory_budget = kResident + parts * kPart + 50;
                all.push_back(one);
              }
  return all;
}

std::string describe(const Options& options) {
  return fmt::format("P={} W={} K={} {} {} {} budget={}", options.partition_workers,
                     options.prove_workers, options.capacity(),
                     options.order == Order::priority ? "priority" : "fifo",
                     options.permit_scope == PermitScope::send ? "send" : "synthesis",
                     options.early_free ? "early" : "late", options.memory_budget.value_or(0));
}

// A proof that is exactly the parts 0..k-1 of its own job.
void expect_whole(const JobOutcome& outcome, std::uint32_t partitions) {
  ASSERT_TRUE(outcome.proof) << outcome.error->to_text();
  EXPECT_FALSE(outcome.error);
  EXPECT_EQ(outcome.proof->job, outcome.job);
  std::vector<std::uint8_t> expected;
  for (std::uint32_t i = 0; i < partitions; ++i)
    for (const std::uint8_t byte : FakeWork::part({outcome.job, i})) expected.push_back(byte);
  EXPECT_EQ(outcome.proof->bytes, expected);
}

TEST(Engine, KeepsItsPromisesUnderEveryOption) {
  for (const Options& options : all_options()) {
    SCOPED_TRACE(describe(options));
    Rig rig(options);
    for (int job = 0; job < 6; ++job) ASSERT_TRUE(rig.submit(4));
    rig.engine().drain();

    const auto outcomes = rig.outcomes();
    ASSERT_EQ(outcomes.size(), 6u);
    for (const JobOutcome& outcome : outcomes) expect_whole(outcome, 4);
    const Snapshot after = rig.engine().snapshot();
    EXPECT_EQ(after.partitions_proved, 24u);
    EXPECT_TRUE(is_idle(after, kResident));
    EXPECT_EQ(rig.work.bytes_held(), 0u);
    EXPECT_EQ(rig.work.most_in_start(), 1) << "start is exclusive on the device";
    if (options.memory_budget) {
      EXPECT_LE(after.reserved_peak, *options.memory_budget);
      EXPECT_LE(rig.work.most_bytes_held() + kResident, *options.memory_budget);
    }
    if (options.permit_scope == PermitScope::send) {
      EXPECT_LE(after.peaks.before_proving, options.partition_workers + options.capacity());
    }
    EXPECT_LE(after.peaks.at[Place::queued], options.capacity());
    EXPECT_LE(after.peaks.at[Place::proving], options.prove_workers);
    EXPECT_LE(after.peaks.at[Place::synthesising], options.partition_workers);
  }
}

TEST(Engine, APermitThatTravelsWithItsPartitionStopsTheSynthesis) {
  Rig rig({.partition_workers = 2, .channel = 1});
  rig.work.start_gate.shut();
  ASSERT_TRUE(rig.submit(12));
  // Two in their sends: there are no more permits.
  ASSERT_TRUE(test::is_full(rig, 2));
  ASSERT_TRUE(comes_true([&] { return rig.engine().snapshot().permits_taken == 2; }));
  EXPECT_EQ(rig.work.synthesised(), 4);
  EXPECT_EQ(rig.engine().snapshot().peaks.before_proving, 3u);
  rig.work.start_gate.open();
  rig.engine().drain();
  expect_whole(rig.outcomes().at(0), 12);
  EXPECT_LE(rig.engine().snapshot().peaks.before_proving, 3u);
}

TEST(Engine, APermitReleasedBeforeTheSendLetsFinishedPartitionsPileUp) {
  Rig rig({.partition_workers = 2, .channel = 1, .permit_scope = PermitScope::synthesis});
  rig.work.start_gate.shut();
  ASSERT_TRUE(rig.submit(12));
  ASSERT_TRUE(test::is_full(rig, 10));
  EXPECT_EQ(rig.work.synthesised(), 12);
  EXPECT_EQ(rig.work.bytes_held(), 12 * kPart);
  rig.work.start_gate.open();
  rig.engine().drain();
  expect_whole(rig.outcomes().at(0), 12);
  EXPECT_GE(rig.engine().snapshot().peaks.before_proving, 11u);
}

TEST(Engine, EarlyFreeGivesTheVectorsBackBetweenStartAndFinish) {
  for (const bool early : {true, false}) {
    Rig rig({.early_free = early});
    std::atomic<std::uint64_t> at_finish{0}, reserved{0};
    rig.work.failure = [&](test::Step step, const Task&) -> std::optional<Error> {
      if (step == test::Step::finish) {
        at_finish = rig.work.bytes_held();
        reserved = rig.engine().snapshot().reserved;
      }
      return std::nullopt;
    };
    ASSERT_TRUE(rig.submit(1));
    rig.engine().drain();
    EXPECT_EQ(at_finish, early ? 20u : 100u);
    EXPECT_EQ(reserved, at_finish);
  }
}

TEST(Engine, OnePartitionAtATimeIsStartedOnTheDevice) {
  Rig rig({.partition_workers = 4, .prove_workers = 4});
  rig.work.start_gate.shut();
  ASSERT_TRUE(rig.submit(40));
  ASSERT_TRUE(comes_true([&] { return rig.engine().snapshot().in_flight[Place::proving] == 4; }));
  rig.work.start_gate.open();
  rig.engine().drain();
  EXPECT_EQ(rig.work.most_in_start(), 1);
  EXPECT_EQ(rig.engine().snapshot().peaks.at[Place::proving], 4u);
}

TEST(Engine, PriorityOrderIsStrictlyByJobAndPartition) {
  Rig rig({.partition_workers = 1});
  rig.work.synthesis_gate.shut();
  for (int job = 0; job < 3; ++job) ASSERT_TRUE(rig.submit(3));
  rig.work.synthesis_gate.open();
  rig.engine().drain();
  std::vector<Task> expected;
  for (std::uint64_t job = 1; job <= 3; ++job)
    for (std::uint32_t i = 0; i < 3; ++i) expected.push_back({JobId{job}, i});
  EXPECT_EQ(rig.work.order(), expected);
}

TEST(Engine, ManyJobsLeaveNothingBehindAndGetEachTheirOwnId) {
  Rig rig({.partition_workers = 3, .prove_workers = 2, .memory_budget = 450});
  std::uint64_t last = 0;
  for (int job = 0; job < 400; ++job) {
    const auto id = rig.submit(1 + static_cast<std::uint32_t>(job % 3));
    ASSERT_TRUE(id);
    EXPECT_GT(static_cast<std::uint64_t>(*id), last);
    last = static_cast<std::uint64_t>(*id);
  }
  rig.engine().drain();
  EXPECT_EQ(rig.outcomes().size(), 400u);
  const Snapshot after = rig.engine().snapshot();
  EXPECT_EQ(after.jobs_done, 400u);
  EXPECT_TRUE(is_idle(after, 0));
}

TEST(Engine, AJobMayBeSubmittedFromTheEndOfAnother) {
  Rig rig;
  std::atomic<int> done{0};
  std::function<void(JobOutcome)> again = [&](const JobOutcome&) {
    if (++done < 20) {
      EXPECT_TRUE(rig.engine().submit({2}, again));
    }
  };
  ASSERT_TRUE(rig.engine().submit({2}, again));
  ASSERT_TRUE(comes_true([&] { return done == 20; }));
}

TEST(Engine, ADrainEndsWhatWasTakenAndTakesNoMore) {
  Rig rig;
  rig.work.start_gate.shut();
  ASSERT_TRUE(rig.submit(3));
  ASSERT_TRUE(rig.submit(3));
  rig.engine().close();
  const auto refused = rig.submit(1);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::draining);
  rig.work.start_gate.open();
  rig.engine().drain();
  ASSERT_EQ(rig.outcomes().size(), 2u);
  for (const JobOutcome& outcome : rig.outcomes()) expect_whole(outcome, 3);
}

TEST(Engine, APartitionThatCanNeverFitIsRefusedBeforeAnythingStarts) {
  Rig rig({.memory_budget = 1099, .resident_bytes = kResident});
  const auto refused = rig.submit(1);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::too_large);
  EXPECT_EQ(refused.error().to_text(),
            "--memory-budget: partition 0 of a job needs 100 B; the budget of 1.07 KiB leaves 99 B "
            "beside the 1000 B that are resident (keys and the program itself)\n"
            "  it would never run: give at least 1 MiB");
  EXPECT_TRUE(rig.work.order().empty());
  EXPECT_FALSE(rig.submit(0)) << "a job without partitions";
}

TEST(Engine, TheStampsOfAPartitionAreInOrder) {
  Rig rig({.partition_workers = 2, .prove_workers = 2});
  ASSERT_TRUE(rig.submit(5));
  rig.engine().drain();
  const auto outcomes = rig.outcomes();
  for (const PartitionTimes& times : outcomes.at(0).times) {
    const TimePoint stamps[] = {
        times.taken, times.permitted, times.reserved,    times.synth_start, times.synth_end,
        times.sent,  times.picked_up, times.prove_start, times.start_end,   times.finish_end};
    for (std::size_t i = 1; i < std::size(stamps); ++i)
      EXPECT_GE(stamps[i], stamps[i - 1]) << "stamp " << i;
    EXPECT_GT(times.taken, TimePoint());
  }
}

}  // namespace
}  // namespace prover
