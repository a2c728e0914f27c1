// SPDX-License-Identifier: Apache-2.0
// criterion.rs: target/criterion/.../new/{benchmark,estimates,sample}.json, a single one of them,
// or the lines of `cargo criterion --message-format=json`. A sample is a repetition in one process:
// its time over its iterations, in the order in which they ran; estimates.json alone is a summary.
// A folder comes as one text, {"criterion": [{"path", "benchmark", "estimates", "sample"}, ...]},
// which the command that reads it makes. Cannot say: when it ran, warm-up, setup, whether new/ of
// two benchmarks came from one process.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "results/formats/formats.hpp"
#include "results/reading.hpp"

namespace assay::results {
namespace {

constexpr double kCriterionUnit = 1e-9;

bool is_criterion(std::string_view text) {
  const bool sample = text.find("\"sampling_mode\"") != std::string_view::npos &&
                      text.find("\"iters\"") != std::string_view::npos;
  const bool estimates = text.find("\"point_estimate\"") != std::string_view::npos;
  const bool lines = text.find("\"benchmark-complete\"") != std::string_view::npos;
  return sample || estimates || lines || text.starts_with("{\"criterion\":");
}

// "target/criterion/group/function/new/sample.json" -> "group/function".
std::string criterion_id_of(const std::string& path) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find('/', begin), path.size());
    if (end > begin) parts.push_back(path.substr(begin, end - begin));
    begin = end + 1;
  }
  if (!parts.empty() && parts.back().ends_with(".json")) parts.pop_back();
  if (!parts.empty() && (parts.back() == "new" || parts.back() == "base")) parts.pop_back();
  const auto root = std::find(parts.begin(), parts.end(), "criterion");
  if (root != parts.end()) parts.erase(parts.begin(), root + 1);
  std::string id;
  for (const std::string& part : parts) id += (id.empty() ? "" : "/") + part;
  return id.empty() ? path : id;
}

Result<void> criterion_samples(const Json& times, const Json& counts, double unit,
                               const std::string& path, const std::string& name, Series& series) {
  if (times.size() != counts.size())
    return fail(wrong_member(name, path,
                             fmt::format("{} times of {} samples", times.size(), counts.size())));
  Process& process = series.processes.emplace_back();
  for (std::size_t i = 0; i < times.size(); ++i) {
    const auto time = times.items()[i].to_double(), count = counts.items()[i].to_double();
    if (!time || !count || !(*count > 0))
      return fail(wrong_member(name, fmt::format("{}[{}]", path, i), "not a time and its count"));
    process.values.push_back(*time * unit / *count);
    process.iterations.push_back(*count);
    process.total_s = process.total_s.value_or(0) + *time * unit;
  }
  return {};
}

void criterion_summary(const Json& estimates, double unit, Series& series) {
  for (const auto& [member, what] : {std::pair("median", "median"), std::pair("mean", "mean")}) {
    const auto point = estimates[member]["point_estimate"].to_double();
    if (!point) continue;
    series.centre = *point * unit;
    series.centre_is = what;
    break;
  }
  if (const auto deviation = estimates["std_dev"]["point_estimate"].to_double()) {
    series.spread = *deviation * unit;
    series.spread_is = "standard deviation";
  }
  series.doubts.push_back(
      {"summary-only", "the samples (sample.json) are not here, only estimates of them"});
}

Result<void> criterion_benchmark(const Json& entry, const std::string& path,
                                 const std::string& name, SeriesTable& table) {
  const std::string* full = entry["benchmark"]["full_id"].to_string();
  const std::string* where = entry["path"].to_string();
  const std::string id = full ? *full : criterion_id_of(where ? *where : name);
  Series& series = table.at(id, "time");
  if (!series.processes.empty() || series.centre)
    series.doubts.push_back({"duplicate-id", "the same id stands twice"});
  if (const std::string* argument = entry["benchmark"]["value_str"].to_string())
    if (const auto number = parse_number(*argument)) series.fields.push_back({"value", *number});
  const Json& sample = entry["sample"];
  if (sample.is_object()) {
    return criterion_samples(sample["times"], sample["iters"], kCriterionUnit, path + ".times",
                             name, series);
  }
  criterion_summary(entry["estimates"], kCriterionUnit, series);
  if (!series.centre) {
    series.state = State::failed;
    series.message = "no estimate of a mean or median";
  }
  return {};
}

Result<void> criterion_message(const Json& message, const std::string& where,
                               const std::string& name, SeriesTable& table) {
  const std::string* id = message["id"].to_string();
  if (id == nullptr) return fail(wrong_member(name, "id", "not text"));
  const std::string* unit = message["unit"].to_string();
  const BaseUnit base = base_unit(unit ? *unit : "ns");
  Series& series = table.at(*id, metric_of_unit(base.unit));
  series.unit = base.unit;
  if (!series.processes.empty())
    series.doubts.push_back({"duplicate-id", "the same id stands twice"});
  return criterion_samples(message["measured_values"], message["iteration_count"], base.factor,
                           "measured_values", where, series);
}

Result<File> criterion_lines(std::string_view text, const std::string& name) {
  File file;
  SeriesTable table(file);
  std::size_t number = 0, lost = 0;
  for (const std::string_view line : split_lines(text)) {
    ++number;
    if (line.find("\"benchmark-complete\"") == std::string_view::npos) continue;
    const auto message = read_json(line, at_line(name, number));
    if (!message || message->truncated) {
      ++lost;
      continue;
    }
    if (auto done = criterion_message(message->json, at_line(name, number), name, table); !done)
      return fail(done.error());
  }
  if (table.too_many()) return fail("too many benchmarks in one file", name);
  if (lost > 0)
    file.doubts.push_back(
        {"truncated", fmt::format("{} lines are not whole JSON and are left out", lost)});
  return file;
}

Result<File> read_criterion(std::string_view text, const std::string& name) {
  if (text.find("\"benchmark-complete\"") != std::string_view::npos)
    return criterion_lines(text, name);
  const auto parsed = read_json(text, name);
  if (!parsed) return fail(parsed.error());
  File file;
  SeriesTable table(file);
  const Json& whole = parsed->json;
  if (whole.has("criterion")) {
    const Json& entries = whole["criterion"];
    for (std::size_t i = 0; i < entries.size(); ++i)
      if (auto done =
              criterion_benchmark(entries.items()[i], fmt::format("criterion[{}]", i), name, table);
          !done)
        return fail(done.error());
  } else {
    Json entry = Json::object();
    entry.set(whole.has("iters") ? "sample" : "estimates", whole);
    entry.set("path", name);
    if (auto done = criterion_benchmark(entry, "", name, table); !done) return fail(done.error());
    file.doubts.push_back({"id-from-path",
                           "the id is that of the file's path: the name stands in "
                           "benchmark.json beside it; give the folder instead"});
  }
  if (table.too_many()) return fail("too many benchmarks in one file", name);
  if (parsed->truncated) file.doubts.push_back({"truncated", "the file ends in the middle"});
  return file;
}

}  // namespace

constinit const Format kCriterion = {
    "criterion", "criterion.rs, its folder, one of its files, or --message-format=json",
    is_criterion, read_criterion};

}  // namespace assay::results
