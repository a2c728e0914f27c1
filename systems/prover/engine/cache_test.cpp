// SPDX-License-Identifier: Apache-2.0
#include "prover/engine/cache.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <thread>

#include "prover/engine/fake_work.hpp"

namespace prover {
namespace {

using test::comes_true;
using test::is_idle;
using test::Rig;
using Bytes = ResourceCache::Bytes;

class CacheTest : public ::testing::Test {
 protected:
  struct Thing final : Resource {
    explicit Thing(int& of) : alive(of) { ++alive; }
    ~Thing() override { --alive; }
    int& alive;
  };

  Result<ResourceCache::Pin> pin(ResourceCache& cache, const std::string& name, std::uint64_t bytes,
                                 std::uint64_t job = 1) {
    const auto load = [this](const ResourceNeed&, const std::stop_token&) -> Result<ResourcePtr> {
      return ResourcePtr(std::make_shared<Thing>(alive_));
    };
    return cache.pin({name, bytes}, JobId{job}, load, {}, Bytes::at_once);
  }
  static std::vector<std::string> names(const ResourceCache& cache) {
    std::vector<std::string> all;
    for (const CachedResource& one : cache.list()) all.push_back(one.name);
    return all;
  }
  using Names = std::vector<std::string>;

  int alive_ = 0;
  ByteBudget budget_{100};
};

TEST_F(CacheTest, LoadsOnceAndKeepsWhatNobodyPins) {
  ResourceCache cache(budget_, SrsPolicy::resident);
  for (const std::uint64_t job : {1u, 1u, 2u}) {
    auto held = pin(cache, "key a", 60, job);
    ASSERT_TRUE(held);
    EXPECT_TRUE(held->resource());
    EXPECT_EQ(cache.list().at(0).pins, 1u);
  }
  EXPECT_EQ(alive_, 1);
  EXPECT_EQ(budget_.charges()[Charge::cache], 60u);
  const CachedResource one = cache.list().at(0);
  EXPECT_EQ(one.bytes, 60u);
  EXPECT_EQ(one.pins, 0u);
  EXPECT_EQ(one.hits, 2u);
  EXPECT_FALSE(one.job);
  EXPECT_EQ(cache.counts().loads, 1u);
  EXPECT_EQ(cache.counts().hits, 2u);
}

TEST_F(CacheTest, EvictsTheLeastRecentlyUsedAndNoMoreThanIsMissing) {
  ResourceCache cache(budget_, SrsPolicy::resident);
  for (const char* name : {"a", "b", "c", "a"}) ASSERT_TRUE(pin(cache, name, 30));
  EXPECT_EQ(names(cache), (Names{"a", "b", "c"}));
  ASSERT_TRUE(pin(cache, "d", 40));
  EXPECT_EQ(names(cache), (Names{"a", "c", "d"})) << "b was used the longest ago";
  EXPECT_EQ(alive_, 3);
  EXPECT_EQ(cache.counts().evictions, 1u);
  // Bytes that a partition asks for evict too.
  auto bytes = budget_.try_acquire(70, Charge::partition);
  ASSERT_TRUE(bytes);
  EXPECT_EQ(names(cache), (Names{}));
  EXPECT_LE(budget_.peak(), 100u);
}

TEST_F(CacheTest, WhatIsPinnedStaysAndNothingIsEvictedInVain) {
  ResourceCache cache(budget_, SrsPolicy::resident);
  auto held = pin(cache, "a", 50);
  ASSERT_TRUE(pin(cache, "b", 30));
  const auto refused = pin(cache, "c", 60);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::exhausted);
  EXPECT_EQ(names(cache), (Names{"a", "b"})) << "b alone would not have made room";
  EXPECT_EQ(cache.evict("a").error().kind, ErrorKind::exhausted);
  EXPECT_EQ(cache.evict("a").error().to_text(),
            "a: 1 partitions are using it\n  try again when they are proved, or cancel their jobs");
  EXPECT_EQ(cache.evict("z").error().kind, ErrorKind::not_found);
  held->release();
  held->release();
  EXPECT_TRUE(cache.evict("a"));
  EXPECT_EQ(budget_.reserved(), 30u);
}

TEST_F(CacheTest, AWaiterGoesOnWhenTheLastPinGoes) {
  ResourceCache cache(budget_, SrsPolicy::resident);
  auto held = pin(cache, "a", 50);
  std::atomic<bool> got{false};
  std::thread waiter([&] { got = budget_.acquire(80, {}).has_value(); });
  held->release();
  waiter.join();
  EXPECT_TRUE(got);
  EXPECT_EQ(alive_, 0);
}

TEST_F(CacheTest, AJobsOwnGoAtItsEndPinnedOnesWithTheirLastPin) {
  ResourceCache cache(budget_, SrsPolicy::per_job);
  auto first = pin(cache, "a", 20, 1);
  ASSERT_TRUE(pin(cache, "b", 20, 1));
  ASSERT_TRUE(pin(cache, "a", 20, 2));
  EXPECT_EQ(alive_, 3);
  cache.drop_job(JobId{1});
  EXPECT_EQ(alive_, 2);
  EXPECT_EQ(cache.list().at(0).job, JobId{1});
  first->release();
  EXPECT_EQ(alive_, 1);
  EXPECT_EQ(budget_.reserved(), 20u);
  cache.drop_job(JobId{2});
  EXPECT_EQ(budget_.reserved(), 0u);
}

TEST_F(CacheTest, AFailedLoadLeavesNothingAndTheNextOneTriesAgain) {
  ResourceCache cache(budget_, SrsPolicy::resident);
  for (const bool throws : {false, true}) {
    const auto bad = [&](const ResourceNeed&, const std::stop_token&) -> Result<ResourcePtr> {
      if (throws) throw std::bad_alloc();
      return fail(ErrorKind::failed, "the file is gone");
    };
    const auto none = cache.pin({"a", 50}, JobId{1}, bad, {}, Bytes::wait);
    ASSERT_FALSE(none);
    EXPECT_EQ(none.error().kind, throws ? ErrorKind::out_of_memory : ErrorKind::failed);
    EXPECT_EQ(budget_.reserved(), 0u);
  }
  EXPECT_EQ(cache.counts().failed_loads, 2u);
  EXPECT_TRUE(pin(cache, "a", 50));
}

// ---- in the engine ----

// Jobs of priority 0 need key 0 and the circuit, those of priority 1 key 1, and so on.
std::vector<ResourceNeed> key_and_circuit(const JobSpec& spec) {
  return {{"key " + std::to_string(spec.priority), 300}, {"circuit", 100}};
}

TEST(EngineCache, ManyCircuitsUnderABudgetForOneAtATime) {
  for (const SrsPolicy policy : {SrsPolicy::resident, SrsPolicy::per_job})
    for (const Order order : {Order::priority, Order::fifo}) {
      Rig rig({.partition_workers = 3,
               .prove_workers = 2,
               .order = order,
               .srs = policy,
               .memory_budget = 500});  // 300 + 100 + one partition of 100
      rig.work.needs_of = key_and_circuit;
      for (int job = 0; job < 12; ++job) ASSERT_TRUE(rig.submit({3, nullptr, job % 3}));
      rig.engine().drain();
      for (const JobOutcome& outcome : rig.outcomes())
        EXPECT_TRUE(outcome.proof) << outcome.error->to_text();
      const Snapshot after = rig.engine().snapshot();
      EXPECT_LE(rig.work.most_bytes_held(), 500u);
      EXPECT_LE(after.reserved_peak, 500u);
      EXPECT_EQ(rig.work.most_loading(), 1) << "one load at a time";
      EXPECT_EQ(static_cast<int>(after.cache.loads), rig.work.loads());
      EXPECT_EQ(rig.work.bytes_held(), after.charges[Charge::cache]);
      if (policy == SrsPolicy::per_job) {
        EXPECT_TRUE(is_idle(after, 0));
        EXPECT_GE(after.cache.loads, 24u);
      }
      for (const CachedResource& one : rig.engine().resident()) {
        EXPECT_EQ(one.pins, 0u);
        EXPECT_TRUE(rig.engine().evict(one.name));
      }
      EXPECT_EQ(rig.work.bytes_held(), 0u);
    }
}

TEST(EngineCache, AFailedLoadEndsItsJobAlone) {
  Rig rig({.partition_workers = 2, .memory_budget = 600});
  rig.work.needs_of = key_and_circuit;
  rig.work.load_failure = [](const ResourceNeed& need) -> std::optional<Error> {
    if (need.name != "key 1") return std::nullopt;
    return Error{"a point is not on the curve", "one.zkey", {}, ErrorKind::failed};
  };
  for (const int key : {0, 1, 2, 0}) ASSERT_TRUE(rig.submit({2, nullptr, key}));
  rig.engine().drain();
  EXPECT_EQ(rig.outcome(JobId{2})->error->to_text(),
            "loading of key 1: one.zkey: a point is not on the curve");
  for (const std::uint64_t job : {1u, 3u, 4u}) EXPECT_TRUE(rig.outcome(JobId{job})->proof);
  EXPECT_EQ(rig.engine().snapshot().cache.failed_loads, 1u);
}

TEST(EngineCache, ACancelledJobStopsItsLoad) {
  Rig rig;
  rig.work.needs_of = key_and_circuit;
  rig.work.load_gate.shut();
  ASSERT_TRUE(rig.submit(2));
  ASSERT_TRUE(comes_true([&] { return rig.work.most_loading() == 1; }));
  EXPECT_TRUE(rig.engine().cancel(JobId{1}));
  rig.engine().drain();
  EXPECT_EQ(rig.outcome(JobId{1})->error->kind, ErrorKind::cancelled);
  EXPECT_EQ(rig.work.bytes_held(), 0u);
}

TEST(EngineCache, PreloadsAndEvicts) {
  Rig rig({.memory_budget = 900});
  rig.work.needs_of = key_and_circuit;
  ASSERT_TRUE(rig.engine().preload({1, nullptr, 0}));
  ASSERT_TRUE(rig.engine().preload({1, nullptr, 1}));
  EXPECT_EQ(rig.engine().resident().size(), 3u);
  rig.work.start_gate.shut();
  ASSERT_TRUE(rig.submit({2, nullptr, 1}));
  ASSERT_TRUE(comes_true([&] { return rig.work.synthesised() == 2; }));
  EXPECT_EQ(rig.engine().evict("key 1").error().kind, ErrorKind::exhausted);
  EXPECT_TRUE(rig.engine().evict("key 0"));
  EXPECT_EQ(rig.engine().evict("key 0").error().kind, ErrorKind::not_found);
  ASSERT_TRUE(rig.submit({1, nullptr, 1}));
  ASSERT_TRUE(comes_true([&] { return rig.work.synthesised() == 3; }));
  EXPECT_EQ(rig.engine().preload({1, nullptr, 2}).error().kind, ErrorKind::exhausted)
      << "400 are pinned and 300 reserved";
  rig.work.start_gate.open();
  rig.engine().drain();
  EXPECT_EQ(rig.work.loads(), 3) << "the job found what was preloaded";
  Rig other({.srs = SrsPolicy::per_job});
  EXPECT_EQ(other.engine().preload({1}).error().kind, ErrorKind::usage);
}

// Somebody loads and evicts all the time, under a budget that has room for one key: every job is
// proved all the same, and nobody waits for ever.
TEST(EngineCache, PreloadsAndEvictionsRaceWithJobs) {
  for (const Order order : {Order::priority, Order::fifo}) {
    Rig rig({.partition_workers = 3, .prove_workers = 2, .order = order, .memory_budget = 620});
    rig.work.needs_of = key_and_circuit;
    rig.engine();
    std::atomic<int> strange{0};
    std::jthread meddler([&](const std::stop_token& stop) {
      const auto allowed = [](const Result<void>& done) {
        return done || done.error().kind == ErrorKind::exhausted ||
               done.error().kind == ErrorKind::not_found;
      };
      for (int i = 0; !stop.stop_requested(); ++i) {
        if (!allowed(rig.engine().preload({1, nullptr, i % 3}))) ++strange;
        if (!allowed(rig.engine().evict("key " + std::to_string((i + 1) % 3)))) ++strange;
        if (!allowed(rig.engine().evict("circuit"))) ++strange;
        for (const CachedResource& one : rig.engine().resident()) strange += one.bytes > 300;
      }
    });
    for (int job = 0; job < 60; ++job) ASSERT_TRUE(rig.submit({2, nullptr, job % 3}));
    rig.engine().drain();
    meddler.request_stop();
    meddler.join();
    for (const JobOutcome& outcome : rig.outcomes()) EXPECT_TRUE(outcome.proof);
    EXPECT_EQ(strange, 0);
    EXPECT_LE(rig.work.most_bytes_held(), 620u);
    EXPECT_LE(rig.engine().snapshot().reserved_peak, 620u);
    EXPECT_EQ(rig.work.most_loading(), 1);
  }
}

TEST(EngineCache, WhatCanNeverFitIsRefused) {
  Rig rig({.memory_budget = 1499, .resident_bytes = 1000});
  rig.work.needs_of = key_and_circuit;
  const auto refused = rig.submit(1);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::too_large);
  EXPECT_EQ(refused.error().to_text(),
            "--memory-budget: partition 0 of a job needs 100 B and 400 B of keys and circuits "
            "loaded; the budget of 1.46 KiB leaves 499 B beside the 1000 B that are resident (the "
            "program itself)\n  it would never run: give at least 1 MiB");
  EXPECT_EQ(rig.engine().preload({1}).error().kind, ErrorKind::too_large);
}

// What the process holds beyond what is reserved narrows the budget, but never stops everything.
TEST(EngineCache, MeasuredMemoryCountsAgainstTheBudget) {
  for (const std::uint64_t unaccounted : {0u, 150u, 400u, 100000u}) {
    Rig rig({.partition_workers = 4, .channel = 4, .memory_budget = 1500, .resident_bytes = 1000});
    rig.work.unaccounted = unaccounted;
    for (int job = 0; job < 4; ++job) ASSERT_TRUE(rig.submit(5));
    rig.engine().drain();
    for (const JobOutcome& outcome : rig.outcomes()) EXPECT_TRUE(outcome.proof);
    const std::uint64_t room = unaccounted < 400 ? 500 - unaccounted : 100;
    EXPECT_LE(rig.work.most_bytes_held(), room) << unaccounted;
    EXPECT_LE(rig.engine().snapshot().reserved_peak, 1500u);
  }
}

}  // namespace
}  // namespace prover
