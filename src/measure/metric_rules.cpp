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
constexpr std::size_t kShownBytes = 40;  // of what was printed instead of a number

std::string shown(std::string_view text) {
  return printable(text.substr(0, kShownBytes)) + (text.size() > kShownBytes ? "..." : "");
}

// "in ms", "without a unit".
std::string in_unit(std::string_view unit) {
  return unit.empty() ? "without a unit" : fmt::format("in '{}'", shown(unit));
}

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
  // The first case of a run, until it has been told.
  struct Loss {
    std::string text;
    bool told = false;

    void note(std::string_view metric, const std::string& clause) {
      if (!told && text.empty()) text = fmt::format("metric {}: {}", metric, clause);
    }
  };

  std::string name;
  Source source;
  std::unique_ptr<RE2> pattern;
  std::vector<double> values;
  // How the first ASSAY line of the experiment gave the unit, when name and brackets do not.
  std::optional<std::string> printed_unit;
  bool too_many = false;
  Loss no_number, other_unit, excess;

  void add(std::string_view printed, double scale);
  void add_number(double value);
  void match_pattern(std::string_view line, bool cut);
  void match_assay(std::string_view rest);
  bool takes_unit(std::string_view unit, const Scale& scale);
  std::optional<double> finish(std::vector<std::string>& losses);
};

void MetricRules::Rule::add_number(double value) {
  too_many = too_many || values.size() == kMostValues;
  if (!too_many) values.push_back(value);
}

void MetricRules::Rule::add(std::string_view printed, double scale) {
  const auto number = parse_number(printed);
  if (number && std::isfinite(*number * scale)) return add_number(*number * scale);
  no_number.note(name, fmt::format("the command printed '{}', which is {}", shown(printed),
                                   number ? "too large" : "no number"));
}

void MetricRules::Rule::match_pattern(std::string_view line, bool cut) {
  re2::StringPiece found[2];
  if (!pattern->Match(re2::StringPiece(line.data(), line.size()), 0, line.size(), RE2::UNANCHORED,
                      found, 2))
    return;
  if (cut && found[0].data() + found[0].size() == line.data() + line.size()) return;
  add(trim({found[1].data(), found[1].size()}), source.scale ? source.scale->factor : 1);
}

// Whether a value in this unit can stand beside the others.
bool MetricRules::Rule::takes_unit(std::string_view unit, const Scale& scale) {
  if (source.scale) {
    if (scale.unit == source.scale->unit) return true;
    other_unit.note(name, fmt::format("the command printed it {}, and its name says '{}'; such a "
                                      "value is left out",
                                      in_unit(unit), source.scale->unit));
    return false;
  }
  if (!printed_unit) printed_unit = unit;
  if (scale_of_unit(*printed_unit).unit == scale.unit && printed_unit->empty() == unit.empty())
    return true;
  other_unit.note(name, fmt::format("it was printed {} first and then {}; values {} are left out",
                                    in_unit(*printed_unit), in_unit(unit), in_unit(unit)));
  return false;
}

// `rest` is what follows "ASSAY ": name=value, then optionally a unit.
void MetricRules::Rule::match_assay(std::string_view rest) {
  const std::size_t equals = rest.find('=');
  if (equals == std::string_view::npos || trim(rest.substr(0, equals)) != source.text) return;
  const std::string_view behind = trim(rest.substr(equals + 1));
  const std::size_t blank = std::min(behind.find_first_of(" \t"), behind.size());
  const std::string_view unit = trim(behind.substr(blank));
  const Scale scale = unit.empty() && source.scale ? *source.scale : scale_of_unit(unit);
  const std::string_view number = behind.substr(0, blank);
  if (!parse_number(number) || takes_unit(unit, scale)) add(number, scale.factor);
}

std::optional<double> MetricRules::Rule::finish(std::vector<std::string>& losses) {
  if (too_many)
    excess.note(name, fmt::format("one run printed more than {} values; it has none", kMostValues));
  for (Loss* loss : {&no_number, &other_unit, &excess}) {
    if (loss->text.empty()) continue;
    losses.push_back(std::move(loss->text));
    loss->text.clear();
    loss->told = true;
  }
  std::optional<double> value;
  if (!too_many) value = one_value(values);
  values.clear();
  too_many = false;
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
      if (!line_cut_)
        lose(told_cut_, fmt::format("a line of the output is longer than {}: the rest of it is "
                                    "not looked at",
                                    format_bytes(kLongestLine)));
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

void MetricRules::lose(bool& told, std::string text) {
  if (!told) pending_losses_.push_back(std::move(text));
  told = true;
}

void MetricRules::collect_json(bool torn) {
  if (text_lost_)
    return lose(told_large_, fmt::format("the output is more than {}: JSON sources have no value",
                                         format_bytes(kMostJson)));
  const std::string_view text = trim(text_);
  std::optional<Json> document;
  if (auto whole = parse_json(text)) {
    if (!torn || whole->is_object() || whole->is_array()) document = std::move(*whole);
  } else {
    document = last_json_line(text);
    if (!document && !text.empty())
      lose(told_broken_, "the output holds no JSON document: " + whole.error().to_text());
  }
  if (!document) return;
  for (const auto& rule : rules_) {
    if (rule->source.kind != SourceKind::json) continue;
    const Json* found = document->at_pointer(rule->source.text);
    if (found == nullptr) continue;
    const auto number = found->to_double();
    const double value = number.value_or(0) * (rule->source.scale ? rule->source.scale->factor : 1);
    if (number && std::isfinite(value))
      rule->add_number(value);
    else
      rule->no_number.note(rule->name, fmt::format("the command printed {}, which is no number",
                                                   shown(found->dump())));
  }
}

std::vector<std::optional<double>> MetricRules::finish() {
  if (needs_json_) collect_json(ends_torn_);
  losses_ = std::move(pending_losses_);
  pending_losses_.clear();
  std::vector<std::optional<double>> values;
  for (const auto& rule : rules_) values.push_back(rule->finish(losses_));
  std::string().swap(text_);
  line_.clear();
  line_cut_ = text_lost_ = ends_torn_ = false;
  return values;
}

}  // namespace assay::measure
