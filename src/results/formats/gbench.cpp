// SPDX-License-Identifier: Apache-2.0
// Google Benchmark, --benchmark_format=json or --benchmark_out=FILE. One process a file: a
// repetition (--benchmark_repetitions) is the mean of `iterations` iterations, in the order in
// which they ran. With --benchmark_report_aggregates_only the repetitions are lost and a summary is
// left. A benchmark that failed or was skipped is an entry with its message. Cannot say: single
// iterations, setup, when a repetition began.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "results/formats/formats.hpp"
#include "results/reading.hpp"

namespace assay::results {
namespace {

constexpr std::array<std::string_view, 13> kGbenchMembers = {"family_index",
                                                             "per_family_instance_index",
                                                             "repetitions",
                                                             "repetition_index",
                                                             "threads",
                                                             "iterations",
                                                             "real_time",
                                                             "cpu_time",
                                                             "rms",
                                                             "bytes_per_second",
                                                             "items_per_second",
                                                             "cpu_coefficient",
                                                             "real_coefficient"};

bool is_gbench(std::string_view text) {
  return text.find("\"real_time\"") != std::string_view::npos ||
         (text.find("\"library_build_type\"") != std::string_view::npos &&
          text.find("\"benchmarks\"") != std::string_view::npos);
}

std::string text_member(const Json& object, std::string_view name) {
  const std::string* text = object[name].to_string();
  return text ? *text : std::string();
}

class GbenchReader {
 public:
  GbenchReader(std::string_view text, const std::string& name) : text_(text), name_(name) {}

  Result<File> read() {
    const auto parsed = read_json(text_, name_);
    if (!parsed) return fail(parsed.error());
    const Json& benchmarks = parsed->json["benchmarks"];
    if (!benchmarks.is_array()) return fail(wrong_member(name_, "benchmarks", "not a list"));
    read_context(parsed->json["context"]);
    for (std::size_t i = 0; i < benchmarks.size(); ++i)
      if (auto done = read_entry(benchmarks.items()[i], fmt::format("benchmarks[{}]", i)); !done)
        return fail(done.error());
    if (table_.too_many()) return fail("too many benchmarks in one file", name_);
    if (parsed->truncated)
      file_.doubts.push_back(
          {"truncated", fmt::format("the file ends in the middle: the {} entries before it "
                                    "are kept; what ran then left no result",
                                    benchmarks.size())});
    keep_summaries();
    return std::move(file_);
  }

 private:
  void read_context(const Json& context) {
    file_.version = text_member(context, "library_version");
    add_context(
        file_, context,
        {"date", "host_name", "executable", "num_cpus", "mhz_per_cpu", "load_avg",
         "cpu_scaling_enabled", "library_version", "library_build_type", "json_schema_version"});
    started_ = time_of_iso(text_member(context, "date"));
    if (text_member(context, "library_build_type") == "debug")
      file_.doubts.push_back(
          {"debug-build",
           "the benchmark library says that it was built for debugging (Debian's "
           "always does): if so, its own cost is in the times"});
    if (context["cpu_scaling_enabled"].to_bool().value_or(false))
      file_.doubts.push_back(
          {"cpu-scaling", "the processor changed its frequency by itself while this ran"});
    const auto schema = context["json_schema_version"].to_int();
    if (schema && *schema != 1)
      file_.doubts.push_back(
          {"unknown-version", fmt::format("schema version {}: known is 1", *schema)});
  }

  Result<void> read_entry(const Json& entry, const std::string& path) {
    const std::string name = text_member(entry, "name");
    if (name.empty()) return fail(wrong_member(name_, path + ".name", "not there"));
    std::string id = entry["run_name"].to_string() ? *entry["run_name"].to_string() : name;
    if (text_member(entry, "run_type") == "aggregate") return read_aggregate(entry, id, path);
    id = numbered(std::move(id), entry);
    if (entry.has("cpu_coefficient")) return {};  // the fit of --benchmark_complexity
    if (entry["error_occurred"].to_bool().value_or(false))
      return without_number(id, State::failed, text_member(entry, "error_message"));
    if (entry["skipped"].to_bool().value_or(false))
      return without_number(id, State::skipped, text_member(entry, "skip_message"));
    const auto unit = seconds_per(text_member(entry, "time_unit"));
    if (!unit) return fail(wrong_member(name_, path + ".time_unit", "not a unit of time"));
    const auto iterations = entry["iterations"].to_double();
    for (const auto& [member, metric] :
         {std::pair("real_time", "time"), std::pair("cpu_time", "cpu")}) {
      const Json& value = entry[member];
      if (!value.is_number() && !value.is_string() && !value.is_null())
        return fail(wrong_member(name_, path + "." + member, "not a number"));
      if (!value.is_number()) {
        Series& series = table_.at(id, metric);
        series.doubts.push_back({"not-finite", "a repetition whose number is NaN or infinite"});
        continue;
      }
      add_value(id, metric, "s", Direction::lower, *value.to_double() * *unit, iterations, entry);
    }
    for (const auto& [member, base] :
         {std::pair("bytes_per_second", "B/s"), std::pair("items_per_second", "1/s")})
      if (const auto rate = entry[member].to_double())
        add_value(id, member, base, Direction::higher, *rate, iterations, entry);
    return {};
  }

  // Two benchmarks of one name are not repetitions of one: the second is "name#2".
  std::string numbered(std::string id, const Json& entry) {
    const auto index = entry["repetition_index"].to_int();
    std::size_t& count = begun_[id];
    if (index == 0) ++count;
    return count > 1 ? fmt::format("{}#{}", id, count) : id;
  }

  void add_value(const std::string& id, const std::string& metric, const std::string& unit,
                 Direction better, double value, std::optional<double> iterations,
                 const Json& entry) {
    Series& series = table_.at(id, metric);
    series.unit = unit;
    series.better = better;
    if (series.processes.empty()) {
      series.processes.emplace_back().started_at_ms = started_;
      if (metric == "time") series.fields = other_numbers(entry, kGbenchMembers);
    }
    Process& process = series.processes.front();
    process.values.push_back(value);
    if (iterations) process.iterations.push_back(*iterations);
    if (metric == "time" && iterations)
      process.total_s = process.total_s.value_or(0) + value * *iterations;
  }

  Result<void> without_number(const std::string& id, State state, std::string message) {
    Series& series = table_.at(id, "time");
    series.state = state;
    series.message = message.empty() ? "without a message" : std::move(message);
    return {};
  }

  // Kept only where the repetitions behind it are not there.
  Result<void> read_aggregate(const Json& entry, const std::string& id, const std::string& path) {
    const std::string what = text_member(entry, "aggregate_name");
    const bool is_share = text_member(entry, "aggregate_unit") == "percentage" || what == "cv";
    if (what.empty() || what == "BigO" || what == "RMS" || is_share) return {};
    const auto unit = seconds_per(text_member(entry, "time_unit"));
    if (!unit) return fail(wrong_member(name_, path + ".time_unit", "not a unit of time"));
    for (const auto& [member, metric] :
         {std::pair("real_time", "time"), std::pair("cpu_time", "cpu")}) {
      const auto value = entry[member].to_double();
      if (!value) continue;
      Series& series = table_.at(id, metric);
      if (what == "stddev") {
        series.spread = *value * *unit;
        series.spread_is = "standard deviation";
      } else if (what == "median" || (what == "mean" && series.centre_is != "median")) {
        series.centre = *value * *unit;
        series.centre_is = what;
      }
    }
    return {};
  }

  void keep_summaries() {
    bool lost = false;
    for (Series& series : file_.series) {
      if (series.processes.empty()) {
        lost = lost || series.centre;
        continue;
      }
      series.centre = series.spread = std::nullopt;
      series.centre_is = series.spread_is = {};
    }
    if (lost)
      file_.doubts.push_back({"summary-only",
                              "only aggregates are here, the repetitions behind them are not "
                              "(--benchmark_report_aggregates_only)"});
  }

  std::string_view text_;
  const std::string& name_;
  File file_ = {};
  SeriesTable table_{file_};
  std::optional<std::int64_t> started_ = {};
  std::map<std::string, std::size_t> begun_ = {};  // by name: first repetitions so far
};

Result<File> read_gbench(std::string_view text, const std::string& name) {
  return GbenchReader(text, name).read();
}

}  // namespace

constinit const Format kGbench = {"gbench", "Google Benchmark, JSON", is_gbench, read_gbench};

}  // namespace assay::results
