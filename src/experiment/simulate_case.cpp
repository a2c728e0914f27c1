// SPDX-License-Identifier: Apache-2.0
// How often are the words of `assay case` wrong? A comparison (or a sweep) is simulated as shipped,
// and what src/cases makes of its record is held against the planted effect. A false RULED OUT is
// one of an effect inside the prediction, a false CONFIRMED one of an effect outside; the rows
// stand where these are likeliest: at the edges. In the rows at an edge OPEN is the right answer
// too.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cases/status.hpp"
#include "experiment/simulate_design.hpp"

namespace assay::experiment {
namespace {

using cases::Quantity;
using cases::ShapeClaim;
using cases::ShapeWord;
using cases::Size;
using cases::Word;

constexpr double kLo = 0.10, kHi = 0.20;  // predicted: +10 % to +20 %
constexpr double kHair = 0.001;           // outside the prediction by this much
constexpr std::uint32_t kRounds = 24;

Outcome outcome_of(Word said, Word truth) {
  if (said == Word::open) return {};
  return {.answer = said == truth ? Outcome::Answer::right : Outcome::Answer::wrong};
}

// A comparison whose candidate takes `effect` (a fraction) more than the baseline.
DesignScenario size_scenario(const NoiseModel& noise, Quantity quantity, double tolerance,
                             double effect, const std::string& where) {
  DesignScenario scenario{
      .kind = "case",
      .detail = fmt::format("{} predicted, tolerance {:.0f} %, true {}",
                            quantity == Quantity::seconds ? "seconds" : "percent", 100 * tolerance,
                            where),
      .noise = noise,
      .plan = bare_design_plan(PlanKind::compare, 2, {}, false),
      .draw = nullptr};
  scenario.plan.design.reset();
  scenario.plan.tolerance = tolerance;
  const double unit = quantity == Quantity::seconds ? noise.typical.cpu_s : 1;
  const Size size{.quantity = quantity, .lo = kLo * unit, .hi = kHi * unit};
  const bool inside = effect >= kLo && effect <= kHi;
  scenario.draw = [size, effect, inside, quantity](Random&) {
    DesignTruth truth;
    truth.effect = [effect](std::uint32_t arm) { return arm == 1 ? std::log1p(effect) : 0.0; };
    truth.judge_record = [size, inside, quantity](const Record& record) {
      const auto measured = cases::measure(record, {.quantity = quantity});
      if (!measured) return Outcome{};
      return outcome_of(cases::judge(size, *measured, std::nullopt).word,
                        inside ? Word::confirmed : Word::ruled_out);
    };
    return truth;
  };
  return scenario;
}

struct ShapeTruth {
  const char* what;
  ShapeClaim claim;
  Word word;
  std::vector<double> levels;  // effects of the levels 1, 2, 4, 8, in units of `size`
};

DesignScenario shape_scenario(const NoiseModel& noise, const ShapeTruth& truth, double size) {
  Design design{.parameters = {{.name = "cap", .levels = {"1", "2", "4", "8"}}}};
  DesignScenario scenario{.kind = "case",
                          .detail = fmt::format("{}, {:g} %", truth.what, 100 * size),
                          .noise = noise,
                          .plan = bare_design_plan(PlanKind::sweep, 4, std::move(design), false),
                          .draw = nullptr};
  scenario.plan.runs = kRounds;
  scenario.draw = [truth, size](Random&) {
    DesignTruth made;
    made.effect = [truth, size](std::uint32_t arm) { return size * truth.levels[arm]; };
    made.judge_record = [truth](const Record& record) {
      const auto seen = cases::shape_of(record, truth.claim);
      return seen ? outcome_of(cases::judge(truth.claim, *seen).word, truth.word) : Outcome{};
    };
    return made;
  };
  return scenario;
}

void add_sizes(const NoiseModel& noise, std::vector<DesignScenario>& all) {
  for (const Quantity quantity : {Quantity::fraction, Quantity::seconds}) {
    // A recorded stretch has a level of its own: "true seconds" would mean nothing there.
    if (quantity == Quantity::seconds && noise.shape == NoiseShape::recorded) continue;
    for (const double tolerance : {0.02, kLo}) {
      const auto add = [&](double effect, const char* where) {
        all.push_back(size_scenario(noise, quantity, tolerance, effect, where));
      };
      add(0, "none");
      add(kLo - kHair, "just below");
      add(kLo, "at the lower edge");
      add((kLo + kHi) / 2, "in the middle");
      add(kHi, "at the upper edge");
      add(kHi + kHair, "just above");
    }
  }
}

void add_shapes(const NoiseModel& noise, std::vector<DesignScenario>& all) {
  const ShapeTruth truths[] = {
      {"falls predicted, falls", {ShapeWord::falls, "cap", ""}, Word::confirmed, {0, -1, -2, -3}},
      {"falls predicted, flat", {ShapeWord::falls, "cap", ""}, Word::ruled_out, {0, 0, 0, 0}},
      {"falls predicted, rises", {ShapeWord::falls, "cap", ""}, Word::ruled_out, {0, 1, 2, 3}},
      {"flat predicted, flat", {ShapeWord::flat, "cap", ""}, Word::confirmed, {0, 0, 0, 0}},
      {"flat predicted, falls", {ShapeWord::flat, "cap", ""}, Word::ruled_out, {0, -1, -2, -3}},
      {"step at 4 predicted, step at 4",
       {ShapeWord::step, "cap", "4"},
       Word::confirmed,
       {0, 0, 3, 3}},
      {"step at 4 predicted, step at 2",
       {ShapeWord::step, "cap", "4"},
       Word::ruled_out,
       {0, 3, 3, 3}},
      {"step at 4 predicted, rises", {ShapeWord::step, "cap", "4"}, Word::ruled_out, {0, 1, 2, 3}}};
  for (const double size : {0.01, 0.02})
    for (const ShapeTruth& truth : truths) {
      const bool none = std::ranges::all_of(truth.levels, [](double x) { return x == 0; });
      if (none && size > 0.01) continue;
      all.push_back(shape_scenario(noise, truth, none ? 0 : size));
    }
}

}  // namespace

Result<std::vector<DesignScenario>> case_scenarios(const std::vector<std::string>& noises) {
  std::vector<std::string> names = noises;
  if (names.empty()) names = {"ln1", "ln3", "cpu_aa_shared"};
  std::vector<NoiseModel> models;
  for (const std::string& name : names) {
    auto model = parse_noise(name);
    if (!model) return fail(model.error());
    models.push_back(std::move(*model));
  }
  std::vector<DesignScenario> all;
  for (const NoiseModel& model : models) add_sizes(model, all);
  for (const NoiseModel& model : models) add_shapes(model, all);
  return all;
}

}  // namespace assay::experiment
