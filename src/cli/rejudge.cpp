// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "cli/commands.hpp"
#include "cli/report_record.hpp"
#include "cli/store_access.hpp"
#include "experiment/experiment.hpp"
#include "lab/loop.hpp"

namespace assay::cli {
namespace {

Result<void> change_plan(const Arguments& arguments, Plan& plan) {
  const auto tolerance = arguments.fraction("tolerance");
  if (!tolerance) return fail(tolerance.error());
  const auto runs = arguments.uint("max-runs", 6, 900);
  if (!runs) return fail(runs.error());
  plan.tolerance = tolerance->value_or(plan.tolerance);
  plan.max_runs = static_cast<std::uint32_t>(runs->value_or(plan.max_runs));
  if (!arguments.has("gate")) return {};
  for (Metric& metric : plan.metrics) metric.gating = false;
  for (const std::string& gate : arguments.list("gate")) {
    bool found = false;
    std::string known;
    for (Metric& metric : plan.metrics) {
      known += (known.empty() ? "" : ", ") + metric.name;
      if (metric.name != gate) continue;
      metric.gating = found = true;
    }
    if (!found)
      return fail(fmt::format("--gate: the record has no metric '{}'", gate), {},
                  "it has " + known);
  }
  return {};
}

// The stored runs under the changed plan. Where they end before the experiment would, the end of
// the data is a stop like any other.
Conclusion judge_again(const Plan& plan, std::vector<Entry> entries) {
  const auto experiment = experiment::make_experiment(plan);
  auto step = experiment->next(entries, 0);
  if (const auto* conclusion = std::get_if<Conclusion>(&step)) return *conclusion;
  entries.emplace_back(Stop{});
  step = experiment->next(entries, 0);
  Conclusion conclusion = std::get<Conclusion>(step);
  conclusion.ended_by = EndedBy::runs_done;
  return conclusion;
}

}  // namespace

Result<int> run_rejudge(const Arguments& arguments, Terminal& terminal) {
  const auto store = open_store_to_read(arguments);
  if (!store) return fail(store.error());
  auto record = (*store)->load(arguments.positionals.front());
  if (!record) return fail(record.error());
  if (record->plan.kind != PlanKind::compare && record->plan.kind != PlanKind::sessions)
    return fail("record " + record->id + " is no comparison: it has no verdict to judge again");
  if (auto changed = change_plan(arguments, record->plan); !changed) return fail(changed.error());
  if (auto valid = experiment::check_plan(record->plan); !valid) return fail(valid.error());
  record->plan.time_budget_s = 0;  // what was measured is there, whatever it took
  record->entries = lab::entries_to_resume(std::move(record->entries));
  record->conclusion = judge_again(record->plan, record->entries);
  record->conclusion->exploratory = true;
  const ReportFiles files{.json = arguments.value("json"),
                          .markdown = arguments.value("markdown"),
                          .html = {},
                          .store = (*store)->location()};
  if (auto written = write_reports(*record, files, terminal); !written)
    return terminal.error(written.error(), kNotMeasured);
  return exit_code(*record->conclusion, arguments.has("strict"));
}

}  // namespace assay::cli
