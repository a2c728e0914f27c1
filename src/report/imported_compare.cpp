// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "model/words.hpp"
#include "report/compare.hpp"
#include "report/imported.hpp"
#include "report/table.hpp"
#include "report/wording.hpp"

namespace assay::report {
namespace {

using verdict::ImportedComparison;
using verdict::ImportedRow;
using verdict::ImportedSide;
using verdict::Standing;

constexpr std::size_t kComparedIdWidth = 40;

// Ratio candidate / baseline of a reading's log, which is turned where more is better.
double ratio_of(const ImportedRow& row, double log_ratio) {
  return std::exp(row.metric.better == Better::higher ? -log_ratio : log_ratio);
}

std::string interval_of(const ImportedRow& row) {
  const Reading& reading = row.verdict.decision.reading;
  if (!reading.lo99 || !reading.hi99) return {};
  const double a = ratio_of(row, *reading.lo99), b = ratio_of(row, *reading.hi99);
  return bracket(std::min(a, b), std::max(a, b));
}

std::string processes_of(const ImportedRow& row) {
  if (row.summary) return "summary";
  return fmt::format("{} + {} process{}", row.baseline_processes, row.candidate_processes,
                     row.baseline_processes + row.candidate_processes == 1 ? "" : "es");
}

// What of taking turns is missing.
std::string turns_of(const verdict::ImportedVerdict& found) {
  if (found.rounds < verdict::kMinBuilds)
    return fmt::format(": {} round{}", found.rounds, found.rounds == 1 ? "" : "s");
  return found.baseline_first == 0 ? ": A never ran first" : ": B never ran first";
}

std::string spread_of(const ImportedRow& row) {
  const Standing standing = row.verdict.standing;
  if (row.summary || standing == Standing::judged || standing == Standing::non_positive) return {};
  if (!row.baseline_spread && !row.candidate_spread) return {};
  const auto one = [](std::optional<double> spread) {
    return spread ? fmt::format("{:.1f} %", 100 * *spread) : std::string("-");
  };
  return one(row.baseline_spread) + ", " + one(row.candidate_spread);
}

std::string note_of(const ImportedRow& row) {
  if (!row.trouble.empty()) return "no number: " + plain(row.trouble);
  if (row.summary) return {};
  switch (row.verdict.standing) {
    case Standing::judged:
      if (row.verdict.decision.verdict == Verdict::undecided && row.verdict.decision.reading.more)
        return fmt::format("about {} rounds would decide", *row.verdict.decision.reading.more);
      return {};
    case Standing::unreplicated:
      return "unreplicated";
    case Standing::order_unknown:
      return "order-unknown";
    case Standing::not_interleaved:
      return "not-interleaved" + turns_of(row.verdict);
    case Standing::both_zero:
      return "0 on both sides";
    case Standing::non_positive:
      break;
  }
  return "a value is not above 0";
}

Tone tone_of_row(const ImportedRow& row) {
  const std::string word = word_of_row(row);
  return word.empty() ? Tone::neutral : tone_of(row.verdict.decision.verdict);
}

std::string standing_sentence(Standing standing) {
  switch (standing) {
    case Standing::unreplicated:
      return "unreplicated: fewer than 3 processes on a side. However often one process repeats, "
             "what "
             "differs from process to process (layout, the state of the machine) stays the same in "
             "it, "
             "so its difference to another process says nothing about the builds.";
    case Standing::order_unknown:
      return "order-unknown: there are processes enough, but the files do not say when each ran, "
             "so "
             "nobody can see whether the sides took turns or the machine changed between them.";
    case Standing::not_interleaved:
      return "not-interleaved: the dates say that the sides did not take turns: 3 rounds at least, "
             "each side first in one of them. So a drift of the machine, or what the run in front "
             "leaves behind, looks like a difference.";
    case Standing::judged:
    case Standing::both_zero:
    case Standing::non_positive:
      break;
  }
  return {};
}

std::string build_words(const std::string& build) {
  return build.empty() ? "" : " at " + plain(build.substr(0, 12));
}

}  // namespace

std::string word_of_row(const ImportedRow& row) {
  if (row.summary || !row.trouble.empty()) return {};
  if (row.verdict.standing == Standing::non_positive) return "INVALID";
  if (row.verdict.standing == Standing::both_zero) return {};
  return std::string(word_of(row.metric, row.verdict.decision.verdict));
}

Text imported_compare_text(const ImportedComparison& found, const ImportedSide& baseline,
                           const ImportedSide& candidate, double tolerance,
                           const TextOptions& options) {
  std::string out =
      wrap(fmt::format("A: {}{}", plain(baseline.name), build_words(found.baseline_build)),
           columns(options), 3) +
      wrap(fmt::format("B: {}{}", plain(candidate.name), build_words(found.candidate_build)),
           columns(options), 3);
  std::vector<TableRow> rows;
  std::vector<Standing> standings;
  bool summaries = false, spreads = false;
  for (const ImportedRow& row : found.rows) {
    const auto value = [&](std::optional<double> number) {
      return number ? format_value(*number, row.metric.unit) : std::string("-");
    };
    TableRow line;
    line.cells = {fit(plain(row.id), kComparedIdWidth),
                  plain(row.metric.name),
                  value(row.baseline) + " -> " + value(row.candidate),
                  row.verdict.log_ratio ? format_change(ratio_of(row, *row.verdict.log_ratio)) : "",
                  interval_of(row),
                  spread_of(row),
                  TableCell(word_of_row(row), tone_of_row(row)),
                  processes_of(row)};
    line.note = note_of(row);
    rows.push_back(std::move(line));
    summaries = summaries || row.summary;
    spreads = spreads || !spread_of(row).empty();
    if (!row.summary && row.trouble.empty()) standings.push_back(row.verdict.standing);
  }
  out += draw_table({{.head = "benchmark", .left = true},
                     {.head = "metric", .left = true},
                     {.head = "A -> B", .left = true},
                     {.head = "change"},
                     {.head = "99 %"},
                     {.head = "spread"},
                     {.head = "verdict", .left = true},
                     {.head = "from", .left = true}},
                    rows, options);
  if (found.rows.empty()) out += "No benchmark is on both sides.\n";
  const auto say = [&](const std::string& text) {
    if (!text.empty()) out += wrap(text, columns(options), 2);
  };
  if (found.matched_alone)
    say("Each side has one benchmark, and they are compared although their ids differ.");
  for (const auto& [names, where] :
       {std::pair(&found.only_baseline, "A"), std::pair(&found.only_candidate, "B")}) {
    if (names->empty()) continue;
    const std::size_t shown = std::min<std::size_t>(names->size(), 5);
    std::string text = fmt::format("In {} alone: ", where);
    for (std::size_t i = 0; i < shown; ++i) text += (i == 0 ? "" : ", ") + plain((*names)[i]);
    if (names->size() > shown) text += fmt::format(" and {} more", names->size() - shown);
    say(text + ".");
  }
  for (const Standing standing :
       {Standing::unreplicated, Standing::order_unknown, Standing::not_interleaved})
    if (std::find(standings.begin(), standings.end(), standing) != standings.end())
      say(standing_sentence(standing));
  if (spreads)
    say("spread: how far two values of one side typically differ, of A and of B; it is no interval "
        "of the change.");
  if (summaries)
    say("summary: a file has one number of it, so the change is a number without a word.");
  if (found.family > 0)
    say(fmt::format(
        "Judged in rounds by Student's t, tolerance {}, {} at 1 %.", percent(tolerance),
        found.family == 1 ? "1 number" : fmt::format("{} numbers together", found.family)));
  if (!found.instead.empty()) say("What would decide: " + plain(found.instead));
  return {.out = out, .warnings = {}};
}

Json imported_compare_json(const ImportedComparison& found, const ImportedSide& baseline,
                           const ImportedSide& candidate, double tolerance) {
  Json json = Json::object();
  json.set("schema_version", kSchemaVersion);
  json.set("kind", "imported-compare");
  json.set("tolerance", tolerance);
  json.set("baseline",
           Json::object().set("name", baseline.name).set("build", found.baseline_build));
  json.set("candidate",
           Json::object().set("name", candidate.name).set("build", found.candidate_build));
  Json rows = Json::array();
  for (const ImportedRow& row : found.rows) {
    const Reading& reading = row.verdict.decision.reading;
    const auto ratio = [&](std::optional<double> log_ratio) {
      return log_ratio ? Json(ratio_of(row, *log_ratio)) : Json();
    };
    const bool turned = row.metric.better == Better::higher;
    const std::string word = word_of_row(row);
    Json each = Json::object();
    each.set("id", row.id).set("other_id", row.other_id).set("metric", row.metric.name);
    each.set("unit", row.metric.unit).set("better", to_word(row.metric.better));
    each.set("baseline", row.baseline).set("candidate", row.candidate);
    each.set("baseline_processes", static_cast<std::uint64_t>(row.baseline_processes));
    each.set("candidate_processes", static_cast<std::uint64_t>(row.candidate_processes));
    each.set("baseline_spread", row.baseline_spread);
    each.set("candidate_spread", row.candidate_spread);
    each.set("ratio", ratio(row.verdict.log_ratio));
    each.set("lo99", ratio(turned ? reading.hi99 : reading.lo99));
    each.set("hi99", ratio(turned ? reading.lo99 : reading.hi99));
    each.set("verdict", word.empty() ? Json() : Json(word));
    each.set("reason", row.summary           ? std::string_view("summary")
                       : row.trouble.empty() ? verdict::to_word(row.verdict.standing)
                                             : std::string_view("no-number"));
    each.set("rounds", static_cast<std::uint64_t>(row.verdict.rounds));
    each.set("baseline_first", static_cast<std::uint64_t>(row.verdict.baseline_first));
    if (!row.trouble.empty()) each.set("message", row.trouble);
    rows.push(std::move(each));
  }
  json.set("benchmarks", std::move(rows));
  const auto list = [](const std::vector<std::string>& names) {
    Json all = Json::array();
    for (const std::string& name : names) all.push(name);
    return all;
  };
  json.set("only_baseline", list(found.only_baseline));
  json.set("only_candidate", list(found.only_candidate));
  json.set("matched_alone", found.matched_alone);
  json.set("judged", static_cast<std::uint64_t>(found.family));
  json.set("instead", found.instead.empty() ? Json() : Json(found.instead));
  return json;
}

}  // namespace assay::report
