// SPDX-License-Identifier: Apache-2.0
#include "report/suite_audit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>

#include "base/text.hpp"
#include "model/words.hpp"
#include "report/compare.hpp"
#include "report/suite_audit_view.hpp"
#include "report/table.hpp"
#include "report/wording.hpp"

namespace assay::report {
namespace {

constexpr std::size_t kSharedDoubt = 4;  // benchmarks
constexpr std::size_t kMostDoubts = 12;  // rows; the others are counted, and stand in the JSON

std::string joined_clauses(const std::vector<std::string>& clauses) {
  return fmt::format("{}", fmt::join(clauses, "; "));
}

// A line a benchmark; a doubt that many share is one line.
std::vector<std::string> doubt_lines(const AuditTeller& teller) {
  const std::vector<AuditDoubt>& doubts = teller.found().doubts;
  std::map<std::string_view, std::size_t> shared;
  for (const AuditDoubt& one : doubts) ++shared[one.text];
  const auto is_shared = [&](const AuditDoubt& one) { return shared[one.text] >= kSharedDoubt; };
  std::vector<std::string> lines;
  const AuditDoubt* before = nullptr;
  for (const AuditDoubt& one : doubts) {
    if (is_shared(one)) continue;
    if (before != nullptr && before->id == one.id && before->unit == one.unit)
      lines.back() += "; " + plain(one.text);
    else
      lines.push_back(fmt::format("{}: {}", teller.names().whole(one.id), plain(one.text)));
    before = &one;
  }
  for (const AuditDoubt& one : doubts) {
    std::size_t& count = shared[one.text];
    if (count < kSharedDoubt) continue;
    lines.push_back(fmt::format("{} and {} more: {}", teller.names().whole(one.id), count - 1,
                                plain(one.text)));
    count = 0;
  }
  return lines;
}

TableRow row_of_victim(const AuditTeller& teller, const AuditVictim& victim) {
  const Tone tone = victim.slower ? Tone::bad : Tone::open;
  return {.cells = {{teller.names().benchmark(victim.id), Tone::strong},
                    format_seconds(victim.alone_s),
                    format_seconds(victim.behind_s),
                    times_text(victim.factor),
                    {std::string(word_of(victim)), tone}},
          .note = joined_clauses(teller.clauses_of(victim))};
}

std::string victims_table(const AuditTeller& teller, const TextOptions& options) {
  std::vector<TableRow> rows;
  for (const AuditVictim& victim : teller.found().victims)
    rows.push_back(row_of_victim(teller, victim));
  return draw_table({{.head = "benchmark", .left = true},
                     {.head = "alone"},
                     {.head = "behind"},
                     {.head = "factor"},
                     {.head = "", .left = true}},
                    rows, options);
}

std::string changed_table(const AuditTeller& teller, const TextOptions& options) {
  std::vector<TableRow> rows;
  for (const AuditChanged& one : teller.found().changed)
    rows.push_back({.cells = {{teller.names().benchmark(one.id), Tone::strong},
                              plain(one.text),
                              teller.who_of(one),
                              {"WORKLOAD", Tone::bad}}});
  return draw_table({{.head = "another workload", .left = true},
                     {.head = "alone -> there", .left = true},
                     {.head = "behind", .left = true},
                     {.head = "", .left = true}},
                    rows, options);
}

std::string missing_table(const AuditTeller& teller, const TextOptions& options) {
  std::vector<TableRow> rows;
  for (const AuditMissing& one : teller.found().missing) {
    std::string note = one.alone && one.in_suite ? "alone and in the suite"
                       : one.alone               ? "alone"
                                                 : "in the suite";
    if (!one.message.empty())
      note += "; " + plain(one.message);
    else if (one.exit_zero)
      note += "; the process ended with status 0";
    rows.push_back({.cells = {{teller.names().benchmark(one.id), Tone::strong},
                              teller.names().unit(one.unit),
                              {"MISSING", Tone::bad}},
                    .note = note});
  }
  return draw_table({{.head = "benchmark", .left = true},
                     {.head = "unit", .left = true},
                     {.head = "", .left = true}},
                    rows, options);
}

std::string moved_table(const AuditTeller& teller, const TextOptions& options) {
  std::vector<TableRow> rows;
  const auto times = [](const std::optional<double>& factor) {
    return factor ? times_text(*factor) : std::string("-");
  };
  for (const AuditMoved& one : teller.found().moved)
    rows.push_back({.cells = {{teller.names().benchmark(one.id), Tone::strong},
                              times(one.alone),
                              times(one.in_suite),
                              {std::string(to_word(one.by)), Tone::open}},
                    .note = plain(one.text)});
  return draw_table({{.head = "moved", .left = true},
                     {.head = "alone"},
                     {.head = "in the suite"},
                     {.head = "by", .left = true}},
                    rows, options);
}

std::string memory_table(const AuditTeller& teller, const TextOptions& options) {
  std::vector<TableRow> rows;
  const auto bytes = [](const std::optional<double>& value) -> std::string {
    if (!value) return "-";
    return *value < 0 ? "-" + format_bytes(-*value) : format_bytes(*value);
  };
  for (const UnitMemory& one : teller.found().memory)
    rows.push_back({.cells = {{SuiteNames::cut(teller.names().unit(one.unit)), Tone::strong},
                              bytes(one.retained),
                              bytes(one.transient),
                              bytes(one.held),
                              bytes(one.peak),
                              {one.crosses ? "OVER"
                               : one.fills ? "fills"
                                           : "",
                               one.crosses ? Tone::bad : Tone::open}}});
  return draw_table({{.head = "memory of", .left = true},
                     {.head = "retained"},
                     {.head = "transient"},
                     {.head = "held behind"},
                     {.head = "peak alone"},
                     {.head = "", .left = true}},
                    rows, options);
}

std::string lists_of(const AuditTeller& teller, std::size_t width) {
  std::string out;
  const auto list = [&](std::string_view head, const std::vector<std::string>& lines) {
    if (lines.empty()) return;
    out += fmt::format("\n{}\n", head);
    for (std::size_t i = 0; i < std::min(lines.size(), kMostDoubts); ++i)
      out += wrap("  " + lines[i], width, 4);
    if (lines.size() > kMostDoubts)
      out += fmt::format("  and {} more, which --json lists\n", lines.size() - kMostDoubts);
  };
  std::vector<std::string> open, left_out;
  const std::vector<std::string> doubts = doubt_lines(teller);
  for (const AuditOpen& one : teller.found().open)
    open.push_back(
        fmt::format("{}: {}{}", teller.names().whole(one.id), plain(one.why),
                    one.factor ? fmt::format(" ({} times alone)", factor_text(*one.factor)) : ""));
  for (const std::string& one : teller.found().left_out) left_out.push_back(plain(one));
  list("Without a verdict:", open);
  list("Doubtful by itself:", doubts);
  list("Left out:", left_out);
  return out;
}

Json names_json(const AuditTeller& teller, const std::vector<std::uint32_t>& units) {
  Json names = Json::array();
  for (const std::uint32_t unit : units) names.push(teller.names().unit(unit));
  return names;
}

Json victim_json(const AuditTeller& teller, const AuditVictim& victim) {
  Json polluters = Json::array(), polluted_by = Json::array(), cleaners = Json::array();
  for (const Polluter& one : victim.polluters) {
    if (one.confirmed) polluters.push(names_json(teller, one.units));
    polluted_by.push(Json::object()
                         .set("units", names_json(teller, one.units))
                         .set("factor", one.factor)
                         .set("runs", std::uint64_t{one.runs})
                         .set("confirmed", one.confirmed)
                         .set("shared", one.shared));
  }
  for (const auto& units : victim.cleaners) cleaners.push(names_json(teller, units));
  return Json::object()
      .set("id", victim.id)
      .set("unit", teller.names().unit(victim.unit))
      .set("direction", victim.slower ? "slower" : "faster")
      .set("word", word_of(victim))
      .set("order", to_word(victim.order))
      .set("factor", victim.factor)
      .set("threshold", victim.threshold)
      .set("p", victim.p)
      .set("alone_s", victim.alone_s)
      .set("behind_s", victim.behind_s)
      .set("alone_n", victim.alone_n > 0 ? Json(victim.alone_n) : Json())
      .set("behind_n", victim.behind_n > 0 ? Json(victim.behind_n) : Json())
      .set("polluters", std::move(polluters))
      .set("polluted_by", std::move(polluted_by))
      .set("cleaners", std::move(cleaners))
      .set("mechanism", to_word(victim.mechanism))
      .set("evidence", victim.evidence)
      .set("open", victim.open)
      .set("reproduced", victim.reproduced);
}

Json memory_json(const AuditTeller& teller) {
  Json memory = Json::array();
  for (const UnitMemory& one : teller.found().memory)
    memory.push(Json::object()
                    .set("unit", teller.names().unit(one.unit))
                    .set("retained", one.retained)
                    .set("transient", one.transient)
                    .set("peak", one.peak)
                    .set("held", one.held)
                    .set("crosses", one.crosses)
                    .set("fills", one.fills));
  return memory;
}

// Everything that has a benchmark's name.
Json of_benchmark(const AuditTeller& teller, std::uint32_t unit, const std::string& id) {
  return Json::object().set("id", id).set("unit", teller.names().unit(unit));
}

std::string_view word_of_times(const AuditTeller& teller, const AuditTimes& times) {
  const AuditFinding& found = teller.found();
  const auto is_it = [&](const auto& one) { return one.unit == times.unit && one.id == times.id; };
  if (const auto at = std::ranges::find_if(found.victims, is_it); at != found.victims.end())
    return word_of(*at);
  if (std::ranges::any_of(found.missing, is_it)) return "MISSING";
  if (std::ranges::any_of(found.changed, is_it)) return "WORKLOAD";
  return "";
}

Json benchmarks_json(const AuditTeller& teller) {
  Json all = Json::array();
  const auto known = [](double value) { return value > 0 ? Json(value) : Json(); };
  for (const AuditTimes& one : teller.found().times) {
    const bool both = one.alone_s && one.behind_s && *one.alone_s > 0;
    all.push(of_benchmark(teller, one.unit, one.id)
                 .set("alone_s", one.alone_s)
                 .set("behind_s", one.behind_s)
                 .set("factor", both ? Json(*one.behind_s / *one.alone_s) : Json())
                 .set("least_seen", known(one.least_seen))
                 .set("alone_n", known(one.alone_n))
                 .set("behind_n", known(one.behind_n))
                 .set("alone_runs", std::uint64_t{one.alone_runs})
                 .set("behind_runs", std::uint64_t{one.behind_runs})
                 .set("judged", one.judged)
                 .set("word", word_of_times(teller, one)));
  }
  return all;
}

Json changed_json(const AuditTeller& teller) {
  Json all = Json::array();
  for (const AuditChanged& one : teller.found().changed)
    all.push(of_benchmark(teller, one.unit, one.id)
                 .set("text", one.text)
                 .set("behind", names_json(teller, one.behind))
                 .set("changed", std::uint64_t{one.changed})
                 .set("same", std::uint64_t{one.same}));
  return all;
}

void set_lists(const AuditTeller& teller, Json& json) {
  Json missing = Json::array(), doubts = Json::array(), open = Json::array(), moved = Json::array(),
       costs = Json::array(), left_out = Json::array();
  const AuditFinding& found = teller.found();
  for (const AuditMissing& one : found.missing)
    missing.push(of_benchmark(teller, one.unit, one.id)
                     .set("alone", one.alone)
                     .set("in_suite", one.in_suite)
                     .set("exit_zero", one.exit_zero)
                     .set("message", one.message));
  for (const AuditDoubt& one : found.doubts)
    doubts.push(of_benchmark(teller, one.unit, one.id)
                    .set("kind", to_word(one.kind))
                    .set("figure", one.figure)
                    .set("text", one.text));
  for (const AuditOpen& one : found.open)
    open.push(of_benchmark(teller, one.unit, one.id).set("factor", one.factor).set("why", one.why));
  for (const AuditMoved& one : found.moved)
    moved.push(of_benchmark(teller, one.unit, one.id)
                   .set("by", to_word(one.by))
                   .set("alone", one.alone)
                   .set("in_suite", one.in_suite)
                   .set("text", one.text));
  for (const AuditCost& one : found.costs)
    costs.push(Json::object()
                   .set("stage", one.stage)
                   .set("runs", std::uint64_t{one.runs})
                   .set("seconds", one.seconds)
                   .set("suites", found.suite_s > 0 ? Json(one.seconds / found.suite_s) : Json()));
  for (const std::string& one : found.left_out) left_out.push(one);
  json.set("missing", std::move(missing)).set("doubts", std::move(doubts));
  json.set("open", std::move(open)).set("moved", std::move(moved));
  json.set("costs", std::move(costs)).set("left_out", std::move(left_out));
}

}  // namespace

Text suite_audit_text(const Record& record, const Conclusion& conclusion,
                      const TextOptions& options) {
  const AuditTeller teller(record, conclusion);
  const std::size_t width = columns(options);
  std::string out;
  for (const std::string& sentence : teller.sentences()) out += wrap(sentence, width, 2);
  for (const std::string& table : {victims_table(teller, options), changed_table(teller, options),
                                   missing_table(teller, options), moved_table(teller, options),
                                   memory_table(teller, options)})
    if (!table.empty()) out += "\n" + table;
  const auto memory = teller.memory_sentences();
  if (!memory.empty() && teller.found().memory.empty()) out += "\n";
  for (const std::string& sentence : memory) out += wrap(sentence, width, 2);
  out += lists_of(teller, width);
  if (conclusion.ended_by == EndedBy::interrupted)
    out += "\n" + wrap("Interrupted: 'assay resume' goes on.", width, 2);
  if (conclusion.ended_by == EndedBy::time_budget)
    out += "\n" + wrap("Run it again with a longer --time-budget.", width, 2);
  if (const std::string cost = teller.cost_sentence(); !cost.empty())
    out += "\n" + wrap(cost, width, 2);
  return {.out = out, .warnings = warning_lines(conclusion.warnings, options)};
}

Json suite_audit_json(const Record& record, const Conclusion& conclusion) {
  const AuditTeller teller(record, conclusion);
  const AuditFinding& found = teller.found();
  Json json = document_head("audit", record, conclusion.warnings);
  std::string sentence;
  for (const std::string& one : teller.sentences()) sentence += (sentence.empty() ? "" : " ") + one;
  json.set("verdict", to_word(conclusion.overall)).set("ended_by", to_word(conclusion.ended_by));
  json.set("sentence", sentence).set("failure", conclusion.failure);
  json.set("unfinished", found.unfinished).set("compared", std::uint64_t{found.benchmarks});
  json.set("judged", std::uint64_t{found.judged});
  json.set("least_seen", found.least_seen > 0 ? Json(found.least_seen) : Json());
  json.set("benchmarks", benchmarks_json(teller)).set("changed", changed_json(teller));
  json.set("spread", found.spread).set("shift", found.shift).set("suite_s", found.suite_s);
  Json victims = Json::array();
  for (const AuditVictim& victim : found.victims) victims.push(victim_json(teller, victim));
  json.set("victims", std::move(victims)).set("memory", memory_json(teller));
  set_lists(teller, json);
  return json;
}

}  // namespace assay::report
