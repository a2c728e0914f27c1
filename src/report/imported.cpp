// SPDX-License-Identifier: Apache-2.0
#include "report/imported.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/text.hpp"
#include "report/compare.hpp"
#include "report/table.hpp"
#include "stats/order.hpp"

namespace assay::report {
namespace {

using results::Doubt;
using results::Series;

constexpr std::size_t kImportedIdWidth = 48;

std::string_view name_of_level(results::Level level) {
  switch (level) {
    case results::Level::process:
      return "process";
    case results::Level::repetition:
      return "repetition";
    case results::Level::iteration:
      break;
  }
  return "iteration";
}

std::size_t values_of(const Series& series) {
  std::size_t n = 0;
  for (const results::Process& process : series.processes) n += process.values.size();
  return n;
}

// The median over all values, to look at; or the summary's centre.
std::optional<double> typical(const Series& series) {
  std::vector<double> all;
  for (const results::Process& process : series.processes)
    all.insert(all.end(), process.values.begin(), process.values.end());
  return all.empty() ? series.centre : stats::median(all);
}

std::string_view state_word(results::State state) {
  return state == results::State::failed    ? "FAILED"
         : state == results::State::skipped ? "skipped"
                                            : "";
}

// How a series was repeated: "10 processes", "3 repetitions in 1 process", "mean alone".
std::string repeated(const Series& series) {
  if (series.state != results::State::ok) return std::string(state_word(series.state));
  if (series.processes.empty()) return series.centre_is.empty() ? "" : series.centre_is + " alone";
  const std::string processes = counted(series.processes.size(), "process");
  if (series.level == results::Level::process) return processes;
  const std::string_view level = name_of_level(series.level);
  return fmt::format("{} in {}", counted(values_of(series), level), processes);
}

std::string table_of(const results::File& file, const TextOptions& options) {
  std::vector<TableRow> rows;
  for (const Series& series : file.series) {
    const auto value = typical(series);
    TableRow row;
    row.cells = {
        fit(plain(series.build.empty() ? series.id : series.build.substr(0, 8) + " " + series.id),
            kImportedIdWidth),
        plain(series.metric), value ? format_value(*value, series.unit) : "",
        TableCell(repeated(series),
                  series.state == results::State::failed ? Tone::bad : Tone::neutral)};
    if (series.state != results::State::ok) row.note = plain(series.message);
    rows.push_back(std::move(row));
  }
  return draw_table({{.head = "benchmark", .left = true},
                     {.head = "metric", .left = true},
                     {.head = "typical"},
                     {.head = "from", .left = true}},
                    rows, options);
}

struct CountedDoubt {
  Doubt doubt = {};
  std::size_t series = 0;  // 0 = of the file
  std::string example = {};
};

std::vector<CountedDoubt> doubts_of(const results::File& file) {
  std::vector<CountedDoubt> all;
  for (const Doubt& doubt : file.doubts) all.push_back({doubt, 0, {}});
  std::map<std::string, std::size_t> places;
  for (const Series& series : file.series)
    for (const Doubt& doubt : series.doubts) {
      const auto [place, is_new] = places.try_emplace(doubt.kind, all.size());
      if (is_new) all.push_back({doubt, 0, series.id});
      ++all[place->second].series;
    }
  return all;
}

std::string doubts_text(const results::File& file, const TextOptions& options) {
  std::string out;
  for (const CountedDoubt& each : doubts_of(file)) {
    std::string line = "  " + each.doubt.kind + ": ";
    if (each.series > 0) line += plain(each.example) + ": ";
    line += plain(each.doubt.text);
    if (each.series > 1) line += fmt::format("; and {} more like it", each.series - 1);
    out += wrap(line, columns(options), 4);
  }
  return out.empty() ? out : "Doubtful:\n" + out;
}

std::size_t benchmarks_of(const results::File& file) {
  std::vector<std::string_view> ids;
  for (const Series& series : file.series) ids.push_back(series.id);
  std::sort(ids.begin(), ids.end());
  return static_cast<std::size_t>(std::unique(ids.begin(), ids.end()) - ids.begin());
}

Json doubts_json(const std::vector<Doubt>& doubts) {
  Json json = Json::array();
  for (const Doubt& doubt : doubts)
    json.push(Json::object().set("kind", doubt.kind).set("text", doubt.text));
  return json;
}

Json process_json(const results::Process& process) {
  Json json = Json::object();
  json.set("values", Json::numbers(process.values));
  if (!process.iterations.empty()) json.set("iterations", Json::numbers(process.iterations));
  if (!process.warmups.empty()) json.set("warmups", Json::numbers(process.warmups));
  for (const auto& [name, value] :
       {std::pair("warmup_s", process.warmup_s), std::pair("setup_s", process.setup_s),
        std::pair("total_s", process.total_s), std::pair("peak_memory", process.peak_memory),
        std::pair("memory_before", process.memory_before),
        std::pair("memory_after", process.memory_after)})
    if (value) json.set(name, *value);
  if (process.started_at_ms) json.set("started_at_ms", *process.started_at_ms);
  return json;
}

Json series_json(const Series& series) {
  Json json = Json::object();
  if (!series.build.empty()) json.set("build", series.build);
  json.set("id", series.id).set("metric", series.metric).set("unit", series.unit);
  json.set("better", series.better == results::Direction::higher ? "higher" : "lower");
  json.set("level", name_of_level(series.level));
  json.set("state", series.state == results::State::ok       ? "ok"
                    : series.state == results::State::failed ? "failed"
                                                             : "skipped");
  if (!series.message.empty()) json.set("message", series.message);
  Json processes = Json::array();
  for (const results::Process& process : series.processes) processes.push(process_json(process));
  json.set("processes", std::move(processes));
  if (series.centre) {
    json.set("centre", *series.centre).set("centre_is", series.centre_is);
    if (series.spread) json.set("spread", *series.spread).set("spread_is", series.spread_is);
  }
  if (!series.fields.empty()) {
    Json fields = Json::array();
    for (const results::Field& field : series.fields)
      fields.push(Json::object().set("name", field.name).set("value", field.value));
    json.set("fields", std::move(fields));
  }
  if (!series.stop.empty()) json.set("stop", series.stop);
  if (!series.doubts.empty()) json.set("doubts", doubts_json(series.doubts));
  return json;
}

}  // namespace

Text imported_text(const std::vector<ImportedSource>& sources, const TextOptions& options) {
  std::string out;
  for (const ImportedSource& source : sources) {
    const results::File& file = source.file;
    if (!out.empty()) out += "\n";
    const std::string version = file.version.empty() ? "" : " " + plain(file.version);
    out += wrap(fmt::format("{}: {}{}, {}", plain(source.name), file.format, version,
                            counted(benchmarks_of(file), "benchmark")),
                columns(options));
    out += table_of(file, options) + doubts_text(file, options);
  }
  return {.out = out, .warnings = {}};
}

Json imported_json(const std::vector<ImportedSource>& sources) {
  Json files = Json::array();
  for (const ImportedSource& source : sources) {
    Json json = Json::object();
    json.set("name", source.name).set("format", source.file.format);
    json.set("version", source.file.version);
    Json context = Json::object();
    for (const auto& [key, value] : source.file.context) context.set(key, value);
    json.set("context", std::move(context)).set("doubts", doubts_json(source.file.doubts));
    Json series = Json::array();
    for (const Series& each : source.file.series) series.push(series_json(each));
    json.set("series", std::move(series));
    files.push(std::move(json));
  }
  Json json = Json::object();
  json.set("schema_version", kSchemaVersion);
  json.set("kind", "imported");
  json.set("files", std::move(files));
  return json;
}

Result<std::vector<ImportedSource>> sources_of(const Plan& plan) {
  std::vector<ImportedSource> sources;
  for (const ImportedFile& file : plan.imported) {
    auto read = results::read(file.text, file.name, file.format);
    if (!read) return fail(read.error());
    sources.push_back({file.name, std::move(*read)});
  }
  return sources;
}

}  // namespace assay::report
