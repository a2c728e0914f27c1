// SPDX-License-Identifier: Apache-2.0
#include "experiment/sweep.hpp"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "base/text.hpp"

namespace assay::experiment {
namespace {

std::string clause_of(const Design& design, const ParameterFinding& found) {
  const Parameter& parameter = design.parameters[found.parameter];
  switch (found.shape) {
    case Shape::flat:
      return "FLAT in " + parameter.name;
    case Shape::trend:
      return fmt::format("TREND in {}, {} from {} to {}", parameter.name,
                         format_change(std::exp(found.effect.value)), parameter.levels.front(),
                         parameter.levels.back());
    case Shape::step:
      return fmt::format("STEP at {}={}, {}", parameter.name,
                         parameter.levels[found.at.value_or(0)],
                         format_change(std::exp(found.effect.value)));
    case Shape::undecided:
      break;
  }
  return parameter.name + " is UNDECIDED";
}

}  // namespace

Sweep::Sweep(Plan plan) : plan_(std::move(plan)), rounds_(plan_) {}

Step Sweep::next(std::span<const Entry> entries, std::size_t jobs_in_flight) {
  rounds_.read(entries);
  if (!rounds_.ended_by() && !is_stopped(entries)) {
    if (jobs_in_flight > 0) return Wait{};
    return rounds_.missing();
  }
  Conclusion conclusion = round_conclusion(plan_, rounds_, entries, "level");
  if (conclusion.overall == Verdict::failed) return conclusion;
  conclusion.sweep = analyse_rounds(plan_, rounds_);
  conclusion.overall = Verdict::equivalent;
  for (const ParameterFinding& found : conclusion.sweep->parameters) {
    if (found.shape == Shape::undecided) conclusion.overall = Verdict::undecided;
    conclusion.answer += (conclusion.answer.empty() ? "" : "; ") + clause_of(*plan_.design, found);
  }
  return conclusion;
}

Progress Sweep::progress() const { return rounds_.progress(); }

}  // namespace assay::experiment
