// SPDX-License-Identifier: Apache-2.0
// The engine's promises under every option, while steps fail, jobs are cancelled and deadlines pass
// at random (from a seed): bytes, permits, own proofs, own errors, nothing left behind, no hang.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <ostream>
#include <random>
#include <set>
#include <thread>

#include "prover/engine/engine.hpp"
#include "prover/engine/fake_work.hpp"

namespace prover {
namespace {

using test::FakeWork;
using test::is_idle;
using test::is_whole;
using test::Rig;
using test::Step;

constexpr std::uint64_t kResident = 1000, kPart = 100, kKey = 300, kCircuit = 120;
constexpr std::uint64_t kLeast = kResident + kKey + kCircuit + kPart;

struct OptionSet {
  const char* name;
  Options options;
};

void PrintTo(const OptionSet& set, std::ostream* out) { *out << set.name; }

std::vector<OptionSet> option_sets() {
  const Options base{.partition_workers = 3, .prove_workers = 2, .memory_budget = kLeast + 250};
  std::vector<OptionSet> all;
  const auto add = [&](const char* name, const auto& change) {
    all.push_back({name, base});
    change(all.back().options);
    all.back().options.resident_bytes = kResident;
  };
  using O = Options;
  using std::chrono::milliseconds;
  add("base", [](O&) {});
  add("no budget", [](O& o) { o.memory_budget.reset(); });
  add("tightest budget", [](O& o) { o.memory_budget = kLeast; });
  add("wide budget", [](O& o) { o.memory_budget = kLeast + 5000; });
  add("one of each", [](O& o) { o.partition_workers = o.prove_workers = 1, o.channel = 1; });
  add("many workers", [](O& o) { o.partition_workers = 8, o.prove_workers = 4; });
  add("lookahead", [](O& o) { o.lookahead = 5; });
  add("fifo", [](O& o) { o.order = Order::fifo; });
  add("permit to synthesis", [](O& o) { o.permit_scope = PermitScope::synthesis, o.channel = 1; });
  add("late free", [](O& o) { o.early_free = false; });
  add("no split", [](O& o) { o.split = false; });
  add("one slot", [](O& o) { o.slots = 1; });
  add("three slots", [](O& o) { o.slots = 3; });
  add("one job in synthesis", [](O& o) { o.synthesis_jobs = 1; });
  add("two jobs in synthesis, fifo",
      [](O& o) { o.synthesis_jobs = 2, o.order = Order::fifo, o.channel = 1; });
  add("batches", [](O& o) { o.batch = 3, o.batch_wait = milliseconds(1); });
  add("batches, fifo, per job", [](O& o) {
    o.batch = 4, o.batch_wait = milliseconds(0), o.order = Order::fifo, o.srs = SrsPolicy::per_job;
  });
  add("async free", [](O& o) { o.async_free = true; });
  add("async free, late, tightest",
      [](O& o) { o.async_free = true, o.early_free = false, o.memory_budget = kLeast; });
  add("per job", [](O& o) { o.srs = SrsPolicy::per_job; });
  add("per job, fifo, tightest",
      [](O& o) { o.srs = SrsPolicy::per_job, o.order = Order::fifo, o.memory_budget = kLeast; });
  add("everything", [](O& o) {
    o.batch = 2, o.async_free = true, o.split = false, o.slots = 4, o.synthesis_jobs = 2;
    o.srs = SrsPolicy::per_job, o.early_free = false, o.lookahead = 3;
  });
  return all;
}

// What a job of the test is and does, drawn from the seed.
struct Plan {
  JobSpec spec;
  std::optional<std::pair<Step, std::uint32_t>> failure;  // at this step of this partition
  bool cancelled = false;
  bool bad_key = false;
  bool can_fail() const { return failure || cancelled || bad_key || spec.deadline.has_value(); }
};

Plan draw(std::mt19937_64& random) {
  const auto below = [&](std::uint64_t n) { return random() % n; };
  Plan plan;
  plan.spec.partitions = 1 + static_cast<std::uint32_t>(below(5));
  plan.spec.priority = static_cast<std::int32_t>(below(4));  // and which key it needs
  plan.bad_key = plan.spec.priority == 3 && below(2) == 0;
  if (!plan.bad_key && plan.spec.priority == 3) plan.spec.priority = 0;
  if (below(4) == 0)
    plan.failure = {static_cast<Step>(below(5)),
                    static_cast<std::uint32_t>(below(plan.spec.partitions))};
  plan.cancelled = below(6) == 0;
  if (below(6) == 0)
    plan.spec.deadline =
        std::chrono::steady_clock::now() + std::chrono::microseconds(static_cast<int>(below(3000)));
  return plan;
}

std::vector<ResourceNeed> needs_of(const JobSpec& spec) {
  return {{fmt::format("key {}", spec.priority), kKey}, {"circuit", kCircuit}};
}

std::string text_of(Step step, const Task& task) {
  return fmt::format("step {} of job {} fails", static_cast<int>(step),
                     static_cast<std::uint64_t>(task.job));
}

// Looks at the promises that hold at every moment.
class Watch {
 public:
  Watch(Rig& rig, const Options& options) : rig_(rig), options_(options) {}
  void look() {
    const Snapshot now = rig_.engine().snapshot();
    if (options_.memory_budget && now.reserved > *options_.memory_budget) ++broken_;
    if (options_.memory_budget && now.reserved_peak > *options_.memory_budget) ++broken_;
    if (now.permits_taken > options_.partition_workers) ++broken_;
    if (options_.slots && now.in_flight.total() > *options_.slots) ++broken_;
    if (options_.permit_scope == PermitScope::send &&
        now.peaks.before_proving > options_.partition_workers + options_.capacity())
      ++broken_;
  }
  int broken() const { return broken_; }

 private:
  Rig& rig_;
  const Options& options_;
  std::atomic<int> broken_{0};
};

void expect_own_end(const Plan& plan, const JobOutcome& outcome) {
  EXPECT_NE(outcome.proof.has_value(), outcome.error.has_value());
  if (outcome.proof) {
    EXPECT_TRUE(is_whole(outcome, plan.spec.partitions));
    EXPECT_FALSE(plan.failure || plan.bad_key) << "it cannot have been proved";
    return;
  }
  const Error& error = *outcome.error;
  switch (error.kind) {
    case ErrorKind::cancelled:
      EXPECT_TRUE(plan.cancelled) << error.to_text();
      break;
    case ErrorKind::deadline:
      EXPECT_TRUE(plan.spec.deadline) << error.to_text();
      break;
    case ErrorKind::failed:
      if (error.what == "bad points") {
        EXPECT_TRUE(plan.bad_key);
      } else {
        ASSERT_TRUE(plan.failure) << error.to_text();
        EXPECT_EQ(error.what, text_of(plan.failure->first, {outcome.job, 0}));
      }
      break;
    default:
      ADD_FAILURE() << error.to_text();
  }
}

void run(const Options& options, std::uint64_t seed) {
  constexpr int kJobs = 40;
  std::mt19937_64 random(seed);
  std::vector<Plan> plans(kJobs + 1);  // by job id
  Rig rig(options);
  Watch watch(rig, options);
  rig.work.needs_of = needs_of;
  rig.work.load_failure = [](const ResourceNeed& need) -> std::optional<Error> {
    if (need.name != "key 3") return std::nullopt;
    return Error{"bad points", {}, {}, ErrorKind::failed};
  };
  for (int i = 1; i <= kJobs; ++i) plans[static_cast<std::size_t>(i)] = draw(random);
  rig.work.failure = [&](Step step, const Task& task) -> std::optional<Error> {
    watch.look();
    const Plan& plan = plans[static_cast<std::size_t>(task.job)];
    const std::uint32_t at = step == Step::check ? 0 : plan.failure ? plan.failure->second : 0;
    if (!plan.failure || plan.failure->first != step || task.partition != at) return std::nullopt;
    return Error{text_of(step, task), {}, {}, ErrorKind::failed};
  };
  rig.engine();
  std::set<JobId> ids;
  std::thread canceller([&] {
    for (int i = 1; i <= kJobs; ++i)
      if (plans[static_cast<std::size_t>(i)].cancelled) {
        while (!rig.engine().cancel(JobId{static_cast<std::uint64_t>(i)}) &&
               rig.engine().snapshot().jobs_submitted < static_cast<std::uint64_t>(i))
          std::this_thread::yield();
      }
  });
  for (int i = 1; i <= kJobs; ++i) {
    const auto id = rig.submit(plans[static_cast<std::size_t>(i)].spec);
    ASSERT_TRUE(id);
    EXPECT_EQ(*id, JobId{static_cast<std::uint64_t>(i)});
    EXPECT_TRUE(ids.insert(*id).second) << "no id twice";
  }
  canceller.join();
  rig.engine().drain();

  const auto outcomes = rig.outcomes();
  ASSERT_EQ(outcomes.size(), static_cast<std::size_t>(kJobs)) << "each is answered once";
  std::uint64_t proofs = 0;
  for (const JobOutcome& outcome : outcomes) {
    ids.erase(outcome.job);
    const Plan& plan = plans[static_cast<std::size_t>(outcome.job)];
    expect_own_end(plan, outcome);
    if (!plan.can_fail()) {
      EXPECT_TRUE(outcome.proof) << outcome.error->to_text();
    }
    proofs += outcome.proof ? 1 : 0;
  }
  EXPECT_TRUE(ids.empty());
  EXPECT_EQ(watch.broken(), 0);
  const Snapshot after = rig.engine().snapshot();
  EXPECT_EQ(after.jobs_done, proofs);
  EXPECT_EQ(after.jobs_done + after.jobs_failed, after.jobs_submitted);
  const std::uint64_t kept = after.charges[Charge::cache];
  EXPECT_TRUE(is_idle(after, kResident + kept));
  EXPECT_EQ(rig.work.bytes_held(), kept);
  if (options.srs == SrsPolicy::per_job) {
    EXPECT_EQ(kept, 0u);
  }
  if (options.memory_budget) {
    EXPECT_LE(after.reserved_peak, *options.memory_budget);
    EXPECT_LE(rig.work.most_bytes_held() + kResident, *options.memory_budget);
  }
  EXPECT_LE(rig.work.most_loading(), 1);
  if (!options.split) {
    EXPECT_LE(rig.work.most_on_device(), 1);
  }
}

class EngineInvariants : public ::testing::TestWithParam<OptionSet> {};

TEST_P(EngineInvariants, HoldWhateverFails) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    run(GetParam().options, seed);
  }
}

// Stopping at any moment: what is handed back and what is answered are all the jobs, once each.
TEST_P(EngineInvariants, HandingBackAtAnyMomentLosesNoJob) {
  const Options& options = GetParam().options;
  for (const int after : {0, 1, 7, 30}) {
    Rig rig(options);
    rig.work.needs_of = needs_of;
    for (int i = 0; i < 15; ++i) ASSERT_TRUE(rig.submit({3, nullptr, i % 2, {}}));
    ASSERT_TRUE(test::comes_true([&] {
      return rig.work.synthesised() >= after || rig.engine().snapshot().jobs_in_flight == 0;
    }));
    const auto back = rig.engine().hand_back();
    std::set<JobId> handed(back.begin(), back.end());
    EXPECT_EQ(rig.outcomes().size(), 15u);
    for (const JobOutcome& outcome : rig.outcomes()) {
      EXPECT_EQ(outcome.proof.has_value(), !handed.contains(outcome.job));
      if (outcome.error) {
        EXPECT_EQ(outcome.error->kind, ErrorKind::draining);
      }
    }
    EXPECT_EQ(rig.engine().snapshot().jobs_handed_back, handed.size());
    const Snapshot now = rig.engine().snapshot();
    EXPECT_TRUE(is_idle(now, kResident + now.charges[Charge::cache]));
  }
}

INSTANTIATE_TEST_SUITE_P(Options, EngineInvariants, ::testing::ValuesIn(option_sets()),
                         [](const auto& one) {
                           std::string name = one.param.name;
                           std::erase_if(name, [](char c) { return c == ','; });
                           for (char& c : name)
                             if (c == ' ') c = '_';
                           return name;
                         });

}  // namespace
}  // namespace prover
