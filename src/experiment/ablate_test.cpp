// SPDX-License-Identifier: Apache-2.0
#include "experiment/ablate.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <set>

#include "experiment/simulate_design.hpp"

namespace assay::experiment {
namespace {

// --- designs

// Mains and pairs are clear of each other: every product of up to four changes, but for those of
// the whole fraction, sums to 0 over a round.
TEST(AblateDesign, MainsAndPairsAreClear) {
  for (unsigned k = 2; k <= 10; ++k)
    for (std::uint32_t round = 1; round <= 4; ++round) {
      const auto cells = design_round(k, round);
      EXPECT_EQ(cells.size(), round_size(k));
      EXPECT_EQ(std::set<std::uint32_t>(cells.begin(), cells.end()).size(), cells.size());
      for (std::uint32_t product = 1; product < (1u << k); ++product) {
        if (std::popcount(product) > 4) continue;
        int sum = 0;
        for (const std::uint32_t c : cells) sum += std::popcount(~c & product) % 2 == 0 ? 1 : -1;
        EXPECT_EQ(sum, 0) << "k " << k << " round " << round << " product " << product;
      }
    }
}

TEST(AblateDesign, RoundsTakeOtherFractions) {
  const auto first = design_round(5, 1), second = design_round(5, 2);
  std::set<std::uint32_t> all(first.begin(), first.end());
  all.insert(second.begin(), second.end());
  EXPECT_EQ(all.size(), 32u);
  EXPECT_EQ(first, design_round(5, 3));
}

TEST(AblateDesign, FailuresHaveRules) {
  // b needs a: everything with b on and a off fails.
  std::vector<std::uint32_t> failed, good;
  for (std::uint32_t c = 0; c < 8; ++c) ((c & 3) == 2 ? failed : good).push_back(c);
  EXPECT_EQ(failure_rules(failed, good, 3), (std::vector<FailureRule>{{2, 1}}));
  EXPECT_TRUE(failure_rules({}, good, 3).empty());
  EXPECT_TRUE(failure_rules(std::vector<std::uint32_t>{2}, good, 3).empty());  // one is no rule
  const std::vector<std::uint32_t> none;
  EXPECT_EQ(failure_rules(std::vector<std::uint32_t>{1, 3, 5}, std::vector<std::uint32_t>{0, 2}, 3),
            (std::vector<FailureRule>{{1, 0}}));
}

// --- whole experiments

struct World {
  unsigned changes = 3;
  std::function<double(std::uint32_t)> effect = [](std::uint32_t) { return 0.0; };
  double noise = 0.01;
  std::function<bool(std::uint32_t)> builds = nullptr;
  std::function<bool(std::uint32_t)> crashes = nullptr;
  std::function<bool(std::uint32_t)> silent = nullptr;  // gives no value
  double drift = 0;                                     // log units a run
};

Plan plan_of(const World& world, bool built = false) {
  Design design;
  for (unsigned i = 0; i < world.changes; ++i)
    design.changes.push_back({.name = std::string(1, static_cast<char>('a' + i)), .spec = "X=1"});
  Plan plan = bare_design_plan(PlanKind::ablate, std::size_t{1} << world.changes, design, built);
  plan.seed = 17;
  return plan;
}

struct Played {
  Conclusion conclusion;
  std::vector<Entry> entries;
};

Played play(const World& world, const Plan& plan, std::uint64_t seed = 3) {
  Ablate ablate(plan);
  Random random(seed);
  Played played;
  std::set<std::uint32_t> seen;
  for (int step = 0; step < 20'000; ++step) {
    const Step next = ablate.next(played.entries, 0);
    if (const auto* conclusion = std::get_if<Conclusion>(&next)) {
      played.conclusion = *conclusion;
      return played;
    }
    for (const Run& run : std::get<Job>(next).runs) {
      if (plan.arms[run.arm].build && seen.insert(run.arm).second) {
        const bool ok = world.builds == nullptr || world.builds(run.arm);
        played.entries.emplace_back(Build{.arm = run.arm,
                                          .commit = "c",
                                          .ok = ok,
                                          .duration = std::chrono::seconds(30),
                                          .reason = ok ? "" : "does not build"});
        if (!ok) break;
      }
      Trial trial{.arm = run.arm, .block = run.block, .slot = run.slot, .warmup = run.warmup};
      const double log = world.effect(run.arm) + world.noise * random.normal() +
                         world.drift * static_cast<double>(played.entries.size());
      trial.values = {std::exp(log)};
      if (world.silent && world.silent(run.arm)) trial.values = {std::nullopt};
      trial.duration = std::chrono::milliseconds(10);
      const bool crashes = world.crashes && world.crashes(run.arm);
      if (crashes) trial.exit = {Ending::signalled, 11};
      played.entries.emplace_back(trial);
      if (crashes) break;
    }
  }
  ADD_FAILURE() << "it does not end";
  return played;
}

bool has(std::uint32_t configuration, std::uint32_t mask) { return (configuration & mask) == mask; }

std::vector<std::vector<std::uint32_t>> named(const Conclusion& conclusion) {
  std::vector<std::vector<std::uint32_t>> names;
  for (const Term& term : conclusion.ablate->terms)
    if (term.named) names.push_back(term.changes);
  return names;
}

TEST(Ablate, NamesASingleChangeAndConfirmsIt) {
  const World world{.effect = [](std::uint32_t c) { return has(c, 2) ? 0.06 : 0; }};
  const auto played = play(world, plan_of(world));
  const AblateFinding& found = *played.conclusion.ablate;
  EXPECT_EQ(found.reproduced, Reproduced::yes);
  ASSERT_EQ(named(played.conclusion), (std::vector<std::vector<std::uint32_t>>{{1}}));
  const Term& term = found.terms.front();
  EXPECT_NEAR(term.effect.value, 0.06, 0.01);
  EXPECT_NEAR(term.reverting->value, -0.06, 0.012);
  ASSERT_TRUE(term.finding);
  EXPECT_EQ(played.conclusion.findings[*term.finding].verdict, Verdict::slower);
  EXPECT_EQ(found.best, 5u);
  EXPECT_NEAR(found.best_effect.value, -0.06, 0.012);
  EXPECT_LE(*found.remainder.lo, 0);
  EXPECT_GE(*found.remainder.hi, 0);
  EXPECT_EQ(played.conclusion.overall, Verdict::equivalent);
  EXPECT_EQ(played.conclusion.answer.substr(0, 3), "b +");
  EXPECT_GE(found.effects.size(), 6u);  // three alone, three pairs; the triple with 12 rounds
}

// Three that act only together are no sum of changes and pairs: nothing is named, and it is said.
TEST(Ablate, NamesNothingWhenThreeActOnlyTogether) {
  const World world{.effect = [](std::uint32_t c) { return (c & 7) == 7 ? 0.2 : 0; }};
  const auto played = play(world, plan_of(world));
  EXPECT_TRUE(named(played.conclusion).empty());
  EXPECT_EQ(played.conclusion.overall, Verdict::undecided);
  EXPECT_TRUE(std::ranges::any_of(played.conclusion.warnings, [](const Warning& warning) {
    return warning.text.find("three or more may act only together") != std::string::npos;
  }));
  EXPECT_TRUE(played.conclusion.ablate->revert_all);
}

TEST(Ablate, NamesAnAnd) {
  const World world{.effect = [](std::uint32_t c) { return has(c, 5) ? 0.06 : 0; }};
  const auto played = play(world, plan_of(world));
  ASSERT_EQ(played.conclusion.ablate->terms.size(), 1u);
  const Term& term = played.conclusion.ablate->terms.front();
  EXPECT_TRUE(term.named);
  EXPECT_FALSE(term.either);
  EXPECT_EQ(std::set<std::uint32_t>(term.changes.begin(), term.changes.end()),
            (std::set<std::uint32_t>{0, 2}));
  EXPECT_NEAR(term.reverting->value, -0.06, 0.012);
  EXPECT_EQ(std::popcount(played.conclusion.ablate->best), 2);
}

// +25 % and +20 % make +45 % where times add up, and not +50 %: no interaction worth a name.
TEST(Ablate, TimesThatAddUpAreNoInteraction) {
  const World world{.effect = [](std::uint32_t c) {
    return std::log(1 + (has(c, 1) ? 0.25 : 0) + (has(c, 4) ? 0.2 : 0));
  }};
  const auto played = play(world, plan_of(world));
  EXPECT_EQ(named(played.conclusion), (std::vector<std::vector<std::uint32_t>>{{0}, {2}}));
  EXPECT_EQ(played.conclusion.overall, Verdict::equivalent);
}

TEST(Ablate, NothingChangesIsAnAnswer) {
  const World world;
  const auto played = play(world, plan_of(world));
  EXPECT_EQ(played.conclusion.ablate->reproduced, Reproduced::no);
  EXPECT_EQ(played.conclusion.ablate->runs, 0u);
  EXPECT_EQ(played.conclusion.overall, Verdict::equivalent);
  EXPECT_EQ(played.conclusion.answer, "does not reproduce");
}

TEST(Ablate, EffectsThatCancelAreFoundAnyway) {
  const World world{
      .effect = [](std::uint32_t c) { return (has(c, 1) ? 0.05 : 0) - (has(c, 4) ? 0.05 : 0); }};
  Plan plan = plan_of(world);
  plan.design->anyway = true;
  const auto played = play(world, plan);
  EXPECT_EQ(played.conclusion.ablate->reproduced, Reproduced::no);
  EXPECT_EQ(named(played.conclusion).size(), 2u);
  EXPECT_EQ(played.conclusion.ablate->best, 6u);
}

TEST(Ablate, EverythingHurtsSoRevertAll) {
  const World world{.changes = 2, .effect = [](std::uint32_t c) {
                      return (has(c, 1) ? 0.04 : 0) + (has(c, 2) ? 0.05 : 0);
                    }};
  const auto played = play(world, plan_of(world));
  EXPECT_TRUE(played.conclusion.ablate->revert_all);
  EXPECT_EQ(played.conclusion.ablate->best, 0u);
}

TEST(Ablate, WhatDoesNotBuildIsPartOfTheAnswer) {
  const World world{.changes = 4,
                    .effect = [](std::uint32_t c) { return has(c, 4) ? 0.06 : 0; },
                    .builds = [](std::uint32_t c) { return !(has(c, 1) && !has(c, 2)); }};
  const auto played = play(world, plan_of(world, true));
  EXPECT_EQ(named(played.conclusion), (std::vector<std::vector<std::uint32_t>>{{2}}));
  for (const BrokenArm& arm : played.conclusion.broken) {
    EXPECT_TRUE(has(arm.arm, 1) && !has(arm.arm, 2));
    EXPECT_FALSE(arm.built);
    EXPECT_EQ(arm.why, "does not build");
  }
  EXPECT_LE(played.conclusion.broken.size(), 2u) << "the rest was foreseen";
}

TEST(Ablate, CrashesAndMissingValuesDropTheirConfiguration) {
  World world{.effect = [](std::uint32_t c) { return has(c, 1) ? 0.06 : 0; },
              .crashes = [](std::uint32_t c) { return c == 2; },
              .silent = [](std::uint32_t c) { return c == 4; }};
  const auto played = play(world, plan_of(world));
  EXPECT_EQ(played.conclusion.broken.size(), 2u);
  EXPECT_EQ(named(played.conclusion), (std::vector<std::vector<std::uint32_t>>{{0}}));
}

TEST(Ablate, AnEndThatFailsFailsIt) {
  World world{.crashes = [](std::uint32_t c) { return c == 7; }};
  const auto played = play(world, plan_of(world));
  EXPECT_EQ(played.conclusion.overall, Verdict::failed);
  EXPECT_TRUE(played.conclusion.failure.starts_with("all on: was killed by signal 11"))
      << played.conclusion.failure;
}

TEST(Ablate, TheCapLeavesItUndecided) {
  const World world{
      .changes = 5, .effect = [](std::uint32_t c) { return has(c, 3) ? 0.08 : 0; }, .noise = 0.06};
  Plan plan = plan_of(world);
  plan.runs = 18;
  const auto played = play(world, plan);
  ASSERT_EQ(played.conclusion.ablate->reproduced, Reproduced::yes);
  EXPECT_EQ(played.conclusion.ended_by, EndedBy::max_runs);
  EXPECT_LE(played.conclusion.ablate->runs, 18u);
  EXPECT_TRUE(played.conclusion.ablate->more_runs);
}

TEST(Ablate, TheBudgetEndsIt) {
  const World world{.changes = 5, .effect = [](std::uint32_t c) { return has(c, 3) ? 0.05 : 0; }};
  Plan plan = plan_of(world);
  plan.time_budget_s = 0.4;  // runs of 10 ms
  const auto played = play(world, plan);
  EXPECT_EQ(played.conclusion.ended_by, EndedBy::time_budget);
  EXPECT_LE(played.entries.size(), 41u);
}

// Same plan, same entries: the same answer, however the calls are cut.
TEST(Ablate, Replays) {
  for (const bool built : {false, true}) {
    const World world{.changes = 4,
                      .effect = [](std::uint32_t c) { return has(c, 6) ? 0.04 : 0; },
                      .drift = 0.0002};
    const Plan plan = plan_of(world, built);
    const auto played = play(world, plan);
    Ablate whole(plan);
    EXPECT_EQ(std::get<Conclusion>(whole.next(played.entries, 0)), played.conclusion);
    Ablate cut(plan);
    std::vector<Entry> entries;
    for (std::size_t i = 0; i < played.entries.size(); i += 7) {
      entries.assign(played.entries.begin(),
                     played.entries.begin() + static_cast<std::ptrdiff_t>(i));
      const Step step = cut.next(entries, 0);
      ASSERT_TRUE(std::holds_alternative<Job>(step));
      if (i > 0) (void)cut.progress();
    }
    EXPECT_EQ(std::get<Conclusion>(cut.next(played.entries, 0)), played.conclusion);
  }
}

TEST(Ablate, AStopIsAnswered) {
  const World world{.effect = [](std::uint32_t c) { return has(c, 1) ? 0.06 : 0; }};
  const Plan plan = plan_of(world);
  auto entries = play(world, plan).entries;
  entries.resize(entries.size() - 10);
  entries.emplace_back(Stop{});
  Ablate stopped(plan);
  const auto conclusion = std::get<Conclusion>(stopped.next(entries, 0));
  EXPECT_EQ(conclusion.ended_by, EndedBy::interrupted);
  EXPECT_EQ(conclusion.overall, Verdict::undecided);
}

}  // namespace
}  // namespace assay::experiment
