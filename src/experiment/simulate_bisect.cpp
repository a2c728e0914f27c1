// SPDX-License-Identifier: Apache-2.0
// The scenarios of `assay simulate bisect`: where the culprit is known, because it was drawn.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "experiment/simulate_design.hpp"

namespace assay::experiment {
namespace {

constexpr double kBuildSeconds = 30;  // of one commit, where builds are asked for; a run takes ~1 s

// What is true of one history: the commits that changed the time, and those that do not build.
struct History {
  std::vector<std::pair<std::uint32_t, double>> changes;  // commit, log units
  std::vector<bool> broken;                               // by commit; empty = none
};

std::vector<Commit> straight_line(std::size_t commits) {
  std::vector<Commit> line;
  for (std::uint32_t i = 0; i < commits; ++i) {
    line.push_back({.id = fmt::format("{:040}", i)});
    if (i > 0) line.back().parents = {i - 1};
  }
  return line;
}

// A main line of `merges` stretches, each two commits and the merge of a side of `side` commits.
std::vector<Commit> merged_line(std::size_t merges, std::size_t side) {
  std::vector<Commit> commits = {{}};
  std::uint32_t tip = 0;
  const auto add = [&](std::vector<std::uint32_t> parents) {
    commits.push_back({.parents = std::move(parents)});
    return static_cast<std::uint32_t>(commits.size() - 1);
  };
  for (std::size_t m = 0; m < merges; ++m) {
    std::uint32_t branch = tip;
    tip = add({tip});
    for (std::size_t s = 0; s < side; ++s) branch = add({branch});
    tip = add({tip});
    tip = add({tip, branch});
  }
  for (std::size_t i = 0; i < commits.size(); ++i) commits[i].id = fmt::format("{:040}", i);
  return commits;
}

// [of][c]: whether commit c is contained in commit `of`.
std::vector<std::vector<bool>> contents(const std::vector<Commit>& commits) {
  std::vector<std::vector<bool>> contained(commits.size(),
                                           std::vector<bool>(commits.size(), false));
  for (std::size_t i = 0; i < commits.size(); ++i) {
    contained[i][i] = true;
    for (const std::uint32_t parent : commits[i].parents)
      for (std::size_t c = 0; c < i; ++c)
        if (contained[parent][c]) contained[i][c] = true;
  }
  return contained;
}

Outcome judge(const Conclusion& conclusion, const History& history) {
  const BisectFinding& found = *conclusion.bisect;
  const auto is_true = [&](std::uint32_t commit) {
    return std::ranges::any_of(history.changes,
                               [&](const auto& change) { return change.first == commit; });
  };
  Outcome outcome{.search_runs = found.runs};
  std::size_t named = 0, right = 0;
  for (const Culprit& culprit : found.culprits) {
    // A set counts when nothing but a culprit that cannot be measured keeps it from one commit.
    const bool apart = culprit.named;
    const bool as_far_as_possible = apart || (culprit.set.size() > 1 && !history.broken.empty() &&
                                              conclusion.ended_by == EndedBy::decided);
    if (!as_far_as_possible) continue;
    ++named;
    right += std::ranges::any_of(culprit.set, is_true);
    if (apart && !outcome.stated) outcome.stated = culprit.probability;
  }
  if (named > right)
    outcome.answer = Outcome::Answer::wrong;
  else if (right == history.changes.size() &&
           (!history.changes.empty() || found.reproduced == Reproduced::no))
    outcome.answer = Outcome::Answer::right;
  return outcome;
}

DesignTruth truth_of(History drawn, std::size_t commits,
                     std::shared_ptr<const std::vector<std::vector<bool>>> contained) {
  auto history = std::make_shared<const History>(std::move(drawn));
  DesignTruth truth;
  truth.effect = [history, contained, commits](std::uint32_t arm) {
    const std::size_t reverted = arm < commits ? commits : arm - commits;
    const std::size_t at = arm < commits ? arm : commits - 1;
    double effect = 0;
    for (const auto& [commit, size] : history->changes)
      if (commit != reverted && (contained ? (*contained)[at][commit] : commit <= at))
        effect += size;
    return effect;
  };
  truth.judge = [history](const Conclusion& conclusion) { return judge(conclusion, *history); };
  if (!history->broken.empty())
    truth.builds = [history, commits](std::uint32_t arm) {
      return arm >= commits || !history->broken[arm];
    };
  return truth;
}

struct Wanted {
  std::string detail;
  std::string noise = "ln1";
  std::size_t commits = 1024;
  std::vector<double> changes = {};  // log units, each at a place of its own
  double broken = 0;                 // share of the commits between the ends
  bool builds = false;
  double budget_runs = 0;  // time for this many runs; 0 = no limit
};

Result<DesignScenario> on_a_line(const Wanted& wanted) {
  auto noise = parse_noise(wanted.noise);
  if (!noise) return fail(noise.error());
  DesignScenario scenario{
      .kind = "bisect", .detail = wanted.detail, .noise = *noise, .plan = {}, .draw = {}};
  scenario.plan = bare_design_plan(PlanKind::bisect, 2 * wanted.commits,
                                   Design{.commits = straight_line(wanted.commits)}, wanted.builds);
  scenario.plan.time_budget_s = wanted.budget_runs * noise->typical.cpu_s;
  scenario.build_seconds = wanted.builds ? kBuildSeconds : 0;
  scenario.draw = [wanted](Random& random) {
    History history;
    while (history.changes.size() < wanted.changes.size()) {
      const auto at = static_cast<std::uint32_t>(1 + random.below(wanted.commits - 1));
      if (std::ranges::none_of(history.changes, [&](const auto& c) { return c.first == at; }))
        history.changes.emplace_back(at, wanted.changes[history.changes.size()]);
    }
    if (wanted.broken > 0) {
      history.broken.assign(wanted.commits, false);
      for (std::size_t i = 1; i + 1 < wanted.commits; ++i)
        history.broken[i] = random.uniform() < wanted.broken;
    }
    return truth_of(std::move(history), wanted.commits, nullptr);
  };
  return scenario;
}

Result<DesignScenario> with_merges(std::string detail, const std::string& name, double effect) {
  auto noise = parse_noise(name);
  if (!noise) return fail(noise.error());
  const auto commits = merged_line(12, 5);
  const auto contained = std::make_shared<const std::vector<std::vector<bool>>>(contents(commits));
  DesignScenario scenario{
      .kind = "bisect", .detail = std::move(detail), .noise = *noise, .plan = {}, .draw = {}};
  scenario.plan =
      bare_design_plan(PlanKind::bisect, 2 * commits.size(), Design{.commits = commits}, false);
  scenario.draw = [contained, effect](Random& random) {
    const std::size_t count = contained->size();
    History history;
    history.changes = {{static_cast<std::uint32_t>(1 + random.below(count - 1)), effect}};
    return truth_of(std::move(history), count, contained);
  };
  return scenario;
}

}  // namespace

Result<std::vector<DesignScenario>> bisect_scenarios(const std::vector<std::string>& noises) {
  std::vector<Wanted> all;
  if (noises.empty()) {
    all = {
        {.detail = "N = 1024, d = 4", .changes = {0.04}},
        {.detail = "N = 1024, d = 2", .changes = {0.02}},
        {.detail = "N = 1024, d = 1", .changes = {0.01}},
        {.detail = "N = 64, d = 4", .commits = 64, .changes = {0.04}},
        {.detail = "N = 64, d = 2", .commits = 64, .changes = {0.02}},
        {.detail = "N = 1024, no change"},
        {.detail = "N = 1024, d = 4, builds of 30 s", .changes = {0.04}, .builds = true},
        {.detail = "N = 256, d = 4, 10 % do not build",
         .commits = 256,
         .changes = {0.04},
         .broken = 0.1,
         .builds = true},
        {.detail = "N = 256, two changes, d = 4 and 4", .commits = 256, .changes = {0.04, 0.04}},
        {.detail = "N = 256, two changes, d = 6 and -3", .commits = 256, .changes = {0.06, -0.03}},
        {.detail = "N = 256, +6 %", .noise = "heavy", .commits = 256, .changes = {0.06}},
        {.detail = "N = 256, +6 %", .noise = "bimodal", .commits = 256, .changes = {0.06}},
        {.detail = "N = 256, +10 %", .noise = "drift", .commits = 256, .changes = {0.1}},
        {.detail = "N = 256, +6 %", .noise = "cpu_aa_shared", .commits = 256, .changes = {0.06}},
        {.detail = "N = 64, d = 2, time for 50 runs",
         .commits = 64,
         .changes = {0.02},
         .budget_runs = 50},
        {.detail = "N = 64, +6 %, time for 50 runs",
         .noise = "cpu_aa_shared",
         .commits = 64,
         .changes = {0.06},
         .budget_runs = 50},
        {.detail = "N = 256, no change", .noise = "heavy", .commits = 256},
        {.detail = "N = 256, no change", .noise = "drift", .commits = 256},
        {.detail = "N = 256, no change", .noise = "cpu_aa_shared", .commits = 256}};
  }
  for (const std::string& noise : noises)
    for (const double percent : {0.0, 2.0, 4.0, 10.0}) {
      Wanted wanted{
          .detail = percent == 0 ? "N = 256, no change" : fmt::format("N = 256, +{:g} %", percent),
          .noise = noise,
          .commits = 256};
      if (percent > 0) wanted.changes = {percent / 100};
      all.push_back(std::move(wanted));
    }
  std::vector<DesignScenario> scenarios;
  for (const Wanted& wanted : all) {
    auto scenario = on_a_line(wanted);
    if (!scenario) return fail(scenario.error());
    scenarios.push_back(std::move(*scenario));
  }
  if (noises.empty()) {
    auto merges = with_merges("12 merges of 5 commits, d = 4", "ln1", 0.04);
    if (!merges) return fail(merges.error());
    scenarios.push_back(std::move(*merges));
  }
  return scenarios;
}

}  // namespace assay::experiment
