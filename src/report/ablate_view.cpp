// SPDX-License-Identifier: Apache-2.0
#include "report/ablate_view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/text.hpp"
#include "model/words.hpp"
#include "report/bisect_view.hpp"
#include "report/wording.hpp"

namespace assay::report {
namespace {

constexpr std::size_t kMostConfigurations = 16, kMostEffects = 12, kMostFailures = 4;

std::uint32_t mask_of(const Term& term) {
  std::uint32_t mask = 0;
  for (const std::uint32_t change : term.changes) mask |= 1u << change;
  return mask;
}

bool is_on(const Term& term, std::uint32_t configuration) {
  const std::uint32_t mask = mask_of(term), both = configuration & mask;
  return term.either ? both != 0 : both == mask;
}

class Teller {
 public:
  Teller(const Record& record, const Conclusion& conclusion)
      : plan_(record.plan),
        conclusion_(conclusion),
        found_(conclusion.ablate ? *conclusion.ablate : AblateFinding{}),
        metric_(deciding_metric(plan_)),
        full_(static_cast<std::uint32_t>(plan_.arms.size()) - 1) {
    for (const Term& term : found_.terms)
      if (term.named) named_.push_back(term);
  }

  AblateView view() {
    AblateView view;
    view.title = "assay ablate: " + command_title(plan_);
    view.reproduce = reproduce_line(plan_);
    view.sentences = sentences();
    for (const Term& term : found_.terms) view.causes.push_back(cause_row(term, false));
    for (const Term& term : found_.undecided) view.causes.push_back(cause_row(term, true));
    add_effects(view);
    add_configurations(view);
    for (const Term& term : named_)
      if (term.changes.size() == 2) view.interactions.push_back(interaction(term));
    view.waterfall = waterfall();
    if (conclusion_.overall != Verdict::failed) view.broken = broken();
    view.next = next();
    view.runs = runs();
    return view;
  }

 private:
  RatioEstimate ratio(const Estimate& estimate) const { return ratio_of(estimate, metric_.better); }
  std::string change(const Estimate& estimate) const { return change_with_bounds(ratio(estimate)); }
  std::string name(std::uint32_t index) const { return plain(plan_.design->changes[index].name); }
  std::string label(std::uint32_t arm) const { return plain(plan_.arms[arm].label); }
  const MetricFinding* reproduction() const {
    return conclusion_.findings.empty() ? nullptr : &conclusion_.findings.front();
  }

  Estimate estimate_of(const MetricFinding& finding) const {
    return {finding.reading.estimate.value_or(0), finding.reading.lo99, finding.reading.hi99};
  }

  // --- sentences

  std::vector<std::string> sentences() const {
    if (conclusion_.overall == Verdict::failed)
      return {capitalised(plain(conclusion_.failure.empty() ? "nothing was measured"
                                                            : conclusion_.failure)) +
              ", so nothing is concluded."};
    std::vector<std::string> all;
    if (found_.revert_all && found_.reproduced == Reproduced::yes)
      all.push_back(
          fmt::format("All of it off is best: revert. It gives {}.", change(found_.best_effect)));
    for (const Term& term : named_) all.push_back(sentence_of(term));
    if (found_.reproduced == Reproduced::no || found_.reproduced == Reproduced::unknown)
      all.push_back(not_reproduced());
    else if (named_.empty() && !found_.terms.empty() && conclusion_.overall == Verdict::undecided)
      all.push_back(
          "UNDECIDED: no few changes and pairs fit what the configurations cost, so none is named. "
          "Three or more may act only together.");
    else if (named_.empty() && found_.undecided.empty() && found_.runs > 0)
      all.push_back("No single change and no pair of them stands out.");
    else if (named_.empty() && found_.runs > 0)
      all.push_back("Which change it is, is UNDECIDED.");
    if (found_.reproduced == Reproduced::yes && !found_.revert_all && found_.best != full_)
      all.push_back(fmt::format("Best with {} on: {} against all on.", on_text(found_.best),
                                change(found_.best_effect)));
    return all;
  }

  std::string on_text(std::uint32_t mask) const {
    if (mask == 0) return "nothing";
    return join_and(names_of(plan_, mask));
  }

  std::string not_reproduced() const {
    const MetricFinding* finding = reproduction();
    const std::string noun = noun_of(metric_);
    if (finding == nullptr || !finding->reading.estimate)
      return "Nothing was compared yet, so nothing is concluded.";
    const std::string size = change(estimate_of(*finding));
    const std::string runs = runs_text(finding->all_runs, plan_);
    if (found_.reproduced == Reproduced::unknown)
      return fmt::format("Whether all on and all off differ in {} is open: {}, {}.", noun, size,
                         runs);
    const std::string rest = found_.runs > 0 ? "" : " Nothing was searched.";
    if (finding->verdict == Verdict::equivalent)
      return fmt::format(
          "It does not reproduce: all on and all off are alike in {} within {} "
          "({}, {}).{}",
          noun, percent(plan_.tolerance), size, runs, rest);
    return fmt::format(
        "It does not reproduce: all on against all off is {} in {}, UNDECIDED "
        "after {}.{}",
        size, noun, runs, rest);
  }

  // Whether another named term has one of these changes.
  bool overlaps(const Term& term) const {
    return std::ranges::any_of(named_, [&](const Term& other) {
      return mask_of(other) != mask_of(term) && (mask_of(other) & mask_of(term)) != 0;
    });
  }

  std::string sentence_of(const Term& term) const {
    const std::string size = change(term.effect);
    const bool hurts = term.effect.value > 0;
    const std::string back =
        term.reverting ? fmt::format(" ({})", change_text(ratio(*term.reverting))) : "";
    if (term.changes.size() == 1) {
      const std::string who = name(term.changes[0]);
      if (!hurts) return fmt::format("{} helps: {}.", who, size);
      return fmt::format("{} costs {}; taking it back gives it back{}.", who, size, back);
    }
    const std::string first = name(term.changes[0]), second = name(term.changes[1]);
    if (term.either)
      return fmt::format(
          "{} or {}, either alone, {} {}, and both together no more; only "
          "taking back both undoes it{}.",
          first, second, hurts ? "costs" : "gives", size, back);
    const std::string alone = overlaps(term) ? "beside what they do alone" : "neither alone does";
    if (!hurts) return fmt::format("{} and {} together give {}; {}.", first, second, size, alone);
    return fmt::format("{} and {} together cost {}; {}; reverting {} gives it back{}.", first,
                       second, size, alone, first, back);
  }

  // --- rows

  std::string note_of(const Term& term, bool open) const {
    const MetricFinding* finding = term.finding && *term.finding < conclusion_.findings.size()
                                       ? &conclusion_.findings[*term.finding]
                                       : nullptr;
    std::string note;
    if (finding != nullptr) {
      const std::string what =
          finding->verdict == Verdict::slower || finding->verdict == Verdict::faster
              ? "confirmed"
              : std::string(to_word(finding->verdict));
      note = fmt::format("{}, {}", what, runs_text(finding->all_runs, plan_));
    }
    if (open) note += note.empty() ? "open" : ", open";
    if (!open && !term.named) {
      const bool small = std::fabs(term.effect.value) < std::log1p(plan_.tolerance);
      note += std::string(note.empty() ? "" : ", ") + "not named" +
              (small ? ": within the tolerance" : "");
    }
    return note;
  }

  CauseRow cause_row(const Term& term, bool open) const {
    CauseRow row{.name = cause_name(plan_, term), .note = note_of(term, open)};
    row.change = change_text(ratio(term.effect));
    row.bounds = bounds_text(ratio(term.effect));
    row.probability = probability_text(term.probability);
    if (term.reverting) row.back = change_text(ratio(*term.reverting));
    row.tone = open         ? Tone::open
               : term.named ? tone_of(term.effect, plan_.tolerance)
                            : Tone::neutral;
    return row;
  }

  void add_effects(AblateView& view) const {
    std::vector<EffectRow> rows = found_.effects;
    std::ranges::stable_sort(rows, {}, [](const EffectRow& row) {
      return std::pair(std::popcount(row.changes) > 1, -std::fabs(row.effect.value));
    });
    for (const EffectRow& effect : rows) {
      if (view.effects.size() == kMostEffects) {
        view.effects_left_out = rows.size() - kMostEffects;
        break;
      }
      std::string name;
      for (const std::string& one : names_of(plan_, effect.changes))
        name += (name.empty() ? "" : " x ") + one;
      CauseRow row{.name = name};
      row.change = change_text(ratio(effect.effect));
      row.bounds = bounds_text(ratio(effect.effect));
      if (effect.p_holm) row.note = fmt::format("p {:.2g} (Holm)", *effect.p_holm);
      view.effects.push_back(std::move(row));
    }
  }

  // All off, all on, the best; then those that ran most.
  void add_configurations(AblateView& view) const {
    std::vector<const ArmFinding*> all;
    for (const ArmFinding& one : found_.configurations) all.push_back(&one);
    const auto rank = [&](const ArmFinding* one) {
      const bool first = one->arm == 0 || one->arm == full_ || one->arm == found_.best;
      return std::pair(first ? 0 : 1, -static_cast<std::int64_t>(one->runs));
    };
    std::ranges::stable_sort(all, {}, rank);
    if (all.size() > kMostConfigurations) {
      view.configurations_left_out = all.size() - kMostConfigurations;
      all.resize(kMostConfigurations);
    }
    std::ranges::sort(all, {}, &ArmFinding::arm);
    for (const ArmFinding* one : all) {
      CauseRow row{.name = label(one->arm)};
      row.probability = plain(format_value(one->median, metric_.unit));
      if (one->arm != 0) {
        row.change = change_text(ratio(one->effect));
        row.bounds = bounds_text(ratio(one->effect));
        row.tone = tone_of(one->effect, plan_.tolerance);
      }
      if (one->memory) row.back = format_bytes(*one->memory);
      row.note = fmt::format("{} runs", one->runs);
      if (one->arm == found_.best && found_.runs > 0) row.note += ", best";
      view.configurations.push_back(std::move(row));
    }
  }

  // --- plots

  std::optional<double> measured(std::uint32_t arm) const {
    const auto one = std::ranges::find(found_.configurations, arm, &ArmFinding::arm);
    if (one == found_.configurations.end()) return std::nullopt;
    return 100 * (ratio(one->effect).ratio - 1);
  }

  LinePlot interaction(const Term& term) const {
    const std::uint32_t first = 1u << term.changes[0], second = 1u << term.changes[1];
    const std::string a = name(term.changes[0]), b = name(term.changes[1]);
    const std::uint32_t rest = full_ & ~first & ~second;
    LinePlot plot{.title = fmt::format("{} by {} and {}, the others on", title_of(metric_), a, b),
                  .axis = "change against all off, %",
                  .places = {a + " off", a + " on"}};
    if (rest == 0) plot.title = fmt::format("{} by {} and {}", title_of(metric_), a, b);
    for (const bool on : {false, true})
      plot.lines.push_back(
          {.name = b + (on ? " on" : " off"),
           .y = {measured(rest | (on ? second : 0)), measured(rest | first | (on ? second : 0))}});
    return plot;
  }

  // What is left above all off when the causes are taken back, the largest first.
  std::optional<IntervalPlot> waterfall() const {
    const MetricFinding* finding = reproduction();
    if (finding == nullptr || found_.reproduced != Reproduced::yes || named_.empty())
      return std::nullopt;
    IntervalPlot plot{.title = "Taken back one after another",
                      .axis = "change against all off, %",
                      .reference = 0};
    const Estimate whole = estimate_of(*finding);
    plot.points.push_back(point_of("all on", ratio(whole), tone_of(whole, plan_.tolerance)));
    std::uint32_t configuration = full_;
    double left = whole.value;
    for (const Term& term : named_) {
      if (term.effect.value <= 0 || !is_on(term, configuration)) continue;
      const std::uint32_t off = term.either ? mask_of(term) : 1u << term.changes[0];
      double gone = 0;
      for (const Term& other : named_)
        if (is_on(other, configuration) && !is_on(other, configuration & ~off))
          gone += other.effect.value;
      configuration &= ~off;
      left -= gone;
      std::string names;
      for (const std::string& one : names_of(plan_, off & full_))
        names += (names.empty() ? "" : " and ") + one;
      PlotPoint point = point_of("without " + names, ratio({left, {}, {}}), Tone::neutral);
      point.note = change_text(ratio({-gone, {}, {}}));
      plot.points.push_back(std::move(point));
    }
    plot.points.push_back(point_of("not explained", ratio(found_.remainder),
                                   tone_of(found_.remainder, plan_.tolerance)));
    return plot;
  }

  // --- what failed, what is next

  std::vector<std::string> broken() const {
    std::vector<std::string> all;
    std::vector<BrokenArm> rest = conclusion_.broken;
    for (const FailureRule& rule : found_.failures) {
      const auto fits = [&](const BrokenArm& arm) {
        return (arm.arm & rule.on) == rule.on && (arm.arm & rule.off) == 0;
      };
      const auto first = std::ranges::find_if(rest, fits);
      if (first == rest.end()) continue;
      std::string who = join_and(names_of(plan_, rule.on));
      const std::string off = join_and(names_of(plan_, rule.off));
      if (!off.empty()) who += (who.empty() ? "Without " : " without ") + off;
      if (who.starts_with("Without")) who += " it";
      const auto count = std::ranges::count_if(rest, fits);
      all.push_back(fmt::format("{} {} ({} configurations).", who, plain(first->why), count));
      std::erase_if(rest, fits);
    }
    for (std::size_t i = 0; i < std::min(rest.size(), kMostFailures); ++i)
      all.push_back(fmt::format("{}: {}.", label(rest[i].arm), plain(rest[i].why)));
    if (rest.size() > kMostFailures)
      all.push_back(fmt::format("{} more configurations failed.", rest.size() - kMostFailures));
    return all;
  }

  std::vector<std::string> next() const {
    std::vector<std::string> all;
    if (conclusion_.ended_by == EndedBy::interrupted)
      all.push_back("Interrupted: 'assay resume' goes on.");
    if (conclusion_.ended_by == EndedBy::time_budget)
      all.push_back("The time budget ended it: give a longer --time-budget.");
    if (found_.reproduced == Reproduced::no && found_.runs == 0)
      all.push_back("Effects of changes may cancel: --anyway searches all the same.");
    if (!found_.undecided.empty()) {
      std::string text = "Open:";
      for (std::size_t i = 0; i < std::min<std::size_t>(4, found_.undecided.size()); ++i)
        text += fmt::format("{} {} ({})", i == 0 ? "" : ",", cause_name(plan_, found_.undecided[i]),
                            probability_text(found_.undecided[i].probability));
      text += ".";
      if (found_.more_runs)
        text += fmt::format(" About {} more runs would decide: --max-runs {}.", *found_.more_runs,
                            found_.runs + *found_.more_runs);
      all.push_back(text);
    }
    if (found_.runs > 0 && reproduction() != nullptr && !named_.empty() && found_.remainder.lo)
      all.push_back(remainder());
    return all;
  }

  std::string remainder() const {
    const Estimate& left = found_.remainder;
    const bool clear = *left.lo > 0 || *left.hi < 0;
    return fmt::format("Of {} from all off to all on, {} is not explained{}.",
                       change_text(ratio(estimate_of(*reproduction()))), change(left),
                       clear ? "" : " (it may be nothing)");
  }

  std::string runs() const {
    const MetricFinding* finding = reproduction();
    if (finding == nullptr) return {};
    std::string text =
        fmt::format("all on against all off: {}", runs_text(finding->all_runs, plan_));
    if (found_.runs > 0)
      text += fmt::format("; search: {} runs of {} configurations", found_.runs,
                          found_.configurations.size());
    if (found_.certainty > 0)
      text += fmt::format("; the answer as a whole has {}", probability_text(found_.certainty));
    return text;
  }

  const Plan& plan_;
  const Conclusion& conclusion_;
  AblateFinding found_;
  const Metric& metric_;
  std::uint32_t full_ = 0;
  std::vector<Term> named_;
};

}  // namespace

std::vector<std::string> names_of(const Plan& plan, std::uint32_t mask) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < plan.design->changes.size(); ++i)
    if (mask >> i & 1) names.push_back(plain(plan.design->changes[i].name));
  return names;
}

std::string cause_name(const Plan& plan, const Term& term) {
  std::string name;
  for (const std::uint32_t change : term.changes)
    name += (name.empty()  ? ""
             : term.either ? " or "
                           : " and ") +
            plain(plan.design->changes[change].name);
  return name;
}

AblateView view_ablate(const Record& record, const Conclusion& conclusion) {
  return Teller(record, conclusion).view();
}

}  // namespace assay::report
