// SPDX-License-Identifier: Apache-2.0
#include "report/row.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/check.hpp"
#include "base/text.hpp"
#include "report/numbers.hpp"
#include "report/wording.hpp"

namespace assay::report {
namespace {

constexpr double kExactTolerance = 0.001;     // rule.md section 4: deterministic counters
constexpr double kMemoryStep = 128.0 * 1024;  // bytes
constexpr std::uint32_t kFirstLook = 6;       // runs a side; exact counters need fewer
constexpr double kMostExact = 1e10;           // whole numbers below it are written out
constexpr double kVisible = 0.0005;           // half of the last digit of "+0.1 %"

// exp of a log ratio; nothing when it is absent or not a number one can print.
std::optional<double> ratio_of(std::optional<double> log_ratio) {
  if (!log_ratio) return std::nullopt;
  const double ratio = std::exp(*log_ratio);
  if (!std::isfinite(ratio) || ratio <= 0) return std::nullopt;
  return ratio;
}

std::optional<double> negated(std::optional<double> value) {
  if (value) *value = -*value;
  return value;
}

double tolerance_of(const Plan& plan, const Metric& metric, const MetricFinding& finding) {
  if (plan.run.exact && finding.reason == Reason::exact && finding.reading.runs < kFirstLook)
    return kExactTolerance;
  if (metric.unit == "B" && metric.better == Better::lower && finding.baseline_median > 0)
    return std::max(plan.tolerance, kMemoryStep / finding.baseline_median);
  return plan.tolerance;
}

// The metric's noise floor as a percentage; empty when none is stored.
std::string floor_text(const Plan& plan, const Metric& metric) {
  for (const NoiseFloor& floor : plan.floors)
    if (floor.metric == metric.name) return " of " + percent(std::expm1(floor.sys_sigma));
  return {};
}

void fill_ratios(Row& row, const MetricFinding& finding) {
  const Reading& r = finding.reading;
  const bool inverted = row.metric.better == Better::higher;
  const auto turned = [&](const std::optional<double>& v) { return inverted ? negated(v) : v; };
  row.ratio = ratio_of(turned(r.estimate));
  row.lo99 = ratio_of(turned(inverted ? r.hi99 : r.lo99));
  row.hi99 = ratio_of(turned(inverted ? r.lo99 : r.hi99));
  row.lo95 = ratio_of(turned(inverted ? r.hi95 : r.lo95));
  row.hi95 = ratio_of(turned(inverted ? r.lo95 : r.hi95));
  row.bound99 = inverted ? row.lo99 : row.hi99;
  row.since_ratio = ratio_of(turned(finding.since_then));
}

bool is_whole(double value) { return value == std::floor(value) && std::fabs(value) < kMostExact; }

// Counts are written out where their difference would be rounded away, or is known exactly.
void fill_medians(Row& row, double baseline, double candidate) {
  row.baseline_median = baseline;
  row.candidate_median = candidate;
  const std::string& unit = row.metric.unit;
  row.baseline_text = plain(format_value(baseline, unit));
  row.candidate_text = plain(format_value(candidate, unit));
  const bool is_hidden = baseline != candidate && row.baseline_text == row.candidate_text;
  const bool is_known = row.lo99 && row.hi99 && *row.lo99 == *row.hi99 && unit != "B";
  if (unit != "s" && is_whole(baseline) && is_whole(candidate) && (is_hidden || is_known)) {
    const std::string behind = unit == "1" || unit.empty() ? "" : " " + plain(unit);
    row.baseline_text = grouped(baseline) + behind;
    row.candidate_text = grouped(candidate) + behind;
  }
  row.medians = fit(row.baseline_text + " -> " + row.candidate_text, 48);
}

// The change is the median of the ratios within blocks; on a machine that drifts the two medians,
// which are of all runs, may tell another story.
bool medians_disagree(const Row& row) {
  if (!row.ratio || !row.baseline_median || row.reason == Reason::exact) return false;
  if (*row.baseline_median <= 0 || *row.candidate_median <= 0) return false;
  const double told = std::log(*row.ratio);
  const double seen = std::log(*row.candidate_median / *row.baseline_median);
  const bool is_visible = std::fabs(told) >= kVisible && row.baseline_text != row.candidate_text;
  if (told * seen < 0 && is_visible) return true;
  if (!row.lo99 || !row.hi99) return false;
  const double nearer = std::min(told - std::log(*row.lo99), std::log(*row.hi99) - told);
  return std::fabs(seen - told) > std::max(nearer, kVisible);
}

void fill_notes(Row& row, const Plan& plan, std::optional<double> round_seconds) {
  if (row.judged && row.reason == Reason::exact) row.notes.push_back("exact");
  if (const std::string method = method_of(row.metric); !method.empty())
    row.notes.push_back(method);
  if (row.judged && std::fabs(row.tolerance - plan.tolerance) > 1e-9)
    row.notes.push_back("tolerance " + percent(row.tolerance));
  if (row.by_holm) row.notes.push_back("decided at the end, together with the other metrics");
  if (row.judged && row.verdict == Verdict::invalid) row.notes.push_back(clause_of(row.reason));
  const bool unfit = row.verdict == Verdict::invalid || row.reason == Reason::sampled_too_little;
  if (!row.judged && unfit) row.notes.push_back("not judged: " + clause_of(row.reason));
  if (row.judged && row.verdict == Verdict::equivalent && row.has_direction())
    row.notes.push_back(fmt::format("measurably {}, within tolerance", format_change(*row.ratio)));
  if (medians_disagree(row))
    row.notes.push_back("change of pairs within blocks (medians of all runs carry drift)");
  if (!row.is_open()) return;
  if (row.sign != Sign::none && row.ratio)
    row.notes.push_back(fmt::format("the sign is proven, {} is not", percent(row.tolerance)));
  if (row.more) {
    const std::string options = options_for(plan, round_seconds, *row.more);
    row.outlook =
        fmt::format("about {} would decide{}", *row.more, options.empty() ? "" : ";" + options);
  } else if (row.reason == Reason::noise_floor) {
    row.outlook = fmt::format("not decidable here: the noise floor{} is as large as the question",
                              floor_text(plan, row.metric));
  } else if (row.reason == Reason::too_few) {
    row.outlook = "too few";
  } else if (row.reason == Reason::unreplicated_baseline) {
    row.outlook = clause_of(row.reason);
  } else {
    row.outlook = "not decidable here: lower the noise or change the tolerance";
  }
}

}  // namespace

Row make_row(const Plan& plan, const MetricFinding& finding, bool withheld,
             std::optional<double> round_seconds) {
  ASSAY_CHECK(finding.metric < plan.metrics.size(), "a finding names a metric of its plan");
  Row row;
  row.metric = plan.metrics[finding.metric];
  row.arm = finding.arm;
  row.verdict = finding.verdict;
  row.reason = finding.reason;
  row.judged = finding.judged;
  row.by_holm = finding.by_holm;
  row.tolerance = tolerance_of(plan, row.metric, finding);
  row.runs = finding.reading.runs;
  row.all_runs = std::max(finding.all_runs, row.runs);
  row.sign = finding.reading.sign;
  row.p_seq = finding.reading.p_seq;
  fill_ratios(row, finding);
  if (withheld && row.judged) {
    row.verdict = Verdict::invalid;
    row.reason = Reason::control_moved;
    row.by_holm = false;
  }
  if (row.is_open()) row.more = finding.reading.more;
  if (row.runs > 0 && std::isfinite(finding.baseline_median) &&
      std::isfinite(finding.candidate_median))
    fill_medians(row, finding.baseline_median, finding.candidate_median);
  row.title = title_of(row.metric);
  if (row.judged)
    row.word = row.reason == Reason::control_moved && row.verdict == Verdict::invalid
                   ? "WITHHELD"
                   : std::string(word_of(row.metric, row.verdict));
  if (row.ratio) row.change = format_change(*row.ratio);
  row.interval = row.lo99 && row.hi99 ? bracket(*row.lo99, *row.hi99)
                 : row.is_open()      ? "no bound yet"
                                      : "[-, -]";
  row.runs_words = runs_text(row.runs, plan);
  fill_notes(row, plan, round_seconds);
  if (row.since_ratio && row.all_runs > row.runs)
    row.since = fmt::format("{} over all {}", format_change(*row.since_ratio),
                            runs_text(row.all_runs, plan));
  return row;
}

}  // namespace assay::report
