// SPDX-License-Identifier: Apache-2.0
// The scenarios of `assay simulate ablate`: causes that are known, because they were drawn.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "experiment/simulate_design.hpp"
#include "stats/order.hpp"
#include "verdict/sparse_model.hpp"

namespace assay::experiment {
namespace {

using verdict::SparseTerm;

constexpr double kBuildRuns = 10;       // a build costs as much as ten runs, where there are any
constexpr std::size_t kSampled = 4000;  // runs of the noise, to know its size
constexpr double kToleranceInSigmas = 0.2;                           // so that it decides nothing
constexpr double kPairSd = 0.6744897501960817 * 1.4142135623730951;  // median |x - y| of sd 1

struct Cause {
  SparseTerm term;
  double effect = 0;  // in sigmas of one run
};
using Causes = std::vector<Cause>;
using Draw = std::function<Causes(unsigned changes, Random& random)>;

// Different changes, as single-bit masks, in random order.
std::vector<std::uint32_t> some_changes(unsigned changes, std::size_t count, Random& random) {
  std::vector<std::uint32_t> all;
  for (unsigned i = 0; i < changes; ++i) all.push_back(1u << i);
  for (std::size_t i = all.size(); i-- > 1;) std::swap(all[i], all[random.below(i + 1)]);
  all.resize(count);
  return all;
}

Causes one(unsigned changes, double d, Random& random) {
  return {{{some_changes(changes, 1, random)[0], false}, d}};
}

Causes pair(unsigned changes, double d, bool either, Random& random) {
  const auto two = some_changes(changes, 2, random);
  return {{{two[0] | two[1], either}, d}};
}

Causes two(unsigned changes, double first, double second, Random& random) {
  const auto some = some_changes(changes, 2, random);
  return {{{some[0], false}, first}, {{some[1], false}, second}};
}

// An AND, one that hurts and one that helps, of sizes between `d` and twice that.
Causes three(unsigned changes, double d, Random& random) {
  const auto some = some_changes(changes, 4, random);
  const auto size = [&] { return d * (1 + random.uniform()); };
  return {{{some[0] | some[1], false}, 2 * d}, {{some[2], false}, size()}, {{some[3], false}, -d}};
}

// The spread of one run, log units: what the typical pair of runs differs by.
double sigma_of(const NoiseModel& model) {
  Noise noise(model, kSampled, 1);
  std::vector<double> differences;
  for (std::size_t i = 0; i < kSampled / 2; ++i) {
    const double first = noise.next().cpu_s, second = noise.next().cpu_s;
    differences.push_back(std::fabs(std::log(first / second)));
  }
  return *stats::median(differences) / kPairSd;
}

SparseTerm as_term(const Term& term) {
  SparseTerm known{.changes = 0, .either = term.either};
  for (const std::uint32_t change : term.changes) known.changes |= 1u << change;
  return known;
}

// Right: just the causes are named and nothing is left open. Undecided: nothing wrong was named and
// the answer says that something is open.
// Terms that the configurations which build cannot tell apart are the same one.
Outcome judge(const Conclusion& conclusion, const Causes& causes, bool reproduces,
              const std::vector<std::uint32_t>& building) {
  const AblateFinding& found = *conclusion.ablate;
  Outcome outcome{.search_runs = found.runs};
  std::size_t named = 0, wrong = 0;
  for (const Term& term : found.terms) {
    if (!term.named) continue;
    ++named;
    const bool is_true = std::ranges::any_of(causes, [&](const Cause& cause) {
      const SparseTerm known = as_term(term);
      return (cause.effect > 0) == (term.effect.value > 0) &&
             std::ranges::all_of(building, [&](std::uint32_t arm) {
               return cause.term.is_on(arm) == known.is_on(arm);
             });
    });
    wrong += !is_true;
  }
  const bool stopped = found.reproduced == Reproduced::no && found.runs == 0;
  if (stopped) {
    outcome.answer = reproduces ? Outcome::Answer::wrong : Outcome::Answer::right;
    return outcome;
  }
  const bool complete = found.undecided.empty() && conclusion.ended_by == EndedBy::decided;
  if (wrong == 0 && named == causes.size())
    outcome.answer = Outcome::Answer::right;
  else if (wrong > 0 || complete)
    outcome.answer = Outcome::Answer::wrong;
  if (outcome.answer != Outcome::Answer::undecided && found.certainty > 0)
    outcome.stated = found.certainty;
  return outcome;
}

struct Kind {
  unsigned changes = 0;
  bool built = false;  // every configuration is built: adaptive
  bool anyway = false;
  bool adaptive = false;
  std::string what = {};
  Draw draw = {};
  // Configurations with the first change on and the second off do not build.
  bool fails = false;
};

DesignScenario scenario_of(const Kind& kind, const NoiseModel& noise) {
  const double sigma = sigma_of(noise);
  Design design;
  for (unsigned i = 0; i < kind.changes; ++i)
    design.changes.push_back({.name = std::string(1, static_cast<char>('a' + i)), .spec = "X=1"});
  design.anyway = kind.anyway;
  design.adaptive = kind.adaptive;
  DesignScenario scenario{.kind = "ablate",
                          .detail = fmt::format("k = {}, {}{}", kind.changes, kind.what,
                                                kind.built      ? ", with builds"
                                                : kind.adaptive ? ", adaptive"
                                                                : ""),
                          .noise = noise,
                          .plan = bare_design_plan(PlanKind::ablate, std::size_t{1} << kind.changes,
                                                   design, kind.built),
                          .build_seconds = kBuildRuns * noise.typical.cpu_s,
                          .draw = {}};
  scenario.plan.tolerance = std::max(1e-4, std::expm1(kToleranceInSigmas * sigma));
  scenario.draw = [kind, sigma](Random& random) {
    const auto causes = std::make_shared<Causes>(kind.draw(kind.changes, random));
    DesignTruth truth;
    truth.effect = [causes, sigma](std::uint32_t arm) {
      double sum = 0;
      for (const Cause& cause : *causes)
        if (cause.term.is_on(arm)) sum += cause.effect * sigma;
      return sum;
    };
    double total = 0;
    for (const Cause& cause : *causes) total += cause.effect;
    if (kind.fails) {
      const auto some = some_changes(kind.changes, 2, random);
      truth.builds = [some](std::uint32_t arm) {
        return (arm & some[0]) == 0 || (arm & some[1]) != 0;
      };
    }
    std::vector<std::uint32_t> building;
    for (std::uint32_t arm = 0; arm < (1u << kind.changes); ++arm)
      if (truth.builds == nullptr || truth.builds(arm)) building.push_back(arm);
    truth.judge = [causes, total, building](const Conclusion& conclusion) {
      return judge(conclusion, *causes, total != 0, building);
    };
    return truth;
  };
  return scenario;
}

std::vector<Kind> kinds() {
  const auto single = [](double d) {
    return Draw([d](unsigned k, Random& random) { return one(k, d, random); });
  };
  const auto both = [](double d, bool either) {
    return Draw([d, either](unsigned k, Random& random) { return pair(k, d, either, random); });
  };
  const auto sum = [](double first, double second) {
    return Draw([=](unsigned k, Random& random) { return two(k, first, second, random); });
  };
  const auto mixed = [](double d) {
    return Draw([d](unsigned k, Random& random) { return three(k, d, random); });
  };
  const auto none = [](unsigned, Random&) { return Causes{}; };
  std::vector<Kind> all;
  for (const unsigned k : {5u, 10u}) {
    all.push_back({.changes = k, .built = true, .what = "one cause, d = 2", .draw = single(2)});
    all.push_back({.changes = k, .built = true, .what = "AND, d = 2", .draw = both(2, false)});
    all.push_back({.changes = k, .built = true, .what = "two causes, d = 2", .draw = sum(2, 2)});
  }
  all.push_back({.changes = 5, .built = true, .what = "OR, d = 2", .draw = both(2, true)});
  all.push_back({.changes = 8,
                 .built = true,
                 .what = "AND, one more, one that helps, d >= 3",
                 .draw = mixed(3)});
  all.push_back({.changes = 5,
                 .built = true,
                 .what = "AND, d = 2, a without b does not build",
                 .draw = both(2, false),
                 .fails = true});
  for (const unsigned k : {2u, 4u, 5u}) {
    all.push_back({.changes = k, .what = "one cause, d = 2", .draw = single(2)});
    all.push_back({.changes = k, .what = "AND, d = 2", .draw = both(2, false)});
  }
  all.push_back({.changes = 5, .what = "one cause, d = 1", .draw = single(1)});
  all.push_back({.changes = 5, .what = "two causes, d = 2 and 1", .draw = sum(2, 1)});
  all.push_back({.changes = 8, .what = "AND, one more, one that helps, d >= 3", .draw = mixed(3)});
  all.push_back({.changes = 8, .what = "AND, one more, one that helps, d >= 2", .draw = mixed(2)});
  all.push_back({.changes = 5,
                 .anyway = true,
                 .what = "two that cancel, d = 3 and -3, --anyway",
                 .draw = sum(3, -3)});
  all.push_back({.changes = 5, .what = "nothing", .draw = none});
  all.push_back({.changes = 5, .anyway = true, .what = "nothing, --anyway", .draw = none});
  all.push_back(
      {.changes = 5, .built = true, .anyway = true, .what = "nothing, --anyway", .draw = none});
  return all;
}

}  // namespace

Result<std::vector<DesignScenario>> ablate_scenarios(const std::vector<std::string>& noises) {
  std::vector<DesignScenario> scenarios;
  for (const std::string& name : noises.empty() ? std::vector<std::string>{"ln1"} : noises) {
    const auto noise = parse_noise(name);
    if (!noise) return fail(noise.error());
    for (const Kind& kind : kinds()) scenarios.push_back(scenario_of(kind, *noise));
  }
  return scenarios;
}

}  // namespace assay::experiment
