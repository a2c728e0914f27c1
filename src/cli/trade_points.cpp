// SPDX-License-Identifier: Apache-2.0
#include "cli/trade_points.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "report/samples.hpp"
#include "stats/interval.hpp"

namespace assay::cli {
namespace {

constexpr double kConfidence = 0.99;

// The header's names as far as guesses need them: unquoted cells of the first line that is no
// comment. parse_trade_csv reads the table itself.
std::vector<std::string> header_of(std::string_view text) {
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);  // a byte order mark
  for (const std::string_view line : split_lines(text)) {
    if (line.empty() || line.front() == '#') continue;
    std::vector<std::string> names;
    std::size_t from = 0;
    for (std::size_t at = 0; at <= line.size(); ++at) {
      if (at < line.size() && line[at] != ',') continue;
      std::string_view cell = line.substr(from, at - from);
      while (!cell.empty() && (cell.back() == '\r' || cell.back() == ' ' || cell.back() == '"'))
        cell.remove_suffix(1);
      while (!cell.empty() && (cell.front() == ' ' || cell.front() == '"')) cell.remove_prefix(1);
      names.emplace_back(cell);
      from = at + 1;
    }
    return names;
  }
  return {};
}

bool is_cost(const std::string& name) {
  return name.starts_with("s_per_") || name.starts_with("ms_per_");
}

bool is_memory(const std::string& name) {
  static constexpr std::array kEndings = {"_bytes", "_kib", "_mib", "_gib", "_tib",
                                          "_kb",    "_mb",  "_gb",  "_tb"};
  return std::ranges::any_of(kEndings, [&](const char* ending) { return name.ends_with(ending); });
}

Result<std::string> only_column(const std::vector<std::string>& header,
                                bool (*is_it)(const std::string&), std::string_view option,
                                std::string_view what, const std::string& name) {
  std::vector<std::string> found;
  for (const std::string& column : header)
    if (is_it(column)) found.push_back(column);
  if (found.size() == 1) return found.front();
  return fail(fmt::format("{} column is the {}?", found.empty() ? "which" : "more than one", what),
              name,
              fmt::format("name it with --{}; columns: {}", option,
                          printable(fmt::format("{}", fmt::join(header, ", ")))));
}

std::optional<attribution::TradeBounds> bounds_of(std::vector<double> values) {
  std::ranges::sort(values);
  const auto interval = stats::median_interval(values, stats::Confidence(kConfidence));
  if (!interval) return std::nullopt;
  return attribution::TradeBounds{interval->lo, interval->hi};
}

double median_of(std::vector<double> values) {
  std::ranges::sort(values);
  const std::size_t n = values.size();
  return n % 2 == 1 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

// The value of NAME=V in the environment, or of --NAME V, --NAME=V in the command; the last of
// several counts, as it does for most programs.
std::optional<double> setting_value(const Subject& subject, const std::string& name) {
  std::optional<double> found;
  for (const auto& [variable, value] : subject.env)
    if (variable == name) found = parse_number(value);
  const std::string option = "--" + name;
  for (std::size_t i = 0; i < subject.argv.size(); ++i) {
    const std::string& word = subject.argv[i];
    if (word == option && i + 1 < subject.argv.size()) found = parse_number(subject.argv[i + 1]);
    if (word.starts_with(option + "=")) found = parse_number(word.substr(option.size() + 1));
  }
  return found;
}

// "partition-workers=4": short, and what tells the points apart. The command's label without
// settings.
std::string label_of(const attribution::TradePoint& point) {
  std::string label;
  for (const auto& [name, value] : point.settings)
    label += fmt::format("{}{}={:g}", label.empty() ? "" : " ", name, value);
  return label.empty() ? point.label : label;
}

}  // namespace

Result<attribution::TradeColumns> trade_columns(const Arguments& arguments, std::string_view text,
                                                const std::string& name) {
  const std::vector<std::string> header = header_of(text);
  attribution::TradeColumns columns{.settings = arguments.list("setting")};
  auto cost = arguments.has("cost") ? Result<std::string>(*arguments.value("cost"))
                                    : only_column(header, is_cost, "cost", "time an item", name);
  if (!cost) return fail(cost.error());
  auto memory = arguments.has("memory")
                    ? Result<std::string>(*arguments.value("memory"))
                    : only_column(header, is_memory, "memory", "peak memory", name);
  if (!memory) return fail(memory.error());
  columns.cost = std::move(*cost);
  columns.peak = std::move(*memory);
  if (const auto by = arguments.value("by")) columns.group = *by;
  if (const auto where = arguments.value("where"))
    columns.group = where->substr(0, where->find('='));
  if (!columns.settings.empty()) return columns;
  for (const std::string& column : header) {
    if (column == columns.cost) break;
    if (column != columns.group && column != columns.peak) columns.settings.push_back(column);
  }
  if (columns.settings.empty())
    return fail("which columns are the settings?", name,
                fmt::format("name them with --setting; columns: {}",
                            printable(fmt::format("{}", fmt::join(header, ", ")))));
  return columns;
}

std::vector<attribution::TradePoint> points_of(const Record& record,
                                               const std::vector<std::string>& settings) {
  std::vector<attribution::TradePoint> points;
  const auto wall = report::metric_index(record.plan, "wall");
  const auto tree = report::metric_index(record.plan, "tree_mem");
  const auto peak = report::metric_index(record.plan, "peak_mem");
  if (!wall || (!tree && !peak)) return points;
  for (std::uint32_t arm = 0; arm < record.plan.arms.size(); ++arm) {
    if (record.plan.control == arm) continue;
    const std::vector<double> seconds = report::values_of(record, arm, *wall);
    // The whole tree where it was sampled in every run; short runs have only their largest process.
    std::vector<double> bytes =
        tree ? report::values_of(record, arm, *tree) : std::vector<double>();
    if (peak && bytes.size() < seconds.size()) bytes = report::values_of(record, arm, *peak);
    if (seconds.empty() || bytes.empty()) continue;
    const Subject& subject = record.plan.arms[arm];
    attribution::TradePoint point{.label = subject.label,
                                  .cost_s = median_of(seconds),
                                  .peak_bytes = median_of(bytes),
                                  .cost_bounds = bounds_of(seconds),
                                  .peak_bounds = bounds_of(bytes),
                                  .n = seconds.size()};
    for (const std::string& setting : settings)
      if (const auto value = setting_value(subject, setting))
        point.settings.emplace_back(setting, *value);
    point.label = label_of(point);
    if (point.cost_s > 0 && point.peak_bytes > 0) points.push_back(std::move(point));
  }
  return points;
}

}  // namespace assay::cli
