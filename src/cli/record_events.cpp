// SPDX-License-Identifier: Apache-2.0
#include "cli/record_events.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "lab/events.hpp"
#include "report/compare.hpp"
#include "report/explain_html.hpp"
#include "report/explain_json.hpp"
#include "report/explain_text.hpp"
#include "report/timeline_json.hpp"
#include "report/view.hpp"
#include "trace/load.hpp"

namespace assay::cli {
namespace {

constexpr std::size_t kMostWarnings = 5;

using Traces = std::vector<trace::Trace>;

// The traces of the complete runs of each arm, in order.
std::vector<Traces> load_traces(const Record& record, const std::string& store_path,
                                std::vector<std::string>& warnings) {
  const std::string folder = lab::events_folder(store_path, record.id);
  std::vector<Traces> all(record.plan.arms.size());
  const std::vector<report::Side> sides = report::sides_of(record.plan);
  std::size_t missing = 0;
  std::string first;
  for (const Entry& entry : record.entries) {
    const auto* trial = std::get_if<Trial>(&entry);
    if (trial == nullptr || trial->warmup || trial->stages.empty()) continue;
    auto trace =
        trace::load_trace(lab::events_file(folder, trial->block, trial->slot), "assay", {});
    if (trace) {
      trace->source =
          fmt::format("run {} of {}", all[trial->arm].size() + 1, sides[trial->arm].name);
      all[trial->arm].push_back(std::move(*trace));
    } else {
      if (missing++ == 0) first = trace.error().to_text();
    }
  }
  if (missing > 0)
    warnings.push_back(
        fmt::format("the events of {} runs cannot be read, so they are not part of the attribution "
                    "(first: {})",
                    missing, first));
  return all;
}

std::vector<const trace::Trace*> pointers(const Traces& traces) {
  std::vector<const trace::Trace*> all;
  for (const trace::Trace& trace : traces) all.push_back(&trace);
  return all;
}

Json timeline_of(const Traces& a, const Traces& b) {
  Json runs = Json::array();
  runs.push(report::timeline_json(a.front(), "A"));
  runs.push(report::timeline_json(b.front(), "B"));
  return Json::object().set("runs", std::move(runs));
}

// What the page shows of the verdict.
Json verdict_json(const Record& record) {
  const Json whole = report::compare_json(record, *record.conclusion);
  Json verdict = Json::object();
  verdict.set("sentence", whole["sentence"]);
  verdict.set("metrics", whole["metrics"]);
  verdict.set("stages", whole["stages"]);
  return verdict;
}

}  // namespace

std::vector<ExplainedPair> explain_record(const Record& record, const std::string& store_path,
                                          bool for_page, std::vector<std::string>& warnings) {
  std::vector<ExplainedPair> pairs;
  if (!record.plan.events || record.plan.kind != PlanKind::compare) return pairs;
  const std::vector<Traces> traces = load_traces(record, store_path, warnings);
  for (std::uint32_t arm = 1; arm < traces.size(); ++arm) {
    if (record.plan.control == arm || traces[0].empty() || traces[arm].empty()) continue;
    const auto a = pointers(traces[0]), b = pointers(traces[arm]);
    attribution::DeltaOptions options;
    options.seed = record.plan.seed;
    pairs.push_back({arm, attribution::explain_delta(a, b, options),
                     for_page ? timeline_of(traces[0], traces[arm]) : Json()});
  }
  return pairs;
}

void warn_of(const std::vector<ExplainedPair>& pairs, Terminal& terminal) {
  std::set<std::string> told;
  for (const ExplainedPair& pair : pairs)
    for (const trace::TraceWarning& warning : report::warnings_of(pair.delta))
      if (told.insert(warning.text).second && told.size() <= kMostWarnings)
        terminal.warn(warning.text);
  if (told.size() > kMostWarnings)
    terminal.warn(
        fmt::format("{} more doubts about the events of the runs; --log DIR keeps their logs for "
                    "'assay explain'",
                    told.size() - kMostWarnings));
}

std::string explained_text(const Record& record, const std::vector<ExplainedPair>& pairs,
                           const report::TextOptions& options) {
  std::string text;
  for (const ExplainedPair& pair : pairs) {
    text += "\n";
    if (pairs.size() > 1)
      text += fmt::format("where {} differs:\n", report::sides_of(record.plan)[pair.arm].name);
    text += report::explain_text(pair.delta, {.text = options, .beside_verdict = true}).out;
  }
  return text;
}

Json explained_json(const std::vector<ExplainedPair>& pairs) {
  Json all = Json::array();
  for (const ExplainedPair& pair : pairs)
    all.push(
        Json::object().set("arm", pair.arm).set("explain", report::explain_json(pair.delta, {})));
  return all;
}

Result<std::string> explained_html(const Record& record, const std::vector<ExplainedPair>& pairs) {
  if (pairs.empty())
    return fail("there is no page without the events of runs", {},
                "compare with --events FILE, stdout, stderr or emitter");
  Json document = report::explain_json(pairs.front().delta, {.curves = true});
  document.set("verdict", verdict_json(record));
  document.set("timeline", pairs.front().timeline);
  return report::explain_html(report::report_page(), document);
}

}  // namespace assay::cli
