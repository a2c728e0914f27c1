// SPDX-License-Identifier: Apache-2.0
#include "measure/metric_rules.hpp"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <cmath>

#include "base/json.hpp"
#include "base/text.hpp"
#include "measure/metric_source.hpp"

namespace assay::measure {
namespace {

constexpr std::string_view kLineWord = "ASSAY ";

std::string_view trim(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t' || text.back() == '\r'))
    text.remove_suffix(1);
  return text;
}

// The value of a run that printed `values` in this order; see the header.
std::optional<double> one_value(std::span<double> values) {
  if (values.empty()) return std::nullopt;
  const std::size_t dropped = values.size() == 1 ? 0 : std::max<std::size_t>(1, values.size() / 10);
  const std::span<double> kept = values.subspan(dropped);
  const auto middle = kept.begin() + std::ptrdiff_t(kept.size() / 2);
  std::nth_element(kept.begin(), middle, kept.end());
  if (kept.size() % 2 == 1) return *middle;
  return *std::max_element(kept.begin(), middle) / 2 + *middle / 2;
}

Result<std::unique_ptr<RE2>> compile(const Metric& metric, const std::string& pattern) {
  RE2::Options options;
  options.set_log_errors(false);
  auto compiled = std::make_unique<RE2>(pattern, options);
  const std::string where = "metric " + printable(metric.name);
  if (!compiled->ok()) {
    std::string what = fmt::format("the pattern is malformed: {}", printable(compiled->error()));
    // RE2 names the faulty fragment, not its offset: the caret needs one that occurs once.
    const std::string& fragment = compiled->error_arg();
    const std::size_t at = fragment.empty() ? std::string::npos : pattern.rfind(fragment);
    what += "\n" + (at == std::string::npos || fragment.size() == pattern.size() ||
                            pattern.find(fragment) != at
                        ? "  " + printable(pattern)
                        : point_at(pattern, at));
    return fail(what, where, "patterns are those of RE2: no back references, no look-around");
  }
  const int groups = compiled->NumberOfCapturingGroups();
  if (groups != 1)
    return fail(fmt::format("the pattern needs exactly one group, it has {}\n  {}", groups,
                            printable(pattern)),
                where,
                groups == 0 ? "put the number in parentheses: ms=([0-9.]+)"
                            : "write (?:...) for a group that holds no value");
  return compiled;
}

// The last line of `text` that is a complete JSON object or array.
std::optional<Json> last_json_line(std::string_view text) {
  while (!text.empty()) {
    const std::size_t before = text.find_last_of('\n');
    const std::size_t begin = before == std::string_view::npos ? 0 : before + 1;
    const std::string_view line = trim(text.substr(begin));
    if (!line.empty() && (line.front() == '{' || line.front() == '['))
      if (auto parsed = parse_json(line)) return std::move(*parsed);
    text = text.substr(0, begin == 0 ? 0 : before);
  }
  return std::nullopt;
}

}  // namespace

struct MetricRules::Rule {
  std::string name;
  Source source;
  std::unique_ptr<RE2> pattern;
  std::vector<double> values;
  std::uint64_t no_numbers = 0, wrong_units = 0, too_many = 0;

  void add(double value) {
    if (values.size() < kMostValues)
      values.push_back(value);
    else
      ++too_many;
  }
  void match_pattern(std::string_view line, bool cut);
  void match_assay(std::string_view rest);
  std::optional<double> finish(std::vector<std::string>& losses);
};

void MetricRules::Rule::match_pattern(std::string_view line, bool cut) {
  re2::StringPiece found[2];
  if (!pattern->Match(re2::StringPiece(line.data(), line.size()), 0, line.size(), RE2::UNANCHORED,
                      found, 2))
    return;
  if (cut && found[0].data() + found[0].size() == line.data() + line.size()) return;
  const auto number = parse_number(trim({found[1].data(), found[1].size()}));
  if (!number) {
    ++no_numbers;
    return;
  }
  add(*number * (source.scale ? source.scale->factor : 1));
}

// `rest` is what follows "ASSAY ": name=value, then optionally a unit.
void MetricRules::Rule::match_assay(std::string_view rest) {
  const std::size_t equals = rest.find('=');
  if (equals == std::string_view::npos || trim(rest.substr(0, equals)) != source.text) return;
  const std::string_view behind = trim(rest.substr(equals + 1));
  const std::size_t blank = std::min(behind.find_first_of(" \t"), behind.size());
  const auto number = parse_number(behind.substr(0, blank));
  if (!number) {
    ++no_numbers;
    return;
  }
  const std::string_view unit = trim(behind.substr(blank));
  if (unit.empty()) {
    add(*number * (source.scale ? source.scale->factor : 1));
    return;
  }
  const Scale printed = scale_of_unit(unit);
  if (source.scale && source.scale->unit != printed.unit) {
    ++wrong_units;
    return;
  }
  add(*number * printed.factor);
}

std::optional<double> MetricRules::Rule::finish(std::vector<std::string>& losses) {
  const auto lose = [&](std::uint64_t count, std::string_view what) {
    if (count > 0) losses.push_back(fmt::format("{}: {}: {}", name, what, count));
  };
  lose(no_numbers, "matches that are no numbers");
  lose(wrong_units, "lines whose unit does not fit the metric");
  lose(too_many, "no value, one run printed too many; left out");
  std::optional<double> value;
  if (too_many == 0) value = one_value(values);
  if (value && !std::isfinite(*value)) value.reset();
  values.clear();
  no_numbers = wrong_units = too_many = 0;
  return value;
}

MetricRules::MetricRules() = default;
MetricRules::~MetricRules() = default;
MetricRules::MetricRules(MetricRules&&) noexcept = default;
MetricRules& MetricRules::operator=(MetricRules&&) noexcept = default;

Result<MetricRules> MetricRules::make(std::span<const Metric> metrics) {
  MetricRules made;
  for (const Metric& metric : metrics) {
    if (metric.origin != MetricOrigin::output) continue;
    for (const auto& rule : made.rules_)
      if (rule->name == metric.name)
        return fail("this metric is given twice", "metric " + printable(metric.name),
                    "give one of them another name");
    auto source = read_source(metric);
    if (!source) return fail(source.error());
    auto rule = std::make_unique<Rule>();
    rule->name = metric.name;
    rule->source = std::move(*source);
    if (rule->source.kind == SourceKind::pattern) {
      auto pattern = compile(metric, rule->source.text);
      if (!pattern) return fail(pattern.error());
      rule->pattern = std::move(*pattern);
    }
    (rule->source.kind == SourceKind::json ? made.needs_json_ : made.needs_lines_) = true;
    made.rules_.push_back(std::move(rule));
  }
  return made;
}

void MetricRules::consume(std::string_view chunk) {
  if (chunk.empty()) return;
  ends_torn_ = chunk.back() != '\n';
  if (needs_json_ && !text_lost_) {
    text_lost_ = text_.size() + chunk.size() > kMostJson;
    if (text_lost_)
      std::string().swap(text_);
    else
      text_ += chunk;
  }
  if (!needs_lines_) return;
  while (!chunk.empty()) {
    const std::size_t newline = chunk.find('\n');
    const bool complete = newline != std::string_view::npos;
    std::string_view part = chunk.substr(0, complete ? newline : chunk.size());
    chunk.remove_prefix(complete ? newline + 1 : chunk.size());
    const std::size_t room = kLongestLine - line_.size();
    if (part.size() > room) {
      part = part.substr(0, room);
      if (!line_cut_) ++cut_lines_;
      line_cut_ = true;
    }
    if (complete && line_.empty()) {
      match_line(part, line_cut_);
    } else {
      line_ += part;
      if (complete) match_line(line_, line_cut_);
    }
    if (!complete) break;
    line_.clear();
    line_cut_ = false;
  }
}

void MetricRules::match_line(std::string_view line, bool cut) {
  if (!cut && line.ends_with('\r')) line.remove_suffix(1);
  const bool is_assay = !cut && line.starts_with(kLineWord);
  for (const auto& rule : rules_) {
    if (rule->source.kind == SourceKind::pattern) rule->match_pattern(line, cut);
    if (rule->source.kind == SourceKind::lines && is_assay)
      rule->match_assay(line.substr(kLineWord.size()));
  }
}

void MetricRules::collect_json(bool torn) {
  if (text_lost_) {
    losses_.push_back(fmt::format("the output is more than {}: JSON sources have no value",
                                  format_bytes(kMostJson)));
    return;
  }
  const std::string_view text = trim(text_);
  std::optional<Json> document;
  if (auto whole = parse_json(text)) {
    if (!torn || whole->is_object() || whole->is_array()) document = std::move(*whole);
  } else {
    document = last_json_line(text);
  }
  if (!document) return;
  for (const auto& rule : rules_) {
    if (rule->source.kind != SourceKind::json) continue;
    const Json* found = document->at_pointer(rule->source.text);
    if (found == nullptr) continue;
    const auto number = found->to_double();
    if (number && std::isfinite(*number))
      rule->add(*number * (rule->source.scale ? rule->source.scale->factor : 1));
    else
      ++rule->no_numbers;
  }
}

std::vector<std::optional<double>> MetricRules::finish() {
  losses_.clear();
  if (cut_lines_ > 0)
    losses_.push_back(fmt::format("lines cut at {}: {}", format_bytes(kLongestLine), cut_lines_));
  if (needs_json_) collect_json(ends_torn_);
  std::vector<std::optional<double>> values;
  for (const auto& rule : rules_) values.push_back(rule->finish(losses_));
  std::string().swap(text_);
  line_.clear();
  line_cut_ = text_lost_ = ends_torn_ = false;
  cut_lines_ = 0;
  return values;
}

}  // namespace assay::measure
