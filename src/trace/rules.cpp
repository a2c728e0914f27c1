// SPDX-License-Identifier: Apache-2.0
#include "trace/rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/document.hpp"
#include "base/text.hpp"

namespace assay::trace {
namespace {

using Words = std::vector<std::string>;

const Words kTopKeys = {"item", "event", "setting", "stage", "expect", "csv"};
const Words kEventKeys = {"match", "re", "pairs", "begin", "end", "span", "instant", "counter"};
const Words kSettingKeys = {"match", "re", "name"};
const Words kStageKeys = {"name", "after", "servers", "capacity", "permits", "kind", "parent"};
const Words kCsvKeys = {"time"};
const Words kKindWords = {"service", "queue_wait", "blocked_send", "wait_permit",
                          "starved", "lock_wait",  "transfer",     "other"};
const Words kStageKindWords = {"cpu", "gpu", "io", "queue"};
const Words kUnitWords = {"ns", "us", "ms", "s"};

// Splits "gpu.service"; a last part that is no kind belongs to the stage's name.
SpanRef to_span(std::string_view text) {
  const std::size_t dot = text.rfind('.');
  if (dot != std::string_view::npos && dot > 0) {
    if (const auto kind = span_kind(text.substr(dot + 1)))
      return {std::string(text.substr(0, dot)), *kind};
  }
  return {std::string(text), SpanKind::service};
}

// "effective_lookahead={v:int}" names lookahead: the word before the sign before the value.
std::string name_before_value(std::string_view pattern) {
  const std::size_t value = std::min(pattern.find("{v}"), pattern.find("{v:"));
  if (value == std::string_view::npos) return {};
  std::size_t end = value;
  const auto is_word = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || c == '.';
  };
  while (end > 0 && !is_word(pattern[end - 1])) --end;
  std::size_t begin = end;
  while (begin > 0 && is_word(pattern[begin - 1])) --begin;
  return std::string(pattern.substr(begin, end - begin));
}

class RulesReader {
 public:
  RulesReader(const Document& document, Rules& rules) : document_(document), rules_(rules) {}

  Result<void> read() {
    const Node::Table& top = *document_.root().to_table();
    if (auto known = check_keys(top, kTopKeys, "a rules file"); !known) return known;
    for (const Node::Member& member : top)
      if (auto done = read_member(member); !done) return done;
    if (rules_.events.empty() && !rules_.csv_time.empty()) rules_.format = "csv";
    if (auto done = check_stages(); !done) return done;
    return check_identical();
  }

 private:
  // A name with its place, for checks that need all of the file.
  struct Mention {
    std::string name;
    Position at;
  };

  tl::unexpected<Error> error(Position at, const std::string& what, const std::string& remark = {},
                              const std::string& hint = {}) const {
    return fail(document_.error(at, what, remark, hint));
  }

  tl::unexpected<Error> wrong_kind(const Node& node, std::string_view key,
                                   std::string_view wanted) const {
    return error(node.at, fmt::format("{} is {}, not {}", key, wanted, node.kind()));
  }

  static std::string did_you_mean(std::string_view word, const Words& words) {
    const auto near = nearest(word, words);
    return near ? fmt::format("did you mean '{}'?", *near)
                : fmt::format("known: {}", fmt::join(words, ", "));
  }

  Result<void> check_keys(const Node::Table& table, const Words& known, std::string_view of) const {
    for (const Node::Member& member : table) {
      if (std::ranges::find(known, member.key) == known.end())
        return error(member.at, fmt::format("unknown key '{}' of {}", printable(member.key), of),
                     did_you_mean(member.key, known));
    }
    return {};
  }

  Result<void> read_member(const Node::Member& member) {
    if (member.key == "item") return read_strings(member, rules_.item);
    if (member.key == "expect") return read_bound(member, rules_.expect, false);
    if (member.key == "setting") return read_settings(member);
    if (member.key == "csv") return read_csv(member);
    const Node::Array* list = member.value.to_array();
    if (list == nullptr || std::ranges::any_of(*list, [](const Node& n) { return !n.to_table(); }))
      return error(member.at, fmt::format("{} is a list of tables", member.key),
                   fmt::format("write [[{}]]", member.key));
    for (const Node& node : *list) {
      auto done = member.key == "event" ? read_event(node) : read_stage(node);
      if (!done) return done;
    }
    return {};
  }

  Result<void> read_text(const Node::Member& member, std::string& into) const {
    const std::string* text = member.value.to_string();
    if (text == nullptr) return wrong_kind(member.value, member.key, "a string");
    if (text->empty()) return error(member.value.at, fmt::format("{} is empty", member.key));
    into = *text;
    return {};
  }

  // A string or a list of strings.
  Result<void> read_strings(const Node::Member& member, Words& into) const {
    const Node::Array* list = member.value.to_array();
    if (list == nullptr) {
      into.emplace_back();
      return read_text(member, into.back());
    }
    for (const Node& node : *list) {
      const std::string* text = node.to_string();
      if (text == nullptr) return wrong_kind(node, member.key, "a string or a list of strings");
      if (text->empty()) return error(node.at, fmt::format("{} is empty", member.key));
      into.push_back(*text);
    }
    return {};
  }

  Result<void> read_bound(const Node::Member& member, Bound& into, bool workers) const {
    if (const auto* number = std::get_if<std::int64_t>(&member.value.value)) {
      if (*number < 1 || *number > 1'000'000'000)
        return error(member.value.at, fmt::format("{} is between 1 and 1,000,000,000", member.key));
      into.from = Bound::From::number;
      into.number = static_cast<std::uint64_t>(*number);
      return {};
    }
    const std::string* text = member.value.to_string();
    const std::string forms = workers ? "a number, \"count(worker)\" or \"setting(NAME)\""
                                      : "a number or \"setting(NAME)\"";
    if (text == nullptr) return wrong_kind(member.value, member.key, forms);
    if (workers && *text == "count(worker)") {
      into.from = Bound::From::workers;
      return {};
    }
    if (text->starts_with("setting(") && text->ends_with(')') && text->size() > 9) {
      into.from = Bound::From::setting;
      into.setting = text->substr(8, text->size() - 9);
      return {};
    }
    return error(member.value.at,
                 fmt::format("{} is {}, not '{}'", member.key, forms, printable(*text)));
  }

  // The pattern of the table's `match` or `re`.
  Result<void> read_pattern(const Node::Member& member, Pattern& into) const {
    std::string text;
    if (auto done = read_text(member, text); !done) return done;
    return compile(member.key == "re", text, member.value.at, into);
  }

  Result<void> compile(bool is_regex, const std::string& text, Position at, Pattern& into) const {
    auto pattern = is_regex ? Pattern::compile_regex(text) : Pattern::compile(text);
    if (!pattern) {
      const PatternFault& fault = pattern.error();
      // The string's quote, then the text as it stands (escapes shift the caret a little).
      Position place = at;
      place.column += 1 + static_cast<std::uint32_t>(
                              display_width(std::string_view(text).substr(0, fault.offset)));
      return error(place, fault.what, fault.remark);
    }
    into = std::move(*pattern);
    return {};
  }

  Result<void> read_pairs(const Node::Member& member, Pattern& into) const {
    const Node::Array* list = member.value.to_array();
    if (list == nullptr) return wrong_kind(member.value, member.key, "a list of strings");
    for (const Node& node : *list) {
      const std::string* text = node.to_string();
      if (text == nullptr) return wrong_kind(node, member.key, "a list of strings");
      const auto added = into.add_pair(*text);
      if (added) continue;
      Position place = node.at;
      place.column += 1 + static_cast<std::uint32_t>(added.error().offset);
      return error(place, added.error().what, added.error().remark);
    }
    return {};
  }

  Result<void> read_spans(const Node::Member& member, const Pattern& pattern,
                          std::vector<SpanRef>& into) {
    Words texts;
    if (auto done = read_strings(member, texts); !done) return done;
    for (const std::string& text : texts) {
      const SpanRef span = to_span(text);
      const std::size_t dot = text.rfind('.');
      if (span.stage == text && dot != std::string::npos) {
        const std::string word = text.substr(dot + 1);
        if (const auto near = nearest(word, kKindWords))
          return error(member.value.at, fmt::format("unknown kind '{}'", printable(word)),
                       fmt::format("did you mean '{}'?", *near));
      }
      if (span.stage.starts_with('{') && span.stage.ends_with('}')) {
        const std::string field = span.stage.substr(1, span.stage.size() - 2);
        if (std::ranges::none_of(pattern.fields(), [&](const Field& f) { return f.name == field; }))
          return error(member.value.at,
                       fmt::format("the pattern has no field '{}'", printable(field)));
      } else {
        mentioned_.push_back(span.stage);
      }
      into.push_back(span);
    }
    return {};
  }

  Result<void> read_event(const Node& node) {
    const Node::Table& table = *node.to_table();
    if (auto known = check_keys(table, kEventKeys, "[[event]]"); !known) return known;
    if (rules_.events.size() == kMostEventRules)
      return error(node.at, fmt::format("more than {} events", kMostEventRules));
    EventRule rule;
    rule.line = node.at.line;
    bool has_pattern = false;
    for (const Node::Member& member : table) {
      if (member.key != "match" && member.key != "re") continue;
      if (has_pattern) return error(member.at, "an event has one pattern, match or re");
      if (auto done = read_pattern(member, rule.pattern); !done) return done;
      has_pattern = true;
      rule.line = member.at.line;
    }
    for (const Node::Member& member : table) {
      if (member.key != "pairs" || !has_pattern) continue;
      if (auto done = read_pairs(member, rule.pattern); !done) return done;
    }
    if (!has_pattern)
      return error(node.at, "an event without a pattern", {},
                   "say what its line looks like: match = \"GPU_END,{job}\"");
    for (const Node::Member& member : table) {
      Result<void> done;
      if (member.key == "begin") done = read_spans(member, rule.pattern, rule.begin);
      if (member.key == "end") done = read_spans(member, rule.pattern, rule.end);
      if (member.key == "span") done = read_spans(member, rule.pattern, rule.span);
      if (member.key == "instant") done = read_text(member, rule.instant);
      if (member.key == "counter") done = read_text(member, rule.counter);
      if (!done) return done;
    }
    if (auto done = check_event(rule, node.at); !done) return done;
    rules_.events.push_back(std::move(rule));
    return {};
  }

  Result<void> check_event(const EventRule& rule, Position at) const {
    const auto has = [&](std::string_view name) {
      return std::ranges::any_of(rule.pattern.fields(),
                                 [&](const Field& field) { return field.name == name; });
    };
    if (rule.begin.empty() && rule.end.empty() && rule.span.empty() && rule.instant.empty() &&
        rule.counter.empty())
      return error(at, "an event that means nothing", {},
                   "add begin, end, span, instant or counter");
    if (!rule.span.empty() && !has("d"))
      return error(at, "a span needs a field d, its duration", {},
                   "name the duration in the pattern: took {d:ms}; or use begin and end");
    if (!rule.counter.empty() && !has("v"))
      return error(at, "a counter needs a field v, its value", {}, "depth={v:int}");
    for (const Field& field : rule.pattern.fields()) {
      const bool timed = field.type == FieldType::ms || field.type == FieldType::us ||
                         field.type == FieldType::ns || field.type == FieldType::s;
      const bool fits_t = timed || field.type == FieldType::iso ||
                          field.type == FieldType::duration || field.type == FieldType::text;
      const bool fits_d =
          timed || field.type == FieldType::duration || field.type == FieldType::text;
      if ((field.name == "t" && !fits_t) || (field.name == "d" && !fits_d))
        return error(at, fmt::format("field {} has a type that is no time", field.name), {},
                     "types of times are ms, us, ns, s, duration and, of t, iso");
    }
    return {};
  }

  Result<void> add_setting(const Node::Member& member, const std::string& text, Position at,
                           std::string name) {
    SettingRule rule;
    rule.line = at.line;
    if (auto done = compile(member.key == "re", text, at, rule.pattern); !done) return done;
    const auto has = [&](std::string_view field) {
      return std::ranges::any_of(rule.pattern.fields(),
                                 [&](const Field& f) { return f.name == field; });
    };
    if (!has("v"))
      return error(at, "a setting needs a field v, its value", {},
                   "setting = \"effective_lookahead={v:int}\"");
    rule.name = name.empty() && !has("name") ? name_before_value(text) : std::move(name);
    if (rule.name.starts_with("effective_")) rule.name.erase(0, 10);
    if (rule.name.empty() && !has("name"))
      return error(at, "a setting without a name", {}, "write NAME={v}, or give it a field {name}");
    rules_.settings.push_back(std::move(rule));
    return {};
  }

  Result<void> read_settings(const Node::Member& member) {
    const Node::Array* list = member.value.to_array();
    if (list == nullptr) {
      std::string text;
      if (auto done = read_text(member, text); !done) return done;
      return add_setting(member, text, member.value.at, {});
    }
    for (const Node& node : *list) {
      if (const std::string* text = node.to_string()) {
        if (auto done = add_setting(member, *text, node.at, {}); !done) return done;
        continue;
      }
      const Node::Table* table = node.to_table();
      if (table == nullptr) return wrong_kind(node, "setting", "a string or a list of strings");
      if (auto known = check_keys(*table, kSettingKeys, "[[setting]]"); !known) return known;
      std::string name;
      const Node::Member* pattern = nullptr;
      for (const Node::Member& inner : *table) {
        if (inner.key != "name")
          pattern = &inner;
        else if (auto done = read_text(inner, name); !done)
          return done;
      }
      if (pattern == nullptr) return error(node.at, "a setting without a pattern");
      std::string text;
      if (auto done = read_text(*pattern, text); !done) return done;
      if (auto done = add_setting(*pattern, text, pattern->value.at, name); !done) return done;
    }
    return {};
  }

  Result<void> read_csv(const Node::Member& member) {
    const Node::Table* table = member.value.to_table();
    if (table == nullptr) return wrong_kind(member.value, "csv", "a table");
    if (auto known = check_keys(*table, kCsvKeys, "[csv]"); !known) return known;
    for (const Node::Member& inner : *table) {
      if (auto done = read_text(inner, rules_.csv_time); !done) return done;
      if (std::ranges::find(kUnitWords, rules_.csv_time) == kUnitWords.end())
        return error(inner.value.at, fmt::format("unknown unit '{}'", printable(rules_.csv_time)),
                     did_you_mean(rules_.csv_time, kUnitWords));
    }
    return {};
  }

  Result<void> read_stage_member(const Node::Member& member, StageRule& stage) {
    if (member.key == "name") return read_text(member, stage.name);
    if (member.key == "servers") return read_bound(member, stage.servers, true);
    if (member.key == "permits") return read_bound(member, stage.permits, false);
    if (member.key == "capacity") {
      const std::string* text = member.value.to_string();
      if (text == nullptr || text->starts_with("setting("))
        return read_bound(member, stage.capacity, false);
      const auto bytes = parse_bytes(*text);
      if (!bytes || !(*bytes >= 1 && *bytes < 1e18))
        return error(member.value.at,
                     "capacity is a number of items, bytes (\"64MiB\") or \"setting(NAME)\"");
      stage.capacity_bytes = static_cast<std::uint64_t>(*bytes);
      return {};
    }
    if (member.key == "kind") {
      std::string word;
      if (auto done = read_text(member, word); !done) return done;
      const auto found = std::ranges::find(kStageKindWords, word);
      if (found == kStageKindWords.end())
        return error(member.value.at, fmt::format("unknown kind '{}' of a stage", printable(word)),
                     did_you_mean(word, kStageKindWords));
      stage.kind = static_cast<StageKind>(found - kStageKindWords.begin());
      return {};
    }
    if (member.key == "parent") {
      if (auto done = read_text(member, stage.parent); !done) return done;
      referred_.push_back({stage.parent, member.value.at});
      return {};
    }
    if (auto done = read_strings(member, stage.after); !done) return done;
    for (const std::string& name : stage.after) referred_.push_back({name, member.value.at});
    return {};
  }

  Result<void> read_stage(const Node& node) {
    const Node::Table& table = *node.to_table();
    if (auto known = check_keys(table, kStageKeys, "[[stage]]"); !known) return known;
    StageRule stage;
    stage.line = node.at.line;
    for (const Node::Member& member : table)
      if (auto done = read_stage_member(member, stage); !done) return done;
    if (stage.name.empty()) return error(node.at, "a stage without a name");
    for (const StageRule& other : rules_.stages)
      if (other.name == stage.name)
        return error(node.at, fmt::format("stage '{}' stands twice", printable(stage.name)),
                     fmt::format("first in line {}", other.line));
    if (std::ranges::find(stage.after, stage.name) != stage.after.end())
      return error(node.at, fmt::format("stage '{}' comes after itself", printable(stage.name)));
    stages_.push_back({stage.name, node.at});
    rules_.stages.push_back(std::move(stage));
    return {};
  }

  // Stages are named by events, or (topology for another format) by [[stage]] tables alone.
  Result<void> check_stages() const {
    Words known = mentioned_;
    for (const Mention& stage : stages_) known.push_back(stage.name);
    for (const Mention& mention : referred_) {
      if (std::ranges::find(known, mention.name) == known.end())
        return error(mention.at, fmt::format("unknown stage '{}'", printable(mention.name)),
                     did_you_mean(mention.name, known));
    }
    const bool any_dynamic = std::ranges::any_of(rules_.events, [](const EventRule& rule) {
      const auto dynamic = [](const SpanRef& span) { return span.stage.starts_with('{'); };
      return std::ranges::any_of(rule.begin, dynamic) || std::ranges::any_of(rule.end, dynamic) ||
             std::ranges::any_of(rule.span, dynamic);
    });
    if (mentioned_.empty() || any_dynamic) return {};
    for (const Mention& stage : stages_) {
      if (std::ranges::find(mentioned_, stage.name) == mentioned_.end())
        return error(stage.at, fmt::format("no event names stage '{}'", printable(stage.name)),
                     did_you_mean(stage.name, mentioned_));
    }
    return {};
  }

  Result<void> check_identical() const {
    for (std::size_t i = 0; i < rules_.events.size(); ++i) {
      for (std::size_t k = 0; k < i; ++k) {
        const Pattern& a = rules_.events[k].pattern;
        const Pattern& b = rules_.events[i].pattern;
        if (a.is_regex() != b.is_regex() || a.text() != b.text()) continue;
        return error({rules_.events[i].line, 1}, "this pattern stands twice",
                     fmt::format("first in line {}", rules_.events[k].line),
                     "one event may do both: begin = [\"a\", \"b\"], end = [\"c\"]");
      }
    }
    return {};
  }

  const Document& document_;
  Rules& rules_;
  Words mentioned_ = {};  // stages of events
  std::vector<Mention> stages_ = {}, referred_ = {};
};

}  // namespace

std::string Bound::to_text() const {
  switch (from) {
    case From::none:
      return {};
    case From::number:
      return std::to_string(number);
    case From::workers:
      return "count(worker)";
    case From::setting:
      return "setting(" + setting + ")";
  }
  return {};
}

Result<Rules> parse_rules(std::string_view text, const std::string& file) {
  const auto document = Document::parse(text, file);
  if (!document) return fail(document.error());
  Rules rules;
  rules.file = file;
  if (auto done = RulesReader(*document, rules).read(); !done) return fail(done.error());
  return rules;
}

}  // namespace assay::trace
