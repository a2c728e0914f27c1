// SPDX-License-Identifier: Apache-2.0
#include "verdict/imported_compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/text.hpp"
#include "stats/order.hpp"

namespace assay::verdict {
namespace {

using results::Series;

// What one side says of one metric of one benchmark, over its files.
struct SideSeries {
  std::string id = {};
  Metric metric = {};
  std::vector<ImportedProcess> processes = {};
  std::vector<double> values = {};  // one a process, in the metric's own direction
  std::vector<double> inside = {};  // what they are medians of
  std::size_t repetitions = 0;
  std::optional<double> centre = {};
  std::string trouble = {};
};

struct GatheredSide {
  std::vector<SideSeries> series = {};
  std::map<std::pair<std::string, std::string>, std::size_t> places = {};  // id, metric
  std::string build = {};
};

// The build of a file that counts: the one asked for, or the last; empty where it has none.
std::string build_of_file(const results::File& file, const std::string& asked) {
  if (!asked.empty()) return asked;
  return file.series.empty() ? std::string() : file.series.back().build;
}

bool is_sorted_series(const Series& series) {
  return std::any_of(series.doubts.begin(), series.doubts.end(),
                     [](const results::Doubt& doubt) { return doubt.kind == "sorted"; });
}

void add_series(const Series& series, SideSeries& side) {
  side.metric.name = series.metric;
  side.metric.unit = series.unit;
  side.metric.better = series.better == results::Direction::higher ? Better::higher : Better::lower;
  if (series.state != results::State::ok) {
    side.trouble = series.message;
    return;
  }
  if (series.processes.empty()) side.centre = series.centre;
  for (const results::Process& process : series.processes) {
    const auto value = process_value(process.values, is_sorted_series(series));
    if (!value) continue;
    side.repetitions += process.values.size();
    const auto kept = warm_values(process.values, is_sorted_series(series));
    side.inside.insert(side.inside.end(), kept.begin(), kept.end());
    side.values.push_back(*value);
    side.processes.push_back(
        {side.metric.better == Better::higher ? 1 / *value : *value, process.started_at_ms});
  }
}

GatheredSide gather(const ImportedSide& side) {
  GatheredSide all;
  for (const results::File& file : side.files) {
    const std::string build = build_of_file(file, side.build);
    if (!build.empty()) all.build = build;
    for (const Series& series : file.series) {
      if (series.build != build && !series.build.empty()) continue;
      const auto [place, is_new] =
          all.places.try_emplace({series.id, series.metric}, all.series.size());
      if (is_new) all.series.emplace_back().id = series.id;
      add_series(series, all.series[place->second]);
    }
  }
  return all;
}

Result<void> check_build(const ImportedSide& side) {
  if (side.build.empty()) return {};
  std::vector<std::string> builds;
  for (const results::File& file : side.files)
    for (const Series& series : file.series) {
      if (series.build == side.build) return {};
      if (!series.build.empty() &&
          std::find(builds.begin(), builds.end(), series.build) == builds.end())
        builds.push_back(series.build);
    }
  constexpr std::size_t kShown = 5;
  std::string hint = builds.empty() ? "its files do not tell builds apart" : "the last of them: ";
  for (std::size_t i = builds.size() > kShown ? builds.size() - kShown : 0; i < builds.size(); ++i)
    hint += (hint.ends_with(' ') ? "" : ", ") + printable(builds[i]);
  return fail(fmt::format("no build '{}'", printable(side.build)), printable(side.name), hint);
}

// Benchmarks, not metrics: whether a side has one alone.
bool has_one_id(const GatheredSide& side) {
  return !side.series.empty() &&
         std::all_of(side.series.begin(), side.series.end(),
                     [&](const SideSeries& one) { return one.id == side.series.front().id; });
}

// Pairs are many: of more values than this, as many as this, evenly chosen.
constexpr std::size_t kMostOfSpread = 500;

std::optional<double> spread_of(const SideSeries& side) {
  const std::vector<double>& all = side.values.size() < kMinBuilds ? side.inside : side.values;
  if (all.size() < kMinBuilds) return std::nullopt;
  const std::size_t count = std::min(all.size(), kMostOfSpread);
  std::vector<double> logs;
  for (std::size_t i = 0; i < count; ++i) {
    const double value = all[i * all.size() / count];
    if (!(value > 0) || !std::isfinite(value)) return std::nullopt;
    logs.push_back(std::log(value));
  }
  const auto difference = stats::median_pair_difference(logs);
  return difference ? std::optional(std::expm1(*difference)) : std::nullopt;
}

ImportedRow row_of(const SideSeries& a, const SideSeries& b, const GroupOptions& options) {
  ImportedRow row;
  row.id = a.id;
  row.other_id = b.id;
  row.metric = a.metric;
  row.trouble = a.trouble.empty() ? b.trouble : a.trouble;
  row.baseline_processes = a.processes.size();
  row.candidate_processes = b.processes.size();
  row.baseline_values = a.repetitions;
  row.candidate_values = b.repetitions;
  if (!row.trouble.empty()) return row;
  row.baseline = a.values.empty() ? a.centre : stats::median(a.values);
  row.candidate = b.values.empty() ? b.centre : stats::median(b.values);
  row.summary = a.processes.empty() || b.processes.empty();
  if (!row.summary) {
    row.baseline_spread = spread_of(a);
    row.candidate_spread = spread_of(b);
    row.verdict = judge_imported(a.processes, b.processes, options);
  } else if (row.baseline && row.candidate && *row.baseline > 0 && *row.candidate > 0) {
    const double change = std::log(*row.candidate) - std::log(*row.baseline);
    row.verdict.log_ratio = row.metric.better == Better::higher ? -change : change;
  }
  return row;
}

std::string context_of(const ImportedSide& side, std::string_view key) {
  for (const results::File& file : side.files)
    for (const auto& [name, value] : file.context)
      if (name == key) return value;
  return {};
}

std::string format_of(const ImportedSide& side) {
  return side.files.empty() ? std::string() : side.files.front().format;
}

}  // namespace

std::string command_instead(const ImportedSide& baseline, const ImportedSide& candidate) {
  const bool alike = format_of(baseline) == format_of(candidate);
  const std::string format = alike ? format_of(baseline) : std::string();
  const auto quoted = [](const std::string& word) {
    const std::vector<std::string> one = {word};
    const std::string text = join_command(one);
    return text.starts_with('\'') ? text : "'" + text + "'";
  };
  if (format == "hyperfine") {
    const std::string& a = baseline.files.front().series.front().id;
    const std::string& b = candidate.files.front().series.front().id;
    return fmt::format("assay compare {} {}", quoted(a), quoted(b));
  }
  if (format == "gbench") {
    std::string a = context_of(baseline, "executable"), b = context_of(candidate, "executable");
    if (a.empty() || a == b) {
      a = a.empty() ? "./old" : "OLD/" + a.substr(a.rfind('/') + 1);
      b = b.empty() ? "./new" : "NEW/" + b.substr(b.rfind('/') + 1);
    }
    return fmt::format("assay suite compare {} {}", quoted(a), quoted(b));
  }
  for (const char* adapter : {"chainsafe", "catch2", "go", "pytest"})
    if (format == adapter)
      return fmt::format(
          "assay suite compare --adapter {} 'COMMAND OF THE OLD BUILD' 'COMMAND OF THE NEW BUILD'",
          adapter);
  return "assay compare --sessions 5 --metric NAME=RULE --gate NAME 'COMMAND OF THE OLD BUILD' "
         "'COMMAND OF THE NEW BUILD'";
}

Result<ImportedComparison> compare_imported(const ImportedSide& baseline,
                                            const ImportedSide& candidate, double tolerance) {
  for (const ImportedSide* side : {&baseline, &candidate})
    if (auto good = check_build(*side); !good) return fail(good.error());
  const GatheredSide a = gather(baseline), b = gather(candidate);
  ImportedComparison found;
  found.baseline_build = a.build;
  found.candidate_build = b.build;
  found.matched_alone =
      has_one_id(a) && has_one_id(b) && a.series.front().id != b.series.front().id;
  const auto partner = [&](const GatheredSide& side, const SideSeries& one) -> const SideSeries* {
    const std::string& id = found.matched_alone ? side.series.front().id : one.id;
    const auto place = side.places.find({id, one.metric.name});
    return place == side.places.end() ? nullptr : &side.series[place->second];
  };
  const auto named = [](const SideSeries& one) { return one.id + " (" + one.metric.name + ")"; };
  // Twice: how many rows can be judged is known behind the first time, and divides alpha.
  for (int pass = 0; pass < 2; ++pass) {
    const double alpha = 0.01 / static_cast<double>(std::max<std::size_t>(1, found.family));
    found.rows.clear();
    for (const SideSeries& one : a.series)
      if (const SideSeries* other = partner(b, one))
        found.rows.push_back(row_of(one, *other, {.tolerance = tolerance, .alpha = alpha}));
    found.family = static_cast<std::size_t>(std::count_if(
        found.rows.begin(), found.rows.end(),
        [](const ImportedRow& row) { return row.verdict.standing == Standing::judged; }));
  }
  for (const SideSeries& one : a.series)
    if (!partner(b, one)) found.only_baseline.push_back(named(one));
  for (const SideSeries& one : b.series)
    if (!partner(a, one)) found.only_candidate.push_back(named(one));
  const bool is_said = std::all_of(found.rows.begin(), found.rows.end(), [](const auto& row) {
    return row.verdict.standing == Standing::judged || row.verdict.standing == Standing::both_zero;
  });
  if (!is_said || found.rows.empty()) found.instead = command_instead(baseline, candidate);
  return found;
}

}  // namespace assay::verdict
