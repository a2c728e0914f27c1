// SPDX-License-Identifier: Apache-2.0
#include "report/ablate.hpp"

#include <fmt/format.h>

#include "base/text.hpp"
#include "model/words.hpp"
#include "report/ablate_view.hpp"
#include "report/compare.hpp"
#include "report/page.hpp"
#include "report/wording.hpp"

namespace assay::report {
namespace {

std::string joined(const std::vector<std::string>& sentences) {
  std::string text;
  for (const std::string& sentence : sentences) text += (text.empty() ? "" : " ") + sentence;
  return text;
}

// A table of rows with these heads; a row's cells in the order of CauseRow.
struct Heads {
  const char *name, *change, *bounds, *probability, *back;
};
constexpr Heads kCauses = {"cause", "effect", "interval", "probability", "reverting"};
constexpr Heads kEffects = {"effect", "change", "interval", "", ""};

std::string draw_rows(const Heads& heads, const std::vector<CauseRow>& rows,
                      const TextOptions& options) {
  std::vector<TableRow> table;
  for (const CauseRow& row : rows)
    table.push_back({.cells = {{row.name, Tone::strong},
                               {row.change, row.tone},
                               row.bounds,
                               row.probability,
                               row.back},
                     .note = row.note});
  return draw_table({{.head = heads.name, .left = true},
                     {.head = heads.change},
                     {.head = heads.bounds, .left = true},
                     {.head = heads.probability},
                     {.head = heads.back}},
                    table, options);
}

void add_table(Page& page, const Heads& heads, const std::vector<CauseRow>& rows) {
  PageTable table{
      .head = {heads.name, heads.change, heads.bounds, heads.probability, heads.back, ""},
      .rows = {}};
  for (const CauseRow& row : rows)
    table.rows.push_back({row.name, row.change, row.bounds, row.probability, row.back, row.note});
  page.table(table);
}

Heads configuration_heads(const std::string& metric) {
  return {"configuration", "change", "interval", metric.c_str(), "peak mem"};
}

std::string more_text(std::size_t left_out) {
  return left_out == 0 ? std::string()
                       : fmt::format("and {} more; --json has all of them\n", left_out);
}

Json ratio_json(Json json, const Estimate& estimate, const Plan& plan) {
  const RatioEstimate ratio = ratio_of(estimate, deciding_metric(plan).better);
  return json.set("ratio", ratio.ratio).set("lo", ratio.lo).set("hi", ratio.hi);
}

Json names_json(const Plan& plan, const std::vector<std::uint32_t>& changes) {
  Json names = Json::array();
  for (const std::uint32_t change : changes) names.push(plan.design->changes[change].name);
  return names;
}

Json mask_json(const Plan& plan, std::uint32_t mask) {
  Json names = Json::array();
  for (std::size_t i = 0; i < plan.design->changes.size(); ++i)
    if (mask >> i & 1) names.push(plan.design->changes[i].name);
  return names;
}

Json term_json(const Plan& plan, const Conclusion& conclusion, const Term& term) {
  Json json = Json::object();
  json.set("changes", names_json(plan, term.changes)).set("either", term.either);
  json = ratio_json(std::move(json), term.effect, plan);
  json.set("probability", term.probability).set("named", term.named);
  json.set("reverting",
           term.reverting ? ratio_json(Json::object(), *term.reverting, plan) : Json());
  const bool known = term.finding && *term.finding < conclusion.findings.size();
  json.set("confirmation",
           known ? Json(std::string(to_word(conclusion.findings[*term.finding].verdict))) : Json());
  return json;
}

Json configuration_json(const Plan& plan, const ArmFinding& one) {
  Json json = Json::object();
  json.set("on", mask_json(plan, one.arm)).set("runs", one.runs).set("median", one.median);
  return ratio_json(std::move(json), one.effect, plan).set("peak_memory", one.memory);
}

}  // namespace

Text ablate_text(const Record& record, const Conclusion& conclusion, const TextOptions& options) {
  const AblateView view = view_ablate(record, conclusion);
  const std::size_t width = columns(options);
  std::string out;
  for (std::size_t i = 0; i < view.sentences.size(); ++i)
    out += paint(wrap(view.sentences[i], width), i == 0 ? Tone::strong : Tone::neutral,
                 options.colour);
  for (const std::string& sentence : view.broken) out += wrap(sentence, width);
  if (!view.causes.empty()) out += "\n" + draw_rows(kCauses, view.causes, options);
  const std::string metric = title_of(deciding_metric(record.plan));
  if (!view.configurations.empty())
    out += "\n" + draw_rows(configuration_heads(metric), view.configurations, options) +
           more_text(view.configurations_left_out);
  if (!view.effects.empty())
    out += "\n" + wrap("Averages over the configurations, for description:", width) +
           draw_rows(kEffects, view.effects, options) + more_text(view.effects_left_out);
  if (options.histograms) {
    for (const LinePlot& plot : view.interactions) out += "\n" + draw(plot, options);
    if (view.waterfall) out += "\n" + draw(*view.waterfall, options);
  }
  if (!view.next.empty() || !view.runs.empty()) out += "\n";
  for (const std::string& line : view.next) out += wrap(line, width, 2);
  if (!view.runs.empty()) out += wrap(view.runs, width, 2);
  if (!view.reproduce.empty()) out += "\nagain: " + view.reproduce + "\n";
  return {.out = out, .warnings = warning_lines(conclusion.warnings, options)};
}

Json ablate_json(const Record& record, const Conclusion& conclusion) {
  const AblateView view = view_ablate(record, conclusion);
  const Plan& plan = record.plan;
  const AblateFinding found = conclusion.ablate.value_or(AblateFinding());
  Json json = document_head("ablate", record, conclusion.warnings);
  json.set("verdict", to_word(conclusion.overall)).set("ended_by", to_word(conclusion.ended_by));
  json.set("answer", conclusion.answer).set("sentence", joined(view.sentences));
  json.set("failure", conclusion.failure.empty() ? Json() : Json(conclusion.failure));
  json.set("reproduced", to_word(found.reproduced)).set("revert_all", found.revert_all);
  Json terms = Json::array(), undecided = Json::array(), configurations = Json::array();
  for (const Term& term : found.terms) terms.push(term_json(plan, conclusion, term));
  for (const Term& term : found.undecided) undecided.push(term_json(plan, conclusion, term));
  for (const ArmFinding& one : found.configurations)
    configurations.push(configuration_json(plan, one));
  json.set("terms", std::move(terms)).set("undecided", std::move(undecided));
  json.set("more_runs", found.more_runs ? Json(std::uint64_t{*found.more_runs}) : Json());
  json.set("certainty", found.certainty);
  Json best = Json::object();
  best.set("on", mask_json(plan, found.best));
  json.set("best", found.runs > 0 ? ratio_json(std::move(best), found.best_effect, plan) : Json());
  json.set("remainder",
           found.runs > 0 ? ratio_json(Json::object(), found.remainder, plan) : Json());
  json.set("configurations", std::move(configurations));
  Json effects = Json::array(), broken = Json::array(), failures = Json::array();
  for (const EffectRow& effect : found.effects)
    effects.push(ratio_json(Json::object().set("changes", mask_json(plan, effect.changes)),
                            effect.effect, plan)
                     .set("p_holm", effect.p_holm));
  for (const BrokenArm& arm : conclusion.broken)
    broken.push(Json::object()
                    .set("on", mask_json(plan, arm.arm))
                    .set("built", arm.built)
                    .set("why", arm.why));
  for (const FailureRule& rule : found.failures)
    failures.push(
        Json::object().set("on", mask_json(plan, rule.on)).set("off", mask_json(plan, rule.off)));
  json.set("effects", std::move(effects)).set("broken", std::move(broken));
  json.set("failures", std::move(failures)).set("runs", std::uint64_t{found.runs});
  return json.set("reproduce", view.reproduce);
}

std::string ablate_html(const Record& record, const Conclusion& conclusion) {
  const AblateView view = view_ablate(record, conclusion);
  Page page(view.title);
  for (std::size_t i = 0; i < view.sentences.size(); ++i)
    page.paragraph(view.sentences[i], i == 0 ? "answer" : "");
  for (const std::string& sentence : view.broken) page.paragraph(sentence, "warning");
  for (const Warning& warning : conclusion.warnings) page.paragraph(warning.text, "warning");
  if (!view.causes.empty()) add_table(page, kCauses, view.causes);
  for (const LinePlot& plot : view.interactions) page.figure(svg(plot), plot.title);
  if (view.waterfall) page.figure(svg(*view.waterfall), view.waterfall->title);
  const std::string metric = title_of(deciding_metric(record.plan));
  if (!view.configurations.empty()) {
    page.heading("Configurations");
    add_table(page, configuration_heads(metric), view.configurations);
  }
  if (!view.effects.empty()) {
    page.heading("Averages over the configurations");
    add_table(page, kEffects, view.effects);
  }
  for (const std::string& line : view.next) page.paragraph(line);
  if (!view.runs.empty()) page.paragraph(view.runs, "dim");
  if (!view.reproduce.empty()) {
    page.heading("Again");
    page.code(view.reproduce);
  }
  return page.html();
}

}  // namespace assay::report
