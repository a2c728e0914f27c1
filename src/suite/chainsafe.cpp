// SPDX-License-Identifier: Apache-2.0
// @chainsafe/benchmark on Node. Units are files, run in the order of the arguments; which
// benchmarks a file has is seen only when it runs. A script that Node loads first
// (node_preload.hpp) tells the single times, what the collector took of them, and the heap behind a
// collection, which resident memory is not. The printed table gives the mean (some benchmarks do
// many turns in one run), how long all of it took, and what failed.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/json.hpp"
#include "base/process.hpp"
#include "base/text.hpp"
#include "measure/command.hpp"
#include "suite/adapter.hpp"
#include "suite/ids.hpp"
#include "suite/node_preload.hpp"

namespace assay::suite {
namespace {

constexpr double kNanosecond = 1e-9, kMillisecond = 1e-3;
constexpr std::size_t kIdColumns = 64;  // of the printed table; a longer id is cut

bool is_file_word(const std::string& word) {
  if (word.starts_with('-')) return false;
  if (word.find('*') != std::string::npos) return true;
  for (const char* ending : {".js", ".cjs", ".mjs", ".ts", ".cts", ".mts", ".tsx", ".jsx"})
    if (word.ends_with(ending) && word.find("node_modules/") == std::string::npos) return true;
  return false;
}

// Without sequences that colour the text.
std::string without_colour(const std::string& text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\x1b' && i + 1 < text.size() && text[i + 1] == '[') {
      while (i < text.size() && text[i] != 'm') ++i;
      continue;
    }
    plain += text[i];
  }
  return plain;
}

// A line of the printed table.
struct PrintedRow {
  std::string id = {};    // its first kIdColumns characters
  std::string file = {};  // whose heading it stands under
  MeasurementStatus status = MeasurementStatus::ok;
  std::string message = {};
  double value = 0;  // s
  double runs = 0;
  double total = 0;  // s, with everything in front of the first run
};

std::string trimmed(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return std::string(text);
}

// "id   826.0701 ops/s   1.210551 ms/op   -   578 runs   1.21 s" behind the mark.
std::optional<PrintedRow> result_row(const std::string& line) {
  const std::size_t ops = line.rfind(" ops/s ");
  const std::size_t op = line.find("/op ", ops == std::string::npos ? 0 : ops);
  const std::size_t runs = line.rfind(" runs ");
  if (ops == std::string::npos || op == std::string::npos || runs == std::string::npos)
    return std::nullopt;
  const std::string time = trimmed(line.substr(ops + 7, op - ops - 7));
  const std::size_t blank = time.find(' ');
  const std::string unit = blank == std::string::npos ? "" : trimmed(time.substr(blank));
  const auto number = parse_number(time.substr(0, blank));
  const double scale = unit == "ns" ? 1e-9 : unit == "us" ? 1e-6 : unit == "ms" ? 1e-3 : 1;
  const std::string before = line.substr(0, runs);
  const auto count = parse_number(trimmed(before.substr(before.rfind(' ') + 1)));
  std::string last = trimmed(line.substr(runs + 6));
  if (last.ends_with(" s")) last = trimmed(last.substr(0, last.size() - 2));
  const auto total = parse_number(last);
  if (!number || !count || !total) return std::nullopt;
  // The rate stands right of the id, filled up to eleven columns.
  const std::string head = line.substr(0, ops);
  const std::size_t cut = head.find_last_of(' ');
  if (cut == std::string::npos) return std::nullopt;
  return PrintedRow{.id = trimmed(head.substr(0, cut)),
                    .value = *number * scale,
                    .runs = *count,
                    .total = *total};
}

std::vector<PrintedRow> printed_rows(const std::string& out) {
  std::vector<PrintedRow> rows;
  std::string file;
  for (const std::string& raw : lines_of(without_colour(out))) {
    const std::string line = trimmed(raw);
    const std::size_t blank = line.find(' ');
    const std::string mark = line.substr(0, blank);
    const std::string rest = blank == std::string::npos ? "" : trimmed(line.substr(blank));
    const std::size_t before = rows.size();
    if (mark == "\xE2\x9C\x94" || mark == "\xE2\x88\x9A" || mark == "!") {
      if (auto row = result_row(rest)) rows.push_back(std::move(*row));
    } else if (mark == "\xE2\x9C\x96" || mark == "\xC3\x97") {
      rows.push_back({.id = rest, .status = MeasurementStatus::failed});
    } else if (mark == "-" && !rest.empty()) {
      rows.push_back({.id = rest, .status = MeasurementStatus::skipped});
    } else if (blank == std::string::npos && is_file_word(line)) {
      file = line;
    } else if (!rows.empty() && rows.back().status == MeasurementStatus::failed &&
               rows.back().message.empty()) {
      rows.back().message = line;  // the first line of its stack
    }
    if (rows.size() > before) rows.back().file = file;
  }
  return rows;
}

// What the script told of one benchmark, and at the exit.
struct NodeEvent {
  std::string id = {};
  std::vector<double> runs = {};  // s
  double end_ms = 0;
  std::optional<double> heap = {};
};
struct NodeEvents {
  std::vector<NodeEvent> benchmarks = {};
  std::optional<double> start_heap = {}, heap = {}, limit = {};
  std::vector<std::pair<double, double>> collections = {};  // ms: begin, length
  std::size_t malformed = 0;
};

NodeEvents node_events(const std::string& text) {
  NodeEvents events;
  for (const std::string& line : lines_of(text)) {
    const auto json = parse_json(line);
    if (!json || !json->is_object()) {
      ++events.malformed;
      continue;
    }
    if (json->has("end")) {
      events.start_heap = (*json)["start_heap"].to_double();
      events.heap = (*json)["heap"].to_double();
      events.limit = (*json)["limit"].to_double();
      for (const Json& one : (*json)["gcs"].items())
        if (one.size() == 2)
          events.collections.emplace_back(one.items()[0].to_double().value_or(0),
                                          one.items()[1].to_double().value_or(0));
      continue;
    }
    const std::string* id = (*json)["id"].to_string();
    const std::string* runs = (*json)["runs_ns"].to_string();
    if (id == nullptr || runs == nullptr) {
      ++events.malformed;
      continue;
    }
    NodeEvent event{.id = *id,
                    .end_ms = (*json)["end_ms"].to_double().value_or(0),
                    .heap = (*json)["heap"].to_double()};
    for (const std::string& run : lines_of(*runs))
      if (const auto ns = parse_number(run)) event.runs.push_back(*ns * kNanosecond);
    events.benchmarks.push_back(std::move(event));
  }
  return events;
}

Measurement measurement_of_event(const NodeEvent& event, const NodeEvents& all) {
  Measurement made{.id = event.id, .samples = event.runs};
  const double sum = std::accumulate(event.runs.begin(), event.runs.end(), 0.0);
  made.total_s = sum;
  made.iterations = static_cast<double>(event.runs.size());
  if (!event.runs.empty()) made.value = sum / static_cast<double>(event.runs.size());
  made.memory_after = event.heap;
  // The timed runs end with the benchmark; what stands between them makes this too small at most.
  if (!all.collections.empty()) {
    double ms = 0;
    for (const auto& [begin, length] : all.collections)
      if (begin >= event.end_ms - sum / kMillisecond && begin <= event.end_ms) ms += length;
    made.gc_s = ms * kMillisecond;
  }
  return made;
}

void add_row(const PrintedRow& row, Measurement& to) {
  if (to.value && *to.value > 0 && row.value > 0) {
    const double turns = std::max(1.0, std::round(*to.value / row.value));
    for (double& sample : to.samples) sample /= turns;
  }
  to.value = row.value;
  if (!to.iterations) to.iterations = row.runs;
  to.setup_s = std::max(0.0, row.total - to.total_s.value_or(row.total));
}

class Chainsafe final : public Adapter {
 public:
  explicit Chainsafe(const SuitePlan& plan) : collects_(plan.memory_budget.has_value()) {}

  Abilities abilities(const Subject&) const override {
    return {.joins = true, .reorders = true, .repeats = false};
  }

  // The shell expands patterns, as the tool would.
  Result<std::vector<Invocation>> listings(const Subject& subject) const override {
    Invocation list{.argv = {"bash", "-O", "globstar", "-O", "nullglob", "-c",
                             R"(IFS=; for p in "$@"; do printf '%s\n' $p; done)", "list"},
                    .env = {}};
    const std::size_t head = list.argv.size();
    for (const std::string& word : subject.argv)
      if (is_file_word(word)) list.argv.push_back(word);
    if (list.argv.size() == head)
      return fail("the command names no file of benchmarks", subject.label,
                  "such as -- npx benchmark 'test/perf/**/*.test.ts'");
    return std::vector<Invocation>{list};
  }

  Result<std::vector<SuiteUnit>> read_listing(const Subject& subject,
                                              std::span<const std::string> outputs) const override {
    std::vector<SuiteUnit> units;
    for (const std::string& file : lines_of(outputs.empty() ? std::string() : outputs.front()))
      if (std::ranges::find(units, file, &SuiteUnit::name) == units.end())
        units.push_back({.name = file});
    if (units.empty()) return fail("no file matches its patterns", subject.label);
    return units;
  }

  Result<Invocation> invocation(const Subject& subject, std::span<const SuiteUnit* const> units,
                                const std::string& results) const override {
    Invocation made;
    bool placed = false;
    for (const std::string& word : subject.argv) {
      if (!is_file_word(word)) {
        made.argv.push_back(word);
        continue;
      }
      if (placed) continue;
      placed = true;
      for (const SuiteUnit* unit : units) made.argv.push_back(unit->name);
    }
    // It keeps results and compares with them by itself, and writes them into the user's folder.
    const auto add = [&](std::string_view option, std::string_view other, const char* word) {
      if (std::ranges::none_of(subject.argv, [&](const std::string& given) {
            return given.starts_with(option) || given.starts_with(other);
          }))
        made.argv.push_back(word);
    };
    add("--noThrow", "--no-throw", "--noThrow=true");
    add("--persist", "--no-persist", "--persist=false");
    const std::string script = results + ".cjs";
    made.files = {{script, std::string(node_preload())}};
    const std::string before =
        find_variable(measure::environment_of(subject), "NODE_OPTIONS").value_or("");
    made.env = {{"NODE_OPTIONS", before + (before.empty() ? "" : " ") + "--require " + script},
                {"ASSAY_NODE_RESULTS", results},
                {"BENCHMARK_RESULTS_CSV_DIR", results + ".csv.d"},
                {"ASSAY_NODE_COLLECT", collects_ ? "1" : "0"}};
    return made;
  }

  Reading read(const Leavings& leavings) const override {
    const NodeEvents events = node_events(leavings.results);
    const std::vector<PrintedRow> rows = printed_rows(leavings.out);
    Reading reading;
    std::size_t next = 0;
    for (const PrintedRow& row : rows) {
      reading.homes.push_back(row.file);
      if (row.status != MeasurementStatus::ok) {
        reading.measurements.push_back(
            {.id = row.id, .status = row.status, .message = row.message});
        continue;
      }
      Measurement made{.id = row.id};
      if (next < events.benchmarks.size() &&
          events.benchmarks[next].id.substr(0, kIdColumns).starts_with(row.id))
        made = measurement_of_event(events.benchmarks[next++], events);
      add_row(row, made);
      reading.measurements.push_back(std::move(made));
    }
    // A process that died between the two, or a table that looks otherwise.
    for (; next < events.benchmarks.size(); ++next)
      reading.measurements.push_back(measurement_of_event(events.benchmarks[next], events));
    add_process(events, reading);
    if (events.malformed > 0)
      reading.doubts.push_back(
          fmt::format("{} lines of its results are malformed", events.malformed));
    if (leavings.err.find("JavaScript heap out of memory") != std::string::npos)
      reading.doubts.push_back(
          "its heap ran full: --max-old-space-size in NODE_OPTIONS is the limit, "
          "not the resident memory");
    if (reading.measurements.empty() && leavings.exit == Exit{})
      reading.doubts.push_back("it printed no result");
    return reading;
  }

 private:
  // Of the heap the process tells only where it began and where it ended.
  static void add_process(const NodeEvents& events, Reading& reading) {
    if (reading.measurements.empty()) return;
    reading.measurements.front().memory_before = events.start_heap;
    if (events.heap) reading.measurements.back().memory_after = events.heap;
    if (events.limit)
      for (Measurement& measurement : reading.measurements)
        measurement.facts.push_back({"heap_limit", *events.limit});
  }

  bool collects_;
};

}  // namespace

std::unique_ptr<Adapter> make_chainsafe(const SuitePlan& plan) {
  return std::make_unique<Chainsafe>(plan);
}

}  // namespace assay::suite
