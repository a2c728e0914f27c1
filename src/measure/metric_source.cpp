// SPDX-License-Identifier: Apache-2.0
#include "measure/metric_source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "base/text.hpp"
#include "measure/metric_rules.hpp"
#include "measure/trial_runner.hpp"

namespace assay::measure {
namespace {

constexpr std::string_view kForms = "a source is re:PATTERN, json:/POINTER or assay";
constexpr std::size_t kLongestUnit = 32;

struct KnownUnit {
  std::string_view name;
  double factor;
  std::string_view base;
};

constexpr KnownUnit kUnits[] = {
    {"s", 1, "s"},        {"ms", 1e-3, "s"}, {"us", 1e-6, "s"},  {"µs", 1e-6, "s"},
    {"ns", 1e-9, "s"},    {"B", 1, "B"},     {"KiB", 1024, "B"}, {"MiB", 1048576, "B"},
    {"GiB", 0x1p30, "B"}, {"kB", 1e3, "B"},  {"MB", 1e6, "B"},   {"GB", 1e9, "B"},
    {"1", 1, "1"},        {"%", 0.01, "1"},  {"", 1, "1"},
};

constexpr KnownUnit kEndings[] = {{"_ns", 1e-9, "s"},    {"_us", 1e-6, "s"}, {"_ms", 1e-3, "s"},
                                  {"_s", 1, "s"},        {"_bytes", 1, "B"}, {"_kib", 1024, "B"},
                                  {"_mib", 1048576, "B"}};

bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '.' || c == '-';
}

Result<void> check_name(const std::string& name, const std::string& text) {
  const std::string shown = printable(text);
  if (name.empty())
    return fail("a metric needs a name", shown, "write NAME=SOURCE, for example latency_ms=re:...");
  const auto bad = std::find_if_not(name.begin(), name.end(), is_name_character);
  if (bad != name.end())
    return fail(fmt::format("a metric's name has letters, digits, _ . and - only\n{}",
                            point_at(text, text.find(name) + std::size_t(bad - name.begin()))),
                shown);
  if (builtin_metric(name))
    return fail(fmt::format("'{}' is a metric that assay measures itself", name), shown,
                fmt::format("choose another name, for example own_{}", name));
  return {};
}

// What stands in the brackets behind a name: a unit, a direction, or both in either order.
struct Suffix {
  std::string unit;
  std::optional<Better> better;
};

Result<Suffix> read_suffix(std::string_view inside, const std::string& text) {
  const std::string shown = printable(text);
  Suffix suffix;
  bool has_unit = false;
  for (std::size_t begin = 0; begin <= inside.size();) {
    const std::size_t end = std::min(inside.find(',', begin), inside.size());
    const std::string word(inside.substr(begin, end - begin));
    begin = end + 1;
    if (word == "higher" || word == "lower") {
      if (suffix.better) return fail("the brackets give the direction twice", shown);
      suffix.better = word == "higher" ? Better::higher : Better::lower;
    } else if (has_unit) {
      const std::array<std::string, 2> known = {"higher", "lower"};
      const auto near = nearest(word, known);
      return fail(fmt::format("the direction is 'higher' or 'lower', not '{}'", printable(word)),
                  shown, near ? fmt::format("did you mean '{}'?", *near) : "");
    } else {
      if (word.empty() || word.size() > kLongestUnit || printable(word) != word)
        return fail(fmt::format("'{}' is no unit", printable(word)), shown,
                    "write for example [ms], [MiB] or [req/s,higher]");
      has_unit = true;
      suffix.unit = word;
    }
  }
  return suffix;
}

}  // namespace

Scale scale_of_unit(std::string_view unit) {
  for (const KnownUnit& known : kUnits)
    if (known.name == unit) return {known.factor, std::string(known.base)};
  return {1, std::string(unit)};
}

std::optional<Scale> scale_of_name(std::string_view name) {
  if (name.ends_with("_per_s")) return std::nullopt;
  for (const KnownUnit& ending : kEndings)
    if (name.ends_with(ending.name)) return Scale{ending.factor, std::string(ending.base)};
  return std::nullopt;
}

Result<Source> read_source(const Metric& metric) {
  const std::string where = "metric " + printable(metric.name);
  Source source;
  source.scale = scale_of_name(metric.name);
  std::string_view rule = metric.source;
  if (rule.starts_with('[')) {
    const std::size_t close = rule.find(']');
    if (close == std::string_view::npos)
      return fail("the bracket of the unit is never closed", where);
    source.scale = scale_of_unit(rule.substr(1, close - 1));
    rule.remove_prefix(close + 1);
  }
  if (rule == "assay" || rule.starts_with("assay:")) {
    const std::string_view name = rule.substr(std::min<std::size_t>(rule.size(), 6));
    source.text = name.empty() ? metric.name : std::string(name);
    return source;
  }
  if (rule.starts_with("re:")) {
    source.kind = SourceKind::pattern;
    source.text = rule.substr(3);
    return source;
  }
  if (rule.starts_with("json:")) {
    source.kind = SourceKind::json;
    source.text = rule.substr(5);
    if (!source.text.empty() && source.text.front() != '/')
      return fail(fmt::format("'{}' is no JSON pointer", printable(source.text)), where,
                  fmt::format("a pointer begins with a slash: json:/{}", printable(source.text)));
    return source;
  }
  const std::array<std::string, 3> known = {"re", "json", "assay"};
  const std::string word(rule.substr(0, rule.find(':')));
  const auto near = nearest(word, known);
  return fail(
      rule.empty() ? "the source is missing" : fmt::format("unknown source '{}'", printable(word)),
      where, near ? fmt::format("did you mean {}? {}", *near, kForms) : std::string(kForms));
}

Result<Metric> parse_metric(const std::string& text) {
  const std::string shown = printable(text);
  const std::size_t end = text.find_first_of("[=");
  if (end == std::string::npos) return fail("a metric is NAME=SOURCE", shown, std::string(kForms));
  Metric metric;
  metric.origin = MetricOrigin::output;
  metric.method = "from the program's output";
  metric.name = text.substr(0, end);
  if (auto ok = check_name(metric.name, text); !ok) return fail(ok.error());

  Suffix suffix;
  std::size_t equals = end;
  if (text[end] == '[') {
    const std::size_t close = text.find(']', end);
    if (close == std::string::npos)
      return fail(fmt::format("this bracket is never closed\n{}", point_at(text, end)), shown);
    if (close + 1 >= text.size() || text[close + 1] != '=')
      return fail(
          fmt::format("'=' and a source must follow the bracket\n{}", point_at(text, close + 1)),
          shown, std::string(kForms));
    auto read = read_suffix(std::string_view(text).substr(end + 1, close - end - 1), text);
    if (!read) return fail(read.error());
    suffix = *read;
    equals = close + 1;
  }
  const std::string rule = text.substr(equals + 1);
  if (rule.starts_with('['))
    return fail("the unit stands behind the name", shown,
                fmt::format("write {}[UNIT]=SOURCE", metric.name));
  metric.source = suffix.unit.empty() ? rule : fmt::format("[{}]{}", suffix.unit, rule);

  auto source = read_source(metric);
  if (!source) return fail(source.error());
  metric.unit = source->scale ? source->scale->unit : "1";
  const bool is_rate = metric.unit.ends_with("/s") || metric.name.ends_with("_per_s");
  if (is_rate && !suffix.better)
    return fail(fmt::format("is more of '{}' better or worse?", metric.name), shown,
                fmt::format("say it in the brackets: {}[{},higher]=...", metric.name,
                            suffix.unit.empty() ? "1/s" : suffix.unit));
  metric.better = suffix.better.value_or(Better::lower);
  if (auto rules = MetricRules::make({&metric, 1}); !rules) return fail(rules.error());
  return metric;
}

}  // namespace assay::measure
