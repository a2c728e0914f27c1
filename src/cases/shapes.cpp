// SPDX-License-Identifier: Apache-2.0
// What a sweep says of a predicted shape. The sweep's word names the likeliest shape; whether the
// one that was predicted fits worse is asked of the rounds themselves.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "base/text.hpp"
#include "cases/effects.hpp"
#include "model/words.hpp"
#include "stats/signed_rank.hpp"

namespace assay::cases {
namespace {

// A slope is one along rising numbers; a step is where the sweep says, in the order it was given.
bool descends(const std::vector<std::string>& levels) {
  const auto first = levels.empty() ? std::nullopt : parse_number(levels.front());
  const auto last = levels.empty() ? std::nullopt : parse_number(levels.back());
  return first && last && *first > *last;
}

constexpr double kShapeP = 0.02;  // two-sided: 1 % for the side that is asked about

// Rounds x arms, logs, higher = worse; rounds with a missing run are left out.
std::vector<std::vector<double>> rounds_of(const Record& record, std::uint32_t metric) {
  const std::size_t arms = record.plan.arms.size();
  std::map<std::uint32_t, std::vector<std::optional<double>>> found;
  for (const Entry& entry : record.entries) {
    const auto* trial = std::get_if<Trial>(&entry);
    if (trial == nullptr || trial->warmup || trial->arm >= arms || metric >= trial->values.size())
      continue;
    auto& round = found[trial->block];
    round.resize(arms);
    const auto& value = trial->values[metric];
    if (value && *value > 0 && std::isfinite(*value)) round[trial->arm] = std::log(*value);
  }
  const double sign = record.plan.metrics[metric].better == Better::higher ? -1 : 1;
  std::vector<std::vector<double>> rounds;
  for (const auto& [block, values] : found) {
    std::vector<double> row;
    for (const auto& value : values)
      if (value) row.push_back(sign * *value);
    if (row.size() == arms) rounds.push_back(std::move(row));
  }
  return rounds;
}

// Of length 1: 0 = the trend, j = a step in front of level j.
std::vector<double> contrast(std::size_t levels, std::size_t j) {
  std::vector<double> c(levels);
  const auto k = static_cast<double>(levels);
  double squares = 0;
  for (std::size_t i = 0; i < levels; ++i) {
    const auto x = static_cast<double>(i);
    c[i] = j == 0  ? x - (k - 1) / 2
           : i < j ? -1.0 / static_cast<double>(j)
                   : 1.0 / static_cast<double>(levels - j);
    squares += c[i] * c[i];
  }
  for (double& x : c) x /= std::sqrt(squares);
  return c;
}

// Whether contrast `a` is larger than `b`, both in the direction of `sign`.
bool fits_better(const std::vector<std::vector<double>>& rounds, std::size_t a, std::size_t b,
                 double sign) {
  if (rounds.empty() || a == b) return false;
  const auto x = contrast(rounds.front().size(), a), y = contrast(rounds.front().size(), b);
  std::vector<double> differences;
  for (const auto& round : rounds) {
    double sum = 0;
    for (std::size_t i = 0; i < round.size(); ++i) sum += (x[i] - y[i]) * round[i];
    differences.push_back(sign * sum);
  }
  const auto test = stats::signed_rank(differences, kShapeP);
  return test.estimate > 0 && test.p <= kShapeP;
}

void compare_shapes(const Record& record, const Parameter& parameter,
                    const ParameterFinding& finding, const ShapeClaim& claim, std::uint32_t metric,
                    ShapeSeen& seen) {
  const auto rounds = rounds_of(record, metric);
  const std::size_t at = *finding.at;
  if (rounds.empty() || rounds.front().size() != parameter.levels.size()) return;
  const double sign = at < finding.z.size() && finding.z[at] < 0 ? -1 : 1;
  // With two levels a step is all there can be.
  seen.is_no_slope = parameter.levels.size() == 2 || fits_better(rounds, at, 0, sign);
  const auto level = std::ranges::find(parameter.levels, claim.at);
  if (level == parameter.levels.end()) return;
  const auto predicted = static_cast<std::size_t>(level - parameter.levels.begin());
  // In front of the first level, or behind the last, there is no step to be had.
  if (predicted == 0 || predicted >= parameter.levels.size())
    seen.is_elsewhere = true;
  else
    seen.is_elsewhere = fits_better(rounds, at, predicted, sign);
}

}  // namespace

Result<ShapeSeen> shape_of(const Record& record, const ShapeClaim& claim) {
  if (!record.conclusion) return fail("it has not concluded");
  if (record.plan.kind != PlanKind::sweep)
    return fail(
        fmt::format("a shape is seen by a sweep, and it is a {}", to_word(record.plan.kind)));
  const auto& sweep = record.conclusion->sweep;
  if (!sweep || !record.plan.design) return fail("it came to no finding");
  const auto& parameters = record.plan.design->parameters;
  const ParameterFinding* chosen = nullptr;
  for (const ParameterFinding& finding : sweep->parameters)
    if (finding.parameter < parameters.size() &&
        (parameters[finding.parameter].name == claim.parameter ||
         (claim.parameter.empty() && sweep->parameters.size() == 1)))
      chosen = &finding;
  if (chosen == nullptr)
    return fail(claim.parameter.empty()
                    ? "it varied several parameters, and the prediction names none"
                    : fmt::format("it did not vary '{}'", printable(claim.parameter)));
  const Parameter& parameter = parameters[chosen->parameter];
  const auto metric = metric_for(record.plan, {.quantity = Quantity::fraction});
  ShapeSeen seen{.record = record.id, .parameter = parameter.name, .shape = chosen->shape};
  seen.source = fmt::format("sweep of {} over {}; {}, {} rounds", parameter.name,
                            fmt::join(parameter.levels, ", "),
                            metric ? record.plan.metrics[*metric].name : "", sweep->rounds);
  const bool turned = descends(parameter.levels);
  const std::size_t contrast =
      chosen->shape == Shape::step && chosen->at ? static_cast<std::size_t>(*chosen->at) : 0;
  if (contrast < chosen->z.size()) seen.rises = (chosen->z[contrast] > 0) != turned;
  if (chosen->shape == Shape::step && chosen->at && *chosen->at >= 1 &&
      *chosen->at < parameter.levels.size()) {
    seen.at = parameter.levels[*chosen->at];
    seen.before = parameter.levels[*chosen->at - 1];
  }
  if (parameters.size() == 1 && !seen.at.empty() && metric)
    compare_shapes(record, parameter, *chosen, claim, *metric, seen);
  if (parameters.size() == 1 && !sweep->levels.empty()) {
    seen.far = std::expm1(sweep->levels.back().effect.value);
    double bound = 0;
    bool known = true;
    for (const ArmFinding& level : sweep->levels) {
      if (level.arm == 0) continue;
      known = known && level.effect.lo && level.effect.hi;
      if (known)
        bound = std::max({bound, std::fabs(std::expm1(*level.effect.lo)),
                          std::fabs(std::expm1(*level.effect.hi))});
    }
    if (known) seen.bound = bound;
  }
  return seen;
}

}  // namespace assay::cases
