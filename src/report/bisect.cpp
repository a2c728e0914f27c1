// SPDX-License-Identifier: Apache-2.0
#include "report/bisect.hpp"

#include <fmt/format.h>

#include <cmath>

#include "model/words.hpp"
#include "report/bisect_view.hpp"
#include "report/compare.hpp"
#include "report/page.hpp"
#include "report/plain.hpp"
#include "report/table.hpp"

namespace assay::report {
namespace {

constexpr std::size_t kMostBroken = 8;

std::string joined(const std::vector<std::string>& sentences) {
  std::string text;
  for (const std::string& sentence : sentences) text += (text.empty() ? "" : " ") + sentence;
  return text;
}

std::string gap_text(std::size_t gap) {
  return gap == 1 ? "1 commit between" : fmt::format("{} commits between", gap);
}

std::vector<std::string> cells_of(const CommitRow& row) {
  return {row.name, row.runs == 0 ? "" : fmt::format("{}", row.runs), row.median, row.change,
          row.probability < 0.0005 ? "" : probability_text(row.probability)};
}

const std::vector<std::string> kHead = {"commit", "runs", "median", "change", "probability"};

// "Presize the pool (culprit)".
std::string note_of(const CommitRow& row) {
  if (row.state.empty()) return row.subject;
  return row.subject.empty() ? row.state : fmt::format("{} ({})", row.subject, row.state);
}

std::string table_text(const BisectView& view, const TextOptions& options) {
  std::vector<Column> columns_of_table;
  for (const std::string& head : kHead)
    columns_of_table.push_back({.head = head, .left = head == "commit"});
  std::vector<TableRow> rows;
  for (const CommitRow& row : view.rows) {
    if (row.gap > 0)
      rows.push_back(
          {.cells = std::vector<TableCell>(kHead.size()), .note = "(" + gap_text(row.gap) + ")"});
    std::vector<TableCell> cells;
    for (const std::string& cell : cells_of(row))
      cells.emplace_back(cell, row.suspect ? Tone::bad : Tone::neutral);
    rows.push_back({.cells = std::move(cells), .note = note_of(row)});
  }
  return draw_table(columns_of_table, rows, options);
}

// "3 commits could not be measured: ...".
std::string broken_text(const BisectView& view) {
  if (view.broken.empty()) return {};
  std::string text = view.broken.size() == 1
                         ? "One commit could not be measured: "
                         : fmt::format("{} commits could not be measured: ", view.broken.size());
  for (std::size_t i = 0; i < std::min(kMostBroken, view.broken.size()); ++i)
    text += (i == 0 ? "" : "; ") + view.broken[i];
  if (view.broken.size() > kMostBroken)
    text += fmt::format("; and {} more", view.broken.size() - kMostBroken);
  return text + ".";
}

Json number_or_null(const std::optional<double>& value) { return value ? Json(*value) : Json(); }

Json ratio_json(const RatioText& ratio) {
  return Json::object()
      .set("ratio", number_or_null(ratio.ratio))
      .set("lo99", number_or_null(ratio.lo))
      .set("hi99", number_or_null(ratio.hi));
}

Json flag_or_null(const std::optional<bool>& value) { return value ? Json(*value) : Json(); }

std::string id_of(const Record& record, std::uint32_t commit) {
  return record.plan.design->commits[commit].id;
}

// The members that an answer has: of the first culprit at the top, of all in "culprits".
void set_culprit(Json& json, const Record& record, const CulpritView* view) {
  const bool named = view != nullptr && view->culprit.named;
  json.set("culprit", named ? Json(id_of(record, view->culprit.commit)) : Json());
  json.set("subject", named ? Json(view->subject) : Json());
  json.set("probability", view != nullptr ? Json(view->probability) : Json());
  Json set = Json::array();
  if (view != nullptr)
    for (const std::uint32_t commit : view->culprit.set) set.push(id_of(record, commit));
  json.set("set", std::move(set));
  json.set("confirmed", view != nullptr ? flag_or_null(view->confirmed) : Json());
  json.set("reverting_gives_it_back", view != nullptr ? flag_or_null(view->given_back) : Json());
  json.set("effect", view != nullptr ? ratio_json(view->effect) : Json());
}

}  // namespace

Text bisect_text(const Record& record, const Conclusion& conclusion, const TextOptions& options) {
  const BisectView view = view_bisect(record, conclusion);
  const std::size_t width = columns(options);
  Text text;
  text.warnings = warning_lines(view.warnings, options);
  if (view.failure) {
    text.out = failure_text(*view.failure, options);
    return text;
  }
  for (const auto& paragraph : view.paragraphs) {
    const bool first = &paragraph == &view.paragraphs.front();
    const std::string answer = wrap(paragraph.front(), width);
    text.out += first ? paint(answer, Tone::strong, options.colour) : answer;
    const std::vector<std::string> rest(paragraph.begin() + 1, paragraph.end());
    if (!rest.empty()) text.out += wrap(joined(rest), width);
  }
  if (view.reproduced && !view.rows.empty()) text.out += "\n" + table_text(view, options);
  if (const std::string broken = broken_text(view); !broken.empty())
    text.out += "\n" + wrap(broken, width);
  if (options.histograms && view.levels) text.out += "\n" + draw(*view.levels, options);
  if (options.histograms && view.posterior) text.out += "\n" + draw(*view.posterior, options);
  if (!view.next.empty()) text.out += "\n";
  for (const std::string& line : view.next) text.out += wrap(line, width);
  text.out += "\nagain: " + view.reproduce + "\n";
  return text;
}

Json bisect_json(const Record& record, const Conclusion& conclusion) {
  const BisectView view = view_bisect(record, conclusion);
  Record head = record;  // the arms of the reverts are made from the commits
  head.entries.clear();
  if (head.plan.design && head.plan.arms.size() > head.plan.design->commits.size())
    head.plan.arms.resize(head.plan.design->commits.size());
  Json json = document_head("bisect", head, view.warnings);
  std::string sentence;
  for (const auto& paragraph : view.paragraphs)
    sentence += (sentence.empty() ? "" : " ") + joined(paragraph);
  json.set("sentence", sentence);
  json.set("failure", view.failure ? Json(view.failure->text) : Json());
  json.set("ended_by", to_word(conclusion.ended_by));
  const CulpritView* first = view.culprits.empty() ? nullptr : &view.culprits.front();
  set_culprit(json, record, first);
  const BisectFinding found = conclusion.bisect.value_or(BisectFinding());
  json.set("reproduced", to_word(found.reproduced));
  json.set("ends", conclusion.bisect ? ratio_json(view.ends) : Json());
  json.set("runs", std::uint64_t{found.runs});
  json.set("more_runs", found.more_runs ? Json(std::uint64_t{*found.more_runs}) : Json());
  Json culprits = Json::array();
  for (const CulpritView& culprit : view.culprits) {
    Json one = Json::object();
    set_culprit(one, record, &culprit);
    culprits.push(std::move(one));
  }
  json.set("culprits", std::move(culprits));
  Json commits = Json::array();
  for (const CommitFinding& commit : found.commits)
    commits.push(Json::object()
                     .set("rev", id_of(record, commit.commit))
                     .set("subject", record.plan.design->commits[commit.commit].subject)
                     .set("runs", std::uint64_t{commit.runs})
                     .set("median", commit.runs > 0 ? Json(commit.median) : Json())
                     .set("probability", commit.probability));
  json.set("commits", std::move(commits));
  Json broken = Json::array();
  for (const BrokenArm& arm : conclusion.broken) {
    const auto count = static_cast<std::uint32_t>(
        found.commits.empty() && !record.plan.design ? 0 : record.plan.design->commits.size());
    const bool reverted = arm.arm >= count;
    broken.push(Json::object()
                    .set("rev", id_of(record, reverted ? arm.arm - count : arm.arm))
                    .set("reverted", reverted)
                    .set("built", arm.built)
                    .set("why", arm.why));
  }
  json.set("broken", std::move(broken));
  return json;
}

std::string bisect_html(const Record& record, const Conclusion& conclusion) {
  const BisectView view = view_bisect(record, conclusion);
  Page page("assay bisect " + view.id);
  if (view.failure) {
    page.paragraph("FAILED: " + view.failure->text, "answer");
    page.paragraph(view.failure->way_out);
    return page.html();
  }
  for (const auto& paragraph : view.paragraphs) {
    const bool first = &paragraph == &view.paragraphs.front();
    page.paragraph(paragraph.front(), first ? "answer" : "");
    const std::vector<std::string> rest(paragraph.begin() + 1, paragraph.end());
    if (!rest.empty()) page.paragraph(joined(rest));
  }
  for (const Warning& warning : view.warnings) page.paragraph(warning.text, "warning");
  if (!view.rows.empty()) {
    page.heading("Commits");
    PageTable table{.head = kHead, .rows = {}};
    table.head.emplace_back("");
    for (const CommitRow& row : view.all_rows) {
      if (row.gap > 0) {
        table.rows.emplace_back(kHead.size());
        table.rows.back().push_back("(" + gap_text(row.gap) + ")");
      }
      table.rows.push_back(cells_of(row));
      table.rows.back().push_back(note_of(row));
    }
    page.table(table);
  }
  if (view.levels) page.figure(svg(*view.levels), view.levels->title);
  if (view.posterior) page.figure(svg(*view.posterior), view.posterior->title);
  if (const std::string broken = broken_text(view); !broken.empty()) page.paragraph(broken);
  for (const std::string& line : view.next) page.paragraph(line);
  page.heading("Again");
  page.code(view.reproduce);
  return page.html();
}

}  // namespace assay::report
