// SPDX-License-Identifier: Apache-2.0
// BenchmarkDotNet, --exporters json (full: every measurement; brief: Statistics alone). A launch is
// a process; its measurements of mode Workload and stage Actual are repetitions in order, each the
// mean of `Operations` calls. The stage Result, which the tool's own numbers come from, is Actual
// less the overhead of an empty loop and without what it takes for outliers; here Actual counts.
// Cannot say: when a launch ran.
#include <fmt/format.h>

#include <map>

#include "results/formats/formats.hpp"
#include "results/reading.hpp"

namespace assay::results {
namespace {

bool is_benchmarkdotnet(std::string_view text) {
  return text.find("\"BenchmarkDotNetVersion\"") != std::string_view::npos ||
         (text.find("\"HostEnvironmentInfo\"") != std::string_view::npos &&
          text.find("\"Benchmarks\"") != std::string_view::npos);
}

bool is_stage(const Json& measurement, std::string_view stage) {
  const std::string* mode = measurement["IterationMode"].to_string();
  const std::string* here = measurement["IterationStage"].to_string();
  // Before 0.11 one word says both: MainTarget, MainWarmup.
  if (mode && here) return *mode == "Workload" && *here == stage;
  return mode && *mode == (stage == "Actual" ? "MainTarget" : "MainWarmup");
}

std::optional<double> seconds_an_operation(const Json& measurement) {
  const auto operations = measurement["Operations"].to_double();
  const auto nanoseconds = measurement["Nanoseconds"].to_double();
  if (!operations || !nanoseconds || !(*operations > 0)) return std::nullopt;
  return *nanoseconds * 1e-9 / *operations;
}

Result<void> dotnet_measurements(const Json& all, const std::string& path, const std::string& name,
                                 Series& series) {
  std::map<std::int64_t, Process> launches;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Json& each = all.items()[i];
    const bool actual = is_stage(each, "Actual");
    if (!actual && !is_stage(each, "Warmup")) continue;
    const auto value = seconds_an_operation(each);
    if (!value)
      return fail(wrong_member(name, fmt::format("{}.Measurements[{}]", path, i),
                               "no Operations above 0 or no Nanoseconds"));
    Process& process = launches[each["LaunchIndex"].to_int().value_or(1)];
    (actual ? process.values : process.warmups).push_back(*value);
    if (actual) process.iterations.push_back(*each["Operations"].to_double());
  }
  for (auto& [launch, process] : launches)
    if (!process.values.empty()) series.processes.push_back(std::move(process));
  return {};
}

Result<void> dotnet_benchmark(const Json& entry, const std::string& path, const std::string& name,
                              SeriesTable& table) {
  const std::string* id = entry["FullName"].to_string();
  if (id == nullptr) id = entry["DisplayInfo"].to_string();
  if (id == nullptr) return fail(wrong_member(name, path + ".FullName", "not text"));
  Series& series = table.at(*id, "time");
  if (!series.processes.empty() || series.centre) {
    series.doubts.push_back({"duplicate-id",
                             "the same name stands twice (two jobs?): the first "
                             "one is kept"});
    return {};
  }
  if (auto done = dotnet_measurements(entry["Measurements"], path, name, series); !done)
    return done;
  if (series.processes.empty()) {
    const Json& statistics = entry["Statistics"];
    const auto median = statistics["Median"].to_double(), mean = statistics["Mean"].to_double();
    if (!median && !mean) {
      series.state = State::failed;
      series.message = "no measurement and no statistic: the benchmark did not run";
      return {};
    }
    series.centre = (median ? *median : *mean) * 1e-9;
    series.centre_is = median ? "median" : "mean";
    if (const auto deviation = statistics["StandardDeviation"].to_double()) {
      series.spread = *deviation * 1e-9;
      series.spread_is = "standard deviation";
    }
    series.doubts.push_back({"summary-only",
                             "the measurements are not in the file (brief JSON), "
                             "and outliers were left out of its statistics"});
  }
  if (const auto bytes = entry["Memory"]["BytesAllocatedPerOperation"].to_double()) {
    Series& memory = table.at(*id, "allocated");
    memory.unit = "B";
    memory.centre = bytes;
    memory.centre_is = "mean";
  }
  return {};
}

Result<File> read_benchmarkdotnet(std::string_view text, const std::string& name) {
  const auto parsed = read_json(text, name);
  if (!parsed) return fail(parsed.error());
  const Json& benchmarks = parsed->json["Benchmarks"];
  if (!benchmarks.is_array()) return fail(wrong_member(name, "Benchmarks", "not a list"));
  File file;
  SeriesTable table(file);
  const Json& host = parsed->json["HostEnvironmentInfo"];
  if (const std::string* version = host["BenchmarkDotNetVersion"].to_string())
    file.version = *version;
  add_context(file, parsed->json, {"Title"});
  add_context(file, host,
              {"OsVersion", "ProcessorName", "RuntimeVersion", "Architecture", "Configuration"});
  for (std::size_t i = 0; i < benchmarks.size(); ++i)
    if (auto done =
            dotnet_benchmark(benchmarks.items()[i], fmt::format("Benchmarks[{}]", i), name, table);
        !done)
      return fail(done.error());
  if (table.too_many()) return fail("too many benchmarks in one file", name);
  const std::string* configuration = host["Configuration"].to_string();
  if (configuration && *configuration == "DEBUG")
    file.doubts.push_back({"debug-build", "built for debugging"});
  if (parsed->truncated)
    file.doubts.push_back({"truncated", "the file ends in the middle: later benchmarks are gone"});
  file.doubts.push_back({"order-unknown",
                         "BenchmarkDotNet writes no times: launches of one "
                         "benchmark follow each other, nothing says when"});
  return file;
}

}  // namespace

constinit const Format kBenchmarkDotNet = {"benchmarkdotnet",
                                           "BenchmarkDotNet, JSON (full or brief)",
                                           is_benchmarkdotnet, read_benchmarkdotnet};

}  // namespace assay::results
