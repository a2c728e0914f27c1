// SPDX-License-Identifier: Apache-2.0
// nanobench, its JSON template (every epoch) or CSV template (a summary a row). An epoch is a
// repetition in one process: `elapsed` is seconds an iteration. The unit of work and the batch
// divide what it prints; here a value is the time of one iteration divided by the batch. Cannot
// say: when it ran, warm-up, setup.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "results/formats/formats.hpp"
#include "results/reading.hpp"

namespace assay::results {
namespace {

constexpr std::string_view kNanobenchHeader = "\"title\";\"name\";\"unit\";\"batch\"";

bool is_nanobench(std::string_view text) {
  return text.starts_with(kNanobenchHeader) ||
         (text.find("\"medianAbsolutePercentError(elapsed)\"") != std::string_view::npos ||
          (text.find("\"clockResolutionMultiple\"") != std::string_view::npos &&
           text.find("\"measurements\"") != std::string_view::npos));
}

std::string nanobench_id(const std::string* title, const std::string& called) {
  return title == nullptr || title->empty() ? called : *title + "/" + called;
}

Result<File> read_nanobench_csv(std::string_view text, const std::string& name) {
  const auto rows = read_csv(text, ';', name);
  if (!rows) return fail(rows.error());
  File file;
  SeriesTable table(file);
  for (std::size_t i = 1; i < rows->size(); ++i) {
    const CsvRow& row = (*rows)[i];
    const auto batch = row.cells.size() > 3 ? parse_number(row.cells[3]) : std::nullopt;
    const auto elapsed = row.cells.size() > 4 ? parse_number(row.cells[4]) : std::nullopt;
    if (!elapsed || !batch || *batch <= 0)
      return fail("batch and elapsed must be numbers", at_line(name, row.line));
    Series& series = table.at(nanobench_id(&row.cells[0], row.cells[1]), "time");
    series.centre = *elapsed / *batch;
    series.centre_is = "median";
    const auto error = row.cells.size() > 5 ? parse_number(row.cells[5]) : std::nullopt;
    if (error) {
      series.spread = *error * *series.centre;
      series.spread_is = "median absolute error";
    }
  }
  if (table.too_many()) return fail("too many benchmarks in one file", name);
  file.doubts.push_back(
      {"summary-only",
       "the CSV template has a median a benchmark; the JSON template has the epochs"});
  return file;
}

Result<void> nanobench_result(const Json& result, const std::string& path, const std::string& name,
                              SeriesTable& table) {
  const std::string* called = result["name"].to_string();
  if (called == nullptr) return fail(wrong_member(name, path + ".name", "not text"));
  const double batch = result["batch"].to_double().value_or(1);
  if (!(batch > 0)) return fail(wrong_member(name, path + ".batch", "not a number above 0"));
  Series& series = table.at(nanobench_id(result["title"].to_string(), *called), "time");
  if (!series.processes.empty() || series.centre)
    series.doubts.push_back({"duplicate-id", "the same name stands twice in this file"});
  const Json& measurements = result["measurements"];
  if (measurements.size() == 0) {
    const auto median = result["median(elapsed)"].to_double();
    if (!median) return fail(wrong_member(name, path + ".measurements", "not a list of epochs"));
    series.centre = *median / batch;
    series.centre_is = "median";
    series.doubts.push_back({"summary-only", "the epochs are not in the file"});
    return {};
  }
  series.fields = {{"batch", batch}};
  if (const auto size = result["complexityN"].to_double(); size && *size > 0)
    series.fields.push_back({"complexityN", *size});
  Process& process = series.processes.emplace_back();
  process.total_s = result["totalTime"].to_double();
  for (std::size_t i = 0; i < measurements.size(); ++i) {
    const Json& epoch = measurements.items()[i];
    const auto elapsed = epoch["elapsed"].to_double();
    if (!elapsed)
      return fail(
          wrong_member(name, fmt::format("{}.measurements[{}].elapsed", path, i), "not a number"));
    process.values.push_back(*elapsed / batch);
    if (const auto iterations = epoch["iterations"].to_double())
      process.iterations.push_back(*iterations);
  }
  if (process.iterations.size() != process.values.size()) process.iterations.clear();
  return {};
}

Result<File> read_nanobench(std::string_view text, const std::string& name) {
  if (text.starts_with(kNanobenchHeader)) return read_nanobench_csv(text, name);
  const auto parsed = read_json(text, name);
  if (!parsed) return fail(parsed.error());
  const Json& results = parsed->json["results"];
  if (!results.is_array()) return fail(wrong_member(name, "results", "not a list"));
  File file;
  SeriesTable table(file);
  for (std::size_t i = 0; i < results.size(); ++i)
    if (auto done =
            nanobench_result(results.items()[i], fmt::format("results[{}]", i), name, table);
        !done)
      return fail(done.error());
  if (table.too_many()) return fail("too many benchmarks in one file", name);
  if (parsed->truncated)
    file.doubts.push_back({"truncated", "the file ends in the middle: later benchmarks are gone"});
  return file;
}

}  // namespace

constinit const Format kNanobench = {"nanobench", "nanobench, JSON or CSV template", is_nanobench,
                                     read_nanobench};

}  // namespace assay::results
