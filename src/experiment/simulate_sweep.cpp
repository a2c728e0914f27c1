// SPDX-License-Identifier: Apache-2.0
// The scenarios of `assay simulate sweep`.
#include <fmt/format.h>

#include <cmath>

#include "experiment/simulate_design.hpp"
#include "verdict/sweep.hpp"

namespace assay::experiment {
namespace {

struct Case {
  std::string detail;
  std::vector<std::size_t> levels;  // of each parameter
  std::function<double(std::uint32_t arm)> effect;
  std::vector<Shape> wanted;  // of each parameter
  std::optional<std::uint32_t> at = {};
};

// What is true stands in `right`; a shape that was named and is not true is wrong.
Outcome judge(const Case& one, const Conclusion& conclusion) {
  Outcome outcome;
  if (!conclusion.sweep) return outcome;
  outcome.search_runs = conclusion.sweep->rounds * conclusion.sweep->levels.size();
  outcome.answer = Outcome::Answer::right;
  for (std::size_t p = 0; p < one.wanted.size(); ++p) {
    const ParameterFinding& found = conclusion.sweep->parameters[p];
    if (found.shape == Shape::undecided) {
      if (outcome.answer == Outcome::Answer::right) outcome.answer = Outcome::Answer::undecided;
    } else if (found.shape != one.wanted[p] ||
               (found.shape == Shape::step && one.at && found.at != one.at)) {
      outcome.answer = Outcome::Answer::wrong;
    }
  }
  return outcome;
}

std::vector<Case> cases() {
  const auto step = [](std::uint32_t at, double size) {
    return [=](std::uint32_t arm) { return arm >= at ? std::log1p(size) : 0.0; };
  };
  const auto trend = [](std::uint32_t levels, double size) {
    return [=](std::uint32_t arm) { return std::log1p(size) * arm / (levels - 1); };
  };
  const auto none = [](std::uint32_t) { return 0.0; };
  const auto one_cell = [](std::uint32_t arm) { return arm == 8 ? std::log1p(0.1) : 0.0; };
  return {
      {"flat, 3 levels", {3}, none, {Shape::flat}},
      {"flat, 8 levels", {8}, none, {Shape::flat}},
      {"step of 5 % at level 2 of 3", {3}, step(1, 0.05), {Shape::step}, 1},
      {"step of 5 % at level 5 of 8", {8}, step(4, 0.05), {Shape::step}, 4},
      {"step of 3 % at level 3 of 4", {4}, step(2, 0.03), {Shape::step}, 2},
      {"trend to 5 % over 4 levels", {4}, trend(4, 0.05), {Shape::trend}},
      {"trend to 10 % over 8 levels", {8}, trend(8, 0.1), {Shape::trend}},
      {"two parameters, flat, 3 x 3", {3, 3}, none, {Shape::flat, Shape::flat}},
      {"two parameters, step of 5 % in the first, 3 x 3",
       {3, 3},
       [](std::uint32_t arm) { return arm >= 6 ? std::log1p(0.05) : 0.0; },
       {Shape::step, Shape::flat},
       2},
      {"two parameters, 10 % at one corner alone, 3 x 3",
       {3, 3},
       one_cell,
       {Shape::step, Shape::step},
       2},
  };
}

}  // namespace

Result<std::vector<DesignScenario>> sweep_scenarios(const std::vector<std::string>& noises) {
  std::vector<DesignScenario> scenarios;
  for (const Case& one : cases()) {
    for (const std::string& name :
         noises.empty()
             ? std::vector<std::string>{"ln1", "ln3", "heavy", "bimodal", "drift", "cpu_aa_shared"}
             : noises) {
      auto noise = parse_noise(name);
      if (!noise) return fail(noise.error());
      Design design;
      std::size_t arms = 1;
      for (std::size_t p = 0; p < one.levels.size(); ++p) {
        Parameter parameter{.name = fmt::format("p{}", p + 1)};
        for (std::size_t l = 0; l < one.levels[p]; ++l)
          parameter.levels.push_back(fmt::format("{}", l + 1));
        design.parameters.push_back(std::move(parameter));
        arms *= one.levels[p];
      }
      Plan plan = bare_design_plan(PlanKind::sweep, arms, std::move(design), false);
      plan.runs = verdict::kSweepRounds;
      scenarios.push_back({.kind = "sweep",
                           .detail = one.detail,
                           .noise = std::move(*noise),
                           .plan = std::move(plan),
                           .build_seconds = 0,
                           .draw = [one](Random&) {
                             return DesignTruth{.effect = one.effect,
                                                .judge = [one](const Conclusion& conclusion) {
                                                  return judge(one, conclusion);
                                                }};
                           }});
    }
  }
  return scenarios;
}

}  // namespace assay::experiment
