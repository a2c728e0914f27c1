// SPDX-License-Identifier: Apache-2.0
// The parts of the audit, one by one: free signs, the decision of one pair, the search, mechanisms.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "base/random.hpp"
#include "experiment/suite_audit_mechanism.hpp"
#include "experiment/suite_audit_memory.hpp"
#include "experiment/suite_audit_pairs.hpp"
#include "experiment/suite_audit_search.hpp"
#include "experiment/suite_audit_signs.hpp"

namespace assay::experiment {
namespace {

using SomeUnits = PolluterSearch::Units;

// --- free signs

Measurement sound_measurement() {
  return {.id = "a",
          .value = 1e-3,
          .samples = std::vector<double>(50, 1e-3),
          .iterations = 50,
          .total_s = 0.05};
}

std::vector<AuditDoubt> doubts_of(const std::vector<Measurement>& measurements) {
  SuitePlan suite{.units = {{"one", {"a"}}}};
  std::vector<Trial> trials;
  for (const Measurement& one : measurements) {
    Trial trial{.units = {0}};
    trial.measurements = {one};
    // Others, so that there is a usual time.
    for (int i = 0; i < 5; ++i) {
      Measurement other = sound_measurement();
      other.id = "other" + std::to_string(i);
      trial.measurements.push_back(other);
    }
    trials.push_back(trial);
  }
  std::vector<const Trial*> pointers;
  for (const Trial& trial : trials) pointers.push_back(&trial);
  return free_signs(suite, pointers);
}

TEST(FreeSigns, SayNothingOfASoundBenchmark) {
  EXPECT_TRUE(doubts_of({sound_measurement(), sound_measurement()}).empty());
}

TEST(FreeSigns, EachHasItsFigure) {
  struct Case {
    DoubtKind kind;
    std::function<void(Measurement&)> spoil;
    double figure;
    std::string text;
  };
  const std::vector<Case> cases = {
      {DoubtKind::single, [](Measurement& m) { m.iterations = 1; }, 1,
       "n collapsed: 1 iterations in one run, 50 in another"},
      {DoubtKind::single, [](Measurement& m) { m.iterations = 4; }, 4,
       "n collapsed: 4 iterations in one run, 50 in another"},
      {DoubtKind::over_budget, [](Measurement& m) { m.total_s = 5.2; }, 5.2,
       "timed for 5.20 s, where the others are timed for 50.0 ms"},
      {DoubtKind::setup, [](Measurement& m) { m.setup_s = 0.045; }, 0.045,
       "its setup takes 45.0 ms, and benchmarks here are timed for 50.0 ms"},
      {DoubtKind::missing, [](Measurement& m) { m.status = MeasurementStatus::missing; }, 1,
       "missing in 1 run that ended with status 0"},
      {DoubtKind::facts,
       [](Measurement& m) {
         m.facts = {{"validators", 10000}};
       },
       10000, "its workload changes: validators is 10000 in one run and 250000 in another"},
      {DoubtKind::too_fast, [](Measurement& m) { m.value = 4e-10; }, 4e-10,
       "0.400 ns an iteration is too little for any work: was it optimised away?"},
  };
  for (const Case& one : cases) {
    Measurement good = sound_measurement(), bad = sound_measurement();
    good.facts = {{"validators", 250000}};
    bad.facts = good.facts;
    one.spoil(bad);
    const auto doubts = doubts_of({good, bad});
    ASSERT_EQ(doubts.size(), 1u) << one.text;
    EXPECT_EQ(doubts[0].kind, one.kind);
    EXPECT_EQ(doubts[0].text, one.text);
    EXPECT_DOUBLE_EQ(doubts[0].figure, one.figure);
  }
}

TEST(FreeSigns, AFirstSampleThatIsMostOfTheTotalIsTwoSigns) {
  Measurement bad = sound_measurement();
  bad.samples.front() = 1;
  const auto doubts = doubts_of({bad});
  ASSERT_EQ(doubts.size(), 2u);
  EXPECT_EQ(doubts[0].text, "its first sample is 95 % of the timed total");
  EXPECT_EQ(doubts[1].text, "the mean of its samples is 21 times their median");
}

TEST(FreeSigns, WithoutACommonBudgetTimesSayNothing) {
  SuitePlan suite{.units = {{"one", {}}}};
  Trial trial{.units = {0}};
  for (int i = 0; i < 8; ++i) {
    Measurement one = sound_measurement();
    one.id = std::to_string(i);
    one.total_s = std::pow(10.0, i - 4);  // a fixed number of iterations each
    one.setup_s = 1;
    trial.measurements.push_back(one);
  }
  const Trial* pointer = &trial;
  EXPECT_TRUE(free_signs(suite, {&pointer, 1}).empty());
}

TEST(FreeSigns, CountersOfTheHardwareAreNoWorkload) {
  Measurement a = sound_measurement(), b = sound_measurement();
  a.facts = {{"CACHE-MISSES", 10}};
  b.facts = {{"CACHE-MISSES", 70}};
  EXPECT_TRUE(doubts_of({a, b}).empty());
}

TEST(FreeSigns, HowOftenAToolMeasuresIsNoWorkload) {
  Measurement a = sound_measurement(), b = sound_measurement();
  a.facts = {{"iterations", 50694}, {"samples", 100}};  // as of Catch2, which calibrates
  b.facts = {{"iterations", 104009}, {"samples", 90}};
  EXPECT_TRUE(doubts_of({a, b}).empty());
  const SuiteReading before = reading_of(a), behind = reading_of(b);
  const SuiteReading *one = &before, *other = &behind;
  EXPECT_EQ(changed_facts({&one, 1}, {&other, 1}), "");
}

// --- one pair

std::vector<SidePair> equal_pairs(std::size_t count, double sd, std::uint64_t seed, int runs = 3) {
  Random random(seed);
  std::vector<SidePair> pairs(count);
  for (SidePair& pair : pairs)
    for (int i = 0; i < runs; ++i) {
      pair.alone.push_back(sd * random.normal());
      pair.behind.push_back(sd * random.normal());
    }
  return pairs;
}

TEST(JudgePairs, FindsWhatIsThereAndNothingElse) {
  auto pairs = equal_pairs(40, 0.02, 3);
  for (double& log : pairs[7].behind) log += std::log(2);
  for (double& log : pairs[9].behind) log -= std::log(2);
  const auto judged = judge_pairs(pairs, scatters_of(pairs));
  for (std::size_t i = 0; i < pairs.size(); ++i)
    EXPECT_EQ(judged[i].differs, i == 7 || i == 9) << i;
  EXPECT_GT(judged[7].effect, 0);
  EXPECT_LT(judged[9].effect, 0);
}

TEST(JudgePairs, TenPercentIsTheLeast) {
  auto pairs = equal_pairs(20, 0.0001, 4);
  for (double& log : pairs[0].behind) log += std::log(1.09);
  for (double& log : pairs[1].behind) log += std::log(1.12);
  const auto judged = judge_pairs(pairs, scatters_of(pairs));
  EXPECT_FALSE(judged[0].differs);
  EXPECT_TRUE(judged[1].differs);
}

TEST(JudgePairs, ABenchmarkThatVariesNeedsMore) {
  auto pairs = equal_pairs(20, 0.01, 5);
  pairs[0].alone = {0, 0.2, 0.1};
  pairs[0].behind = {0.6, 0.4, 0.5};  // all slower, by less than three times the spread
  EXPECT_FALSE(judge_pairs(pairs, scatters_of(pairs))[0].differs);
}

TEST(JudgePairs, ThreeRunsThatAgreeByLuckProveNothing) {
  auto pairs = equal_pairs(20, 0.05, 6);
  pairs[0].alone = {0, 0.0001, 0.0002};
  pairs[0].behind = {0.11, 0.1101, 0.1102};  // more than 10 %, but not what others vary by
  EXPECT_FALSE(judge_pairs(pairs, scatters_of(pairs))[0].differs);
}

TEST(JudgePairs, MoreRunsSeeLess) {
  for (const int runs : {3, 12, 20}) {
    auto pairs = equal_pairs(40, 0.1, 8, runs);
    for (double& log : pairs[7].behind) log += 0.55;
    const auto scatters = scatters_of(pairs);
    const auto judged = judge_pairs(pairs, scatters);
    for (std::size_t i = 0; i < pairs.size(); ++i)
      EXPECT_EQ(judged[i].differs, i == 7 && runs > 3) << i << " with " << runs;
    EXPECT_GE(judged[7].least_seen, judged[7].threshold);
    EXPECT_EQ(judged[7].least_seen<0.55, runs> 3);
  }
  const auto pairs = equal_pairs(40, 0.1, 8);
  EXPECT_LT(least_seen_with(pairs, scatters_of(pairs), 12), 0.5);
  EXPECT_GT(least_seen_with(pairs, scatters_of(pairs), 3), 0.6);
}

TEST(JudgePairs, OneIterationAloneIsNotTheTruth) {
  auto pairs = equal_pairs(20, 0.01, 7);
  for (double& log : pairs[0].behind) log -= std::log(38);
  pairs[0].least_n = 1;
  const auto judged = judge_pairs(pairs, scatters_of(pairs));
  EXPECT_FALSE(judged[0].judged);
  EXPECT_FALSE(judged[0].differs);
  EXPECT_EQ(judged[0].why, "n = 1 alone, and 30 are needed");
}

// --- the search

struct Hunted {
  SomeUnits found;
  int questions = 0;
  std::size_t units_run = 0;
};

Hunted hunt(std::uint32_t count, const std::function<bool(const SomeUnits&)>& pollutes,
            std::vector<SomeUnits> known = {}) {
  SomeUnits all(count);
  std::iota(all.begin(), all.end(), 0u);
  PolluterSearch search(all, std::move(known));
  Hunted hunted;
  while (search.question()) {
    const SomeUnits asked = *search.question();
    EXPECT_FALSE(asked.empty());
    hunted.units_run += asked.size();
    if (++hunted.questions > 1000) break;
    search.answer(asked, pollutes(asked));
  }
  hunted.found = search.found();
  return hunted;
}

bool has(const SomeUnits& units, std::uint32_t one) {
  return std::ranges::find(units, one) != units.end();
}

TEST(PolluterSearch, FindsEverySinglePolluter) {
  for (std::uint32_t polluter = 0; polluter < 67; ++polluter) {
    const auto hunted = hunt(67, [&](const SomeUnits& units) { return has(units, polluter); });
    EXPECT_EQ(hunted.found, SomeUnits{polluter});
    EXPECT_LE(hunted.questions, 9) << polluter;
    EXPECT_LE(hunted.units_run, 67u + 9) << polluter;
  }
}

TEST(PolluterSearch, AsksThePredecessorAndKnownOnesFirst) {
  EXPECT_EQ(hunt(67, [](const SomeUnits& units) { return has(units, 66); }).questions, 1);
  const auto known = hunt(67, [](const SomeUnits& units) { return has(units, 5); }, {{99}, {5}});
  EXPECT_EQ(known.found, SomeUnits{5});
  EXPECT_EQ(known.questions, 1);  // what is not in front of the victim is not asked
}

TEST(PolluterSearch, FindsThoseThatPolluteOnlyTogether) {
  Random random(11);
  for (int i = 0; i < 50; ++i) {
    SomeUnits set;
    const std::size_t size = 2 + random.below(2);
    while (set.size() < size) {
      const auto unit = static_cast<std::uint32_t>(random.below(100));
      if (!has(set, unit)) set.push_back(unit);
    }
    std::ranges::sort(set);
    const auto hunted = hunt(100, [&](const SomeUnits& units) {
      return std::ranges::all_of(set, [&](std::uint32_t one) { return has(units, one); });
    });
    EXPECT_EQ(hunted.found, set);
    EXPECT_LE(hunted.questions, 40);
  }
}

TEST(PolluterSearch, AnswersAreMinimalWhereACleanerLiesBetween) {
  // 10 pollutes, 20 undoes it, 30 pollutes again but only behind 20.
  const auto pollutes = [](const SomeUnits& units) {
    return (has(units, 10) && !has(units, 20)) || (has(units, 20) && has(units, 30));
  };
  const auto hunted = hunt(40, pollutes);
  ASSERT_TRUE(pollutes(hunted.found));
  for (std::size_t i = 0; i < hunted.found.size(); ++i) {
    SomeUnits fewer = hunted.found;
    fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
    EXPECT_FALSE(pollutes(fewer));
  }
}

// --- mechanisms

using Spoil = std::function<void(SuiteReading&)>;

ShownMechanism shown_by(const Spoil& spoil, std::optional<double> again = {}) {
  SuiteReading good{.value = 1e-3, .n = 1000};
  good.total_s = 1;
  good.setup_s = 0.01;
  good.gc_s = 0.01;
  good.first_share = 0.001;
  good.first_extra = 0;
  good.facts = {{"validators", 250000}, {"INSTRUCTIONS", 1e6}, {"CYCLES", 1e6}};
  SuiteReading bad = good;
  bad.value = 2e-3;
  spoil(bad);
  const std::vector<const SuiteReading*> alone = {&good, &good}, behind = {&bad, &bad};
  return mechanism_of(alone, behind, again);
}

TEST(Mechanism, IsNamedWithItsNumber) {
  struct Case {
    Mechanism mechanism;
    Spoil spoil;
    std::string evidence;
  };
  const std::vector<Case> cases = {
      {Mechanism::workload, [](SuiteReading& r) { r.facts[0].value = 10000; },
       "validators 250000 -> 10000"},
      {Mechanism::garbage, [](SuiteReading& r) { r.gc_s = 0.81; },
       "collecting garbage takes 810 us of every iteration, 10.0 us alone: 80 % of the "
       "difference"},
      {Mechanism::setup_in_timing,
       [](SuiteReading& r) {
         r.n = 50;
         r.first_extra = 0.0009;
         r.first_share = 0.5;
       },
       "its first sample is 50 % of the timed total, 0 % alone: 90 % of the difference"},
      {Mechanism::setup_in_budget,
       [](SuiteReading& r) {
         r.setup_s = 4.9;
         r.gc_s = 3e-5;
         r.n = 3;
       },
       "setup takes 4.90 s, 10.0 ms alone, and leaves 3 iterations of 1000"},
      {Mechanism::cache,
       [](SuiteReading& r) {
         r.facts = {{"validators", 250000}, {"INSTRUCTIONS", 1.01e6}, {"CYCLES", 2e6}};
       },
       "1.01 times the instructions take 2 times the cycles"},
  };
  for (const Case& one : cases) {
    const auto shown = shown_by(one.spoil);
    EXPECT_EQ(shown.mechanism, one.mechanism) << shown.evidence;
    EXPECT_EQ(shown.evidence, one.evidence);
  }
}

TEST(Mechanism, APartOfTheDifferenceIsNotTheMechanism) {
  const auto shown = shown_by([](SuiteReading& r) { r.gc_s = 0.2; });
  EXPECT_EQ(shown.mechanism, Mechanism::not_shown);
  EXPECT_NE(shown.evidence.find("garbage collection (19 % of the difference)"), std::string::npos)
      << shown.evidence;
}

TEST(Mechanism, WhatComesOnceShowsInASecondTime) {
  const auto shown = shown_by([](SuiteReading& r) { r.facts = {{"validators", 250000}}; }, 1e-3);
  EXPECT_EQ(shown.mechanism, Mechanism::setup_in_timing);
  EXPECT_EQ(shown.evidence,
            "it comes once: 2.00 ms the first time, 1.00 ms right behind, 1.00 ms alone");
}

TEST(Mechanism, WithTimesAloneItSaysSo) {
  const SuiteReading good{.value = 1e-3}, bad{.value = 2e-3};
  const std::vector<const SuiteReading*> alone = {&good}, behind = {&bad};
  const auto shown = mechanism_of(alone, behind, {});
  EXPECT_EQ(shown.mechanism, Mechanism::not_shown);
  EXPECT_EQ(shown.evidence, "the suite reports nothing but times");
}

}  // namespace
}  // namespace assay::experiment
