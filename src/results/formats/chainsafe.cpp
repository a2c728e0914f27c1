// SPDX-License-Identifier: Apache-2.0
// @chainsafe/benchmark (once @dapplion/benchmark). Three shapes:
//   history   CSV "id,averageNs,runsDone,totalMs[,threshold]" behind lines "#,commit,SHA": of every
//             benchmark one number, the mean of runsDone iterations of one process
//   raw       BENCHMARK_RESULTS_CSV_DIR: a file a benchmark, a line an iteration, whole ns, without
//             header; the id is the file's name
//   older     JSON {"benchmarks": {BRANCH: [{"commitSha", "results": [...]}]}}: many builds a file
// Cannot say: setup and warm-up, which totalMs contains; whether the mean leaves out what the tool
// takes for outliers (averageCalculation).
#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/text.hpp"
#include "results/formats/formats.hpp"
#include "results/reading.hpp"

namespace assay::results {
namespace {

constexpr double kNs = 1e-9, kMs = 1e-3;
constexpr std::string_view kChainsafeHeader = "id,averageNs,runsDone,totalMs";

// The text behind the lines of metadata, and those as pairs.
std::string_view behind_metadata(std::string_view text, File& file, std::size_t& lines) {
  while (text.starts_with("#")) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    text.remove_prefix(std::min(end + 1, text.size()));
    ++lines;
    if (!line.starts_with("#,")) continue;
    line.remove_prefix(2);
    const std::size_t comma = std::min(line.find(','), line.size());
    file.context.emplace_back(line.substr(0, comma), line.substr(std::min(comma + 1, line.size())));
  }
  return text;
}

bool is_whole_number(std::string_view line) {
  return !line.empty() && line.size() <= 19 &&
         std::all_of(line.begin(), line.end(), [](char c) { return c >= '0' && c <= '9'; });
}

bool is_raw(std::string_view text) {
  std::size_t lines = 0;
  while (!text.empty() && lines < 100) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (!is_whole_number(line)) return false;
    text.remove_prefix(std::min(end + 1, text.size()));
    ++lines;
  }
  return lines > 0;
}

bool is_chainsafe(std::string_view text) {
  const std::string_view head = text.substr(0, 4096);
  return text.starts_with(kChainsafeHeader) ||
         (text.starts_with("#,") && head.find("\nid,averageNs,") != std::string_view::npos) ||
         text.find("\"averageNs\"") != std::string_view::npos || is_raw(text);
}

struct ChainsafeResult {
  std::string id = {};
  double average_ns = 0;
  std::optional<double> runs = {}, total_ms = {}, threshold = {}, factor = {};
};

void add_chainsafe(SeriesTable& table, const ChainsafeResult& result, const std::string& build) {
  Series& series = table.at(result.id, "time", build);
  if (!series.processes.empty()) {
    series.doubts.push_back({"duplicate-id", "the same id stands twice: the first one is kept"});
    return;
  }
  Process& process = series.processes.emplace_back();
  process.values = {result.average_ns * kNs};
  if (result.runs) process.iterations = {*result.runs};
  if (result.total_ms) process.total_s = *result.total_ms * kMs;
  if (result.threshold) series.fields.push_back({"threshold", *result.threshold});
  if (result.factor) series.fields.push_back({"factor", *result.factor});
  if (result.runs && result.total_ms && *result.runs > 0) {
    const double timed = result.average_ns * kNs * *result.runs, total = *result.total_ms * kMs;
    if (total > 0.1 && timed < total / 2)
      series.doubts.push_back(
          {"setup-in-total",
           fmt::format(
               "of {} that it took, {} are its iterations: setup, warm-up or runs that were "
               "left out take the rest, inside the time budget",
               format_seconds(total), format_seconds(timed))});
  }
  if (result.runs && *result.runs <= 1)
    series.doubts.push_back({"one-iteration", "a single iteration stands behind the number"});
}

void add_chainsafe_doubt(File& file) {
  file.doubts.push_back({"single-number",
                         "one number a benchmark: the mean of its iterations in one process; "
                         "with averageCalculation clean-outliers without those that the tool "
                         "takes for outliers, and the file does not say"});
}

Result<File> read_chainsafe_history(std::string_view text, const std::string& name) {
  File file;
  SeriesTable table(file);
  std::size_t above = 0;
  const std::string_view csv = behind_metadata(text, file, above);
  const auto rows = read_csv(csv, ',', name);
  if (!rows) return fail(rows.error());
  if (rows->empty()) return fail("no header: id,averageNs,runsDone,totalMs", name);
  const auto& header = rows->front().cells;
  const auto column = [&](std::string_view wanted) {
    return static_cast<std::size_t>(std::find(header.begin(), header.end(), wanted) -
                                    header.begin());
  };
  const std::size_t id = column("id"), average = column("averageNs"), runs = column("runsDone"),
                    total = column("totalMs"), threshold = column("threshold"),
                    factor = column("factor");
  if (id == header.size() || average == header.size())
    return fail("no column 'id' or no column 'averageNs'", at_line(name, above + 1));
  std::size_t torn = 0;
  for (std::size_t i = 1; i < rows->size(); ++i) {
    const CsvRow& row = (*rows)[i];
    const auto number = [&](std::size_t at) {
      return at < row.cells.size() ? parse_number(row.cells[at]) : std::nullopt;
    };
    const bool is_last = i + 1 == rows->size() && !csv.ends_with('\n');
    if (row.cells.size() < header.size() && is_last) {
      ++torn;
      continue;
    }
    if (!number(average)) return fail("averageNs is not a number", at_line(name, above + row.line));
    add_chainsafe(table,
                  {row.cells[id], *number(average), number(runs), number(total), number(threshold),
                   number(factor)},
                  {});
  }
  if (table.too_many()) return fail("too many benchmarks in one file", name);
  if (torn > 0)
    file.doubts.push_back(
        {"truncated", "the last line is not whole and is left out; what came then is not here"});
  add_chainsafe_doubt(file);
  return file;
}

// The id of a raw file: its name.
std::string id_of_name(const std::string& name) {
  const std::size_t slash = name.rfind('/');
  std::string id = slash == std::string::npos ? name : name.substr(slash + 1);
  if (id.ends_with(".csv")) id.resize(id.size() - 4);
  return id;
}

Result<File> read_chainsafe_raw(std::string_view text, const std::string& name) {
  File file;
  Series& series = file.series.emplace_back();
  series.id = id_of_name(name);
  series.level = Level::iteration;
  Process& process = series.processes.emplace_back();
  std::size_t number = 0;
  for (std::string_view line : split_lines(text)) {
    ++number;
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty()) continue;
    double ns = 0;
    const auto [end, status] = std::from_chars(line.data(), line.data() + line.size(), ns);
    if (status != std::errc() || end != line.data() + line.size())
      return fail("not a whole number of nanoseconds", at_line(name, number));
    process.values.push_back(ns * kNs);
  }
  process.iterations.assign(process.values.size(), 1.0);
  return file;
}

Result<void> add_chainsafe_build(const Json& benchmark, const std::string& path,
                                 const std::string& name, SeriesTable& table) {
  const std::string* commit = benchmark["commitSha"].to_string();
  const Json& results = benchmark["results"];
  if (!results.is_array()) return fail(wrong_member(name, path + ".results", "not a list"));
  for (std::size_t i = 0; i < results.size(); ++i) {
    const Json& each = results.items()[i];
    const std::string here = fmt::format("{}.results[{}]", path, i);
    const std::string* id = each["id"].to_string();
    const auto average = each["averageNs"].to_double();
    if (id == nullptr) return fail(wrong_member(name, here + ".id", "not text"));
    if (!average) return fail(wrong_member(name, here + ".averageNs", "not a number"));
    add_chainsafe(table,
                  {*id, *average, each["runsDone"].to_double(), each["totalMs"].to_double(),
                   each["threshold"].to_double(), each["factor"].to_double()},
                  commit ? *commit : std::string());
  }
  return {};
}

Result<File> read_chainsafe_json(std::string_view text, const std::string& name) {
  const auto parsed = read_json(text, name);
  if (!parsed) return fail(parsed.error());
  File file;
  SeriesTable table(file);
  const Json& json = parsed->json;
  if (json.is_array()) {  // the results alone
    Json alone = Json::object();
    alone.set("results", json);
    if (auto done = add_chainsafe_build(alone, "", name, table); !done) return fail(done.error());
  } else if (json.has("results")) {
    if (auto done = add_chainsafe_build(json, "", name, table); !done) return fail(done.error());
  } else {
    for (const auto& [branch, builds] : json["benchmarks"].members())
      for (std::size_t i = 0; i < builds.size(); ++i)
        if (auto done = add_chainsafe_build(
                builds.items()[i], fmt::format("benchmarks.{}[{}]", branch, i), name, table);
            !done)
          return fail(done.error());
  }
  if (table.too_many()) return fail("too many benchmarks in one file", name);
  if (parsed->truncated)
    file.doubts.push_back({"truncated", "the file ends in the middle: what is whole is kept"});
  add_chainsafe_doubt(file);
  return file;
}

Result<File> read_chainsafe(std::string_view text, const std::string& name) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first != std::string_view::npos && (text[first] == '{' || text[first] == '['))
    return read_chainsafe_json(text, name);
  if (is_raw(text)) return read_chainsafe_raw(text, name);
  return read_chainsafe_history(text, name);
}

}  // namespace

constinit const Format kChainsafe = {
    "chainsafe", "@chainsafe/benchmark, CSV history, raw CSV, JSON", is_chainsafe, read_chainsafe};

}  // namespace assay::results
