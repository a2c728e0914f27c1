// SPDX-License-Identifier: Apache-2.0
// pyperf, -o FILE (JSON). A run is a process; its values are repetitions, each the mean of `loops`
// iterations; warm-ups stand beside them. Runs without values calibrated the number of loops. Runs
// have dates, so the order of processes of two files can be seen. Cannot say: setup.
#include <fmt/format.h>

#include "results/formats/formats.hpp"
#include "results/reading.hpp"

namespace assay::results {
namespace {

bool is_pyperf(std::string_view text) {
  return text.find("\"runs\"") != std::string_view::npos &&
         text.find("\"benchmarks\"") != std::string_view::npos &&
         text.find("\"values\"") != std::string_view::npos &&
         text.find("\"version\"") != std::string_view::npos;
}

// A member of the run, else of the benchmark, else of the file.
const Json& pyperf_metadata(const Json& run, const Json& benchmark, const Json& file,
                            std::string_view key) {
  for (const Json* each : {&run, &benchmark, &file})
    if (const Json* found = (*each)["metadata"].find(key)) return *found;
  return file[key.empty() ? "metadata" : ""];
}

std::optional<std::int64_t> pyperf_date(const Json& run) {
  const std::string* date = run["metadata"]["date"].to_string();
  return date ? time_of_iso(*date) : std::nullopt;
}

Result<void> pyperf_run(const Json& run, const Json& benchmark, const Json& whole,
                        const std::string& path, const std::string& name, Series& series) {
  const Json& values = run["values"];
  if (values.size() == 0) return {};
  Process& process = series.processes.emplace_back();
  process.started_at_ms = pyperf_date(run);
  process.total_s = run["metadata"]["duration"].to_double();
  process.peak_memory = run["metadata"]["mem_max_rss"].to_double();
  const auto loops = pyperf_metadata(run, benchmark, whole, "loops").to_double();
  const auto inner = pyperf_metadata(run, benchmark, whole, "inner_loops").to_double();
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto value = values.items()[i].to_double();
    if (!value)
      return fail(wrong_member(name, fmt::format("{}.values[{}]", path, i), "not a number"));
    process.values.push_back(*value);
    if (loops) process.iterations.push_back(*loops * inner.value_or(1));
  }
  for (const Json& warmup : run["warmups"].items())
    if (warmup.size() == 2)
      if (const auto value = warmup.items()[1].to_double()) process.warmups.push_back(*value);
  return {};
}

Result<File> read_pyperf(std::string_view text, const std::string& name) {
  const auto parsed = read_json(text, name);
  if (!parsed) return fail(parsed.error());
  const Json& whole = parsed->json;
  if (!whole["benchmarks"].is_array()) return fail(wrong_member(name, "benchmarks", "not a list"));
  File file;
  SeriesTable table(file);
  if (const std::string* version = whole["version"].to_string()) file.version = *version;
  if (!file.version.empty() && file.version != "1.0")
    file.doubts.push_back({"unknown-version", "version " + file.version + ": known is 1.0"});
  add_context(file, whole["metadata"],
              {"hostname", "cpu_model_name", "cpu_count", "platform", "python_version",
               "python_implementation", "command_max_rss"});
  const Json::Array& benchmarks = whole["benchmarks"].items();
  for (std::size_t i = 0; i < benchmarks.size(); ++i) {
    const Json& benchmark = benchmarks[i];
    const std::string path = fmt::format("benchmarks[{}]", i);
    const Json& runs = benchmark["runs"];
    if (!runs.is_array()) return fail(wrong_member(name, path + ".runs", "not a list"));
    const Json first = runs.size() > 0 ? runs.items()[0] : Json();
    const std::string* id = pyperf_metadata(first, benchmark, whole, "name").to_string();
    const std::string* unit = pyperf_metadata(first, benchmark, whole, "unit").to_string();
    const BaseUnit base = base_unit(unit ? *unit : "second");
    const std::string metric = base.unit == "integer" ? "value" : metric_of_unit(base.unit);
    Series& series = table.at(id ? *id : fmt::format("benchmark {}", i), metric);
    if (!series.processes.empty())
      series.doubts.push_back({"duplicate-id", "the same name stands twice in this file"});
    series.unit = base.unit == "integer" ? "1" : base.unit;
    for (std::size_t j = 0; j < runs.size(); ++j)
      if (auto done = pyperf_run(runs.items()[j], benchmark, whole,
                                 fmt::format("{}.runs[{}]", path, j), name, series);
          !done)
        return fail(done.error());
    if (series.processes.empty()) {
      series.state = State::failed;
      series.message = "no run with values: only calibration";
    }
  }
  if (table.too_many()) return fail("too many benchmarks in one file", name);
  if (parsed->truncated)
    file.doubts.push_back({"truncated", "the file ends in the middle: later runs are gone"});
  return file;
}

}  // namespace

constinit const Format kPyperf = {"pyperf", "pyperf, JSON", is_pyperf, read_pyperf};

}  // namespace assay::results
