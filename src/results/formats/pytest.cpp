// SPDX-License-Identifier: Apache-2.0
// pytest-benchmark, --benchmark-json=FILE (every round) or a file of --benchmark-save (a summary,
// unless --benchmark-save-data). One process a file: a value is a round, the mean of `iterations`
// calls, in the order in which they ran. Cannot say: setup, when a benchmark began.
#include <fmt/format.h>

#include "results/formats/formats.hpp"
#include "results/reading.hpp"

namespace assay::results {
namespace {

bool is_pytest(std::string_view text) {
  return text.find("\"machine_info\"") != std::string_view::npos &&
         text.find("\"benchmarks\"") != std::string_view::npos &&
         text.find("\"fullname\"") != std::string_view::npos;
}

Result<void> read_pytest_entry(const Json& entry, const std::string& path, const std::string& name,
                               std::optional<std::int64_t> started, SeriesTable& table) {
  const std::string* id = entry["fullname"].to_string();
  if (id == nullptr) id = entry["name"].to_string();
  if (id == nullptr) return fail(wrong_member(name, path + ".fullname", "not there"));
  const Json& stats = entry["stats"];
  if (!stats.is_object()) return fail(wrong_member(name, path + ".stats", "not an object"));
  Series& series = table.at(*id, "time");
  if (!series.processes.empty() || series.centre)
    series.doubts.push_back({"duplicate-id", "the same id stands twice in this file"});
  series.fields = other_numbers(entry["params"]);
  for (const Field& extra : other_numbers(entry["extra_info"])) series.fields.push_back(extra);
  const auto iterations = stats["iterations"].to_double();
  if (!stats["data"].is_array() || stats["data"].size() == 0) {
    series.centre =
        stats["median"].to_double() ? stats["median"].to_double() : stats["mean"].to_double();
    series.centre_is = stats["median"].to_double() ? "median" : "mean";
    series.spread = stats["stddev"].to_double();
    series.spread_is = series.spread ? "standard deviation" : "";
    for (const Field& field : other_numbers(stats))
      if (field.name == "rounds" || field.name == "iterations") series.fields.push_back(field);
    if (!series.centre) {
      series.state = State::failed;
      series.message = "no number: the benchmark did not finish";
      series.centre_is = {};
    }
    return {};
  }
  Process& process = series.processes.emplace_back();
  process.started_at_ms = started;
  process.total_s = stats["total"].to_double();
  for (std::size_t i = 0; i < stats["data"].size(); ++i) {
    const auto value = stats["data"].items()[i].to_double();
    if (!value)
      return fail(wrong_member(name, fmt::format("{}.stats.data[{}]", path, i), "not a number"));
    process.values.push_back(*value);
    if (iterations) process.iterations.push_back(*iterations);
  }
  return {};
}

Result<File> read_pytest(std::string_view text, const std::string& name) {
  const auto parsed = read_json(text, name);
  if (!parsed) return fail(parsed.error());
  const Json& benchmarks = parsed->json["benchmarks"];
  if (!benchmarks.is_array()) return fail(wrong_member(name, "benchmarks", "not a list"));
  File file;
  SeriesTable table(file);
  if (const std::string* version = parsed->json["version"].to_string()) file.version = *version;
  add_context(file, parsed->json, {"datetime"});
  add_context(file, parsed->json["machine_info"],
              {"node", "machine", "system", "release", "python_implementation", "python_version"});
  add_context(file, parsed->json["commit_info"], {"id", "dirty", "branch"});
  const std::string* when = parsed->json["datetime"].to_string();
  const auto started = when ? time_of_iso(*when) : std::nullopt;
  for (std::size_t i = 0; i < benchmarks.size(); ++i)
    if (auto done = read_pytest_entry(benchmarks.items()[i], fmt::format("benchmarks[{}]", i), name,
                                      started, table);
        !done)
      return fail(done.error());
  if (table.too_many()) return fail("too many benchmarks in one file", name);
  if (parsed->truncated)
    file.doubts.push_back(
        {"truncated", fmt::format("the file ends in the middle: {} benchmarks before it are kept",
                                  benchmarks.size())});
  for (const Series& series : file.series)
    if (series.centre) {
      file.doubts.push_back({"summary-only",
                             "the rounds are not in the file, only their summary: "
                             "--benchmark-json=FILE or --benchmark-save-data keeps them"});
      break;
    }
  return file;
}

}  // namespace

constinit const Format kPytest = {"pytest", "pytest-benchmark, JSON", is_pytest, read_pytest};

}  // namespace assay::results
