// SPDX-License-Identifier: Apache-2.0
// JMH, -rf json. A fork is a process, its iterations are repetitions, each the mean of many calls
// (mode avgt, thrpt), in order; modes sample and ss keep a histogram or single calls. scoreUnit may
// be a rate (ops/s: higher is better) and scores may be "NaN" or "+INF" as strings. Secondary
// metrics ("gc.alloc.rate.norm", in JMH also with a middle dot in front) are series of their own.
// Cannot say: when a fork ran; what warm-up measured; setup.
#include <fmt/format.h>

#include <algorithm>

#include "results/formats/formats.hpp"
#include "results/reading.hpp"

namespace assay::results {
namespace {

bool is_jmh(std::string_view text) {
  return text.find("\"primaryMetric\"") != std::string_view::npos;
}

std::string jmh_id(const Json& entry) {
  const std::string* called = entry["benchmark"].to_string();
  std::string id = called ? *called : std::string();
  for (const auto& [parameter, value] : entry["params"].members())
    id += fmt::format(":{}={}", parameter, value.to_string() ? *value.to_string() : value.dump());
  const std::string* mode = entry["mode"].to_string();
  if (mode && *mode != "avgt") id += " (" + *mode + ")";
  return id;
}

// rawDataHistogram: [fork][iteration][[value, count], ...]. An iteration's value is its mean.
void jmh_histogram(const Json& forks, const BaseUnit& base, Series& series) {
  for (const Json& fork : forks.items()) {
    Process& process = series.processes.emplace_back();
    for (const Json& iteration : fork.items()) {
      double sum = 0, count = 0;
      for (const Json& bin : iteration.items()) {
        if (bin.size() != 2) continue;
        const auto value = bin.items()[0].to_double(), times = bin.items()[1].to_double();
        if (!value || !times) continue;
        sum += *value * *times;
        count += *times;
      }
      if (count <= 0) continue;
      process.values.push_back(sum / count * base.factor);
      process.iterations.push_back(count);
    }
  }
}

Result<void> jmh_metric(const Json& metric, const std::string& path, const std::string& name,
                        Series& series) {
  const std::string* unit = metric["scoreUnit"].to_string();
  if (unit == nullptr) return fail(wrong_member(name, path + ".scoreUnit", "not text"));
  const BaseUnit base = base_unit(*unit);
  series.unit = base.unit.empty() ? "1" : base.unit;
  series.better = base.better;
  std::size_t lost = 0;
  for (const Json& fork : metric["rawData"].items()) {
    Process& process = series.processes.emplace_back();
    for (const Json& value : fork.items()) {
      if (const auto number = value.to_double())
        process.values.push_back(*number * base.factor);
      else
        ++lost;
    }
  }
  if (series.processes.empty()) jmh_histogram(metric["rawDataHistogram"], base, series);
  if (lost > 0)
    series.doubts.push_back(
        {"not-finite", fmt::format("{} iterations gave no finite number", lost)});
  std::erase_if(series.processes, [](const Process& process) { return process.values.empty(); });
  if (!series.processes.empty()) return {};
  if (const auto score = metric["score"].to_double()) {
    series.centre = *score * base.factor;
    series.centre_is = "mean";
    if (const auto error = metric["scoreError"].to_double()) {
      series.spread = *error * base.factor;
      series.spread_is = "99.9 % error";
    }
    series.doubts.push_back({"summary-only", "the iterations behind the score are not here"});
    return {};
  }
  series.state = State::failed;
  series.message = "no finite score";
  return {};
}

Result<void> jmh_entry(const Json& entry, const std::string& path, const std::string& name,
                       File& file, SeriesTable& table) {
  const std::string id = jmh_id(entry);
  if (!entry["benchmark"].to_string())
    return fail(wrong_member(name, path + ".benchmark", "not text"));
  const Json& primary = entry["primaryMetric"];
  const std::string* unit = primary["scoreUnit"].to_string();
  const BaseUnit base = base_unit(unit ? *unit : "");
  Series& series = table.at(id, metric_of_unit(base.unit));
  if (!series.processes.empty() || series.centre) {
    series.doubts.push_back({"duplicate-id", "the same id stands twice: the first one is kept"});
    return {};
  }
  if (auto done = jmh_metric(primary, path + ".primaryMetric", name, series); !done) return done;
  series.fields = other_numbers(entry);
  if (entry["forks"].to_int() == 0)
    series.doubts.push_back(
        {"no-fork", "forks = 0: the benchmarks share one process with JMH and with each other"});
  for (const auto& [called, metric] : entry["secondaryMetrics"].members()) {
    Series& second = table.at(id, called);
    if (auto done = jmh_metric(metric, path + ".secondaryMetrics." + called, name, second); !done)
      return done;
  }
  if (file.version.empty())
    if (const std::string* version = entry["jmhVersion"].to_string()) {
      file.version = *version;
      add_context(file, entry, {"jmhVersion", "jvm", "jdkVersion", "vmName", "vmVersion"});
    }
  return {};
}

Result<File> read_jmh(std::string_view text, const std::string& name) {
  const auto parsed = read_json(text, name);
  if (!parsed) return fail(parsed.error());
  if (!parsed->json.is_array()) return fail("not a list of results", name);
  File file;
  SeriesTable table(file);
  for (std::size_t i = 0; i < parsed->json.size(); ++i)
    if (auto done = jmh_entry(parsed->json.items()[i], fmt::format("[{}]", i), name, file, table);
        !done)
      return fail(done.error());
  if (table.too_many()) return fail("too many benchmarks in one file", name);
  if (parsed->truncated)
    file.doubts.push_back({"truncated", "the file ends in the middle: later benchmarks are gone"});
  file.doubts.push_back({"order-unknown",
                         "JMH writes no times: forks of one benchmark follow each "
                         "other, and nothing says when"});
  return file;
}

}  // namespace

constinit const Format kJmh = {"jmh", "JMH, JSON", is_jmh, read_jmh};

}  // namespace assay::results
