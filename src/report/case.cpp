// SPDX-License-Identifier: Apache-2.0
#include "report/case.hpp"

#include <fmt/format.h>

#include <cmath>

#include "model/words.hpp"
#include "report/case_view.hpp"
#include "report/page.hpp"
#include "report/plain.hpp"
#include "report/table.hpp"

namespace assay::report {
namespace {

using cases::CaseStatus;
using cases::Effect;
using cases::HypothesisStatus;
using cases::Quantity;

constexpr int kVersion = 1;  // of the JSON document

std::string table_text(const CaseView& view, const TextOptions& options) {
  std::vector<TableRow> rows;
  for (const CaseRow& row : case_rows(view))
    rows.push_back(
        {.cells =
             {{row.id, Tone::strong}, row.predicted, row.measured, row.share, {row.word, row.tone}},
         .note = row.reason});
  return draw_table({{.head = "hypothesis", .left = true},
                     {.head = "predicted", .left = true},
                     {.head = "measured", .left = true},
                     {.head = "of the gap", .left = true},
                     {.head = "", .left = true}},
                    rows, options);
}

std::string rounds_text(const CaseView& view, const TextOptions& options) {
  std::vector<TableRow> rows;
  for (const RoundRow& row : round_rows(view))
    rows.push_back({.cells = {row.number, row.date, row.text, row.result, row.record}});
  return draw_table({{.head = "round"},
                     {.head = "when", .left = true},
                     {.head = "what was tried", .left = true},
                     {.head = "what came of it", .left = true},
                     {.head = "record", .left = true}},
                    rows, options);
}

std::string step_text(const NextStep& step) {
  if (step.command.empty())
    return fmt::format("{}: no test is stated; add test = \"assay ...\" to the file", step.id);
  return fmt::format("{}: {}{}", step.id, step.command,
                     step.price.empty() ? "" : fmt::format("  ({})", step.price));
}

const char* quantity_word(Quantity quantity) {
  switch (quantity) {
    case Quantity::seconds:
      return "s";
    case Quantity::bytes:
      return "B";
    case Quantity::fraction:
      break;
  }
  return "1";
}

Json effect_json(const Effect& effect, Quantity quantity) {
  Json json = Json::object();
  json.set("unit", quantity_word(quantity)).set("value", effect.value);
  json.set("lo", effect.lo).set("hi", effect.hi);
  return json;
}

Json share_json(const std::optional<cases::Share>& share) {
  if (!share) return {};
  return Json::object().set("value", share->value).set("lo", share->lo).set("hi", share->hi);
}

Json hypothesis_json(const CaseView& view, const HypothesisStatus& status) {
  const cases::Hypothesis& hypothesis = view.of.hypotheses[status.hypothesis];
  Json json = Json::object();
  json.set("id", hypothesis.id).set("mechanism", hypothesis.mechanism);
  json.set("predict", hypothesis.predict);
  if (const auto* size = std::get_if<cases::Size>(&hypothesis.prediction)) {
    Json predicted = Json::object();
    predicted.set("unit", quantity_word(size->quantity)).set("lo", size->lo);
    predicted.set("hi", std::isfinite(size->hi) ? Json(size->hi) : Json());
    json.set("predicted", std::move(predicted));
  } else {
    json.set("predicted", cases::to_text(hypothesis.prediction));
  }
  json.set("word", cases::to_word(status.word)).set("reason", status.reason);
  Json measured;
  if (status.measured) {
    measured = effect_json(status.measured->effect, status.measured->quantity);
    measured.set("record", status.measured->record).set("source", status.measured->source);
    measured.set("runs", status.measured->runs)
        .set("carries_word", status.measured->no_word.empty());
  }
  json.set("measured", std::move(measured));
  Json seen;
  if (status.seen) {
    seen = Json::object();
    seen.set("shape", to_word(status.seen->shape)).set("parameter", status.seen->parameter);
    seen.set("rises", status.seen->rises).set("at", status.seen->at);
    seen.set("bound", status.seen->bound);
    seen.set("record", status.seen->record).set("source", status.seen->source);
  }
  json.set("seen", std::move(seen)).set("share", share_json(status.share));
  json.set("tests", static_cast<std::uint64_t>(status.tests)).set("more_runs", status.more_runs);
  json.set("next", status.next).set("price", status.price);
  Json notes = Json::array();
  for (const std::string& note : status.notes) notes.push(note);
  return json.set("notes", std::move(notes));
}

// A cell of a Markdown table.
std::string cell(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '|' || c == '<' || c == '*' || c == '_' || c == '`' || c == '[') out += '\\';
    out += c;
  }
  return out;
}

}  // namespace

Text case_text(const CaseView& view, const TextOptions& options) {
  const std::size_t width = columns(options);
  Text text;
  std::string& out = text.out;
  out += wrap(fmt::format("{}: {}", plain(view.of.name), plain(view.of.question)), width, 2);
  out += wrap(plain(view.status.sentence), width, 2);
  for (const std::string& line : gap_lines(view)) out += wrap("gap " + line, width, 2);
  out += "\n" + table_text(view, options);
  if (const auto plot = case_plot(view)) out += "\n" + draw(*plot, options);
  if (const auto facts = fact_lines(view); !facts.empty()) {
    out += "\nfacts\n";
    for (const std::string& line : facts) out += wrap("  " + line, width, 4);
  }
  if (view.status.patch_on_patch) {
    out += "\n" + rounds_text(view, options);
    out += wrap(round_remark(view), width, 2);
  } else if (!view.status.rounds.empty()) {
    const RoundRow last = round_rows(view).back();
    out += wrap(fmt::format("last tried: {} ({})", last.text, last.result), width, 2);
  }
  if (const auto steps = next_steps(view); !steps.empty()) {
    out += "\nto decide what is open\n";
    for (const NextStep& step : steps) out += wrap("  " + step_text(step), width, 4);
  }
  for (const std::string& line : note_lines(view)) out += wrap("note: " + line, width, 2);
  for (const std::string& warning : view.status.warnings)
    text.warnings += wrap("warning: " + plain(warning), width, 2);
  return text;
}

Json case_json(const CaseView& view) {
  Json json = Json::object();
  json.set("schema_version", kVersion).set("kind", "case").set("name", view.of.name);
  json.set("file", view.file).set("question", view.of.question);
  json.set("sentence", view.status.sentence);
  Json hypotheses = Json::array(), remainders = Json::array(), facts = Json::array(),
       rounds = Json::array(), warnings = Json::array();
  for (const HypothesisStatus& status : view.status.hypotheses)
    hypotheses.push(hypothesis_json(view, status));
  for (const cases::Remainder& remainder : view.status.remainders) {
    Json explained = Json::array();
    for (const std::size_t i : remainder.explained) explained.push(view.of.hypotheses[i].id);
    remainders.push(Json::object()
                        .set("gap", effect_json(remainder.gap, remainder.quantity))
                        .set("gap_source", remainder.gap_source)
                        .set("explained_by", std::move(explained))
                        .set("unexplained", effect_json(remainder.rest, remainder.quantity))
                        .set("share", share_json(remainder.share)));
  }
  for (const cases::Fact& fact : view.status.facts) {
    const cases::Evidence& evidence = view.of.evidence[fact.evidence];
    facts.push(Json::object()
                   .set("record", evidence.record)
                   .set("text", fact.text)
                   .set("note", evidence.note));
  }
  for (const cases::RoundStatus& status : view.status.rounds) {
    const cases::Round& round = view.of.rounds[status.round];
    rounds.push(Json::object()
                    .set("date", round.date)
                    .set("text", round.text)
                    .set("record", round.record)
                    .set("result", round.result)
                    .set("measured", status.effect));
  }
  for (const std::string& warning : view.status.warnings)
    warnings.push(Json::object().set("kind", "case").set("text", warning));
  json.set("hypotheses", std::move(hypotheses)).set("remainders", std::move(remainders));
  json.set("facts", std::move(facts)).set("rounds", std::move(rounds));
  json.set("patch_on_patch", view.status.patch_on_patch);
  return json.set("warnings", std::move(warnings));
}

std::string case_markdown(const CaseView& view) {
  std::string out = fmt::format("# {}\n\n{}\n\n**{}**\n\n", cell(plain(view.of.name)),
                                cell(plain(view.of.question)), cell(plain(view.status.sentence)));
  for (const std::string& line : gap_lines(view))
    out += fmt::format("The gap: {}.\n\n", cell(line));
  out +=
      "| hypothesis | mechanism | predicted | measured | of the gap | "
      "|\n|---|---|---|---|---|---|\n";
  const auto rows = case_rows(view);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const bool own = i < view.of.hypotheses.size();
    out += fmt::format("| {} | {} | {} | {} | {} | {}{} |\n", cell(rows[i].id),
                       own ? cell(plain(view.of.hypotheses[i].mechanism)) : "",
                       cell(rows[i].predicted), cell(rows[i].measured), cell(rows[i].share),
                       own ? fmt::format("**{}**: ", rows[i].word) : "", cell(rows[i].reason));
  }
  if (const auto facts = fact_lines(view); !facts.empty()) {
    out += "\n## Facts\n\n";
    for (const std::string& line : facts) out += fmt::format("- {}\n", cell(line));
  }
  if (!view.status.rounds.empty()) {
    out +=
        "\n## What was tried\n\n| | when | what | what came of it | record "
        "|\n|---|---|---|---|---|\n";
    for (const RoundRow& row : round_rows(view))
      out += fmt::format("| {} | {} | {} | {} | {} |\n", row.number, cell(row.date), cell(row.text),
                         cell(row.result), cell(row.record));
    if (const std::string remark = round_remark(view); !remark.empty())
      out += fmt::format("\n{}\n", cell(remark));
  }
  if (const auto steps = next_steps(view); !steps.empty()) {
    out += "\n## What is open\n\n";
    for (const NextStep& step : steps) out += fmt::format("- {}\n", cell(step_text(step)));
  }
  const auto notes = note_lines(view);
  if (!notes.empty() || !view.status.warnings.empty()) {
    out += "\n## Notes\n\n";
    for (const std::string& line : notes) out += fmt::format("- {}\n", cell(line));
    for (const std::string& line : view.status.warnings)
      out += fmt::format("- {}\n", cell(plain(line)));
  }
  return out + "\n" + wrap(case_legend(), 100);
}

std::string case_html(const CaseView& view) {
  Page page(fmt::format("Case {}", plain(view.of.name)));
  page.paragraph(plain(view.of.question));
  page.paragraph(plain(view.status.sentence), "answer");
  for (const std::string& warning : view.status.warnings) page.paragraph(plain(warning), "warning");
  for (const std::string& line : gap_lines(view)) page.paragraph("The gap: " + line + ".");
  page.heading("Hypotheses");
  PageTable table{
      .head = {"hypothesis", "mechanism", "predicted", "measured", "of the gap", "", "why"}};
  const auto rows = case_rows(view);
  for (std::size_t i = 0; i < rows.size(); ++i)
    table.rows.push_back(
        {rows[i].id,
         i < view.of.hypotheses.size() ? plain(view.of.hypotheses[i].mechanism) : std::string(),
         rows[i].predicted, rows[i].measured, rows[i].share, rows[i].word, rows[i].reason});
  page.table(table);
  if (const auto plot = case_plot(view)) page.figure(svg(*plot), plot->title);
  if (const auto facts = fact_lines(view); !facts.empty()) {
    page.heading("Facts");
    for (const std::string& line : facts) page.paragraph(line);
  }
  if (!view.status.rounds.empty()) {
    page.heading("What was tried");
    PageTable rounds{.head = {"", "when", "what", "what came of it", "record"}};
    for (const RoundRow& row : round_rows(view))
      rounds.rows.push_back({row.number, row.date, row.text, row.result, row.record});
    page.table(rounds);
    if (const std::string remark = round_remark(view); !remark.empty()) page.paragraph(remark);
  }
  if (const auto steps = next_steps(view); !steps.empty()) {
    page.heading("What is open");
    for (const NextStep& step : steps) {
      page.paragraph(step.id + (step.price.empty() ? "" : ": " + step.price));
      if (!step.command.empty()) page.code(step.command);
    }
  }
  for (const std::string& line : note_lines(view)) page.paragraph(line);
  page.paragraph(case_legend());
  return page.html();
}

std::string cases_text(std::span<const CaseView> views, const TextOptions& options) {
  std::vector<TableRow> rows;
  for (const CaseView& view : views)
    rows.push_back({.cells = {{plain(view.of.name), Tone::strong},
                              std::to_string(view.status.confirmed),
                              std::to_string(view.status.ruled_out),
                              std::to_string(view.status.open),
                              std::to_string(view.of.rounds.size()),
                              plain(view.of.question)}});
  return draw_table({{.head = "case", .left = true},
                     {.head = "confirmed"},
                     {.head = "ruled out"},
                     {.head = "open"},
                     {.head = "rounds"},
                     {.head = "question", .left = true}},
                    rows, options);
}

Json cases_json(std::span<const CaseView> views) {
  Json list = Json::array();
  for (const CaseView& view : views)
    list.push(Json::object()
                  .set("name", view.of.name)
                  .set("question", view.of.question)
                  .set("file", view.file)
                  .set("confirmed", static_cast<std::uint64_t>(view.status.confirmed))
                  .set("ruled_out", static_cast<std::uint64_t>(view.status.ruled_out))
                  .set("open", static_cast<std::uint64_t>(view.status.open))
                  .set("rounds", static_cast<std::uint64_t>(view.of.rounds.size())));
  return Json::object()
      .set("schema_version", kVersion)
      .set("kind", "cases")
      .set("cases", std::move(list))
      .set("warnings", Json::array());
}

}  // namespace assay::report
