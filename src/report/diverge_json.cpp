// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "report/compare.hpp"
#include "report/diverge.hpp"

namespace assay::report {
namespace {

using diverge::Answer;
using diverge::ParticipantFindings;
using diverge::Range;
using diverge::RunFindings;
using diverge::Stall;

Json strings_json(const std::vector<std::string>& texts) {
  Json json = Json::array();
  for (const std::string& text : texts) json.push(text);
  return json;
}

Json ranges_json(const std::vector<Range>& ranges) {
  Json json = Json::array();
  for (const Range& range : ranges)
    json.push(Json::object().set("from", range.from).set("to", range.to).set("steps", range.steps));
  return json;
}

Json stall_json(const Stall& stall) {
  return Json::object()
      .set("step", stall.step)
      .set("first_line", stall.first_line)
      .set("last_line", stall.last_line)
      .set("repeats", stall.repeats);
}

Json answer_json(const Answer& answer) {
  return Json::object().set("value", answer.value).set("line", answer.line);
}

Json step_json(const DivergeRun& run, const std::optional<diverge::StepAnswers>& step,
               bool with_excerpts) {
  if (!step) return {};
  Json answers = Json::array();
  for (std::size_t p = 0; p < step->answers.size(); ++p) {
    if (!step->answers[p]) continue;
    Json answer = Json::object();
    answer.set("participant", run.participants[p].name);
    answer.set("file", run.participants[p].file);
    answer.set("value", step->answers[p]->value).set("line", step->answers[p]->line);
    if (with_excerpts && p < run.excerpts.size() && run.excerpts[p])
      answer.set("excerpt", Json::object()
                                .set("first_line", run.excerpts[p]->first_line)
                                .set("lines", strings_json(run.excerpts[p]->lines)));
    answers.push(std::move(answer));
  }
  return Json::object().set("step", step->step).set("answers", std::move(answers));
}

Json phases_json(const DivergeRun& run) {
  Json phases = Json::array();
  for (const diverge::Phase& phase : run.findings.phases) {
    std::vector<Json> groups;
    for (std::size_t p = 0; p < phase.groups.size(); ++p) {
      if (!phase.groups[p]) continue;
      if (groups.size() <= *phase.groups[p]) groups.resize(*phase.groups[p] + 1, Json::array());
      groups[*phase.groups[p]].push(run.participants[p].name);
    }
    phases.push(Json::object()
                    .set("from", phase.from)
                    .set("to", phase.to)
                    .set("steps", phase.steps)
                    .set("groups", Json(std::move(groups))));
  }
  return phases;
}

Json lines_json(const diverge::Lines& lines) {
  return Json::object()
      .set("read", lines.lines)
      .set("with_answer", lines.with_answer)
      .set("no_value", lines.no_value)
      .set("bad_step", lines.bad_step)
      .set("bad_json", lines.bad_json)
      .set("too_long", lines.long_lines)
      .set("torn", lines.torn ? 1 : 0);
}

Json participant_json(const DivergeRun& run, std::size_t p) {
  const ParticipantFindings& found = run.findings.participants[p];
  Json rewinds = Json::array(), stalls = Json::array(), changed = Json::array();
  for (const diverge::Rewind& r : found.rewinds)
    rewinds.push(Json::object()
                     .set("from", r.from)
                     .set("to", r.to)
                     .set("line", r.line)
                     .set("repeated", r.repeated)
                     .set("changed", r.changed));
  for (const Stall& stall : found.stalls) stalls.push(stall_json(stall));
  for (const diverge::Changed& c : found.changed)
    changed.push(Json::object()
                     .set("step", c.step)
                     .set("was", answer_json(c.was))
                     .set("now", answer_json(c.now)));
  Json json = Json::object();
  json.set("name", run.participants[p].name).set("file", run.participants[p].file);
  json.set("kind", run.participants[p].kind).set("lines", lines_json(run.lines[p]));
  json.set("answers", found.answers);
  json.set("first_step", found.answers > 0 ? Json(found.first_step) : Json());
  json.set("last_step", found.answers > 0 ? Json(found.last_step) : Json());
  json.set("stops", found.stops ? stall_json(*found.stops) : Json());
  json.set("rewinds", std::move(rewinds)).set("rewind_count", found.rewind_count);
  json.set("stalls", std::move(stalls)).set("stall_count", found.stall_count);
  json.set("changed", std::move(changed)).set("changed_count", found.changed_count);
  json.set("repeated_count", found.repeated_count);
  json.set("missing", ranges_json(found.missing)).set("missing_count", found.missing_count);
  json.set("alone", ranges_json(found.alone)).set("alone_count", found.alone_count);
  json.set("late_count", found.late_count);
  return json;
}

Json run_json(const DivergeRun& run) {
  const RunFindings& found = run.findings;
  Json participants = Json::array();
  for (std::size_t p = 0; p < run.participants.size(); ++p)
    participants.push(participant_json(run, p));
  Json json = Json::object();
  json.set("name", run.name).set("steps", found.steps).set("common", found.common);
  json.set("disagreements", found.disagreements);
  json.set("last_agreed", step_json(run, found.last_agreed, false));
  json.set("first_disagreement", step_json(run, found.first_disagreed, true));
  json.set("agreed_again", ranges_json(found.agreed_again));
  json.set("agreed_again_count", found.agreed_again_count);
  json.set("agrees_since", found.agrees_since);
  json.set("phases", phases_json(run)).set("phases_left_out", found.phases_left_out);
  json.set("participants", std::move(participants));
  return json;
}

const char* word_of(diverge::ControlSays says) {
  static constexpr std::array kWords = {"agrees", "splits", "ends_before", "nothing"};
  return kWords[static_cast<std::size_t>(says)];
}

const char* word_of(diverge::Between between) {
  static constexpr std::array kWords = {"nobody", "kinds", "participants", "across_kinds",
                                        "within_kind"};
  return kWords[static_cast<std::size_t>(between)];
}

}  // namespace

Json diverge_json(const DivergeView& view) {
  const RunFindings& found = view.run.findings;
  Json controls = Json::array(), warnings = Json::array();
  for (std::size_t c = 0; c < view.controls.size(); ++c) {
    Json control = run_json(view.control_runs[c]);
    control.set("of_kind", view.controls[c].kind);
    control.set("says", word_of(view.implication.controls[c]));
    controls.push(std::move(control));
  }
  for (const std::string& text : diverge_warnings(view))
    warnings.push(Json::object().set("kind", "input").set("text", text));
  const diverge::Implication& implied = view.implication;
  Json implication = Json::object();
  implication.set("between", word_of(implied.between)).set("kinds", strings_json(implied.kinds));
  implication.set("confirmed", strings_json(implied.confirmed));
  implication.set("not_run", strings_json(implied.not_run));
  implication.set("split_kinds", strings_json(implied.split_kinds));
  implication.set("sentences", strings_json(implication_sentences(view)));
  Json json = Json::object();
  json.set("schema_version", kSchemaVersion).set("kind", "diverge");
  json.set("verdict", found.common == 0       ? "nothing_in_common"
                      : found.first_disagreed ? "diverge"
                                              : "agree");
  json.set("sentence", sentence_of(view)).set("key", view.key).set("value", view.value);
  json.set("run", run_json(view.run)).set("controls", std::move(controls));
  json.set("implication", std::move(implication)).set("warnings", std::move(warnings));
  return json;
}

}  // namespace assay::report
