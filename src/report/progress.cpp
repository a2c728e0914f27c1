// SPDX-License-Identifier: Apache-2.0
#include "report/progress.hpp"

#include <fmt/format.h>

#include <cmath>
#include <vector>

#include "base/text.hpp"
#include "report/plain.hpp"
#include "report/row.hpp"
#include "report/view.hpp"
#include "report/wording.hpp"

namespace assay::report {
namespace {

std::string metric_part(const Row& row, const std::string& who, bool colour) {
  const std::string head = who.empty() ? row.title : who + " " + row.title;
  if (!row.is_open()) return head + " " + paint(row.word, tone_of(row.verdict), colour);
  if (!row.ratio) return head + " ...";
  std::string text = head + " " + row.change;
  if (!row.interval.empty()) text += " " + row.interval;
  if (row.bound99) {
    const bool rate = row.metric.better == Better::higher;
    text += fmt::format(" at {} {}", rate ? "least" : "most", format_change(*row.bound99));
  }
  return text;
}

// A duration as a forecast: whole minutes from two minutes on.
std::string about(double seconds) {
  return format_duration(seconds >= 120 ? std::round(seconds / 60) * 60 : seconds);
}

}  // namespace

std::string progress_line(const Plan& plan, const ProgressView& view, const TextOptions& options) {
  const std::size_t width = columns(options);
  std::string line = view.blocks_done == 0
                         ? fmt::format("first block, {} runs", view.runs_done)
                         : fmt::format("block {}, {} runs", view.blocks_done, view.runs_done);
  if (view.seconds_left) line += fmt::format(", {} left", about(*view.seconds_left));
  if (!view.status.empty()) return fit(line + " | " + view.status, width);
  std::vector<Side> sides;
  if (plan.arms.size() > 2) sides = sides_of(plan);
  for (const MetricFinding& finding : view.findings) {
    if (finding.metric >= plan.metrics.size() || !plan.metrics[finding.metric].gating) continue;
    if (!finding.judged || plan.control == finding.arm) continue;
    const std::string who = finding.arm < sides.size() ? sides[finding.arm].letter : std::string();
    const std::string part = metric_part(make_row(plan, finding, false), who, options.colour);
    const std::string longer = line + " | " + part;
    if (width != 0 && display_width(longer) > width) break;
    line = longer;
  }
  return fit(line, width);
}

std::string price_text(const PriceView& price) {
  const auto seconds = [&](std::uint64_t runs) {
    return static_cast<double>(runs) * price.seconds_per_run.value_or(0);
  };
  std::string text;
  bool cut = false;
  if (price.expected_runs > 0) {
    text = fmt::format("about {} runs", price.expected_runs);
    cut = price.budget_s > 0 && seconds(price.expected_runs) > price.budget_s;
    if (price.seconds_per_run && !cut) text += ", " + about(seconds(price.expected_runs));
    text += "; ";
  }
  text += fmt::format("at most {} runs", price.most_runs);
  const double most = seconds(price.most_runs);
  if (price.budget_s > 0 && (!price.seconds_per_run || most > price.budget_s))
    text += ", here cut at " + format_duration(price.budget_s);
  else if (price.seconds_per_run)
    text += ", " + about(most);
  return text;
}

}  // namespace assay::report
