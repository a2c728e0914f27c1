// SPDX-License-Identifier: Apache-2.0
#include "report/timeline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "model/words.hpp"
#include "report/compare.hpp"
#include "report/estimates.hpp"
#include "report/page.hpp"
#include "report/table.hpp"
#include "report/wording.hpp"

namespace assay::report {
namespace {

constexpr std::size_t kShort = 10, kSubject = 40;
constexpr std::uint32_t kLeastRounds = 12;

struct CommitLine {
  std::uint32_t arm = 0;
  std::string commit = {}, subject = {}, median = {}, to_parent = {}, bounds = {}, to_first = {},
              first_bounds = {}, memory = {}, memory_change = {}, note = {};
  Tone tone = Tone::neutral;
};

struct View {
  std::vector<std::string> sentences = {}, broken = {}, remarks = {};
  std::vector<CommitLine> rows = {};
  IntervalPlot plot = {};
  std::string runs = {}, reproduce = {};
};

class Teller {
 public:
  Teller(const Record& record, const Conclusion& conclusion)
      : plan_(record.plan),
        conclusion_(conclusion),
        found_(conclusion.timeline.value_or(TimelineFinding{})),
        metric_(deciding_metric(plan_)) {}

  View view() {
    View view;
    view.reproduce = reproduce_line(plan_);
    for (const BrokenArm& broken : conclusion_.broken)
      view.broken.push_back(quoted(broken.arm) + " " + plain(broken.why));
    if (!conclusion_.timeline) {
      view.sentences = {capitalised(plain(conclusion_.failure.empty() ? "nothing was measured"
                                                                      : conclusion_.failure)) +
                        ", so nothing is concluded."};
      return view;
    }
    view.sentences = sentences();
    for (const TimelineCommit& commit : found_.commits) view.rows.push_back(row_of(commit));
    for (const BrokenArm& broken : conclusion_.broken) {
      CommitLine row = named(broken.arm);
      row.note = plain(broken.why);
      row.tone = Tone::broken;
      view.rows.push_back(std::move(row));
    }
    std::ranges::stable_sort(view.rows, {}, &CommitLine::arm);
    view.plot = plot();
    view.remarks = remarks();
    view.runs = fmt::format("{} rounds of {} commits", found_.rounds, found_.commits.size());
    return view;
  }

 private:
  RatioEstimate ratio(const Estimate& estimate) const { return ratio_of(estimate, metric_.better); }
  std::string id(std::uint32_t arm) const {
    return plain(plan_.design->commits[arm].id.substr(0, kShort));
  }
  std::string subject(std::uint32_t arm) const {
    return fit(plain(plan_.design->commits[arm].subject), kSubject);
  }
  // Commits that were listed one by one: others may lie between them.
  bool is_list() const {
    return std::ranges::any_of(
        plan_.design->asked, [](const std::string& word) { return word.starts_with("--commits"); });
  }
  std::string quoted(std::uint32_t arm) const {
    const std::string words = subject(arm);
    return words.empty() ? id(arm) : fmt::format("{} '{}'", id(arm), words);
  }

  std::vector<std::string> sentences() const {
    const std::string noun = subject_of(metric_);
    if (found_.rounds < kLeastRounds)
      return {fmt::format("UNDECIDED: {}, and steps need {}.", counted(found_.rounds, "round"),
                          kLeastRounds)};
    std::vector<std::string> all;
    for (const TimelineCommit& commit : found_.commits) {
      const auto change = commit.step_change();
      if (!change) continue;
      std::string text =
          fmt::format("{} changes by {} {} {}", noun, change_with_bounds(ratio(*change)),
                      is_list() ? "up to" : "with", quoted(commit.to_first.arm));
      if (commit.undone_by) text += fmt::format("; {} undid it", quoted(*commit.undone_by));
      all.push_back(text + ".");
    }
    if (all.empty())
      all.push_back(fmt::format("{} makes no step of {} or more at any of {} commits.", noun,
                                percent(plan_.tolerance), found_.commits.size()));
    else if (found_.back_at_first)
      all.push_back(
          fmt::format("The last equals the first within {}: undo them all and nothing of "
                      "{} is lost.",
                      percent(plan_.tolerance), noun_of(metric_)));
    return all;
  }

  static Tone tone_of(const TimelineCommit& commit) {
    const auto change = commit.step_change();
    return !change ? Tone::neutral : change->value > 0 ? Tone::bad : Tone::good;
  }

  CommitLine named(std::uint32_t arm) const {
    CommitLine row{.arm = arm};
    row.commit = id(arm);
    row.subject = subject(arm);
    return row;
  }

  CommitLine row_of(const TimelineCommit& commit) const {
    const std::uint32_t arm = commit.to_first.arm;
    const bool first = arm == found_.commits.front().to_first.arm;
    CommitLine row = named(arm);
    row.median = fit(plain(format_value(commit.to_first.median, metric_.unit)), 20);
    if (commit.to_first.memory) row.memory = format_bytes(*commit.to_first.memory);
    if (!first) {
      row.to_parent = change_text(ratio(commit.to_parent));
      row.bounds = bounds_text(ratio(commit.to_parent));
      row.to_first = change_text(ratio(commit.to_first.effect));
      row.first_bounds = bounds_text(ratio(commit.to_first.effect));
      if (commit.memory_to_parent)
        row.memory_change = format_change(std::exp(commit.memory_to_parent->value));
    }
    if (commit.step) row.note = "STEP";
    row.tone = tone_of(commit);
    if (commit.memory_step) row.note += row.note.empty() ? "memory STEP" : ", memory STEP";
    if (commit.undone_by) row.note += " (until " + id(*commit.undone_by) + " undid it)";
    return row;
  }

  IntervalPlot plot() const {
    IntervalPlot plot{.title = fmt::format("{} of each commit", title_of(metric_)),
                      .reference = 0,
                      .band_lo = -100 * plan_.tolerance,
                      .band_hi = 100 * plan_.tolerance};
    for (const TimelineCommit& commit : found_.commits) {
      const bool first = commit.to_first.arm == found_.commits.front().to_first.arm;
      PlotPoint point =
          point_of(id(commit.to_first.arm), ratio(commit.to_first.effect), tone_of(commit));
      if (first) point.lo = point.hi = std::nullopt;
      if (commit.to_first.memory) point.note = format_bytes(*commit.to_first.memory);
      plot.points.push_back(std::move(point));
    }
    return plot_of_changes(std::move(plot), "the first");
  }

  std::vector<std::string> remarks() const {
    std::vector<std::string> all;
    for (const TimelineCommit& commit : found_.commits)
      if (const auto change = commit.memory_step_change())
        all.push_back(fmt::format("Peak memory changes by {} {} {}.",
                                  change_with_bounds(ratio_of(*change, Better::lower)),
                                  is_list() ? "up to" : "with", quoted(commit.to_first.arm)));
    for (std::size_t i = 1; i < found_.commits.size(); ++i)
      if (found_.commits[i].step &&
          found_.commits[i].to_first.arm != found_.commits[i - 1].to_first.arm + 1)
        all.push_back(
            fmt::format("{} may share its step with the commits in front of it that do "
                        "not run.",
                        id(found_.commits[i].to_first.arm)));
    if (found_.commits.size() > 1)
      all.push_back(fmt::format("From the first to the last: {} in {}.",
                                change_with_bounds(ratio(found_.commits.back().to_first.effect)),
                                noun_of(metric_)));
    if (conclusion_.ended_by == EndedBy::time_budget)
      all.push_back(fmt::format("The time budget ended it after {} of {} rounds.", found_.rounds,
                                plan_.runs));
    if (conclusion_.ended_by == EndedBy::interrupted)
      all.push_back(fmt::format("Interrupted after {} of {} rounds: 'assay resume' goes on.",
                                found_.rounds, plan_.runs));
    return all;
  }

  const Plan& plan_;
  const Conclusion& conclusion_;
  TimelineFinding found_;
  const Metric& metric_;
};

// "STEP: Check every entry"
std::string note_of(const CommitLine& row) {
  if (row.note.empty() || row.subject.empty()) return row.note + row.subject;
  return row.note + ": " + row.subject;
}

Json estimate_json(const RatioEstimate& ratio) {
  return Json::object().set("ratio", ratio.ratio).set("lo", ratio.lo).set("hi", ratio.hi);
}

Json commit_json(const Plan& plan, const TimelineCommit& commit) {
  const Metric& metric = deciding_metric(plan);
  const std::uint32_t arm = commit.to_first.arm;
  const Commit& of = plan.design->commits[arm];
  const auto if_known = [](const std::optional<Estimate>& estimate, Better better) {
    return estimate ? estimate_json(ratio_of(*estimate, better)) : Json();
  };
  Json metrics = Json::object();
  metrics.set("name", metric.name).set("median", commit.to_first.median);
  metrics.set("to_parent", estimate_json(ratio_of(commit.to_parent, metric.better)));
  metrics.set("to_first", estimate_json(ratio_of(commit.to_first.effect, metric.better)));
  Json json = Json::object();
  json.set("rev", of.id).set("subject", of.subject).set("arm", arm);
  json.set("runs", commit.to_first.runs).set("metrics", Json::array().push(std::move(metrics)));
  json.set("peak_memory", commit.to_first.memory);
  json.set("memory_to_parent", if_known(commit.memory_to_parent, Better::lower));
  json.set("memory_to_first", if_known(commit.to_first.memory_effect, Better::lower));
  json.set("step", commit.step).set("memory_step", commit.memory_step);
  json.set("step_effect", if_known(commit.step_effect, metric.better));
  json.set("memory_step_effect", if_known(commit.memory_step_effect, Better::lower));
  json.set("undone_by",
           commit.undone_by ? Json(plan.design->commits[*commit.undone_by].id) : Json());
  return json;
}

}  // namespace

Text timeline_text(const Record& record, const Conclusion& conclusion, const TextOptions& options) {
  const View view = Teller(record, conclusion).view();
  const std::size_t width = columns(options);
  std::string out;
  for (const std::string& sentence : view.sentences) out += wrap(sentence, width, 2);
  for (const std::string& sentence : view.broken)
    out += wrap(sentence + (conclusion.timeline ? "; the others went on." : "."), width, 2);
  if (!view.rows.empty()) {
    std::vector<TableRow> rows;
    for (const CommitLine& row : view.rows)
      rows.push_back({.cells = {{row.commit, Tone::strong},
                                row.median,
                                {row.to_parent, row.tone},
                                row.bounds,
                                row.to_first,
                                row.memory,
                                row.memory_change},
                      .note = note_of(row)});
    out += "\n" + draw_table({{.head = "commit", .left = true},
                              {.head = title_of(deciding_metric(record.plan))},
                              {.head = "to parent"},
                              {.head = "interval", .left = true},
                              {.head = "to first"},
                              {.head = "peak mem"},
                              {.head = "to parent"}},
                             rows, options);
    out += wrap(view.runs, width, 2);
    if (options.histograms) out += "\n" + draw(view.plot, options);
  }
  if (!view.remarks.empty()) out += "\n";
  for (const std::string& remark : view.remarks) out += wrap(remark, width, 2);
  if (!view.reproduce.empty()) out += "\nagain: " + view.reproduce + "\n";
  return {.out = out, .warnings = warning_lines(conclusion.warnings, options)};
}

Json timeline_json(const Record& record, const Conclusion& conclusion) {
  const View view = Teller(record, conclusion).view();
  const Plan& plan = record.plan;
  const TimelineFinding found = conclusion.timeline.value_or(TimelineFinding{});
  Json json = document_head("timeline", record, conclusion.warnings);
  std::string sentence;
  for (const std::string& one : view.sentences) sentence += (sentence.empty() ? "" : " ") + one;
  json.set("verdict", to_word(conclusion.overall)).set("ended_by", to_word(conclusion.ended_by));
  json.set("answer", conclusion.answer).set("sentence", sentence);
  json.set("failure", conclusion.failure.empty() ? Json() : Json(conclusion.failure));
  Json commits = Json::array(), steps = Json::array(), broken = Json::array();
  for (const TimelineCommit& commit : found.commits) {
    commits.push(commit_json(plan, commit));
    if (commit.step) steps.push(plan.design->commits[commit.to_first.arm].id);
  }
  for (const BrokenArm& one : conclusion.broken)
    broken.push(Json::object()
                    .set("rev", plan.design->commits[one.arm].id)
                    .set("arm", one.arm)
                    .set("built", one.built)
                    .set("why", one.why));
  json.set("rounds", found.rounds).set("commits", std::move(commits));
  json.set("steps", std::move(steps)).set("broken", std::move(broken));
  json.set("back_at_first", found.back_at_first);
  return json.set("reproduce", view.reproduce);
}

std::string timeline_html(const Record& record, const Conclusion& conclusion,
                          const std::vector<std::string>& notes) {
  const View view = Teller(record, conclusion).view();
  Page page("assay timeline: " + command_title(record.plan));
  for (const std::string& sentence : view.sentences) page.paragraph(sentence, "answer");
  for (const std::string& sentence : view.broken) page.paragraph(sentence + ".", "warning");
  for (const Warning& warning : conclusion.warnings) page.paragraph(warning.text, "warning");
  if (!view.rows.empty()) {
    page.figure(svg(view.plot),
                "change of each commit against the first; the band is the tolerance");
    PageTable table{
        .head = {"commit", title_of(deciding_metric(record.plan)), "to parent", "interval",
                 "to first", "interval", "peak memory", "to parent", "subject", ""},
        .rows = {}};
    for (const CommitLine& row : view.rows)
      table.rows.push_back({row.commit, row.median, row.to_parent, row.bounds, row.to_first,
                            row.first_bounds, row.memory, row.memory_change, row.subject,
                            row.note});
    page.table(table);
    page.paragraph(view.runs, "dim");
  }
  for (const std::string& remark : view.remarks) page.paragraph(remark);
  for (const std::string& note : notes) page.paragraph(note);
  if (!view.reproduce.empty()) {
    page.heading("Again");
    page.code(view.reproduce);
  }
  return page.html();
}

}  // namespace assay::report
