// SPDX-License-Identifier: Apache-2.0
#include "report/sweep_view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "model/words.hpp"
#include "report/wording.hpp"

namespace assay::report {
namespace {

constexpr std::size_t kListed = 6;          // levels in a sentence
constexpr std::size_t kMostLines = 6;       // of the plot of two parameters
constexpr double kCloseZ = 1;               // of the contrasts: closer ones are easily confused
constexpr std::uint32_t kMostRounds = 512;  // --rounds
constexpr std::uint32_t kLeastRounds = 12;

class Teller {
 public:
  Teller(const Record& record, const Conclusion& conclusion)
      : plan_(record.plan),
        design_(*record.plan.design),
        conclusion_(conclusion),
        found_(conclusion.sweep ? *conclusion.sweep : SweepFinding{}),
        metric_(deciding_metric(plan_)) {}

  SweepView view() {
    SweepView view;
    view.title = "assay sweep: " + command_title(plan_);
    view.broken = broken_sentences(plan_, conclusion_);
    view.reproduce = reproduce_line(plan_);
    view.sentences = sentences();
    if (!conclusion_.sweep) return view;
    for (const ArmFinding& level : found_.levels) view.rows.push_back(row_of(level));
    for (const BrokenArm& broken : conclusion_.broken)
      view.rows.push_back({.arm = broken.arm,
                           .label = label(broken.arm),
                           .note = plain(broken.why),
                           .tone = Tone::broken});
    std::ranges::stable_sort(view.rows, {}, &SweepRow::arm);
    if (!found_.levels.empty()) view.reference = plain(plan_.arms[found_.levels[0].arm].label);
    if (design_.parameters.size() == 1)
      view.plot = level_plot(view);
    else
      view.lines = line_plot();
    view.remarks = remarks();
    view.runs = fmt::format("{} rounds of {} {}", found_.rounds, found_.levels.size(),
                            design_.parameters.size() == 1 ? "levels" : "combinations");
    return view;
  }

 private:
  RatioEstimate ratio(const Estimate& estimate) const { return ratio_of(estimate, metric_.better); }
  std::string level_of(std::uint32_t parameter, std::size_t level) const {
    return plain(design_.parameters[parameter].levels[level]);
  }
  std::string label(std::uint32_t arm) const {
    return design_.parameters.size() == 1 ? level_of(0, arm) : plain(plan_.arms[arm].label);
  }

  // Levels of a parameter that ran at all, from index `from` to before `to`.
  std::string levels_text(std::uint32_t p, std::size_t from, std::size_t to) const {
    std::vector<std::string> names;
    for (std::size_t l = from; l < to; ++l)
      if (ran(p, l)) names.push_back(level_of(p, l));
    if (names.size() > kListed) return names.front() + " to " + names.back();
    return join_and(names);
  }

  bool ran(std::uint32_t p, std::size_t level) const {
    const std::size_t inner =
        design_.parameters.size() == 2 ? design_.parameters[1].levels.size() : 1;
    return std::ranges::any_of(found_.levels, [&](const ArmFinding& one) {
      return (p == 0 ? one.arm / inner : one.arm % inner) == level;
    });
  }

  std::vector<std::string> sentences() const {
    if (!conclusion_.sweep)
      return {capitalised(plain(conclusion_.failure.empty() ? "nothing was measured"
                                                            : conclusion_.failure)) +
              ", so nothing is concluded."};
    std::vector<std::string> all;
    for (const ParameterFinding& one : found_.parameters) all.push_back(sentence_of(one));
    return all;
  }

  // The shape speaks of order alone; whether its size matters is the user's tolerance.
  std::string size_doubt(const ParameterFinding& one) const {
    if (std::fabs(one.effect.value) >= std::log1p(plan_.tolerance)) return {};
    return fmt::format(" That is less than the tolerance of {}: too small to act on.",
                       percent(plan_.tolerance));
  }

  std::string sentence_of(const ParameterFinding& one) const {
    const Parameter& parameter = design_.parameters[one.parameter];
    const std::string name = plain(parameter.name);
    const std::string noun = subject_of(metric_);
    const std::size_t k = parameter.levels.size();
    const RatioEstimate change = ratio(one.effect);
    const std::string everywhere =
        design_.parameters.size() == 2
            ? fmt::format(", at every {}", plain(design_.parameters[1 - one.parameter].name))
            : "";
    const std::string average =
        design_.parameters.size() == 2
            ? fmt::format(", on average over {}", plain(design_.parameters[1 - one.parameter].name))
            : "";
    switch (one.shape) {
      case Shape::flat:
        return fmt::format("{} is FLAT at {} = {} (within {}{}): {} is not the cause.", noun, name,
                           levels_text(one.parameter, 0, k), percent(plan_.tolerance), everywhere,
                           name);
      case Shape::step:
        return fmt::format(
            "{} makes a STEP at {} = {}: {} from there on against {} in front{}.{}", noun, name,
            level_of(one.parameter, one.at.value_or(0)), change_with_bounds(change),
            levels_text(one.parameter, 0, one.at.value_or(0)), average, size_doubt(one));
      case Shape::trend:
        return fmt::format("{} follows a TREND in {}: {} from {} to {}{}.{}", noun, name,
                           change_with_bounds(change), level_of(one.parameter, 0),
                           level_of(one.parameter, k - 1), average, size_doubt(one));
      case Shape::undecided:
        break;
    }
    std::string text = fmt::format("Whether {} matters is UNDECIDED: ", name);
    if (found_.rounds < kLeastRounds)
      return text + fmt::format("{} round{}, and a shape needs {}.", found_.rounds,
                                found_.rounds == 1 ? "" : "s", kLeastRounds);
    return text + fmt::format(
                      "no trend and no step is proven, and not every level is within {} of "
                      "the first.{}",
                      percent(plan_.tolerance), outlook());
  }

  // Rounds at which the widest interval would lie inside the tolerance, if nothing else changed.
  std::string outlook() const {
    const double edge = std::log1p(plan_.tolerance);
    double factor = 1;
    for (const ArmFinding& level : found_.levels) {
      if (!level.effect.lo || !level.effect.hi) continue;
      const double half = (*level.effect.hi - *level.effect.lo) / 2;
      const double room = std::fabs(edge - std::fabs(level.effect.value));
      if (room > 0 && half > 0) factor = std::max(factor, std::pow(half / room, 2));
    }
    const double wanted = 12 * std::ceil(found_.rounds * factor / 12);
    if (wanted <= found_.rounds) return {};
    if (wanted > kMostRounds)
      return " More rounds alone would hardly decide it: steady the machine ('assay doctor') or "
             "take a larger --tolerance.";
    return fmt::format(" About --rounds {:.0f} would decide.", wanted);
  }

  SweepRow row_of(const ArmFinding& level) const {
    SweepRow row{.arm = level.arm, .label = label(level.arm)};
    if (level.runs == 0) return row;
    row.median = fit(plain(format_value(level.median, metric_.unit)), 20);
    const bool first = level.arm == found_.levels.front().arm;
    row.change = first ? "" : change_text(ratio(level.effect));
    row.bounds = first ? "" : bounds_text(ratio(level.effect));
    row.tone = first ? Tone::neutral : tone_of(level.effect, plan_.tolerance);
    if (level.memory) row.memory = format_bytes(*level.memory);
    if (!first && level.memory_effect)
      row.memory_change = format_change(std::exp(level.memory_effect->value));
    if (found_.pareto.size() < found_.levels.size() &&
        std::ranges::find(found_.pareto, level.arm) != found_.pareto.end())
      row.note = found_.knee == level.arm ? "on the front, the knee" : "on the front";
    return row;
  }

  IntervalPlot level_plot(const SweepView& view) const {
    IntervalPlot plot{
        .title = fmt::format("{} by {}", title_of(metric_), plain(design_.parameters[0].name)),
        .reference = 0,
        .band_lo = -100 * plan_.tolerance,
        .band_hi = 100 * plan_.tolerance};
    for (const ArmFinding& level : found_.levels) {
      const bool first = level.arm == found_.levels.front().arm;
      PlotPoint point = point_of(label(level.arm), ratio(level.effect),
                                 first ? Tone::neutral : tone_of(level.effect, plan_.tolerance));
      if (first) point.lo = point.hi = std::nullopt;
      if (level.memory) point.note = format_bytes(*level.memory);
      plot.points.push_back(std::move(point));
    }
    return plot_of_changes(std::move(plot), view.reference);
  }

  std::optional<LinePlot> line_plot() const {
    const Parameter &a = design_.parameters[0], &b = design_.parameters[1];
    if (a.levels.size() > kMostLines) return std::nullopt;
    LinePlot plot{.title = fmt::format("{} by {}, one line for each {}", title_of(metric_),
                                       plain(b.name), plain(a.name)),
                  .axis = fmt::format("change against {}, %",
                                      plain(plan_.arms[found_.levels.front().arm].label))};
    for (const std::string& level : b.levels) plot.places.push_back(plain(level));
    for (std::size_t i = 0; i < a.levels.size(); ++i)
      plot.lines.push_back({.name = plain(a.name + "=" + a.levels[i]),
                            .y = std::vector<std::optional<double>>(b.levels.size())});
    for (const ArmFinding& level : found_.levels)
      plot.lines[level.arm / b.levels.size()].y[level.arm % b.levels.size()] =
          100 * (ratio(level.effect).ratio - 1);
    return plot;
  }

  std::vector<std::string> remarks() const {
    std::vector<std::string> all;
    for (const ParameterFinding& one : found_.parameters)
      for (const std::string& text : {uneven(one), runner_up(one)})
        if (!text.empty()) all.push_back(text);
    for (const std::string& text : {interaction(), front(), memory_line(), next()})
      if (!text.empty()) all.push_back(text);
    return all;
  }

  // The shape that is nearly as likely: contrasts that lie close are hard to tell apart.
  std::string runner_up(const ParameterFinding& one) const {
    if (one.shape != Shape::trend && one.shape != Shape::step) return {};
    if (design_.parameters[one.parameter].levels.size() != one.z.size() || one.z.size() < 3)
      return {};
    const std::size_t best = one.shape == Shape::trend ? 0 : one.at.value_or(0);
    std::size_t second = best == 0 ? 1 : 0;
    for (std::size_t c = 0; c < one.z.size(); ++c)
      if (c != best && std::fabs(one.z[c]) > std::fabs(one.z[second])) second = c;
    if (std::fabs(one.z[best]) - std::fabs(one.z[second]) > kCloseZ) return {};
    const std::string name = plain(design_.parameters[one.parameter].name);
    return second == 0 ? fmt::format("A trend in {} fits nearly as well.", name)
                       : fmt::format("A step at {} = {} fits nearly as well.", name,
                                     level_of(one.parameter, second));
  }

  // A step says that both sides are alike in themselves; where they are not, the table knows more.
  std::string uneven(const ParameterFinding& one) const {
    if (one.shape != Shape::step || design_.parameters.size() != 1) return {};
    for (const ArmFinding& a : found_.levels)
      for (const ArmFinding& b : found_.levels)
        if ((a.arm < one.at.value_or(0)) == (b.arm < one.at.value_or(0)) && a.effect.hi &&
            b.effect.lo && *b.effect.lo > *a.effect.hi &&
            b.effect.value - a.effect.value > std::log1p(plan_.tolerance))
          return fmt::format(
              "Levels on one side of the step differ too ({} and {}): read the table.",
              label(a.arm), label(b.arm));
    return {};
  }

  std::string interaction() const {
    if (!found_.interaction) return {};
    const Interaction& one = *found_.interaction;
    const double edge = std::log1p(plan_.tolerance);
    if (!one.effect.lo || !one.effect.hi) return {};
    const std::string both = fmt::format("{} and {}", plain(design_.parameters[0].name),
                                         plain(design_.parameters[1].name));
    const std::string size = change_with_bounds(ratio(one.effect));
    const bool small = *one.effect.lo >= -edge && *one.effect.hi <= edge;
    if (!small && (*one.effect.lo > 0 || *one.effect.hi < 0))
      return fmt::format(
          "{} interact: {} is {} beyond what the two give alone, so the shapes above "
          "are averages; read the combinations.",
          both, plain(plan_.arms[one.arm].label), size);
    if (small)
      return fmt::format(
          "{} do not interact by more than {}: each acts alike at every level of the "
          "other.",
          both, percent(plan_.tolerance));
    return fmt::format("Whether {} interact is open: the largest is {} at {}.", both, size,
                       plain(plan_.arms[one.arm].label));
  }

  std::string front() const {
    if (found_.pareto.empty() || found_.pareto.size() == found_.levels.size()) return {};
    if (found_.levels.front().memory && same_memory()) return {};  // nothing is traded
    std::vector<std::string> names;
    for (const std::uint32_t arm : found_.pareto) names.push_back(plain(plan_.arms[arm].label));
    std::string text =
        names.size() == 1
            ? fmt::format(
                  "{} is the one to take: no other is better in {} or in memory by more than "
                  "{} without being worse in the other.",
                  names[0], noun_of(metric_), percent(plan_.tolerance))
            : fmt::format(
                  "Worth their price: {}. The others are beaten in {} or memory by one that "
                  "is no worse in the other.",
                  names.size() > kListed ? fmt::format("{} of them", names.size())
                                         : join_and(names),
                  noun_of(metric_));
    if (found_.knee)
      text += fmt::format(" The knee is {}: behind it memory buys little.",
                          plain(plan_.arms[*found_.knee].label));
    return text;
  }

  std::string memory_line() const {
    if (!found_.memory) return design_.memory_budget ? levels_that_fit() : std::string();
    const MemoryLine& line = *found_.memory;
    const std::string name = plain(design_.parameters[0].name);
    if (same_memory()) {
      std::string same =
          fmt::format("Peak memory does not depend on {}: {}, within {}.", name,
                      format_bytes(*found_.levels.front().memory), percent(plan_.tolerance));
      if (design_.memory_budget)
        same += fmt::format(" {} {}.", line.largest_fit ? "All levels fit" : "No level fits",
                            format_bytes(*design_.memory_budget));
      return same;
    }
    std::string text =
        fmt::format("Peak memory = {} {} {} x {}, off by {} at most.", format_bytes(line.base),
                    line.slope < 0 ? "-" : "+", format_bytes(std::fabs(line.slope)), name,
                    format_bytes(line.largest_residual));
    if (!design_.memory_budget) return text;
    const std::string budget = format_bytes(*design_.memory_budget);
    text += line.largest_fit ? fmt::format(" Within {} the largest level measured is {}", budget,
                                           plain(plan_.arms[*line.largest_fit].label))
                             : fmt::format(" No level that was measured fits {}", budget);
    if (line.predicted_fit)
      text += fmt::format("; the line meets it at {} = {:.4g}", name, *line.predicted_fit);
    return text + ".";
  }

  // Without a line: two levels, words for levels, or two parameters.
  std::string levels_that_fit() const {
    std::vector<std::string> fit;
    for (const ArmFinding& level : found_.levels)
      if (level.memory && *level.memory <= *design_.memory_budget)
        fit.push_back(plain(plan_.arms[level.arm].label));
    const std::string budget = format_bytes(*design_.memory_budget);
    if (fit.empty()) return fmt::format("No level that was measured fits {}.", budget);
    if (fit.size() == found_.levels.size()) return fmt::format("All levels fit {}.", budget);
    return fmt::format("Within {}: {}.", budget,
                       fit.size() > kListed
                           ? fmt::format("{} of {} levels", fit.size(), found_.levels.size())
                           : join_and(fit));
  }

  // Whether all levels take the same memory, so that a slope would be noise.
  bool same_memory() const {
    double lo = *found_.levels.front().memory, hi = lo;
    for (const ArmFinding& level : found_.levels) {
      lo = std::min(lo, level.memory.value_or(lo));
      hi = std::max(hi, level.memory.value_or(hi));
    }
    constexpr double kCounted = 128 * 1024;  // bytes: the kernel counts pages late, per CPU
    return hi <= lo + std::max(kCounted, lo * plan_.tolerance);
  }

  std::string next() const {
    if (conclusion_.ended_by == EndedBy::time_budget)
      return fmt::format("The time budget ended it after {} of {} rounds.", found_.rounds,
                         plan_.runs);
    if (conclusion_.ended_by == EndedBy::interrupted)
      return fmt::format("Interrupted after {} of {} rounds: 'assay resume' goes on.",
                         found_.rounds, plan_.runs);
    return {};
  }

  const Plan& plan_;
  const Design& design_;
  const Conclusion& conclusion_;
  SweepFinding found_;
  const Metric& metric_;
};

}  // namespace

SweepView view_sweep(const Record& record, const Conclusion& conclusion) {
  return Teller(record, conclusion).view();
}

}  // namespace assay::report
