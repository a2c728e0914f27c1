// SPDX-License-Identifier: Apache-2.0
#include "suite/convert.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "suite/ids.hpp"

namespace assay::suite {
namespace {

// Whether the series says what an iteration takes.
bool is_time(const results::Series& series) {
  return series.unit == "s" && (series.metric == "time" || series.state != results::State::ok);
}

// What the tool chose by the clock of the moment is no workload.
bool is_calibration(std::string_view field) { return field == "iterations" || field == "rounds"; }

void take_field(const results::Field& field, Measurement& to) {
  if (field.name == "memory_before")
    to.memory_before = field.value;
  else if (field.name == "memory_after")
    to.memory_after = field.value;
  else if (field.name == "setup_s")
    to.setup_s = field.value;
  else if (field.name == "gc_s")
    to.gc_s = field.value;
  else if (!is_calibration(field.name))
    to.facts.push_back({field.name, field.value});
}

Measurement measurement_of(const results::Series& series) {
  Measurement made{.id = series.id, .stop = series.stop, .message = series.message};
  switch (series.state) {
    case results::State::ok:
      break;
    case results::State::failed:
      made.status = MeasurementStatus::failed;
      break;
    case results::State::skipped:
      made.status = MeasurementStatus::skipped;
      break;
  }
  if (!series.processes.empty()) take_process(series.processes.front(), made);
  if (!made.value && series.centre) made.value = series.centre;
  for (const results::Field& field : series.fields) {
    take_field(field, made);
    if (field.name == "iterations" && !made.iterations) made.iterations = field.value;
  }
  if (made.status != MeasurementStatus::ok) made.value.reset();
  return made;
}

}  // namespace

void take_process(const results::Process& process, Measurement& to) {
  if (!process.values.empty()) {
    const double sum = std::accumulate(process.values.begin(), process.values.end(), 0.0);
    to.value = sum / static_cast<double>(process.values.size());
  }
  if (process.values.size() > 1) to.samples = process.values;
  if (!process.iterations.empty())
    to.iterations = std::accumulate(process.iterations.begin(), process.iterations.end(), 0.0);
  to.total_s = process.total_s;
  to.warmup_s = process.warmup_s;
  to.setup_s = process.setup_s;
  to.memory_before = process.memory_before;
  to.memory_after = process.memory_after;
  if (!to.total_s && process.iterations.size() == process.values.size() && !process.values.empty())
    to.total_s = std::inner_product(process.values.begin(), process.values.end(),
                                    process.iterations.begin(), 0.0);
}

Reading measurements_of(const results::File& file) {
  Reading reading;
  std::set<std::string> timed;
  for (const results::Series& series : file.series)
    if (is_time(series)) timed.insert(series.id);
  std::set<std::string> spare;  // taken by another metric in seconds
  std::vector<std::string> ids;
  for (const results::Series& series : file.series) {
    const bool first_of_untimed =
        series.unit == "s" && !timed.contains(series.id) && spare.insert(series.id).second;
    if (!is_time(series) && !first_of_untimed) continue;
    reading.measurements.push_back(measurement_of(series));
    ids.push_back(series.id);
  }
  make_unique(ids);
  for (std::size_t i = 0; i < ids.size(); ++i) reading.measurements[i].id = ids[i];
  for (const results::Doubt& doubt : file.doubts)
    (doubt.kind == "debug-build" ? reading.level_doubts : reading.doubts).push_back(doubt.text);
  return reading;
}

Reading read_results_of_tests(const std::string& text, const std::string& format) {
  const Result<results::File> file = results::read(text, "results", format);
  Reading reading;
  if (file)
    reading = measurements_of(*file);
  else if (file.error().what != fmt::format("no benchmark in it ({})", format))
    reading.doubts = {file.error().to_text()};
  reading.may_be_none = true;
  return reading;
}

Reading read_results(const std::string& text, const std::string& format) {
  const Result<results::File> file = results::read(text, "results", format);
  if (file) return measurements_of(*file);
  return {.measurements = {}, .doubts = {file.error().to_text()}};
}

}  // namespace assay::suite
