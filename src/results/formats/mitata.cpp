// SPDX-License-Identifier: Apache-2.0
// mitata, run({format: "json"}). A benchmark may have several runs (arguments); a sample is a
// repetition in one process, in nanoseconds an iteration. mitata sorts its samples before it writes
// them and drops the extremes of long lists: their order is lost. Cannot say: when it ran, setup.
#include <fmt/format.h>

#include "results/formats/formats.hpp"
#include "results/reading.hpp"

namespace assay::results {
namespace {

bool is_mitata(std::string_view text) {
  return text.find("\"benchmarks\"") != std::string_view::npos &&
         text.find("\"alias\"") != std::string_view::npos &&
         text.find("\"stats\"") != std::string_view::npos;
}

Result<void> mitata_run(const Json& run, const std::string& id, const std::string& path,
                        const std::string& name, SeriesTable& table) {
  Series& series = table.at(id, "time");
  if (!series.processes.empty() || series.centre || series.state != State::ok) {
    series.doubts.push_back({"duplicate-id", "the same name stands twice: the first one is kept"});
    return {};
  }
  series.fields = other_numbers(run["args"]);
  const Json& stats = run["stats"];
  if (!run["error"].is_null() || !stats.is_object()) {
    const std::string* why = run["error"].to_string();
    if (why == nullptr) why = run["error"]["message"].to_string();
    series.state = State::failed;
    series.message = why ? *why : "without a message";
    return {};
  }
  const Json& samples = stats["samples"];
  if (samples.size() == 0) {
    const auto average = stats["avg"].to_double();
    if (!average) return fail(wrong_member(name, path + ".stats.avg", "not a number"));
    series.centre = *average * 1e-9;
    series.centre_is = "mean";
    series.doubts.push_back({"summary-only", "the samples are not in the file"});
    return {};
  }
  Process& process = series.processes.emplace_back();
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const auto value = samples.items()[i].to_double();
    if (!value)
      return fail(wrong_member(name, fmt::format("{}.stats.samples[{}]", path, i), "not a number"));
    process.values.push_back(*value * 1e-9);
  }
  series.doubts.push_back(
      {"sorted",
       "mitata sorts its samples before it writes them: the order in which they were "
       "made is lost, and with it warm-up and drift"});
  return {};
}

Result<File> read_mitata(std::string_view text, const std::string& name) {
  const auto parsed = read_json(text, name);
  if (!parsed) return fail(parsed.error());
  const Json& benchmarks = parsed->json["benchmarks"];
  if (!benchmarks.is_array()) return fail(wrong_member(name, "benchmarks", "not a list"));
  File file;
  SeriesTable table(file);
  const Json& context = parsed->json["context"];
  add_context(file, context, {"runtime", "version", "arch"});
  add_context(file, context["cpu"], {"name", "freq"});
  for (std::size_t i = 0; i < benchmarks.size(); ++i) {
    const Json& benchmark = benchmarks.items()[i];
    const std::string path = fmt::format("benchmarks[{}]", i);
    const std::string* alias = benchmark["alias"].to_string();
    const Json& runs = benchmark["runs"];
    if (!runs.is_array()) return fail(wrong_member(name, path + ".runs", "not a list"));
    for (std::size_t j = 0; j < runs.size(); ++j) {
      const std::string* called = runs.items()[j]["name"].to_string();
      if (called == nullptr) called = alias;
      const std::string here = fmt::format("{}.runs[{}]", path, j);
      if (called == nullptr) return fail(wrong_member(name, here + ".name", "not text"));
      if (auto done = mitata_run(runs.items()[j], *called, here, name, table); !done)
        return fail(done.error());
    }
  }
  if (table.too_many()) return fail("too many benchmarks in one file", name);
  if (parsed->truncated)
    file.doubts.push_back({"truncated", "the file ends in the middle: later benchmarks are gone"});
  return file;
}

}  // namespace

constinit const Format kMitata = {"mitata", "mitata, JSON", is_mitata, read_mitata};

}  // namespace assay::results
