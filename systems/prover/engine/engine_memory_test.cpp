// SPDX-License-Identifier: Apache-2.0
// Measured memory: within the budget while jobs run, and back at its floor afterwards.
#include <gtest/gtest.h>
#include <malloc.h>

#include <thread>

#include "prover/base/allocator.hpp"
#include "prover/base/sanitized.hpp"
#include "prover/engine/engine.hpp"
#include "prover/engine/fake_work.hpp"
#include "prover/engine/synthetic.hpp"

namespace prover {
namespace {

constexpr std::uint64_t kMib = 1u << 20;

SyntheticOptions quick() {
  SyntheticOptions options;
  options.synth.mean_ms = options.start.mean_ms = options.finish.mean_ms = 0;
  options.vectors = 192 << 10;
  options.witness = 64 << 10;
  options.srs = 1 * kMib;
  return options;
}

// So many jobs of four partitions, at most `at_once` in flight.
void run_jobs(Engine& engine, int jobs, int at_once) {
  std::atomic<int> in_flight{0};
  for (int i = 0; i < jobs; ++i) {
    ASSERT_TRUE(test::comes_true([&] { return in_flight < at_once; }));
    ++in_flight;
    ASSERT_TRUE(engine.submit({4}, [&](const JobOutcome& outcome) {
      EXPECT_TRUE(outcome.proof);
      --in_flight;
    }));
  }
  engine.drain();
}

// The floor is measured after a first round, when the threads and malloc's arenas are there: what a
// thousand more jobs leave behind is then at most 1 MiB (they hold 1 MiB each while they run).
TEST(EngineMemory, AfterAThousandJobsItIsBackAtItsFloor) {
#ifdef PROVER_SANITIZED
  GTEST_SKIP() << "a sanitizer keeps what is freed";
#endif
  return_freed_memory();
  for (const bool async_free : {false, true}) {
    auto work = SyntheticWork::create(quick());
    ASSERT_TRUE(work);
    Timeline timeline;
    ResidentMemory resident;
    const auto start = [&] {
      return Engine::start({.partition_workers = 4, .prove_workers = 2, .async_free = async_free},
                           **work, **work, timeline, resident);
    };
    auto first = start();
    ASSERT_TRUE(first);
    run_jobs(**first, 100, 20);
    first->reset();
    const std::uint64_t floor = resident.sample();
    auto engine = start();
    ASSERT_TRUE(engine);
    run_jobs(**engine, 1000, 20);
    EXPECT_TRUE(test::is_idle((*engine)->snapshot(), 0));
    EXPECT_LE(resident.sample(), floor + kMib);
  }
}

// Resident bytes never exceed the budget by more than 5 %, although the caller declared the program
// itself too small by 6 MiB: what was measured beyond is charged.
TEST(EngineMemory, MeasuredMemoryStaysWithinTheBudget) {
#ifdef PROVER_SANITIZED
  GTEST_SKIP() << "a sanitizer's own memory counts";
#endif
  return_freed_memory();
  SyntheticOptions options = quick();
  options.vectors = 3 * kMib;
  options.witness = 1 * kMib;
  options.start.mean_ms = 1;
  auto work = SyntheticWork::create(options);
  ASSERT_TRUE(work);
  Timeline timeline;
  ResidentMemory resident;
  const std::uint64_t program = resident.sample();
  const std::uint64_t budget = program + 16 * kMib;
  auto engine = Engine::start({.partition_workers = 8,
                               .prove_workers = 2,
                               .channel = 8,
                               .memory_budget = budget,
                               .resident_bytes = program - std::min(program / 2, 6 * kMib)},
                              **work, **work, timeline, resident);
  ASSERT_TRUE(engine);
  std::atomic<std::uint64_t> most{0};
  std::jthread watch([&](const std::stop_token& stop) {
    while (!stop.stop_requested()) most = std::max(most.load(), resident.sample());
  });
  run_jobs(**engine, 30, 30);
  watch.request_stop();
  watch.join();
  const Snapshot after = (*engine)->snapshot();
  EXPECT_LE(after.reserved_peak, budget);
  EXPECT_GE(most, program + 4 * kMib) << "it was used";
  EXPECT_LE(most, budget + budget / 20);
}

}  // namespace
}  // namespace prover
