// SPDX-License-Identifier: Apache-2.0
#include "report/sweep.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "model/words.hpp"
#include "report/compare.hpp"
#include "report/page.hpp"
#include "report/sweep_view.hpp"
#include "report/table.hpp"
#include "report/view.hpp"
#include "report/wording.hpp"

namespace assay::report {
namespace {

constexpr std::size_t kMostRows = 64;

std::string first_head(const Plan& plan) {
  return plan.design->parameters.size() == 1 ? plain(plan.design->parameters[0].name) : "levels";
}

std::string table_text(const Plan& plan, const SweepView& view, const TextOptions& options) {
  std::vector<TableRow> rows;
  for (const SweepRow& row : view.rows) {
    if (rows.size() == kMostRows) break;
    rows.push_back({.cells = {{row.label, row.tone == Tone::broken ? row.tone : Tone::strong},
                              row.median,
                              {row.change, row.tone},
                              row.bounds,
                              row.memory,
                              row.memory_change},
                    .note = row.note});
  }
  std::string text = draw_table({{.head = first_head(plan), .left = true},
                                 {.head = title_of(deciding_metric(plan))},
                                 {.head = "change"},
                                 {.head = "interval", .left = true},
                                 {.head = "peak mem"},
                                 {.head = "change"}},
                                rows, options);
  if (view.rows.size() > kMostRows)
    text += fmt::format("and {} more; --json has all of them\n", view.rows.size() - kMostRows);
  return text;
}

Json estimate_json(const RatioEstimate& ratio) {
  return Json::object().set("ratio", ratio.ratio).set("lo", ratio.lo).set("hi", ratio.hi);
}

Json names_json(const Plan& plan, const std::vector<std::uint32_t>& arms) {
  Json names = Json::array();
  for (const std::uint32_t arm : arms) names.push(plan.arms[arm].label);
  return names;
}

Json parameter_json(const Plan& plan, const ParameterFinding& found) {
  const Parameter& parameter = plan.design->parameters[found.parameter];
  const RatioEstimate ratio = ratio_of(found.effect, deciding_metric(plan).better);
  Json json = Json::object();
  json.set("name", parameter.name).set("shape", to_word(found.shape));
  json.set("at", found.at ? Json(parameter.levels[*found.at]) : Json());
  json.set("ratio", ratio.ratio).set("lo", ratio.lo).set("hi", ratio.hi);
  json.set("z", Json::numbers(found.z)).set("p_holm", Json::numbers(found.p_holm));
  return json;
}

Json level_json(const Plan& plan, const ArmFinding& found) {
  const RatioEstimate ratio = ratio_of(found.effect, deciding_metric(plan).better);
  const Design& design = *plan.design;
  const std::size_t inner = design.parameters.size() == 2 ? design.parameters[1].levels.size() : 1;
  Json json = Json::object();
  json.set("level", design.parameters.size() == 1 ? design.parameters[0].levels[found.arm]
                                                  : plan.arms[found.arm].label);
  Json values = Json::object();
  values.set(design.parameters[0].name, design.parameters[0].levels[found.arm / inner]);
  if (inner > 1)
    values.set(design.parameters[1].name, design.parameters[1].levels[found.arm % inner]);
  json.set("values", std::move(values)).set("arm", found.arm).set("runs", found.runs);
  json.set("median", found.median);
  json.set("ratio", ratio.ratio).set("lo", ratio.lo).set("hi", ratio.hi);
  json.set("peak_memory", found.memory);
  json.set("memory", found.memory_effect
                         ? estimate_json(ratio_of(*found.memory_effect, Better::lower))
                         : Json());
  return json;
}

Json memory_json(const Plan& plan, const SweepFinding& found) {
  if (!found.memory) return {};
  const MemoryLine& line = *found.memory;
  return Json::object()
      .set("base_bytes", line.base)
      .set("slope_bytes", line.slope)
      .set("largest_residual_bytes", line.largest_residual)
      .set("budget_bytes", plan.design->memory_budget)
      .set("largest_fit", line.largest_fit ? Json(plan.arms[*line.largest_fit].label) : Json())
      .set("predicted_fit", line.predicted_fit);
}

}  // namespace

Text sweep_text(const Record& record, const Conclusion& conclusion, const TextOptions& options) {
  const SweepView view = view_sweep(record, conclusion);
  const std::size_t width = columns(options);
  std::string out;
  for (const std::string& sentence : view.sentences) out += wrap(sentence, width, 2);
  for (const std::string& sentence : view.broken)
    out += wrap(sentence + (conclusion.sweep ? "; the others went on." : "."), width, 2);
  if (!view.rows.empty()) {
    out += "\n" + table_text(record.plan, view, options);
    out += wrap(fmt::format("{}; changes against {}", view.runs, view.reference), width, 2);
  }
  if (options.histograms && view.plot && view.plot->points.size() <= kMostRows)
    out += "\n" + draw(*view.plot, options);
  if (options.histograms && view.lines) out += "\n" + draw(*view.lines, options);
  if (!view.remarks.empty()) out += "\n";
  for (const std::string& remark : view.remarks) out += wrap(remark, width, 2);
  if (!view.reproduce.empty()) out += "\nagain: " + view.reproduce + "\n";
  return {.out = out, .warnings = warning_lines(conclusion.warnings, options)};
}

Json sweep_json(const Record& record, const Conclusion& conclusion) {
  const SweepView view = view_sweep(record, conclusion);
  const Plan& plan = record.plan;
  Json json = document_head("sweep", record, conclusion.warnings);
  std::string sentence;
  for (const std::string& one : view.sentences) sentence += (sentence.empty() ? "" : " ") + one;
  json.set("verdict", to_word(conclusion.overall)).set("ended_by", to_word(conclusion.ended_by));
  json.set("answer", conclusion.answer).set("sentence", sentence);
  json.set("failure", conclusion.failure.empty() ? Json() : Json(conclusion.failure));
  const SweepFinding found = conclusion.sweep.value_or(SweepFinding{});
  Json parameters = Json::array(), levels = Json::array(), broken = Json::array();
  for (const ParameterFinding& one : found.parameters) parameters.push(parameter_json(plan, one));
  for (const ArmFinding& one : found.levels) levels.push(level_json(plan, one));
  for (const BrokenArm& one : conclusion.broken)
    broken.push(Json::object()
                    .set("level", plan.arms[one.arm].label)
                    .set("arm", one.arm)
                    .set("built", one.built)
                    .set("why", one.why));
  const bool one_parameter = found.parameters.size() == 1;
  json.set("shape", one_parameter ? parameters.items()[0]["shape"] : Json());
  json.set("at", one_parameter ? parameters.items()[0]["at"] : Json());
  json.set("rounds", found.rounds).set("parameters", std::move(parameters));
  json.set("levels", std::move(levels)).set("broken", std::move(broken));
  json.set("pareto", names_json(plan, found.pareto));
  json.set("knee", found.knee ? Json(plan.arms[*found.knee].label) : Json());
  json.set("memory", memory_json(plan, found));
  if (found.interaction) {
    Json interaction =
        estimate_json(ratio_of(found.interaction->effect, deciding_metric(plan).better));
    json.set("interaction", interaction.set("level", plan.arms[found.interaction->arm].label));
  } else {
    json.set("interaction", Json());
  }
  return json.set("reproduce", view.reproduce);
}

std::string sweep_html(const Record& record, const Conclusion& conclusion) {
  const SweepView view = view_sweep(record, conclusion);
  Page page(view.title);
  for (const std::string& sentence : view.sentences) page.paragraph(sentence, "answer");
  for (const std::string& sentence : view.broken) page.paragraph(sentence + ".", "warning");
  for (const Warning& warning : conclusion.warnings) page.paragraph(warning.text, "warning");
  if (view.plot) page.figure(svg(*view.plot), view.plot->title + "; the band is the tolerance");
  if (view.lines) page.figure(svg(*view.lines), view.lines->title);
  if (!view.rows.empty()) {
    PageTable table{.head = {first_head(record.plan), title_of(deciding_metric(record.plan)),
                             "change", "interval", "peak memory", "change", ""},
                    .rows = {}};
    for (const SweepRow& row : view.rows)
      table.rows.push_back(
          {row.label, row.median, row.change, row.bounds, row.memory, row.memory_change, row.note});
    page.table(table);
    page.paragraph(fmt::format("{}; changes against {}", view.runs, view.reference), "dim");
  }
  for (const std::string& remark : view.remarks) page.paragraph(remark);
  if (!view.reproduce.empty()) {
    page.heading("Again");
    page.code(view.reproduce);
  }
  return page.html();
}

}  // namespace assay::report
