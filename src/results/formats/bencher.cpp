// SPDX-License-Identifier: Apache-2.0
// Bencher Metric Format: {BENCHMARK: {MEASURE: {"value", "lower_value", "upper_value"}}}. One
// number a measure; what its bounds are is nowhere said. latency is in ns, throughput in operations
// a second, memory and file-size in bytes by Bencher's convention; others have no unit. Cannot say:
// anything about repetitions, order, processes.
#include <fmt/format.h>

#include <algorithm>

#include "results/formats/formats.hpp"
#include "results/reading.hpp"

namespace assay::results {
namespace {

bool is_bencher_entry(const Json& measures) {
  return measures.is_object() && measures.size() > 0 &&
         std::all_of(measures.members().begin(), measures.members().end(),
                     [](const auto& member) { return member.second["value"].is_number(); });
}

bool is_bencher(std::string_view text) {
  if (text.find("\"value\"") == std::string_view::npos) return false;
  const auto parsed = read_json(text, {});
  return parsed && parsed->json.is_object() && parsed->json.size() > 0 &&
         std::all_of(parsed->json.members().begin(), parsed->json.members().end(),
                     [](const auto& member) { return is_bencher_entry(member.second); });
}

BaseUnit bencher_unit(std::string_view measure) {
  if (measure == "latency") return {"s", 1e-9, Direction::lower};
  if (measure == "throughput") return {"1/s", 1, Direction::higher};
  if (measure == "file-size" || measure == "memory") return {"B", 1, Direction::lower};
  if (measure == "build-time") return {"s", 1, Direction::lower};
  return {"1", 1, Direction::lower};
}

Result<File> read_bencher(std::string_view text, const std::string& name) {
  const auto parsed = read_json(text, name);
  if (!parsed) return fail(parsed.error());
  if (!parsed->json.is_object()) return fail("not an object of benchmarks", name);
  File file;
  SeriesTable table(file);
  for (const auto& [id, measures] : parsed->json.members())
    for (const auto& [measure, metric] : measures.members()) {
      const auto value = metric["value"].to_double();
      if (!value)
        return fail(wrong_member(name, fmt::format("{}.{}.value", id, measure), "not a number"));
      const BaseUnit base = bencher_unit(measure);
      Series& series = table.at(id, measure == "latency" ? "time" : measure);
      series.unit = base.unit;
      series.better = base.better;
      series.centre = *value * base.factor;
      series.centre_is = "value";
      const auto low = metric["lower_value"].to_double(), high = metric["upper_value"].to_double();
      if (low && high) {
        series.spread = (*high - *low) / 2 * base.factor;
        series.spread_is = "half of lower to upper";
      }
    }
  if (table.too_many()) return fail("too many benchmarks in one file", name);
  file.doubts.push_back({"single-number",
                         "one number a measure: repetitions, order and processes "
                         "are not in this format"});
  return file;
}

}  // namespace

constinit const Format kBencher = {"bencher", "Bencher Metric Format, JSON", is_bencher,
                                   read_bencher};

}  // namespace assay::results
