// SPDX-License-Identifier: Apache-2.0
#include "model/codec.hpp"
#include "model/words.hpp"
#include "report/compare.hpp"
#include "report/wording.hpp"

namespace assay::report {
namespace {

Json subjects_json(const Plan& plan) {
  Json subjects = Json::array();
  for (const Side& side : sides_of(plan)) {
    Json subject = Json::object();
    subject.set("letter", side.letter);
    subject.set("role", side.arm == 0 ? "baseline" : side.control ? "control" : "candidate");
    subject.set("command", side.command);
    const Json members = to_json(plan.arms[side.arm]);
    for (const auto& [name, value] : members.members()) subject.set(name, value);
    subjects.push(std::move(subject));
  }
  return subjects;
}

Json metric_json(const Row& row, const Block& block) {
  const auto when_judged = [&](std::string_view word) { return row.judged ? Json(word) : Json(); };
  Json json = Json::object();
  json.set("name", row.metric.name);
  json.set("unit", row.metric.unit);
  json.set("better", to_word(row.metric.better));
  json.set("gating", row.metric.gating);
  json.set("judged", row.judged);
  json.set("candidate", block.side.label);
  json.set("arm", row.arm);
  json.set("control", block.side.control);
  json.set("verdict", when_judged(to_word(row.verdict)));
  json.set("word", when_judged(row.word));
  json.set("ratio", row.ratio);
  json.set("lo99", row.lo99);
  json.set("hi99", row.hi99);
  json.set("lo95", row.lo95);
  json.set("hi95", row.hi95);
  json.set("bound99", row.bound99);
  json.set("runs", row.runs);
  json.set("all_runs", row.all_runs);
  json.set("since_ratio", row.since_ratio);
  json.set("sign", to_word(row.sign));
  json.set("reason", to_word(row.reason));
  json.set("more", row.more);
  json.set("p_seq", row.p_seq);
  json.set("by_holm", row.by_holm);
  json.set("tolerance", row.tolerance);
  json.set("baseline_median", row.baseline_median);
  json.set("candidate_median", row.candidate_median);
  json.set("method", row.metric.method);
  Json notes = Json::array();
  for (const std::string& note : row.notes) notes.push(note);
  json.set("notes", std::move(notes));
  return json;
}

Json failure_json(const CompareView& view) {
  if (!view.failure) return Json();
  const Failure& failure = *view.failure;
  Json json = Json::object();
  json.set("text", failure.text);
  json.set("arm", failure.arm);
  json.set("how", failure.exit ? Json(to_word(failure.exit->how)) : Json());
  json.set("code", failure.exit ? Json(failure.exit->code) : Json());
  Json lines = Json::array();
  for (const std::string& line : failure.last_lines) lines.push(line);
  json.set("last_lines", std::move(lines));
  json.set("way_out", failure.way_out);
  return json;
}

}  // namespace

Json document_head(const std::string& kind, const std::string& id, const Plan& plan,
                   const Host& host, const std::vector<Warning>& warnings) {
  Json json = Json::object();
  json.set("schema_version", kSchemaVersion);
  json.set("kind", kind);
  json.set("id", id);
  json.set("seed", plan.seed);
  json.set("name", plan.name);
  Json settings = Json::object();
  const Json all = to_json(plan);
  for (const auto& [name, value] : all.members())
    if (name != "arms" && name != "seed" && name != "name" && name != "kind")
      settings.set(name, value);
  json.set("plan", std::move(settings));
  json.set("subjects", subjects_json(plan));
  json.set("host", to_json(host));
  Json list = Json::array();
  for (const Warning& warning : warnings)
    list.push(Json::object().set("kind", to_word(warning.kind)).set("text", warning.text));
  json.set("warnings", std::move(list));
  return json;
}

Json document_head(const std::string& kind, const Record& record,
                   const std::vector<Warning>& warnings) {
  return document_head(kind, record.id, record.plan, record.host, warnings);
}

Json compare_json(const CompareView& view) {
  Json json = document_head("compare", view.id, view.plan, view.host, view.warnings);
  json.set("verdict", to_word(view.overall));
  json.set("withheld", view.withheld);
  json.set("exploratory", view.exploratory);
  json.set("ended_by", to_word(view.ended_by));
  json.set("sentence", view.sentence);
  json.set("failure", failure_json(view));
  Json metrics = Json::array();
  for (const Block& block : view.blocks)
    for (const Row& row : block.rows) metrics.push(metric_json(row, block));
  json.set("metrics", std::move(metrics));
  if (!view.plan.events) return json;
  Json stages = Json::array();
  for (const Block& block : view.blocks)
    for (const Row& row : block.stages) stages.push(metric_json(row, block));
  json.set("stages", std::move(stages));
  return json;
}

Json compare_json(const Record& record, const Conclusion& conclusion) {
  return compare_json(view_compare(record, conclusion));
}

}  // namespace assay::report
