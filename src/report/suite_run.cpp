// SPDX-License-Identifier: Apache-2.0
#include "report/suite_run.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "model/words.hpp"
#include "report/compare.hpp"
#include "report/suite_names.hpp"
#include "report/table.hpp"
#include "report/wording.hpp"

namespace assay::report {
namespace {

constexpr std::size_t kLargestUnits = 3;
constexpr double kSameMemory = 1.1;

// The order in which rows matter; the suite's own among equals.
enum class Standing { failed, missing, doubtful, not_run, fine, skipped };

Standing standing_of(const BenchmarkRow& row) {
  if (row.failed > 0) return Standing::failed;
  if (row.missing > 0) return Standing::missing;
  if (!row.doubts.empty() || (row.ok > 0 && !row.message.empty())) return Standing::doubtful;
  if (row.ok > 0) return Standing::fine;
  return row.skipped > 0 ? Standing::skipped : Standing::not_run;
}

std::string_view word_of_standing(Standing standing) {
  switch (standing) {
    case Standing::failed:
      return "FAILED";
    case Standing::missing:
      return "MISSING";
    case Standing::doubtful:
      return "doubtful";
    case Standing::not_run:
      return "not run";
    case Standing::skipped:
      return "skipped";
    case Standing::fine:
      break;
  }
  return "";
}

Tone tone_of_standing(Standing standing) {
  switch (standing) {
    case Standing::failed:
    case Standing::missing:
      return Tone::bad;
    case Standing::doubtful:
    case Standing::not_run:
      return Tone::open;
    case Standing::fine:
    case Standing::skipped:
      break;
  }
  return Tone::neutral;
}

class SuiteTeller {
 public:
  SuiteTeller(const Record& record, const Conclusion& conclusion)
      : plan_(record.plan),
        suite_(record.plan.suite.value_or(SuitePlan{})),
        names_(record.plan.suite),
        conclusion_(conclusion),
        found_(conclusion.suite_run.value_or(SuiteRunFinding{})) {}

  const SuiteRunFinding& found() const { return found_; }

  const SuiteNames& names() const { return names_; }

  bool is_over(const UnitRow& row) const {
    return suite_.memory_budget && row.peak_memory && *row.peak_memory > *suite_.memory_budget;
  }

  std::vector<const BenchmarkRow*> sorted_rows() const {
    std::vector<const BenchmarkRow*> rows;
    for (const BenchmarkRow& row : found_.benchmarks) rows.push_back(&row);
    std::ranges::stable_sort(rows, {}, [](const BenchmarkRow* row) { return standing_of(*row); });
    return rows;
  }

  std::vector<std::string> sentences() const {
    std::size_t failed = 0, missing = 0, not_run = 0, skipped = 0;
    for (const BenchmarkRow& row : found_.benchmarks) {
      const Standing standing = standing_of(row);
      failed += standing == Standing::failed;
      missing += standing == Standing::missing;
      not_run += standing == Standing::not_run;
      skipped += standing == Standing::skipped;
    }
    std::string first =
        fmt::format("{} in {}, {}", counted(found_.benchmarks.size(), "benchmark"),
                    counted(suite_.units.size(), "unit"), counted(found_.rounds, "round"));
    std::vector<std::string> parts;
    if (failed > 0) parts.push_back(fmt::format("{} failed", failed));
    if (missing > 0) parts.push_back(fmt::format("{} went missing", missing));
    if (skipped > 0) parts.push_back(fmt::format("{} skipped", skipped));
    if (not_run > 0) parts.push_back(fmt::format("{} not run", not_run));
    first += found_.benchmarks.empty() ? ": no unit gave a benchmark."
             : parts.empty()           ? ": every one came out every time."
                                       : ": " + join_and(parts) + ".";
    std::vector<std::string> all = {first};
    for (const UnitRow& row : found_.units) {
      if (row.failed == 0) continue;
      const bool whole = suite_.isolation == Isolation::suite;
      all.push_back(fmt::format("{}: in {} of {} runs {}{}.",
                                whole ? "The suite" : names_.unit(row.unit), row.failed, row.runs,
                                plain(row.message), row.given_up ? "; it was not run again" : ""));
    }
    return all;
  }

  std::vector<std::string> remarks() const {
    std::vector<std::string> all;
    std::vector<const UnitRow*> units;
    for (const UnitRow& row : found_.units)
      if (row.peak_memory) units.push_back(&row);
    std::ranges::stable_sort(units, std::greater<>(),
                             [](const UnitRow* row) { return *row->peak_memory; });
    std::string largest;
    for (std::size_t i = 0; i < std::min(units.size(), kLargestUnits); ++i)
      largest += fmt::format("{}{} {}", i == 0 ? "" : ", ", names_.unit(units[i]->unit),
                             format_bytes(*units[i]->peak_memory));
    if (suite_.isolation == Isolation::suite && !units.empty())
      largest = "the whole suite " + format_bytes(*units.front()->peak_memory);
    else if (units.size() >= kLargestUnits &&
             *units.front()->peak_memory <= kSameMemory * *units.back()->peak_memory)
      largest = fmt::format(
          "about {} for every unit: what they share, the program or its tool, outweighs what they "
          "differ in",
          format_bytes(*units.front()->peak_memory));
    if (!largest.empty())
      all.push_back("Peak memory (largest process): " + largest + budget_words(units) + ".");
    if (conclusion_.ended_by == EndedBy::time_budget)
      all.push_back(fmt::format("The time budget ended it after {} of {} rounds.", found_.rounds,
                                plan_.runs));
    if (conclusion_.ended_by == EndedBy::interrupted)
      all.push_back(fmt::format("Interrupted after {} of {} rounds: 'assay resume' goes on.",
                                found_.rounds, plan_.runs));
    return all;
  }

 private:
  std::string budget_words(const std::vector<const UnitRow*>& units) const {
    if (!suite_.memory_budget) return {};
    const auto over =
        std::ranges::count_if(units, [&](const UnitRow* row) { return is_over(*row); });
    return fmt::format("; {} of {} above the budget of {}", over, units.size(),
                       format_bytes(*suite_.memory_budget));
  }

  const Plan& plan_;
  SuitePlan suite_;
  SuiteNames names_;
  const Conclusion& conclusion_;
  SuiteRunFinding found_;
};

std::string note_of_row(const BenchmarkRow& row) {
  std::string note;
  const auto add = [&](const std::string& text) {
    note += (note.empty() ? "" : "; ") + plain(text);
  };
  const std::uint32_t runs = row.ok + row.failed + row.missing + row.skipped;
  const std::uint32_t bad = row.failed + row.missing;
  if (bad > 0 && bad < runs) add(fmt::format("in {} of {} runs", bad, runs));
  if (!row.message.empty()) add(row.message);
  for (const std::string& doubt : row.doubts) add(doubt);
  return note;
}

TableRow suite_row(const SuiteTeller& teller, const BenchmarkRow& row) {
  const Standing standing = standing_of(row);
  const std::string unit = teller.names().unit(row.unit);
  const bool named = plain(row.id).starts_with(unit);
  std::string interval;
  if (row.lo) interval = fmt::format("[{}, {}]", format_seconds(*row.lo), format_seconds(*row.hi));
  return {.cells = {{teller.names().benchmark(row.id), Tone::strong},
                    named ? "" : SuiteNames::cut(unit),
                    row.median ? format_seconds(*row.median) : "-",
                    interval,
                    row.spread ? fmt::format("{:.1f} %", 100 * *row.spread) : "",
                    fmt::format("{}", row.ok),
                    {std::string(word_of_standing(standing)), tone_of_standing(standing)}},
          .note = note_of_row(row)};
}

}  // namespace

Text suite_run_text(const Record& record, const Conclusion& conclusion,
                    const TextOptions& options) {
  const SuiteTeller teller(record, conclusion);
  const std::size_t width = columns(options);
  std::string out;
  for (const std::string& sentence : teller.sentences()) out += wrap(sentence, width, 2);
  std::vector<TableRow> rows;
  for (const BenchmarkRow* row : teller.sorted_rows()) rows.push_back(suite_row(teller, *row));
  if (!rows.empty())
    out += "\n" + draw_table({{.head = "benchmark", .left = true},
                              {.head = "unit", .left = true},
                              {.head = "time"},
                              {.head = "95 % interval", .left = true},
                              {.head = "spread"},
                              {.head = "runs"},
                              {.head = "", .left = true}},
                             rows, options);
  const std::vector<std::string> remarks = teller.remarks();
  if (!remarks.empty()) out += "\n";
  for (const std::string& remark : remarks) out += wrap(remark, width, 2);
  return {.out = out, .warnings = warning_lines(conclusion.warnings, options)};
}

Json suite_run_json(const Record& record, const Conclusion& conclusion) {
  const SuiteTeller teller(record, conclusion);
  Json json = document_head("suite-run", record, conclusion.warnings);
  std::string sentence;
  for (const std::string& one : teller.sentences()) sentence += (sentence.empty() ? "" : " ") + one;
  Json benchmarks = Json::array(), units = Json::array();
  for (const BenchmarkRow* row : teller.sorted_rows()) {
    const std::string_view word = word_of_standing(standing_of(*row));
    Json facts = Json::array(), doubts = Json::array();
    for (const Fact& fact : row->facts)
      facts.push(Json::object().set("name", fact.name).set("value", fact.value));
    for (const std::string& doubt : row->doubts) doubts.push(doubt);
    benchmarks.push(Json::object()
                        .set("unit", teller.names().unit(row->unit))
                        .set("id", row->id)
                        .set("status", word.empty() ? "ok" : word)
                        .set("listed", row->listed)
                        .set("ok", row->ok)
                        .set("failed", row->failed)
                        .set("missing", row->missing)
                        .set("skipped", row->skipped)
                        .set("median", row->median)
                        .set("lo95", row->lo)
                        .set("hi95", row->hi)
                        .set("spread", row->spread)
                        .set("iterations", row->iterations)
                        .set("setup_s", row->setup_s)
                        .set("facts", std::move(facts))
                        .set("message", row->message)
                        .set("doubts", std::move(doubts)));
  }
  for (const UnitRow& row : teller.found().units)
    units.push(Json::object()
                   .set("name", teller.names().unit(row.unit))
                   .set("runs", row.runs)
                   .set("failed", row.failed)
                   .set("wall_s", row.wall)
                   .set("peak_memory", row.peak_memory)
                   .set("over_budget", teller.is_over(row))
                   .set("message", row.message)
                   .set("given_up", row.given_up));
  json.set("verdict", to_word(conclusion.overall)).set("ended_by", to_word(conclusion.ended_by));
  json.set("sentence", sentence).set("rounds", teller.found().rounds);
  return json.set("benchmarks", std::move(benchmarks)).set("units", std::move(units));
}

}  // namespace assay::report
