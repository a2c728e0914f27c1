// SPDX-License-Identifier: Apache-2.0
#include "report/suite_compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "base/text.hpp"
#include "model/words.hpp"
#include "report/compare.hpp"
#include "report/suite_names.hpp"
#include "report/table.hpp"
#include "report/wording.hpp"

namespace assay::report {
namespace {

constexpr std::size_t kLoudestUnits = 3;
constexpr double kUsedUp = 0.9;  // of a time budget
constexpr double kToldMemory = 0.05,
                 kToldBytes = 1 << 18;  // changes that are mentioned exceed both

// The order in which rows matter; among equals the larger change first.
int rank_of(const SuiteCompareRow& row) {
  if (row.control) return 6;
  if (row.presence == Presence::only_candidate) return 5;
  switch (row.finding.verdict) {
    case Verdict::failed:
      return 0;
    case Verdict::invalid:
    case Verdict::slower:
      return 1;
    case Verdict::faster:
      return 2;
    case Verdict::undecided:
      return 3;
    case Verdict::equivalent:
      break;
  }
  return 4;
}

double size_of(const SuiteCompareRow& row) {
  return std::fabs(row.finding.reading.estimate.value_or(0));
}

std::optional<double> ratio_of_row(const SuiteCompareRow& row) {
  if (!row.finding.reading.estimate) return {};
  return std::exp(*row.finding.reading.estimate);
}

std::string ratio_text(double ratio) {
  return fmt::format("{:.{}f}", ratio, ratio < 99.95 ? 3 : 0);
}

bool is_outside(const SuiteCompareRow& row, double tolerance) {
  return row.finding.reading.estimate &&
         std::fabs(*row.finding.reading.estimate) >= std::log1p(tolerance) - 1e-12;
}

double used_seconds(const Record& record) {
  std::chrono::nanoseconds used{0};
  for (const Entry& entry : record.entries) {
    if (const auto* trial = std::get_if<Trial>(&entry)) used += trial->duration;
    if (const auto* build = std::get_if<Build>(&entry)) used += build->duration;
  }
  return std::chrono::duration<double>(used).count();
}

// Without a look the runs that were made, for the medians.
std::uint32_t shown_runs(const SuiteCompareRow& row) {
  const MetricFinding& found = row.finding;
  if (found.reading.runs > 0 || found.baseline_median <= 0) return found.reading.runs;
  return found.all_runs;
}

class SuiteCompareTeller {
 public:
  SuiteCompareTeller(const Record& record, const Conclusion& conclusion)
      : plan_(record.plan),
        used_s_(used_seconds(record)),
        suite_(record.plan.suite.value_or(SuitePlan{})),
        names_(record.plan.suite),
        conclusion_(conclusion),
        found_(conclusion.suite_compare.value_or(SuiteCompareFinding{})) {}

  const SuiteCompareFinding& found() const { return found_; }

  const SuiteNames& names() const { return names_; }

  std::vector<const SuiteCompareRow*> sorted_rows() const {
    std::vector<const SuiteCompareRow*> rows;
    for (const SuiteCompareRow& row : found_.rows) rows.push_back(&row);
    std::ranges::stable_sort(rows, [](const SuiteCompareRow* a, const SuiteCompareRow* b) {
      if (rank_of(*a) != rank_of(*b)) return rank_of(*a) < rank_of(*b);
      return size_of(*a) > size_of(*b);
    });
    return rows;
  }

  std::size_t count(Verdict verdict) const {
    return static_cast<std::size_t>(
        std::ranges::count_if(found_.rows, [&](const SuiteCompareRow& row) {
          return !row.control && row.presence != Presence::only_candidate &&
                 row.finding.verdict == verdict;
        }));
  }

  // "Of 40 benchmarks 2 are slower, 1 is faster, 30 are within 2 %, 7 are undecided."
  std::string sentence() const {
    if (!conclusion_.failure.empty() && found_.rows.empty())
      return capitalised(plain(conclusion_.failure)) + ".";
    if (conclusion_.withheld)
      return "Verdicts are withheld: a control moved, so the sides differ in something that the "
             "change cannot reach.";
    std::size_t all = 0;
    for (const SuiteCompareRow& row : found_.rows)
      all += !row.control && row.presence != Presence::only_candidate ? 1 : 0;
    std::vector<std::string> parts;
    const auto add = [&](Verdict verdict, const std::string& what) {
      const std::size_t n = count(verdict);
      if (n > 0) parts.push_back(fmt::format("{} {} {}", n, n == 1 ? "is" : "are", what));
    };
    add(Verdict::slower, "slower");
    add(Verdict::faster, "faster");
    add(Verdict::equivalent, "within " + percent(plan_.tolerance));
    add(Verdict::undecided, "undecided");
    add(Verdict::invalid, "not comparable");
    if (const std::size_t n = count(Verdict::failed); n > 0)
      parts.push_back(fmt::format("{} failed or went missing", n));
    return fmt::format("Of {} benchmark{} {}.", all, all == 1 ? "" : "s",
                       parts.empty() ? "none was compared" : join_and(parts));
  }

  std::vector<std::string> remarks() const {
    std::vector<std::string> all;
    if (found_.geometric_mean && found_.mean_of > 1 && !conclusion_.withheld)
      all.push_back(fmt::format(
          "Geometric mean of {} ratios: {}. It is no verdict: it weighs benchmarks that nobody "
          "weighed, and a rise of one hides in a fall of another.",
          found_.mean_of, ratio_text(*found_.geometric_mean)));
    if (const std::string text = in_logs(); !text.empty()) all.push_back(text);
    if (const std::string text = of_two_estimates(); !text.empty()) all.push_back(text);
    if (const std::string text = of_one_side(Presence::only_candidate); !text.empty())
      all.push_back("Only in B: " + text + ".");
    if (const std::string text = of_one_side(Presence::only_baseline); !text.empty())
      all.push_back("Gone from B: " + text + ".");
    if (const std::string text = of_one_side(Presence::neither); !text.empty())
      all.push_back("On neither side: " + text + ".");
    for (const SuiteCompareUnit& unit : found_.units)
      if (!unit.trouble.empty())
        all.push_back(
            fmt::format("{} was given up: {}.", names_.unit(unit.unit), plain(unit.trouble)));
    if (const std::string text = memory(); !text.empty()) all.push_back(text);
    all.push_back(ending());
    std::erase(all, std::string());
    return all;
  }

 private:
  // Who counts percents on one side only sees less on the way down: 0.86 is 14 % less, and 1 / 0.86
  // is 16 % more.
  std::string in_logs() const {
    for (const SuiteCompareRow& row : found_.rows) {
      const auto ratio = ratio_of_row(row);
      if (!ratio || !row.trouble.empty() || !is_outside(row, plan_.tolerance)) continue;
      if (*ratio > 1 || 1 - *ratio > plan_.tolerance + 5e-4) continue;
      return fmt::format(
          "{} at {:.2f} lies outside {}: in logs, where A / B and B / A are as far from 1, log "
          "1/{:.2f} = "
          "{:.4f} is more than log {:g} = {:.4f}.",
          names_.benchmark(row.id), *ratio, percent(plan_.tolerance), *ratio, -std::log(*ratio),
          1 + plan_.tolerance, std::log1p(plan_.tolerance));
    }
    return {};
  }

  // B / A is no quotient of the two medians, and a reader divides.
  std::string of_two_estimates() const {
    for (const SuiteCompareRow& row : found_.rows) {
      const auto ratio = ratio_of_row(row);
      const double a = row.finding.baseline_median, b = row.finding.candidate_median;
      if (!ratio || !row.trouble.empty() || a <= 0 || b <= 0) continue;
      if (std::fabs(std::log(b / a / *ratio)) <= std::log1p(plan_.tolerance)) continue;
      return fmt::format(
          "A and B are medians of all runs; B / A is estimated within blocks of runs that were "
          "made "
          "one after another, so that what changed on the machine between blocks does not count. "
          "For {} the medians give {}, the blocks {}.",
          names_.benchmark(row.id), ratio_text(b / a), ratio_text(*ratio));
    }
    return {};
  }

  std::string of_one_side(Presence presence) const {
    std::vector<std::string> names;
    for (const SuiteCompareRow& row : found_.rows)
      if (row.presence == presence && names.size() < 10) names.push_back(plain(row.id));
    const auto all = std::ranges::count(found_.rows, presence, &SuiteCompareRow::presence);
    std::string text = join_and(names);
    return static_cast<std::size_t>(all) > names.size()
               ? text + fmt::format(" and {} more", static_cast<std::size_t>(all) - names.size())
               : text;
  }

  // Numbers without a word: nothing is judged here, and small changes are left out.
  std::string memory() const {
    std::vector<const SuiteCompareUnit*> units;
    for (const SuiteCompareUnit& unit : found_.units)
      if (unit.baseline_memory && unit.candidate_memory && *unit.baseline_memory > 0 &&
          std::fabs(*unit.candidate_memory - *unit.baseline_memory) >
              std::max(kToldBytes, kToldMemory * *unit.baseline_memory))
        units.push_back(&unit);
    if (units.empty()) return {};
    std::ranges::stable_sort(units, std::greater<>(), [](const SuiteCompareUnit* unit) {
      return std::fabs(*unit->candidate_memory - *unit->baseline_memory);
    });
    std::vector<std::string> parts;
    for (std::size_t i = 0; i < std::min(units.size(), kLoudestUnits); ++i)
      parts.push_back(fmt::format(
          "{} {} -> {}",
          suite_.isolation == Isolation::suite ? "the suite" : names_.unit(units[i]->unit),
          format_bytes(*units[i]->baseline_memory), format_bytes(*units[i]->candidate_memory)));
    return "Peak memory (largest process, median), where it changes most: " + join_and(parts) + ".";
  }

  std::string ending() const {
    const std::size_t open = count(Verdict::undecided);
    switch (conclusion_.ended_by) {
      case EndedBy::time_budget:
        return fmt::format("{} with {} open: run it again with a longer --time-budget.",
                           budget_words(), open);
      case EndedBy::max_runs:
        return fmt::format("--max-runs {} ended it with {} open.", plan_.max_runs, open);
      case EndedBy::futility:
        return fmt::format("{} would not be decided within --max-runs {}.", open, plan_.max_runs);
      case EndedBy::interrupted:
        return "Interrupted: 'assay resume' goes on.";
      default:
        return {};
    }
  }

  // A block is not begun that does not fit: then time is left over.
  std::string budget_words() const {
    const std::string budget = format_duration(plan_.time_budget_s);
    if (used_s_ <= 0 || used_s_ >= kUsedUp * plan_.time_budget_s)
      return fmt::format("The time budget of {} ended it", budget);
    return fmt::format(
        "It ended after {}, because the next blocks of runs do not fit in the time budget of {},",
        format_duration(used_s_), budget);
  }

  const Plan& plan_;
  double used_s_ = 0;  // by what was run and built; 0 = not known
  SuitePlan suite_;
  SuiteNames names_;
  const Conclusion& conclusion_;
  SuiteCompareFinding found_;
};

std::string word_of_row(const SuiteCompareRow& row, bool withheld) {
  if (row.presence == Presence::only_candidate) return "new";
  if (row.presence == Presence::only_baseline) return "GONE";
  if (withheld && row.finding.verdict != Verdict::failed) return row.control ? "control" : "";
  return std::string(to_word(row.finding.verdict));
}

std::string note_of(const SuiteCompareRow& row, double tolerance, bool withheld) {
  std::vector<std::string> parts;
  if (row.control && word_of_row(row, withheld) != "control") parts.push_back("control");
  if (!row.trouble.empty() && row.presence == Presence::both) parts.push_back(plain(row.trouble));
  if (row.finding.verdict == Verdict::undecided && row.trouble.empty() && !withheld) {
    if (is_outside(row, tolerance)) parts.push_back("outside " + percent(tolerance));
    parts.push_back(clause_of(row.finding.reason));
    if (row.finding.reading.more && *row.finding.reading.more > row.finding.reading.runs)
      parts.push_back(fmt::format("about {} would decide", *row.finding.reading.more));
  }
  if (row.finding.by_holm) parts.push_back("by Holm at the end");
  return fmt::format("{}", fmt::join(parts, "; "));
}

TableRow compared_row(const SuiteCompareTeller& teller, const SuiteCompareRow& row,
                      const Plan& plan, bool withheld) {
  const MetricFinding& found = row.finding;
  const auto ratio = ratio_of_row(row);
  const auto time = [](double seconds) {
    return seconds > 0 ? format_seconds(seconds) : std::string("-");
  };
  std::string interval;
  if (found.reading.lo99 && found.reading.hi99)
    interval = bracket(std::exp(*found.reading.lo99), std::exp(*found.reading.hi99));
  const bool bad = found.verdict == Verdict::failed && row.presence != Presence::only_candidate;
  const std::string unit = teller.names().unit(row.unit);
  return {.cells = {{teller.names().benchmark(row.id), Tone::strong},
                    plain(row.id).starts_with(unit) ? "" : SuiteNames::cut(unit),
                    time(found.baseline_median),
                    time(found.candidate_median),
                    ratio ? ratio_text(*ratio) : "-",
                    ratio ? format_change(*ratio) : "-",
                    interval,
                    {word_of_row(row, withheld), bad ? Tone::bad : tone_of(found.verdict)},
                    shown_runs(row) > 0 ? runs_text(shown_runs(row), plan) : "-"},
          .note = note_of(row, plan.tolerance, withheld)};
}

std::vector<Column> compared_columns() {
  return {{.head = "benchmark", .left = true},
          {.head = "unit", .left = true},
          {.head = "A"},
          {.head = "B"},
          {.head = "B / A"},
          {.head = "change"},
          {.head = "99 %", .left = true},
          {.head = "", .left = true},
          {.head = "runs"}};
}

std::string cell_markdown(const std::string& text) {
  std::string safe;
  for (const char c : plain(text)) {
    if (c == '|' || c == '\\' || c == '`' || c == '*' || c == '_' || c == '<') safe += '\\';
    safe += c;
  }
  return safe;
}

}  // namespace

Text suite_compare_text(const Record& record, const Conclusion& conclusion,
                        const TextOptions& options) {
  const SuiteCompareTeller teller(record, conclusion);
  const std::size_t width = columns(options);
  std::string out = wrap(teller.sentence(), width, 2);
  std::vector<TableRow> rows;
  for (const SuiteCompareRow* row : teller.sorted_rows())
    rows.push_back(compared_row(teller, *row, record.plan, conclusion.withheld));
  if (!rows.empty()) out += "\n" + draw_table(compared_columns(), rows, options);
  const std::vector<std::string> remarks = teller.remarks();
  if (!remarks.empty()) out += "\n";
  for (const std::string& remark : remarks) out += wrap(remark, width, 2);
  return {.out = out, .warnings = warning_lines(conclusion.warnings, options)};
}

std::string suite_compare_markdown(const Record& record, const Conclusion& conclusion) {
  const SuiteCompareTeller teller(record, conclusion);
  std::string out = teller.sentence() +
                    "\n\n| benchmark | A | B | B / A | 99 % | verdict | runs |\n" +
                    "|---|---:|---:|---:|---|---|---:|\n";
  for (const SuiteCompareRow* row : teller.sorted_rows()) {
    const TableRow cells = compared_row(teller, *row, record.plan, conclusion.withheld);
    out += "|";
    for (const std::size_t i : {0U, 2U, 3U, 4U, 6U, 7U, 8U})
      out += " " + cell_markdown(cells.cells[i].text) + " |";
    out += "\n";
  }
  for (const std::string& remark : teller.remarks()) out += "\n" + cell_markdown(remark) + "\n";
  return out;
}

Json suite_compare_json(const Record& record, const Conclusion& conclusion) {
  const SuiteCompareTeller teller(record, conclusion);
  Json json = document_head("suite-compare", record, conclusion.warnings);
  const auto as_ratio = [](const std::optional<double>& log) {
    return log ? Json(std::exp(*log)) : Json();
  };
  Json benchmarks = Json::array(), units = Json::array();
  for (const SuiteCompareRow* row : teller.sorted_rows()) {
    const MetricFinding& found = row->finding;
    Json facts = Json::array();
    for (const FactChange& fact : row->facts)
      facts.push(Json::object()
                     .set("name", fact.name)
                     .set("baseline", fact.baseline)
                     .set("candidate", fact.candidate));
    Json one = Json::object();
    one.set("unit", teller.names().unit(row->unit)).set("id", row->id).set("control", row->control);
    one.set("presence", to_word(row->presence));
    one.set("verdict", conclusion.withheld ? Json() : Json(to_word(found.verdict)));
    one.set("reason", to_word(found.reason)).set("ratio", as_ratio(found.reading.estimate));
    one.set("lo99", as_ratio(found.reading.lo99)).set("hi99", as_ratio(found.reading.hi99));
    one.set("lo95", as_ratio(found.reading.lo95)).set("hi95", as_ratio(found.reading.hi95));
    one.set("runs", found.reading.runs).set("all_runs", found.all_runs);
    one.set("sign", to_word(found.reading.sign)).set("more", found.reading.more);
    one.set("p_seq", found.reading.p_seq).set("by_holm", found.by_holm);
    one.set("within_tolerance",
            found.reading.estimate ? Json(!is_outside(*row, record.plan.tolerance)) : Json());
    one.set("baseline_median", found.baseline_median > 0 ? Json(found.baseline_median) : Json());
    one.set("candidate_median", found.candidate_median > 0 ? Json(found.candidate_median) : Json());
    one.set("trouble", row->trouble).set("facts", std::move(facts));
    benchmarks.push(std::move(one));
  }
  for (const SuiteCompareUnit& unit : teller.found().units)
    units.push(Json::object()
                   .set("name", teller.names().unit(unit.unit))
                   .set("runs", unit.runs)
                   .set("baseline_memory", unit.baseline_memory)
                   .set("candidate_memory", unit.candidate_memory)
                   .set("trouble", unit.trouble));
  json.set("verdict", to_word(conclusion.overall)).set("withheld", conclusion.withheld);
  json.set("ended_by", to_word(conclusion.ended_by)).set("sentence", teller.sentence());
  json.set("family", teller.found().family).set("tolerance", record.plan.tolerance);
  json.set("geometric_mean", teller.found().geometric_mean);
  json.set("mean_of", teller.found().mean_of);
  return json.set("benchmarks", std::move(benchmarks)).set("units", std::move(units));
}

}  // namespace assay::report
