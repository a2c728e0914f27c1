// SPDX-License-Identifier: Apache-2.0
// The whole audit against suites with planted polluters, cleaners, facts and memory.
#include "experiment/suite_audit.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/random.hpp"
#include "experiment/suite_audit_fake.hpp"
#include "model/plan_check.hpp"

namespace assay::experiment {
namespace {

using AskedRun = assay::Run;  // gtest has another Run

struct Audited {
  Conclusion conclusion;
  std::vector<Entry> entries;
  const AuditFinding& found() const { return *conclusion.audit; }
  double seconds_of(const std::string& stage) const {
    for (const AuditCost& cost : found().costs)
      if (cost.stage == stage) return cost.seconds;
    return 0;
  }
};

Audited audit(const Plan& plan, const FakeSuite& suite, double sd = 0.01,
              std::size_t stop_after = SIZE_MAX) {
  EXPECT_TRUE(assay::check_plan(plan));
  SuiteAudit experiment(plan);
  Random random(17);
  Audited done;
  for (int step = 0; step < 10000; ++step) {
    const Step next = experiment.next(done.entries, 0);
    if (const auto* conclusion = std::get_if<Conclusion>(&next)) {
      done.conclusion = *conclusion;
      return done;
    }
    for (const AskedRun& run : std::get<Job>(next).runs) {
      done.entries.emplace_back(
          suite.run(run, [&] { return std::exp(sd * random.normal() / std::sqrt(2.0)); }));
      if (done.entries.size() >= stop_after) {
        done.entries.emplace_back(Stop{StopReason::interrupted, 0});
        done.conclusion = std::get<Conclusion>(experiment.next(done.entries, 0));
        return done;
      }
    }
  }
  ADD_FAILURE() << "it does not end";
  return done;
}

const AuditVictim* victim_at(const Audited& done, std::uint32_t unit,
                             AuditOrder order = AuditOrder::suite) {
  for (const AuditVictim& victim : done.found().victims)
    if (victim.unit == unit && victim.order == order) return &victim;
  return nullptr;
}

std::vector<std::vector<std::uint32_t>> confirmed_of(const AuditVictim& victim) {
  std::vector<std::vector<std::uint32_t>> all;
  for (const Polluter& one : victim.polluters)
    if (one.confirmed) all.push_back(one.units);
  return all;
}

using Sets = std::vector<std::vector<std::uint32_t>>;

TEST(SuiteAudit, FindsNothingWhereNothingIs) {
  const FakeSuite suite{.units = 20};
  const auto done = audit(suite.plan(), suite);
  EXPECT_TRUE(done.found().victims.empty());
  EXPECT_TRUE(done.found().missing.empty());
  EXPECT_EQ(done.found().benchmarks, 20u);
  EXPECT_EQ(done.found().judged, 20u);
  EXPECT_EQ(done.conclusion.overall, Verdict::equivalent);
  EXPECT_NEAR(done.found().shift, 1, 0.02);
}

TEST(SuiteAudit, NamesVictimAndPolluter) {
  FakeSuite suite{.units = 20, .changes = {pollution({4}, 13, 3)}};
  const auto done = audit(suite.plan(), suite);
  ASSERT_EQ(done.found().victims.size(), 1u);
  const AuditVictim& victim = done.found().victims.front();
  EXPECT_EQ(victim.unit, 13u);
  EXPECT_EQ(victim.id, "unit13/run");
  EXPECT_TRUE(victim.slower);
  EXPECT_TRUE(victim.reproduced);
  EXPECT_NEAR(victim.factor, 3, 0.2);
  EXPECT_EQ(confirmed_of(victim), Sets{{4}});
  EXPECT_EQ(victim.mechanism, Mechanism::not_shown);
  EXPECT_EQ(done.conclusion.overall, Verdict::slower);
}

TEST(SuiteAudit, ABrittleBenchmarkIsFasterBehindOthers) {
  FakeSuite suite{.units = 20, .changes = {pollution({2}, 9, 1 / 38.0)}};
  const auto done = audit(suite.plan(), suite);
  const AuditVictim* victim = victim_at(done, 9);
  ASSERT_NE(victim, nullptr);
  EXPECT_FALSE(victim->slower);
  EXPECT_EQ(confirmed_of(*victim), Sets{{2}});
}

TEST(SuiteAudit, SeveralNeededTogether) {
  FakeSuite suite{.units = 30, .changes = {pollution({3, 17}, 25, 3)}};
  const auto done = audit(suite.plan(), suite);
  const AuditVictim* victim = victim_at(done, 25);
  ASSERT_NE(victim, nullptr);
  EXPECT_EQ(confirmed_of(*victim), (Sets{{3, 17}}));
}

TEST(SuiteAudit, EachOfTwoIsEnough) {
  FakeSuite suite{.units = 30};
  suite.changes = {[](std::uint32_t unit, FakeSuite::Front front, FakeSuite::Says& says) {
    const bool polluted =
        std::ranges::find(front, 3u) != front.end() || std::ranges::find(front, 17u) != front.end();
    if (unit == 25 && polluted) says.value_s *= 3;
  }};
  const auto done = audit(suite.plan(), suite);
  const AuditVictim* victim = victim_at(done, 25);
  ASSERT_NE(victim, nullptr);
  EXPECT_EQ(confirmed_of(*victim), (Sets{{17}, {3}}));
}

TEST(SuiteAudit, ACleanerMakesAPolluterHarmless) {
  FakeSuite suite{.units = 20};
  for (const std::uint32_t victim : {8u, 11u, 14u})
    suite.changes.push_back(pollution({5}, victim, 4, {18}));
  const auto done = audit(suite.plan(), suite);
  for (const std::uint32_t unit : {8u, 11u, 14u}) {
    const AuditVictim* victim = victim_at(done, unit);
    ASSERT_NE(victim, nullptr) << unit;
    EXPECT_EQ(confirmed_of(*victim), Sets{{5}}) << unit;
    EXPECT_EQ(victim->cleaners, Sets{{18}}) << unit;
  }
}

TEST(SuiteAudit, AVictimInAnotherOrderAlone) {
  // 15 runs behind 10 only when the order changes.
  FakeSuite suite{.units = 20, .changes = {pollution({15}, 10, 3)}};
  const auto done = audit(suite.plan(), suite);
  EXPECT_EQ(victim_at(done, 10), nullptr);
  const AuditVictim* victim = victim_at(done, 10, AuditOrder::reversed);
  ASSERT_NE(victim, nullptr);
  EXPECT_EQ(confirmed_of(*victim), Sets{{15}});
}

TEST(SuiteAudit, AUnitThatPollutesItself) {
  FakeSuite suite{.units = 10, .changes = {pollution({6}, 6, 5)}};
  const auto done = audit(suite.plan(), suite);
  ASSERT_EQ(done.found().victims.size(), 1u);
  const AuditVictim* victim = victim_at(done, 6, AuditOrder::twice);
  ASSERT_NE(victim, nullptr);
  EXPECT_EQ(confirmed_of(*victim), Sets{{6}});
}

TEST(SuiteAudit, ASuiteWithItsOwnOrderOnly) {
  FakeSuite suite{.units = 20, .changes = {pollution({4}, 13, 3)}};
  Plan plan = suite.plan();
  plan.suite->reorders = plan.suite->repeats = false;
  const auto done = audit(plan, suite);
  ASSERT_EQ(done.found().victims.size(), 1u);
  EXPECT_EQ(confirmed_of(done.found().victims.front()), Sets{{4}});
  ASSERT_EQ(done.found().left_out.size(), 2u);
  EXPECT_EQ(done.found().left_out[0], "orders: this suite runs its units in its own order only");
  for (const Entry& entry : done.entries) {
    const auto& units = std::get<Trial>(entry).units;
    EXPECT_TRUE(std::ranges::is_sorted(units, std::less_equal<>()) || units.size() == 1);
  }
}

TEST(SuiteAudit, AChangedWorkloadIsTheMechanism) {
  FakeSuite suite{.units = 12};
  suite.changes = {[](std::uint32_t unit, FakeSuite::Front front, FakeSuite::Says& says) {
    if (unit != 7) return;
    const bool small = std::ranges::find(front, 2u) != front.end();
    says.facts = {{"validators", small ? 10000.0 : 250000.0}};
    if (small) says.value_s /= 38;
  }};
  const auto done = audit(suite.plan(), suite);
  const AuditVictim* victim = victim_at(done, 7);
  ASSERT_NE(victim, nullptr);
  EXPECT_EQ(victim->mechanism, Mechanism::workload);
  EXPECT_EQ(victim->evidence, "validators 250000 -> 10000");
}

TEST(SuiteAudit, ACostThatComesOnceIsShownBySamples) {
  FakeSuite suite{.units = 12};
  suite.changes = {[](std::uint32_t unit, FakeSuite::Front front, FakeSuite::Says& says) {
    if (unit != 7) return;
    const bool polluted =
        std::ranges::find(front, 2u) != front.end() && std::ranges::find(front, 7u) == front.end();
    says.first_extra_s = polluted ? 1.0 : 1e-9;
  }};
  const auto done = audit(suite.plan(), suite);
  const AuditVictim* victim = victim_at(done, 7);
  ASSERT_NE(victim, nullptr);
  EXPECT_EQ(victim->mechanism, Mechanism::setup_in_timing);
  EXPECT_NE(victim->evidence.find("96 % of the timed total"), std::string::npos)
      << victim->evidence;
}

TEST(SuiteAudit, AVictimThatCollapsesIsJudgedByItsSoundSide) {
  FakeSuite suite{.units = 12};
  suite.changes = {[](std::uint32_t unit, FakeSuite::Front front, FakeSuite::Says& says) {
    const bool polluted = std::ranges::find(front, 2u) != front.end();
    if (unit == 7 && polluted) {  // 300 times slower: its budget is spent by one iteration
      says.value_s *= 300;
      says.n = 1;
    }
    if (unit == 9) {  // alone it builds its fixture in the one iteration that it has
      says.value_s *= polluted ? 1 : 300;
      says.n = polluted ? 1000 : 1;
    }
  }};
  const auto done = audit(suite.plan(), suite);
  const AuditVictim* victim = victim_at(done, 7);
  ASSERT_NE(victim, nullptr);
  EXPECT_EQ(victim->behind_n, 1);
  EXPECT_EQ(confirmed_of(*victim), Sets{{2}});
  EXPECT_EQ(victim_at(done, 9), nullptr);
  const auto& open = done.found().open;
  const auto at = std::ranges::find(open, 9u, &AuditOpen::unit);
  ASSERT_NE(at, open.end());
  EXPECT_EQ(at->why, "n = 1 alone, and 30 are needed");
}

TEST(SuiteAudit, MissingBenchmarksAreRedWhateverTheStatus) {
  FakeSuite suite{.units = 8};
  suite.changes = {[](std::uint32_t unit, FakeSuite::Front front, FakeSuite::Says& says) {
    if (unit == 5 && front.size() > 1) says.status = MeasurementStatus::missing;
  }};
  const auto done = audit(suite.plan(), suite);
  ASSERT_EQ(done.found().missing.size(), 1u);
  const AuditMissing& one = done.found().missing.front();
  EXPECT_EQ(one.id, "unit5/run");
  EXPECT_TRUE(one.in_suite && one.exit_zero && !one.alone);
  EXPECT_EQ(done.conclusion.overall, Verdict::slower);
}

TEST(SuiteAudit, MemoryNamesWhoCrossesAndWhoFills) {
  FakeSuite suite{.units = 10, .base_memory = 100e6};
  suite.changes = {[](std::uint32_t unit, FakeSuite::Front, FakeSuite::Says& says) {
    says.retained = unit == 2 || unit == 4 ? 400e6 : 1e6;
  }};
  Plan plan = suite.plan();
  plan.suite->memory_budget = 900e6;
  const auto done = audit(plan, suite);
  std::vector<std::uint32_t> fills;
  for (const UnitMemory& one : done.found().memory) {
    EXPECT_NEAR(*one.retained, one.unit == 2 || one.unit == 4 ? 400e6 : 1e6, 1);
    EXPECT_EQ(one.crosses, one.unit == 4);
    if (one.fills) fills.push_back(one.unit);
  }
  EXPECT_EQ(fills, (std::vector<std::uint32_t>{2, 4}));
}

TEST(SuiteAudit, WhereASuiteTellsNothingOfMemoryHalvingFindsTheCrossing) {
  FakeSuite told{.units = 40, .base_memory = 100e6};
  told.changes = {[](std::uint32_t unit, FakeSuite::Front, FakeSuite::Says& says) {
    says.retained = unit == 20 ? 500e6 : 1e6;
  }};
  Plan plan = told.plan();
  plan.suite->memory_budget = 500e6;
  SuiteAudit experiment(plan);
  std::vector<Entry> entries;
  Conclusion conclusion;
  for (;;) {
    const Step next = experiment.next(entries, 0);
    if (const auto* end = std::get_if<Conclusion>(&next)) {
      conclusion = *end;
      break;
    }
    for (const AskedRun& run : std::get<Job>(next).runs) {
      Trial trial = told.run(run, [] { return 1.0; });
      for (Measurement& one : trial.measurements) one.memory_before = one.memory_after = {};
      entries.emplace_back(std::move(trial));
    }
  }
  const auto& memory = conclusion.audit->memory;
  const auto at = std::ranges::find(memory, true, &UnitMemory::crosses);
  ASSERT_NE(at, memory.end());
  EXPECT_EQ(at->unit, 20u);
  EXPECT_TRUE(at->fills);
}

TEST(SuiteAudit, TwoRevisionsCodeSuiteWorkloadCoverage) {
  FakeSuite suite{.units = 12};
  Plan plan = suite.plan();
  plan.arms.push_back(plan.arms.front());
  SuiteAudit experiment(plan);
  std::vector<Entry> entries;
  Conclusion conclusion;
  Random random(5);
  for (;;) {
    const Step next = experiment.next(entries, 0);
    if (const auto* end = std::get_if<Conclusion>(&next)) {
      conclusion = *end;
      break;
    }
    for (const AskedRun& run : std::get<Job>(next).runs) {
      FakeSuite now = suite;
      now.changes = {[&](std::uint32_t unit, FakeSuite::Front front, FakeSuite::Says& says) {
        says.facts = {{"size", unit == 3 && run.arm == 1 ? 10.0 : 1000.0}};
        if (run.arm == 0) return;
        if (unit == 1) says.value_s *= 1.5;
        if (unit == 2 && !front.empty()) says.value_s *= 3;
        if (unit == 4) says.status = MeasurementStatus::missing;
      }};
      entries.emplace_back(now.run(run, [&] { return std::exp(0.007 * random.normal()); }));
    }
  }
  const auto& moved = conclusion.audit->moved;
  ASSERT_EQ(moved.size(), 4u);
  const MovedBy expected[] = {MovedBy::code, MovedBy::suite, MovedBy::workload, MovedBy::coverage};
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(moved[i].unit, i + 1);
    EXPECT_EQ(moved[i].by, expected[i]) << i;
  }
  EXPECT_EQ(moved[2].text, "size 1000 -> 10");
}

// --- cost

TEST(SuiteAudit, SixtySevenUnitsTakeAboutNinePrefixes) {
  for (const std::uint32_t polluter : {0u, 20u, 37u, 65u}) {
    FakeSuite suite{.units = 67, .changes = {pollution({polluter}, 66, 100)}};
    Plan plan = suite.plan();
    plan.suite->random_orders = 0;
    const auto done = audit(plan, suite);
    const AuditVictim* victim = victim_at(done, 66);
    ASSERT_NE(victim, nullptr);
    EXPECT_EQ(confirmed_of(*victim), Sets{{polluter}});
    int prefixes = 0;  // until the polluter was named: without its confirmation and what follows
    bool confirming = false;
    for (const Entry& entry : done.entries) {
      const Trial& trial = std::get<Trial>(entry);
      confirming = confirming || trial.units == std::vector<std::uint32_t>{polluter, 66, 66};
      if (!confirming && trial.units.size() > 1 && trial.units.size() < 67 &&
          trial.units.back() == 66 && trial.units.front() != 66)
        ++prefixes;
    }
    EXPECT_LE(prefixes, 9 + 3) << polluter;  // three of them are [polluter, victim]
    EXPECT_LE(done.seconds_of("search"), 5 * done.found().suite_s) << polluter;
  }
}

TEST(SuiteAudit, ThreeHundredUnitsStayWithinTwelveSuites) {
  FakeSuite suite{.units = 300};
  std::vector<std::pair<std::uint32_t, std::uint32_t>> planted;
  for (std::uint32_t i = 0; i < 10; ++i) {
    planted.emplace_back(30, 40 + 8 * i);
    planted.emplace_back(100, 121 + 5 * i);
    planted.emplace_back(180, 203 + 7 * i);
  }
  for (const auto& [polluter, victim] : planted)
    suite.changes.push_back(pollution({polluter}, victim, 3));
  Plan plan = suite.plan();
  plan.suite->random_orders = 0;
  const auto done = audit(plan, suite);
  for (const auto& [polluter, victim] : planted) {
    const AuditVictim* found = victim_at(done, victim);
    ASSERT_NE(found, nullptr) << victim;
    EXPECT_EQ(confirmed_of(*found), Sets{{polluter}}) << victim;
  }
  EXPECT_EQ(done.found().victims.size(), planted.size());
  EXPECT_LE(done.seconds_of("search"), 12 * done.found().suite_s);
}

TEST(SuiteAudit, TheSearchEndsAtItsLimitAndSaysSo) {
  FakeSuite suite{.units = 100};
  // Every unit adds a little: no few of them are enough.
  suite.changes = {[](std::uint32_t unit, FakeSuite::Front front, FakeSuite::Says& says) {
    if (unit == 99) says.value_s *= 1 + 0.02 * static_cast<double>(front.size());
  }};
  Plan plan = suite.plan();
  plan.suite->random_orders = 0;
  const auto done = audit(plan, suite);
  const AuditVictim* victim = victim_at(done, 99);
  ASSERT_NE(victim, nullptr);
  EXPECT_LE(done.seconds_of("search"), 12.5 * done.found().suite_s);
}

// --- the loop

TEST(SuiteAudit, AResumedAuditAnswersTheSame) {
  FakeSuite suite{.units = 15, .changes = {pollution({4}, 13, 3)}};
  const auto whole = audit(suite.plan(), suite);
  SuiteAudit fresh(suite.plan());
  EXPECT_EQ(std::get<Conclusion>(fresh.next(whole.entries, 0)), whole.conclusion);
  // At every prefix a fresh object asks for what the old one asked for next.
  for (std::size_t cut = 1; cut < whole.entries.size(); cut += 7) {
    SuiteAudit again(suite.plan());
    const std::vector<Entry> some(whole.entries.begin(),
                                  whole.entries.begin() + static_cast<std::ptrdiff_t>(cut));
    const Step step = again.next(some, 0);
    const AskedRun& run = std::get<Job>(step).runs.front();
    const Trial& next = std::get<Trial>(whole.entries[cut]);
    EXPECT_EQ(run.units, next.units) << cut;
    EXPECT_EQ(run.block, next.block) << cut;
    EXPECT_EQ(run.pad, next.pad) << cut;
  }
}

const AuditOpen* open_at(const Audited& done, std::uint32_t unit) {
  const auto at = std::ranges::find(done.found().open, unit, &AuditOpen::unit);
  return at == done.found().open.end() ? nullptr : &*at;
}

TEST(SuiteAudit, AnInterruptKeepsWhatIsKnown) {
  FakeSuite suite{.units = 15, .changes = {pollution({4}, 13, 3)}};
  const auto done = audit(suite.plan(), suite, 0.01, 60);
  EXPECT_EQ(done.conclusion.ended_by, EndedBy::interrupted);
  EXPECT_EQ(done.conclusion.overall, Verdict::undecided);
  EXPECT_EQ(done.found().benchmarks, 15u);
}

// Wherever it is ended, it neither says that all is well nor forgets what looks different.
TEST(SuiteAudit, AnAuditThatIsEndedIsUndecided) {
  FakeSuite suite{.units = 15, .changes = {pollution({4}, 13, 700)}};
  const std::size_t whole = audit(suite.plan(), suite).entries.size();
  bool suspected = false, verified = false;
  for (std::size_t cut = 1; cut < whole; ++cut) {
    const auto done = audit(suite.plan(), suite, 0.01, cut);
    const AuditFinding& found = done.found();
    EXPECT_FALSE(found.unfinished.empty()) << cut;
    EXPECT_NE(done.conclusion.overall, Verdict::equivalent) << cut;
    const AuditOpen* open = open_at(done, 13);
    const bool victim = victim_at(done, 13) != nullptr;
    suspected = suspected || open != nullptr;
    verified = verified || victim;
    EXPECT_TRUE(!suspected || open != nullptr || victim) << cut;  // once seen, never forgotten
    EXPECT_TRUE(victim || found.judged < 15) << cut;
    EXPECT_EQ(victim ? Verdict::slower : Verdict::undecided, done.conclusion.overall) << cut;
  }
  EXPECT_TRUE(suspected && verified);
}

TEST(SuiteAudit, ATimeBudgetThatEndsItIsNoVerdict) {
  FakeSuite suite{.units = 9, .changes = {pollution({4}, 7, 785)}};
  Plan plan = suite.plan();
  plan.time_budget_s = 30;  // a round takes about 19
  auto done = audit(plan, suite);
  EXPECT_EQ(done.conclusion.ended_by, EndedBy::time_budget);
  EXPECT_EQ(done.conclusion.overall, Verdict::undecided);
  EXPECT_EQ(done.conclusion.answer, "unfinished, 0 victims");
  EXPECT_EQ(done.found().judged, 0u);
  EXPECT_TRUE(done.found().unfinished.starts_with(
      "after 2 of 3 rounds alone and in the suite; not asked: other orders, every unit twice, who "
      "does it; about "))
      << done.found().unfinished;
  const AuditOpen* open = open_at(done, 7);
  ASSERT_NE(open, nullptr);
  EXPECT_NEAR(*open->factor, 785, 40);
  EXPECT_EQ(open->why, "looks slower; the audit ended before that was confirmed");
  plan.time_budget_s = 60;  // all pairs, and the other orders
  done = audit(plan, suite);
  EXPECT_EQ(done.conclusion.overall, Verdict::undecided);
  EXPECT_EQ(done.found().judged, 8u);
  EXPECT_NE(open_at(done, 7), nullptr);
}

TEST(SuiteAudit, EveryBenchmarkHasItsTimes) {
  FakeSuite suite{.units = 10, .changes = {pollution({4}, 7, 3)}};
  const auto done = audit(suite.plan(), suite);
  ASSERT_EQ(done.found().times.size(), 10u);
  for (const AuditTimes& one : done.found().times) {
    EXPECT_NEAR(*one.behind_s / *one.alone_s, one.unit == 7 ? 3 : 1, 0.1);
    EXPECT_EQ(one.alone_runs, 3u);
    EXPECT_EQ(one.behind_runs, 3u);
    EXPECT_EQ(one.alone_n, 1000);
    EXPECT_TRUE(one.judged);
    EXPECT_GE(one.least_seen, 1.1);
  }
}

TEST(SuiteAudit, ANoisySuiteSaysWhatItCannotSee) {
  FakeSuite suite{.units = 10};
  const auto quiet = audit(suite.plan(), suite, 0.005);
  EXPECT_NEAR(quiet.found().least_seen, 1.1, 0.01);
  EXPECT_EQ(quiet.found().more_repeats, 0u);
  const auto noisy = audit(suite.plan(), suite, 0.4);
  EXPECT_GT(noisy.found().least_seen, 3);
  EXPECT_EQ(noisy.found().more_repeats, 12u);
  EXPECT_LT(noisy.found().least_seen_then, noisy.found().least_seen);
}

TEST(SuiteAudit, AnotherWorkloadIsFoundWhereTimesStandStill) {
  FakeSuite suite{.units = 12};
  suite.changes = {[](std::uint32_t unit, FakeSuite::Front front, FakeSuite::Says& says) {
    const bool small = std::ranges::find(front, 5u) != front.end();
    says.facts = {{"iterations", 1000.0 * static_cast<double>(front.size() + 1)},
                  {"validators", small ? 256.0 : 4096.0}};
    if (unit == 9 && small) says.value_s /= 40;
  }};
  const auto done = audit(suite.plan(), suite);
  EXPECT_EQ(done.conclusion.overall, Verdict::slower);
  EXPECT_EQ(done.found().victims.size(), 1u);  // whose mechanism it is
  EXPECT_GE(done.found().changed.size(), 9u);  // those behind 5 in enough orders
  for (const AuditChanged& one : done.found().changed) {
    EXPECT_NE(one.unit, 9u);
    EXPECT_EQ(one.text, "validators 4096 -> 256");
    EXPECT_EQ(one.behind, (std::vector<std::uint32_t>{5})) << one.unit;
  }
  for (const AuditDoubt& one : done.found().doubts)
    EXPECT_TRUE(std::ranges::none_of(done.found().changed, [&](const AuditChanged& changed) {
      return changed.id == one.id;
    })) << one.text;
}

TEST(SuiteAudit, CrashesAreResults) {
  FakeSuite suite{.units = 10, .changes = {pollution({4}, 8, 3)}};
  SuiteAudit experiment(suite.plan());
  std::vector<Entry> entries;
  Conclusion conclusion;
  for (;;) {
    const Step next = experiment.next(entries, 0);
    if (const auto* end = std::get_if<Conclusion>(&next)) {
      conclusion = *end;
      break;
    }
    for (const AskedRun& run : std::get<Job>(next).runs) {
      Trial trial = suite.run(run, [] { return 1.0; });
      // Unit 6 kills its process: what stands behind it is gone.
      bool dead = false;
      for (Measurement& one : trial.measurements) {
        dead = dead || trial.units[one.position] == 6;
        if (dead)
          one = {.position = one.position, .id = one.id, .status = MeasurementStatus::missing};
      }
      if (dead) trial.exit = {Ending::signalled, 11};
      entries.emplace_back(std::move(trial));
    }
  }
  EXPECT_EQ(conclusion.ended_by, EndedBy::decided);
  EXPECT_EQ(conclusion.audit->missing.size(), 4u);  // 6 to 9 in the suite
  EXPECT_FALSE(conclusion.audit->missing.front().exit_zero);
}

}  // namespace
}  // namespace assay::experiment
