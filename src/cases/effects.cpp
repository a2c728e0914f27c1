// SPDX-License-Identifier: Apache-2.0
#include "cases/effects.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/text.hpp"
#include "model/words.hpp"
#include "stats/interval.hpp"

namespace assay::cases {
namespace {

using assay::Estimate;

constexpr double kLevel = 0.99;

struct Bounds {
  double median = 0, lo = 0, hi = 0;
};

// The values of a metric of an arm, ascending.
std::vector<double> values_of(const Record& record, std::uint32_t arm, std::size_t metric) {
  std::vector<double> values;
  for (const Entry& entry : record.entries) {
    const auto* trial = std::get_if<Trial>(&entry);
    if (trial == nullptr || trial->warmup || trial->arm != arm || metric >= trial->values.size())
      continue;
    if (const auto& value = trial->values[metric]; value && std::isfinite(*value))
      values.push_back(*value);
  }
  std::ranges::sort(values);
  return values;
}

std::optional<Bounds> baseline_of(const Record& record, std::uint32_t arm, std::size_t metric) {
  const auto values = values_of(record, arm, metric);
  if (values.empty()) return std::nullopt;
  const std::size_t n = values.size();
  Bounds bounds{.median = (values[(n - 1) / 2] + values[n / 2]) / 2,
                .lo = values.front(),
                .hi = values.back()};
  if (const auto interval = stats::median_interval(values, stats::Confidence(kLevel))) {
    bounds.lo = interval->lo;
    bounds.hi = interval->hi;
  }
  return bounds;
}

// Mean machine time of a run of each of two arms together.
std::optional<double> pair_seconds(const Record& record, std::uint32_t a, std::uint32_t b) {
  double sum = 0;
  for (const std::uint32_t arm : {a, b}) {
    double seconds = 0;
    std::size_t n = 0;
    for (const Entry& entry : record.entries)
      if (const auto* trial = std::get_if<Trial>(&entry); trial != nullptr && trial->arm == arm) {
        seconds += std::chrono::duration<double>(trial->duration).count();
        ++n;
      }
    if (n == 0) return std::nullopt;
    sum += seconds / static_cast<double>(n);
  }
  return sum;
}

// m (exp(r) - 1), the ends combined; a metric where more is better came inverted.
Effect absolute(const Estimate& r, const Bounds& m, bool higher, bool removes) {
  const auto change = [&](double log_ratio) {
    return higher ? -std::expm1(-log_ratio) : std::expm1(log_ratio);
  };
  Effect effect{.value = m.median * change(r.value)};
  if (r.lo) {
    const double x = change(*r.lo);
    effect.lo = x * (x < 0 ? m.hi : m.lo);
  }
  if (r.hi) {
    const double x = change(*r.hi);
    effect.hi = x * (x > 0 ? m.hi : m.lo);
  }
  if (removes) {
    effect.value = -effect.value;
    std::swap(effect.lo, effect.hi);
    if (effect.lo) effect.lo = -*effect.lo;
    if (effect.hi) effect.hi = -*effect.hi;
  }
  return effect;
}

Effect relative(Estimate r, bool removes) {
  if (removes) {
    r.value = -r.value;
    std::swap(r.lo, r.hi);
    if (r.lo) r.lo = -*r.lo;
    if (r.hi) r.hi = -*r.hi;
  }
  Effect effect{.value = std::expm1(r.value)};
  if (r.lo) effect.lo = std::expm1(*r.lo);
  if (r.hi) effect.hi = std::expm1(*r.hi);
  return effect;
}

// What every kind of record comes to: an effect in log units between two arms.
struct Found {
  Estimate log = {};
  std::uint32_t baseline = 0, candidate = 1;  // arms
  std::uint32_t metric = 0;
  std::uint32_t runs = 0;
  std::string source = {};
  std::string no_word = {};
  double median = 0;  // of the baseline, when it is not simply that of the arm; else 0
};

Estimate estimate_of(const Reading& reading) {
  return {.value = reading.estimate.value_or(0), .lo = reading.lo99, .hi = reading.hi99};
}

Result<Found> from_finding(const MetricFinding& finding, const Plan& plan,
                           const std::string& kind) {
  if (!finding.reading.estimate) return fail("it has too few runs for an estimate");
  Found found{.log = estimate_of(finding.reading),
              .candidate = finding.arm,
              .metric = finding.metric,
              .runs = finding.reading.runs};
  if (!finding.judged) found.no_word = "that metric is shown and not judged";
  found.source = fmt::format("{}, {}, {} + {} runs", kind, plan.metrics[finding.metric].name,
                             found.runs, found.runs);
  return found;
}

Result<Found> of_compare(const Record& record, const Asked& asked, std::uint32_t metric) {
  const Conclusion& c = *record.conclusion;
  if (c.withheld) return fail("its control moved, and its verdicts are withheld");
  std::uint32_t arm = record.plan.control && *record.plan.control == 1 ? 2 : 1;
  if (!asked.part.empty()) {
    const auto number = parse_number(asked.part);
    const auto by_label = std::ranges::find(record.plan.arms, asked.part, &Subject::label);
    if (by_label != record.plan.arms.end())
      arm = static_cast<std::uint32_t>(by_label - record.plan.arms.begin());
    else if (number && *number >= 1 && *number < static_cast<double>(record.plan.arms.size()))
      arm = static_cast<std::uint32_t>(*number);
    else
      return fail(fmt::format("it has no candidate '{}'", printable(asked.part)));
  }
  for (const MetricFinding& finding : c.findings)
    if (finding.arm == arm && finding.metric == metric)
      return from_finding(finding, record.plan, std::string(to_word(record.plan.kind)));
  return fail("it has no finding of that metric");
}

// The changes that `name` means, ascending; empty when one of them is not among the design's.
std::vector<std::uint32_t> changes_named(const Design& design, std::string_view name) {
  std::vector<std::uint32_t> found;
  while (!name.empty()) {
    const std::string_view one = name.substr(0, name.find('+'));
    name.remove_prefix(std::min(name.size(), one.size() + 1));
    const auto it = std::ranges::find(design.changes, one, &Change::name);
    if (it == design.changes.end()) return {};
    found.push_back(static_cast<std::uint32_t>(it - design.changes.begin()));
  }
  std::ranges::sort(found);
  return found;
}

// A word needs the confirmation by the rule of `compare`.
Result<Found> confirmed_or(const Conclusion& c, std::optional<std::uint32_t> finding,
                           const Estimate& effect, const Plan& plan, const std::string& kind,
                           std::uint32_t metric, const std::string& unconfirmed) {
  if (finding && *finding < c.findings.size() && c.findings[*finding].reading.estimate &&
      c.findings[*finding].metric == metric) {
    const MetricFinding& confirmation = c.findings[*finding];
    auto found = from_finding(confirmation, plan, kind + ", confirmed");
    if (found) found->median = confirmation.baseline_median;
    return found;
  }
  return Found{.log = effect, .metric = metric, .source = kind, .no_word = unconfirmed};
}

Result<Found> of_ablate(const Record& record, const Asked& asked, std::uint32_t metric) {
  const AblateFinding& finding = *record.conclusion->ablate;
  const Plan& plan = record.plan;
  const std::string& part = asked.part.empty() ? asked.name : asked.part;
  const auto last = static_cast<std::uint32_t>(plan.arms.size() - 1);
  if (asked.part.empty() && changes_named(*plan.design, part).empty()) {
    // The reproduction goes in front of the confirmations, and only it is about the last arm.
    for (const MetricFinding& reproduction : record.conclusion->findings)
      if (reproduction.arm == last && reproduction.metric == metric &&
          reproduction.reading.estimate)
        return from_finding(reproduction, plan, "ablate, all on against all off");
    for (const ArmFinding& arm : finding.configurations)
      if (arm.arm == last)
        return Found{.log = arm.effect,
                     .candidate = last,
                     .metric = metric,
                     .runs = arm.runs,
                     .source = "ablate, all on against all off",
                     .no_word = "an ablation's own intervals are no verdict"};
    return fail("all on against all off was not measured");
  }
  const auto changes = changes_named(*plan.design, part);
  if (changes.empty()) return fail(fmt::format("it has no change '{}'", printable(part)));
  const auto is_it = [&](const Term& term) {  // a pair may stand in the order of its worth
    auto members = term.changes;
    std::ranges::sort(members);
    return members == changes;
  };
  for (const Term& term : finding.terms)
    if (is_it(term))
      return confirmed_or(*record.conclusion, term.finding, term.effect, plan,
                          fmt::format("ablate, {}", part), metric, "it was not confirmed");
  for (const Term& term : finding.undecided)
    if (is_it(term))
      return Found{.log = term.effect,
                   .candidate = last,
                   .metric = metric,
                   .source = fmt::format("ablate, {}", part),
                   .no_word = "the ablation left it undecided"};
  if (changes.size() == 1)
    for (const EffectRow& row : finding.effects)
      if (row.changes == (1u << changes.front()))
        return Found{.log = row.effect,
                     .candidate = last,
                     .metric = metric,
                     .source = fmt::format("ablate, {} (main effect)", part),
                     .no_word = "the ablation did not name it"};
  return fail(fmt::format("it found no effect of {}", printable(part)));
}

std::optional<std::uint32_t> commit_named(const Design& design, std::string_view name) {
  for (std::uint32_t i = 0; i < design.commits.size(); ++i)
    if (!name.empty() && design.commits[i].id.starts_with(name)) return i;
  return std::nullopt;
}

Result<Found> of_bisect(const Record& record, const Asked& asked, std::uint32_t metric) {
  const Plan& plan = record.plan;
  const BisectFinding& finding = *record.conclusion->bisect;
  const auto bad = static_cast<std::uint32_t>(plan.design->commits.size() - 1);
  const bool ends = asked.part.empty() && asked.name.empty();  // the gap itself
  for (const Culprit& culprit : finding.culprits) {
    if (ends) break;
    if (!asked.part.empty() && commit_named(*plan.design, asked.part) != culprit.commit) continue;
    const std::string kind =
        fmt::format("bisect, {}", plan.design->commits[culprit.commit].id.substr(0, 10));
    auto found = confirmed_or(*record.conclusion, culprit.finding, culprit.effect, plan, kind,
                              metric, "it was not confirmed");
    if (found) found->candidate = culprit.commit;
    return found;
  }
  if (!asked.part.empty())
    return fail(fmt::format("it did not name commit '{}'", printable(asked.part)));
  return Found{.log = finding.anchors,
               .candidate = bad,
               .metric = metric,
               .source = "bisect, bad against good",
               .no_word = "its ends are no verdict"};
}

Result<Found> of_timeline(const Record& record, const Asked& asked, std::uint32_t metric) {
  const Plan& plan = record.plan;
  const auto& commits = record.conclusion->timeline->commits;
  if (commits.empty()) return fail("it measured no commit");
  const std::string why = "a timeline's intervals are no verdict";
  if (asked.part.empty()) {
    const ArmFinding& last = commits.back().to_first;
    return Found{.log = last.effect,
                 .candidate = last.arm,
                 .metric = metric,
                 .runs = last.runs,
                 .source = "timeline, the last commit against the first",
                 .no_word = why};
  }
  const auto wanted = commit_named(*plan.design, asked.part);
  for (const TimelineCommit& commit : commits)
    if (wanted && commit.to_first.arm == *wanted) {
      const auto& parents = plan.design->commits[*wanted].parents;
      const auto step = commit.step_change();
      return Found{.log = step.value_or(commit.to_parent),
                   .baseline = parents.empty() ? 0 : parents.front(),
                   .candidate = *wanted,
                   .metric = metric,
                   .runs = commit.to_first.runs,
                   .source = fmt::format("timeline, {}", step ? "the step at " + asked.part
                                                              : asked.part + " against its parent"),
                   .no_word = why};
    }
  return fail(fmt::format("it has no commit '{}'", printable(asked.part)));
}

Result<Found> of_sweep(const Record& record, const Asked& asked, std::uint32_t metric) {
  const auto& levels = record.conclusion->sweep->levels;
  if (levels.size() < 2) return fail("it measured no two levels");
  const ArmFinding* chosen = &levels.back();
  if (!asked.part.empty()) {
    const auto it = std::ranges::find_if(levels, [&](const ArmFinding& level) {
      const Design& design = *record.plan.design;
      if (design.parameters.size() == 1 && level.arm < design.parameters[0].levels.size() &&
          design.parameters[0].levels[level.arm] == asked.part)
        return true;
      return level.arm < record.plan.arms.size() && record.plan.arms[level.arm].label == asked.part;
    });
    if (it == levels.end()) return fail(fmt::format("it has no level '{}'", asked.part));
    chosen = &*it;
  }
  return Found{
      .log = chosen->effect,
      .candidate = chosen->arm,
      .metric = metric,
      .runs = chosen->runs,
      .source = fmt::format("sweep, {} against {}", printable(record.plan.arms[chosen->arm].label),
                            printable(record.plan.arms.front().label)),
      .no_word = "a level's interval is no verdict"};
}

Result<Found> find_effect(const Record& record, const Asked& asked, std::uint32_t metric) {
  const Conclusion& c = *record.conclusion;
  switch (record.plan.kind) {
    case PlanKind::compare:
    case PlanKind::sessions:
      return of_compare(record, asked, metric);
    case PlanKind::measure:
      return fail("one command was measured, against nothing");
    case PlanKind::calibrate:
      return fail("a calibration compares a command with itself");
    case PlanKind::suite_run:
    case PlanKind::suite_compare:
    case PlanKind::suite_audit:
      return fail("a suite has an effect for each of its benchmarks, not one");
    case PlanKind::imported:
      return fail("results of another tool are one side, against nothing");
    case PlanKind::sweep:
    case PlanKind::ablate:
    case PlanKind::bisect:
    case PlanKind::timeline:
      break;
  }
  if (!record.plan.design) return fail("its design is missing");
  const auto& metrics = record.plan.metrics;
  if (!metrics[metric].gating) {
    const auto gate = std::ranges::find_if(metrics, &Metric::gating);
    return fail(fmt::format("it decided by {}, and {} stands beside it only",
                            gate == metrics.end() ? "nothing" : gate->name, metrics[metric].name));
  }
  if (c.sweep && record.plan.kind == PlanKind::sweep) return of_sweep(record, asked, metric);
  if (c.ablate && record.plan.kind == PlanKind::ablate) return of_ablate(record, asked, metric);
  if (c.bisect && record.plan.kind == PlanKind::bisect) return of_bisect(record, asked, metric);
  if (c.timeline && record.plan.kind == PlanKind::timeline)
    return of_timeline(record, asked, metric);
  return fail("it came to no finding");
}

std::string_view noun_of(Quantity quantity) {
  return quantity == Quantity::bytes ? "memory" : quantity == Quantity::seconds ? "time" : "metric";
}

}  // namespace

std::optional<std::uint32_t> metric_for(const Plan& plan, const Asked& asked) {
  const std::string_view unit = asked.quantity == Quantity::bytes     ? "B"
                                : asked.quantity == Quantity::seconds ? "s"
                                                                      : "";
  const auto fits = [&](const Metric& metric) { return unit.empty() || metric.unit == unit; };
  std::optional<std::uint32_t> gating, peak, any;
  for (std::uint32_t i = 0; i < plan.metrics.size(); ++i) {
    const Metric& metric = plan.metrics[i];
    if (!asked.metric.empty() && metric.name == asked.metric) {
      if (fits(metric)) return i;
      if (asked.quantity != Quantity::bytes) return std::nullopt;
    }
    if (!fits(metric)) continue;
    if (metric.gating && !gating) gating = i;
    if (metric.name == "peak_mem" && asked.quantity == Quantity::bytes) peak = i;
    if (!any) any = i;
  }
  // Times and percentages are those of the metric that is named, or of none.
  if (!asked.metric.empty() && asked.quantity != Quantity::bytes) return std::nullopt;
  return gating ? gating : peak ? peak : any;
}

Result<Measured> measure(const Record& record, const Asked& asked) {
  if (!record.conclusion) return fail("it has not concluded");
  if (record.conclusion->overall == Verdict::failed) return fail("it could not measure");
  const auto metric = metric_for(record.plan, asked);
  if (!metric)
    return fail(asked.metric.empty() || asked.quantity == Quantity::bytes
                    ? fmt::format("it measured no {}", noun_of(asked.quantity))
                    : fmt::format("it did not measure {}{}", printable(asked.metric),
                                  asked.quantity == Quantity::seconds ? " in seconds" : ""));
  auto found = find_effect(record, asked, *metric);
  if (!found) return fail(found.error());
  const std::size_t arms = record.plan.arms.size();
  if (found->baseline >= arms || found->candidate >= arms) return fail("its arms do not add up");
  Measured measured{.record = record.id,
                    .source = found->source,
                    .quantity = asked.quantity,
                    .no_word = found->no_word,
                    .runs = found->runs,
                    .pair_seconds = pair_seconds(record, found->baseline, found->candidate)};
  auto baseline = baseline_of(record, found->baseline, found->metric);
  if (baseline && found->median > 0 && baseline->median > 0) {
    const double scale = found->median / baseline->median;  // another baseline, as uncertain
    *baseline = {found->median, baseline->lo * scale, baseline->hi * scale};
  }
  if (baseline) measured.baseline = baseline->median;
  if (asked.quantity == Quantity::fraction) {
    measured.effect = relative(found->log, asked.removes);
    return measured;
  }
  if (!baseline) return fail("its baseline has no runs");
  measured.effect =
      absolute(found->log, *baseline, record.plan.metrics[found->metric].better == Better::higher,
               asked.removes);
  return measured;
}

std::string fact_of(const Record& record, const std::string& metric) {
  if (!record.conclusion) return "not concluded";
  if (!record.conclusion->answer.empty()) return printable(record.conclusion->answer);
  if (record.plan.kind == PlanKind::measure) {
    const Asked asked{.quantity = Quantity::seconds, .metric = metric};
    const auto index = metric_for(record.plan, asked);
    const auto bounds = index ? baseline_of(record, 0, *index) : std::nullopt;
    if (!bounds) return "measured";
    return fmt::format("{} {} [{}, {}]", record.plan.metrics[*index].name,
                       plain_text(bounds->median, Quantity::seconds),
                       plain_text(bounds->lo, Quantity::seconds),
                       plain_text(bounds->hi, Quantity::seconds));
  }
  Asked asked{.quantity = Quantity::fraction, .metric = metric};
  auto index = metric_for(record.plan, asked);
  if (!index) {
    asked.metric.clear();
    index = metric_for(record.plan, asked);
  }
  Verdict verdict = record.conclusion->overall;
  for (const MetricFinding& finding : record.conclusion->findings)
    if (finding.arm == 1 && finding.metric == index) verdict = finding.verdict;
  std::string text(to_word(verdict));
  const auto measured = cases::measure(record, asked);
  if (!measured || !index) return text;
  text += fmt::format(" {}", signed_text(measured->effect.value, Quantity::fraction));
  if (measured->effect.lo && measured->effect.hi)
    text +=
        fmt::format(" [{:+.1f}, {:+.1f}]", 100 * *measured->effect.lo, 100 * *measured->effect.hi);
  return text + ", " + record.plan.metrics[*index].name;
}

}  // namespace assay::cases
