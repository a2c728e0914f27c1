// SPDX-License-Identifier: Apache-2.0
#include "trace/importers/text_scan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <map>
#include <tuple>

#include "base/check.hpp"
#include "base/text.hpp"

namespace assay::trace {
namespace {

constexpr std::string_view kEcho = "effective_";
constexpr std::size_t kSample = std::size_t{256} << 10;

bool is_word_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

int index_of(std::span<const Field> fields, std::string_view name) {
  for (std::size_t i = 0; i < fields.size(); ++i)
    if (fields[i].name == name) return static_cast<int>(i);
  return -1;
}

// How much a literal says: characters that text is full of count little.
double rarity(std::string_view literal) {
  double sum = 0;
  for (const char c : literal) {
    if (c >= 'a' && c <= 'z')
      sum += 1;
    else if (c == ' ' || (c >= '0' && c <= '9'))
      sum += 0.7;
    else
      sum += 1.6;
  }
  return sum;
}

// "007" -> "7", so that a number is one item however it is padded.
std::string_view without_zeros(std::string_view digits) {
  if (!digits.empty() && digits[0] == '+') digits.remove_prefix(1);
  while (digits.size() > 1 && digits[0] == '0') digits.remove_prefix(1);
  return digits;
}

}  // namespace

TextScan::TextScan(const Rules& rules, Trace& trace)
    : rules_(rules), trace_(trace), builder_(trace) {
  for (const EventRule& rule : rules_.events) add_event(rule);
  for (const SettingRule& rule : rules_.settings)
    settings_.push_back(
        {&rule, index_of(rule.pattern.fields(), "v"), index_of(rule.pattern.fields(), "name")});
  decide_worker_keys();
}

void TextScan::add_event(const EventRule& rule) {
  const auto fields = rule.pattern.fields();
  Event event;
  event.rule = &rule;
  event.t = index_of(fields, "t");
  event.d = index_of(fields, "d");
  event.worker = index_of(fields, "worker");
  event.label = index_of(fields, "label");
  event.bytes = index_of(fields, "bytes");
  event.v = index_of(fields, "v");
  for (const std::string& name : rules_.item)
    if (const int at = index_of(fields, name); at >= 0) event.item.push_back(at);
  const auto to_targets = [&](const std::vector<SpanRef>& spans) {
    std::vector<Event::Target> targets;
    for (const SpanRef& span : spans) {
      if (span.stage.starts_with('{'))
        targets.push_back(
            {kNone, index_of(fields, span.stage.substr(1, span.stage.size() - 2)), span.kind});
      else
        targets.push_back({builder_.slot(span.stage, span.kind), -1, span.kind});
    }
    return targets;
  };
  event.begin = to_targets(rule.begin);
  event.end = to_targets(rule.end);
  event.span = to_targets(rule.span);
  if (!rule.instant.empty()) event.instant = trace_.strings.intern(rule.instant);
  if (!rule.counter.empty()) event.counter = trace_.strings.intern(rule.counter);
  events_.push_back(std::move(event));
}

// Spans without item are matched by worker where every begin and every end names one.
void TextScan::decide_worker_keys() {
  std::map<std::uint32_t, bool> named;
  for (const Event& event : events_) {
    for (const auto* targets : {&event.begin, &event.end})
      for (const Event::Target& target : *targets)
        if (target.slot != kNone)
          named.try_emplace(target.slot, true).first->second &= event.worker >= 0;
  }
  for (const auto& [slot, all] : named)
    if (all) builder_.match_by_worker(slot);
}

// Of each rule's literals the one that the log has least: counted in `sample`, then by the number
// of rules that have it, then by its characters.
void TextScan::choose_literals(std::string_view sample) {
  std::vector<const Pattern*> patterns;
  for (const Event& event : events_) patterns.push_back(&event.rule->pattern);
  for (const Setting& setting : settings_) patterns.push_back(&setting.rule->pattern);
  std::vector<std::string> all;
  std::map<std::string, std::pair<std::uint64_t, int>> counts;  // in the sample, in the rules
  for (const Pattern* pattern : patterns) {
    for (const std::string& literal : pattern->literals())
      if (literal.size() >= 2 && counts[literal].second++ == 0 &&
          all.size() < LiteralSearch::kMostLiterals)
        all.push_back(literal);
  }
  LiteralSearch(all).find(sample, hits_);
  for (const LiteralSearch::Hit& hit : hits_) ++counts[all[hit.literal]].first;
  std::vector<std::string> literals;
  const auto use = [&](const std::string& literal, std::uint32_t rule) {
    const auto found = std::ranges::find(literals, literal);
    const auto index = static_cast<std::size_t>(found - literals.begin());
    if (found == literals.end()) {
      literals.push_back(literal);
      rules_of_literal_.emplace_back();
    }
    rules_of_literal_[index].push_back(rule);
  };
  for (std::uint32_t rule = 0; rule < patterns.size(); ++rule) {
    std::string best;
    std::tuple<std::uint64_t, int, double> best_rank;
    for (const std::string& literal : patterns[rule]->literals()) {
      if (literal.size() < 2) continue;
      const std::tuple rank(counts[literal].first, counts[literal].second, -rarity(literal));
      // Of equals the later one: what patterns have in common usually stands in front.
      if (!best.empty() && rank > best_rank) continue;
      best = literal;
      best_rank = rank;
    }
    if (best.empty() || literals.size() + 1 >= LiteralSearch::kMostLiterals)
      always_.push_back(rule);
    else
      use(best, rule);
  }
  use(std::string(kEcho), static_cast<std::uint32_t>(patterns.size()));
  search_.emplace(literals);
}

std::uint64_t TextScan::line_number(const char* at) {
  counted_ += count_newlines({counted_to_, static_cast<std::size_t>(at - counted_to_)});
  counted_to_ = at;
  return counted_;
}

void TextScan::block(std::string_view text, std::uint64_t first_line) {
  const BlockFacts facts = inspect(text);
  if (facts.nul || facts.wide) {
    const BadLines bad = find_bad_lines(text);
    if (bad.count > 0) {
      trace_.lose(Loss::bad_bytes, first_line + count_newlines(text.substr(0, bad.first)));
      trace_.lost(Loss::bad_bytes) += bad.count - 1;
    }
  }
  if (facts.escape) {
    strip_escapes(text, stripped_);
    text = stripped_;
  }
  if (!search_) choose_literals(text.substr(0, kSample));
  counted_to_ = text.data();
  counted_ = first_line;
  scan(text);
}

void TextScan::scan(std::string_view text) {
  search_->find(text, hits_);
  const char* const data = text.data();
  std::size_t line_end = 0;  // behind the newline of the line before
  for (std::size_t h = 0; h < hits_.size() || (!always_.empty() && line_end < text.size());) {
    std::size_t begin = line_end;
    if (always_.empty()) {
      const std::size_t from = hits_[h].offset;
      const void* before =
          from == line_end ? nullptr : memrchr(data + line_end, '\n', from - line_end);
      if (before != nullptr)
        begin = static_cast<std::size_t>(static_cast<const char*>(before) - data) + 1;
    }
    const std::size_t search_from = h < hits_.size() && always_.empty() ? hits_[h].offset : begin;
    const void* newline = std::memchr(data + search_from, '\n', text.size() - search_from);
    const std::size_t end =
        newline == nullptr ? text.size()
                           : static_cast<std::size_t>(static_cast<const char*>(newline) - data);
    candidates_.assign(always_.begin(), always_.end());
    const std::size_t first_hit = h;
    const auto echo = static_cast<std::uint32_t>(events_.size() + settings_.size());
    current_ = line_number(data + begin);
    std::string_view line_text = text.substr(begin, end - begin);
    if (line_text.ends_with('\r')) line_text.remove_suffix(1);
    for (; h < hits_.size() && hits_[h].offset < end; ++h) {
      for (const std::uint32_t rule : rules_of_literal_[hits_[h].literal]) {
        if (rule == echo)
          echoed_setting(line_text, hits_[h].offset - begin);
        else
          candidates_.push_back(rule);
      }
    }
    if (h - first_hit > 1 || candidates_.size() > 1) {
      std::ranges::sort(candidates_);
      candidates_.erase(std::unique(candidates_.begin(), candidates_.end()), candidates_.end());
    }
    if (!candidates_.empty()) line(line_text, candidates_);
    line_end = end + 1;
  }
}

void TextScan::line(std::string_view text, std::span<const std::uint32_t> rules) {
  std::size_t events = 0;
  while (events < rules.size() && rules[events] < events_.size()) ++events;
  if (events > 0) match_events(text, rules.first(events));
  for (const std::uint32_t rule : rules.subspan(events))
    apply_setting(settings_[rule - events_.size()], text);
}

void TextScan::match_events(std::string_view text, std::span<const std::uint32_t> rules) {
  std::size_t bad = 0;
  bool damaged = false;
  std::uint32_t first = kNone;
  for (const std::uint32_t rule : rules) {
    Event& event = events_[rule];
    const Match match = event.rule->pattern.match(text, values_, bad);
    damaged = damaged || match == Match::bad_field;
    if (match != Match::yes) continue;
    ++event.matches;
    if (first != kNone) {
      if (event.overlaps++ == 0) {
        event.first_overlap = current_;
        event.overlapped_by = first;
      }
      continue;
    }
    first = rule;
    ++trace_.lines_matched;
    apply(event, values_, text);
  }
  if (first == kNone && damaged) trace_.lose(Loss::bad_field, current_);
}

std::optional<Stamp> TextScan::stamp_of(const Event& event, const Values& values,
                                        std::string_view text) {
  if (event.t < 0) return line_stamp(text);
  const auto at = static_cast<std::size_t>(event.t);
  if (values[at].text.data() == nullptr) return std::nullopt;
  switch (event.rule->pattern.fields()[at].type) {
    case FieldType::text: {
      const auto stamp = parse_stamp(values[at].text);
      return stamp && stamp->length == values[at].text.size() ? stamp : std::nullopt;
    }
    case FieldType::iso:
    case FieldType::duration:
      return values[at].stamp;
    default: {
      Stamp stamp = values[at].stamp;
      stamp.absolute = stamp.ns >= kUnixFrom;
      return stamp;
    }
  }
}

std::optional<Stamp> TextScan::duration_of(const Event& event, const Values& values) {
  if (event.d < 0) return std::nullopt;
  const auto at = static_cast<std::size_t>(event.d);
  const FieldValue& value = values[at];
  if (value.text.data() == nullptr) return std::nullopt;
  if (event.rule->pattern.fields()[at].type != FieldType::text) return value.stamp;
  const auto stamp = parse_go_duration(value.text);
  if (!stamp || stamp->length != value.text.size()) {
    trace_.lose(Loss::bad_field, current_);
    return std::nullopt;
  }
  return stamp;
}

std::uint32_t TextScan::slot_of(const Event::Target& target, const Values& values) {
  if (target.slot != kNone) return target.slot;
  return builder_.slot(values[static_cast<std::size_t>(target.stage_field)].text, target.kind);
}

std::uint32_t TextScan::item_of(const Event& event, const Values& values) {
  std::array<std::string_view, Pattern::kMostFields> parts;
  const auto fields = event.rule->pattern.fields();
  for (std::size_t i = 0; i < event.item.size(); ++i) {
    const auto at = static_cast<std::size_t>(event.item[i]);
    parts[i] = values[at].text;
    if (fields[at].type == FieldType::integer && parts[i].data() != nullptr)
      parts[i] = without_zeros(parts[i]);
  }
  return builder_.item(std::span(parts).first(event.item.size()));
}

void TextScan::apply(Event& event, const Values& values, std::string_view text) {
  const auto duration = duration_of(event, values);
  const auto stamp = stamp_of(event, values, text);
  std::optional<Nanos> t;
  if (stamp) {
    t = builder_.place(*stamp, current_);
    if (!t) return;
  } else if (event.t < 0 && !event.span.empty() && duration) {
    t = builder_.lay(duration->ns);
  }
  if (!t) return trace_.lose(Loss::bad_field, current_);
  const auto value = [&](int at) {
    return at < 0 ? std::string_view() : values[static_cast<std::size_t>(at)].text;
  };
  const std::uint32_t item = event.item.empty() ? kNone : item_of(event, values);
  if (item != kNone) {
    if (const auto label = value(event.label); !label.empty())
      trace_.items.label[item] = trace_.strings.intern(label);
    if (const auto bytes = value(event.bytes); !bytes.empty())
      std::from_chars(bytes.data(), bytes.data() + bytes.size(), trace_.items.bytes[item]);
  }
  const std::string_view label = value(event.worker);
  const auto worker_of = [&](std::uint32_t slot) {
    return label.empty() ? kNone : builder_.worker(slot, label);
  };
  for (const Event::Target& target : event.end) {
    const std::uint32_t slot = slot_of(target, values);
    builder_.end(slot, *t, item, worker_of(slot), duration, current_);
  }
  for (const Event::Target& target : event.span) {
    const std::uint32_t slot = slot_of(target, values);
    if (duration)
      builder_.span(slot, *t - duration->ns, *t, item, worker_of(slot), Quality::derived, current_);
    else
      trace_.lose(Loss::bad_field, current_);
  }
  for (const Event::Target& target : event.begin) {
    const std::uint32_t slot = slot_of(target, values);
    builder_.begin(slot, *t, item, worker_of(slot), current_);
  }
  if (event.instant != kNone) {
    trace_.instants.at.push_back(*t);
    trace_.instants.name.push_back(event.instant);
    trace_.instants.item.push_back(item);
  }
  if (event.counter != kNone) {
    const auto number = parse_number(value(event.v));
    if (!number) return trace_.lose(Loss::bad_field, current_);
    trace_.counters.at.push_back(*t);
    trace_.counters.name.push_back(event.counter);
    trace_.counters.value.push_back(*number);
  }
}

void TextScan::apply_setting(Setting& setting, std::string_view text) {
  Values values;
  std::size_t bad = 0;
  const Match match = setting.rule->pattern.match(text, values, bad);
  if (match == Match::bad_field) trace_.lose(Loss::bad_field, current_);
  if (match != Match::yes) return;
  ++setting.matches;
  std::string_view name = setting.rule->name;
  if (setting.name >= 0) name = values[static_cast<std::size_t>(setting.name)].text;
  trace_.set(name, values[static_cast<std::size_t>(setting.v)].text);
}

// effective_NAME=VALUE, effective_NAME: VALUE, "effective_NAME":VALUE.
void TextScan::echoed_setting(std::string_view text, std::size_t at) {
  if (at > 0 && is_word_char(text[at - 1])) return;
  std::size_t end = at + kEcho.size();
  while (end < text.size() && is_word_char(text[end])) ++end;
  const std::string_view name = text.substr(at + kEcho.size(), end - at - kEcho.size());
  if (end < text.size() && text[end] == '"') ++end;
  if (name.empty() || end >= text.size() || (text[end] != '=' && text[end] != ':')) return;
  ++end;
  while (end < text.size() && text[end] == ' ') ++end;
  const bool quoted = end < text.size() && text[end] == '"';
  if (quoted) ++end;
  const std::size_t behind =
      std::min(text.find_first_of(quoted ? "\"" : " ,;\t)]}\"", end), text.size());
  if (behind > end) trace_.set(name, text.substr(end, behind - end));
}

std::vector<std::uint64_t> TextScan::matches() const {
  std::vector<std::uint64_t> counts;
  for (const Event& event : events_) counts.push_back(event.matches);
  return counts;
}

void TextScan::finish() {
  const std::string file = printable(rules_.file);
  std::size_t silent = 0;
  for (const Event& event : events_) silent += event.matches == 0 ? 1 : 0;
  for (const Event& event : events_) {
    if (event.matches == 0 && !rules_.quiet)
      trace_.warn(TraceWarningKind::never_occurs,
                  fmt::format("{}:{}: no line matches '{}'", file, event.rule->line,
                              printable(event.rule->pattern.text())));
    if (event.overlaps > 0 && !rules_.quiet)
      trace_.warn(
          TraceWarningKind::overlap,
          fmt::format("{}:{}: {} line{} matched by this rule and, before it, by the rule of "
                      "line {}, which counts (first: {}:{}); make one pattern longer",
                      file, event.rule->line, event.overlaps, event.overlaps == 1 ? " is" : "s are",
                      events_[event.overlapped_by].rule->line, printable(trace_.source),
                      event.first_overlap));
  }
  for (const Setting& setting : settings_) {
    if (setting.matches == 0)
      trace_.warn(TraceWarningKind::never_occurs,
                  fmt::format("{}:{}: no line matches '{}': the setting is unknown", file,
                              setting.rule->line, printable(setting.rule->pattern.text())));
  }
  if (silent == events_.size() && silent > 0 && !rules_.quiet)
    trace_.warn(TraceWarningKind::never_occurs,
                fmt::format("none of the log's lines matches a rule of {}; 'assay trace rules "
                            "--suggest {}' proposes rules from the log's own lines",
                            file, printable(trace_.source)));
  builder_.finish();
}

}  // namespace assay::trace
