// SPDX-License-Identifier: Apache-2.0
#include "trace/line_template.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "trace/pattern.hpp"

namespace assay::trace {
namespace {

constexpr std::size_t kLongestName = 80;
// Words that only join others, and words that only say that a duration follows.
constexpr std::string_view kJoins[] = {"in",  "after", "for", "with", "on", "of",
                                       "the", "a",     "to",  "at",   "by"};
constexpr std::string_view kMeasures[] = {"took", "elapsed", "duration", "ms",
                                          "us",   "ns",      "s",        "seconds"};
constexpr std::string_view kTargetKeys[] = {"target", "logger", "module"};

// The unit word behind a plain number: "12 ms".
std::string_view unit_behind(const Template& made, std::size_t word_index) {
  const auto& words = made.shape.words;
  if (word_index + 1 >= words.size()) return {};
  const Word& number = words[word_index];
  const Word& unit = words[word_index + 1];
  if (unit.begin != number.begin + number.text.size() + 1 || made.example[unit.begin - 1] != ' ')
    return {};
  static constexpr std::pair<std::string_view, std::string_view> kUnits[] = {
      {"ms", "ms"}, {"milliseconds", "ms"}, {"us", "us"},  {"microseconds", "us"}, {"ns", "ns"},
      {"s", "s"},   {"sec", "s"},           {"secs", "s"}, {"seconds", "s"}};
  for (const auto& [word, type] : kUnits)
    if (lower(unit.text) == word) return type;
  return {};
}

template <std::size_t kCount>
bool contains(const std::string_view (&words)[kCount], std::string_view word) {
  return std::ranges::find(words, word) != std::end(words);
}

bool has_letters(std::string_view text) {
  return std::ranges::any_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           static_cast<unsigned char>(c) >= 0x80;
  });
}

// What stands in front of a message: "engine:", the logger's name before the level, target=x.
bool is_target(const Template& made, std::size_t index) {
  const auto& words = made.shape.words;
  const Word& word = words[index];
  if (word.role != RoleWord::none) return false;
  if (word.keyed) return contains(kTargetKeys, lower(word.key));
  const std::size_t behind = word.begin + word.text.size();
  if (behind + 1 < made.example.size() && made.example[behind] == ':' &&
      made.example[behind + 1] != ':')
    return true;
  for (std::size_t i = index + 1; i < words.size(); ++i)
    if (words[i].level && !words[i].keyed) return true;
  return false;
}

// Whether the word is text that every line of the template has, and that tells it from others.
bool is_text(const Template& made, std::size_t index, Width width) {
  const Word& word = made.shape.words[index];
  if (word.varies || word.is_key || word.level || !has_letters(word.text)) return false;
  return width != Width::message || !is_target(made, index);
}

// The words of the text in order, "" where other words stand between them.
std::vector<std::string> text_of(const Template& made, RoleWord role, Width width) {
  std::vector<std::string> texts;
  const auto& words = made.shape.words;
  const Word* skipped = role == RoleWord::none ? nullptr : made.role(role);
  for (std::size_t i = 0; i < words.size(); ++i) {
    const Word& word = words[i];
    const bool numbered = is_worker_key(word.text) && i + 1 < words.size() && words[i + 1].varies;
    std::string text = lower(word.text);
    if (&word == skipped) {
      text.erase(word.role_begin, word.role_size);
      const auto joins = [](char c) { return c == '_' || c == '-' || c == '.'; };
      while (!text.empty() && joins(text.back())) text.pop_back();
      while (!text.empty() && joins(text[0])) text.erase(0, 1);
    }
    if (!is_text(made, i, width) || numbered) text.clear();  // "on worker 3"
    texts.push_back(std::move(text));
  }
  return texts;
}

bool only_joins(std::string_view word) { return contains(kJoins, word); }

std::string join_name(const std::vector<std::string>& words) {
  std::string name;
  for (const std::string& word : words) {
    if (word.empty()) continue;
    if (!name.empty() && name.size() + word.size() >= kLongestName) break;
    name += (name.empty() ? "" : "_") + word.substr(0, kLongestName);
  }
  for (char& c : name)
    if (!((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-')) c = '_';
  return name;
}

std::string type_of(const Template& made, std::size_t field, int duration) {
  if (static_cast<int>(field) == duration) return ":" + made.durations[field];
  const bool whole = std::ranges::all_of(made.rows, [&](const Row& row) {
    return !row.values[field].empty() &&
           std::ranges::all_of(row.values[field], [](char c) { return c >= '0' && c <= '9'; });
  });
  return whole && (made.names[field] != "worker" || made.word(field).lead > 0) ? ":int" : "";
}

std::string field_text(const Template& made, std::size_t field, int duration) {
  const std::string& name = made.names[field];
  return "{" + (static_cast<int>(field) == duration ? "d" : name) + type_of(made, field, duration) +
         "}";
}

void append_literal(std::string& pattern, std::string_view text) {
  for (const char c : text) {
    pattern += c;
    if (c == '{' || c == '}') pattern += c;
  }
}

// A field that ends at a blank would cut some of its values.
bool is_spaced(const Template& made, std::size_t field) {
  return std::ranges::any_of(made.rows, [&](const Row& row) {
    return row.values[field].find_first_of(" ,;)]}\t") != std::string_view::npos;
  });
}

struct Range {
  std::size_t first = 0, last = 0;  // words of the pattern
};

std::optional<Range> range_of(const Template& made, const std::set<std::size_t>& wanted,
                              const Word* anchor, int duration, Width width) {
  const auto& words = made.shape.words;
  Range range{words.size(), 0};
  const auto include = [&](std::size_t i) {
    range.first = std::min(range.first, i);
    range.last = std::max(range.last, i);
  };
  for (std::size_t i = 0; i < words.size(); ++i)
    if (&words[i] == anchor || is_text(made, i, width) || (width == Width::all && words[i].is_key))
      include(i);
  for (const std::size_t field : wanted) {
    const Word& word = made.word(field);
    if ((!word.keyed && word.lead == 0) || is_spaced(made, field) || width == Width::all)
      include(made.varying[field]);
  }
  if (range.first == words.size() && duration >= 0)  // all is keyed: the duration itself
    include(made.varying[static_cast<std::size_t>(duration)]);
  if (range.first == words.size()) return std::nullopt;
  if (range.first > 0 && words[range.first].keyed && words[range.first - 1].is_key) --range.first;
  return range;
}

std::string pair_of(const Template& made, std::size_t field, int duration) {
  const Word& word = made.word(field);
  std::size_t from = word.begin - word.lead;
  if (word.keyed) from = made.shape.words[made.varying[field] - 1].begin;
  const char before = from > made.shape.stamp ? made.example[from - 1] : '\0';
  if (before == '"' || (word.lead > 0 && (before == '[' || before == '('))) --from;
  std::string pair;
  append_literal(pair, made.example.substr(from, word.begin - from));
  return pair + field_text(made, field, duration);
}

}  // namespace

int Template::find(std::string_view name) const {
  const auto found = std::ranges::find(names, name);
  return found == names.end() ? -1 : static_cast<int>(found - names.begin());
}

int Template::duration() const {
  for (std::size_t i = 0; i < durations.size(); ++i)
    if (!durations[i].empty()) return static_cast<int>(i);
  return -1;
}

const Word* Template::role(RoleWord wanted) const {
  for (const Word& w : shape.words)
    if (w.role == wanted && !w.varies && !w.is_key) return &w;
  return nullptr;
}

std::size_t Template::cardinality(std::size_t field) const {
  std::set<std::string_view> values;
  for (const Row& row : rows) values.insert(row.values[field]);
  return values.size();
}

std::string field_name(std::string_view key) {
  std::string name = lower(key);
  for (char& c : name)
    if (!((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'))) c = '_';
  for (const std::string_view reserved : {"t", "d", "v", "label", "bytes", "_"})
    if (name == reserved) name += "_";
  return name;
}

bool is_time_key(std::string_view key) {
  const std::string name = lower(key);
  return name == "ts" || name == "time" || name == "timestamp" || name == "t" || name == "date";
}

void name_fields(Template& made) {
  std::set<std::string> taken;
  std::size_t unnamed = 0;
  for (std::size_t i = 0; i < made.varying.size(); ++i) {
    const Word& word = made.word(i);
    std::string name = word.key.empty() ? fmt::format("f{}", ++unnamed) : field_name(word.key);
    if (!word.key.empty() && is_worker_key(word.key) && !taken.contains("worker")) name = "worker";
    while (taken.contains(name)) name += "_";
    taken.insert(name);
    made.names.push_back(name);
    std::string type(duration_type(word.key, word.text));
    if (type.empty() && parse_number(word.text)) type = unit_behind(made, made.varying[i]);
    // A duration is so in every line.
    for (const Row& row : made.rows) {
      if (type.empty()) break;
      FieldValue value;
      const auto length = parse_field(*field_type(type), row.values[i], value);
      if (!length || *length != row.values[i].size() || value.stamp.ns < 0) type.clear();
    }
    made.durations.push_back(is_time_key(word.key) ? std::string() : type);
  }
}

std::vector<std::string> words_of(const Template& made, RoleWord role, Width width) {
  std::vector<std::string> words = text_of(made, role, width);
  std::erase_if(words, [](const std::string& word) {
    return word.empty() || contains(kMeasures, word) || only_joins(word);
  });
  return words;
}

std::string phrase_of(const Template& made, RoleWord role, Width width, bool whole) {
  std::vector<std::string> words = text_of(made, role, width);
  if (whole) return join_name(words);
  for (std::string& word : words)
    if (contains(kMeasures, word)) word.clear();
  // A joining word counts between two others: "wait for lock", not "proof 3 on worker 1".
  for (std::size_t i = 0; i < words.size(); ++i)
    if (only_joins(words[i]) && (i == 0 || words[i - 1].empty())) words[i].clear();
  for (std::size_t i = words.size(); i-- > 0;)
    if (only_joins(words[i]) && (i + 1 == words.size() || words[i + 1].empty())) words[i].clear();
  return join_name(words);
}

std::optional<LineMatch> match_of(const Template& made, const std::set<std::size_t>& wanted,
                                  RoleWord role, int duration, Width width) {
  const auto& words = made.shape.words;
  const Word* anchor = role == RoleWord::none ? nullptr : made.role(role);
  const auto range = range_of(made, wanted, anchor, duration, width);
  if (!range) return std::nullopt;
  LineMatch line;
  std::set<std::size_t> done;
  std::size_t at = words[range->first].begin - words[range->first].lead;
  for (std::size_t i = range->first; i <= range->last; ++i) {
    append_literal(line.match, made.example.substr(at, words[i].begin - at));
    at = words[i].begin + words[i].text.size();
    if (words[i].level) {
      line.match += "{_:any}";
      while (at + 1 < made.example.size() && made.example[at] == ' ' && made.example[at + 1] == ' ')
        ++at;
      continue;
    }
    if (!words[i].varies) {
      append_literal(line.match, words[i].text);
      continue;
    }
    const auto found = std::ranges::find(made.varying, i);
    const auto field = static_cast<std::size_t>(found - made.varying.begin());
    if (found == made.varying.end() || !wanted.contains(field)) {
      line.match += "{_:any}";
      continue;
    }
    line.match += field_text(made, field, duration);
    done.insert(field);
    if (i == range->last && words[i].keyed && is_spaced(made, field) && at < made.example.size())
      append_literal(line.match, made.example.substr(at, 1));  // its closing quote
  }
  auto pattern = Pattern::compile(line.match);
  if (!pattern) return std::nullopt;
  for (const std::size_t field : wanted) {
    if (done.contains(field)) continue;
    line.pairs.push_back(pair_of(made, field, duration));
    if (!pattern->add_pair(line.pairs.back())) line.pairs.pop_back();
  }
  return line;
}

}  // namespace assay::trace
