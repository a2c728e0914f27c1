// SPDX-License-Identifier: Apache-2.0
#include "trace/suggest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <unordered_map>

#include "base/text.hpp"
#include "trace/line_shape.hpp"
#include "trace/pattern.hpp"
#include "trace/rules.hpp"
#include "trace/scanner.hpp"

namespace assay::trace {
namespace {

constexpr std::size_t kMostLines = 40'000, kLongestLine = 2'000, kMostTemplates = 2'000;
constexpr std::size_t kMostEvents = 40, kMostStages = 50;
constexpr double kFewErrors = 0.02;  // of begins and ends that may not fit

struct Row {
  std::uint32_t line = 0;
  std::vector<std::string_view> values = {};  // of the words that vary, in order
};

struct Template {
  std::string_view example = {};
  LineShape shape = {};
  std::vector<std::size_t> varying = {};  // indices of words
  std::vector<Row> rows = {};
  // Of the varying word i: its name as a field, and its type when it is a duration.
  std::vector<std::string> names = {};
  std::vector<std::string> durations = {};
  bool used = false;

  const Word& word(std::size_t i) const { return shape.words[varying[i]]; }
  int find(std::string_view name) const {
    const auto found = std::ranges::find(names, name);
    return found == names.end() ? -1 : static_cast<int>(found - names.begin());
  }
  int duration() const {
    for (std::size_t i = 0; i < durations.size(); ++i)
      if (!durations[i].empty()) return static_cast<int>(i);
    return -1;
  }
  const Word* role(RoleWord wanted) const {
    for (const Word& w : shape.words)
      if (w.role == wanted && !w.varies && !w.is_key) return &w;
    return nullptr;
  }
};

struct Pair {
  Template* begin = nullptr;
  Template* end = nullptr;
  std::vector<std::string> keys = {};  // fields that match them
};

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

class Suggester {
 public:
  std::string run(std::string_view sample);

 private:
  void cluster(std::string_view sample);
  void find_pairs();
  void choose_keys(Pair& pair);
  std::size_t errors(const Pair& pair, const std::vector<std::string>& keys) const;
  std::vector<std::string> words_of(const Template& made, RoleWord role) const;
  std::string stage_name(const Template& made, RoleWord role) const;
  void write_pair(const Pair& pair);
  void write_span(Template& made);
  // The pattern of the fields in `wanted` (indices of varying words); false when nothing in the
  // line is certain enough.
  bool write_match(const Template& made, const std::set<std::size_t>& wanted, RoleWord role,
                   int duration, std::string& out);
  std::string type_of(const Template& made, std::size_t field, int duration) const;
  static std::size_t cardinality(const Template& made, std::size_t field);

  std::vector<std::unique_ptr<Template>> templates_ = {};
  std::vector<Pair> pairs_ = {};
  std::vector<std::string> items_ = {};
  std::set<std::string> patterns_ = {}, stages_ = {};
  std::vector<std::pair<std::size_t, std::string>> events_ = {};  // length of the pattern, text
  std::size_t lines_ = 0;
};

void Suggester::cluster(std::string_view sample) {
  std::unordered_map<std::string, Template*> known;
  for (std::size_t at = 0; at < sample.size() && lines_ < kMostLines;) {
    const std::size_t newline = std::min(sample.find('\n', at), sample.size());
    const std::string_view line = sample.substr(at, newline - at);
    at = newline + 1;
    const auto number = static_cast<std::uint32_t>(lines_++);
    if (line.empty() || line.size() > kLongestLine || !is_utf8(line) ||
        std::ranges::any_of(
            line, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }))
      continue;
    LineShape shape = shape_of(line);
    auto found = known.find(shape.shape);
    if (found == known.end()) {
      if (templates_.size() >= kMostTemplates) continue;
      templates_.push_back(std::make_unique<Template>());
      Template& made = *templates_.back();
      made.example = line;
      for (std::size_t i = 0; i < shape.words.size(); ++i)
        if (shape.words[i].varies && made.varying.size() < 20) made.varying.push_back(i);
      found = known.emplace(shape.shape, &made).first;
      made.shape = shape;
    }
    Row row{number};
    for (const std::size_t i : found->second->varying) row.values.push_back(shape.words[i].text);
    found->second->rows.push_back(std::move(row));
  }
  for (const auto& made : templates_) name_fields(*made);
}

// The words that say what a line is about, without the word that begins or ends it.
std::vector<std::string> Suggester::words_of(const Template& made, RoleWord role) const {
  static constexpr std::string_view kFill[] = {
      "took", "in", "after", "elapsed", "for", "with",    "ms", "us", "ns",      "s",
      "on",   "of", "the",   "a",       "to",  "seconds", "at", "by", "duration"};
  std::vector<std::string> words;
  const Word* skipped = role == RoleWord::none ? nullptr : made.role(role);
  for (const Word& word : made.shape.words) {
    if (word.varies || word.is_key || is_level(word.text)) continue;
    const std::size_t behind = word.begin + word.text.size();
    const bool target = behind + 1 < made.example.size() && made.example[behind] == ':' &&
                        made.example[behind + 1] != ':';
    if (target && word.role == RoleWord::none) continue;
    const auto index = static_cast<std::size_t>(&word - made.shape.words.data());
    if (is_worker_key(word.text) && index + 1 < made.shape.words.size() &&
        made.shape.words[index + 1].varies)
      continue;  // "on worker 3"
    std::string text = lower(word.text);
    if (&word == skipped) {
      text.erase(word.role_begin, word.role_size);
      while (!text.empty() && (text.back() == '_' || text.back() == '-' || text.back() == '.'))
        text.pop_back();
      while (!text.empty() && (text[0] == '_' || text[0] == '-' || text[0] == '.'))
        text.erase(0, 1);
    }
    if (text.empty() || std::ranges::find(kFill, text) != std::end(kFill)) continue;
    words.push_back(std::move(text));
  }
  return words;
}

void Suggester::find_pairs() {
  struct Candidate {
    double alike;
    std::size_t begin, end;
  };
  std::vector<Candidate> candidates;
  std::vector<std::set<std::string>> begin_words(templates_.size()), end_words(templates_.size());
  for (std::size_t i = 0; i < templates_.size(); ++i) {
    for (const std::string& w : words_of(*templates_[i], RoleWord::begin)) begin_words[i].insert(w);
    for (const std::string& w : words_of(*templates_[i], RoleWord::end)) end_words[i].insert(w);
  }
  std::vector<std::size_t> begins, ends;
  for (std::size_t i = 0; i < templates_.size(); ++i) {
    if (templates_[i]->rows.size() < 2 && lines_ > 50) continue;
    // "start of the end": the first of both words says what the line is.
    const Word* b = templates_[i]->role(RoleWord::begin);
    const Word* e = templates_[i]->role(RoleWord::end);
    if (b != nullptr && (e == nullptr || b->begin < e->begin))
      begins.push_back(i);
    else if (e != nullptr)
      ends.push_back(i);
  }
  for (const std::size_t b : begins) {
    for (const std::size_t e : ends) {
      std::size_t common = 0;
      for (const std::string& w : begin_words[b]) common += end_words[e].contains(w) ? 1 : 0;
      const std::size_t all = begin_words[b].size() + end_words[e].size() - common;
      const double alike = all == 0 ? 1 : static_cast<double>(common) / static_cast<double>(all);
      if (alike >= 0.5) candidates.push_back({alike, b, e});
    }
  }
  std::ranges::stable_sort(
      candidates, [](const Candidate& a, const Candidate& b) { return a.alike > b.alike; });
  for (const Candidate& c : candidates) {
    Template& begin = *templates_[c.begin];
    Template& end = *templates_[c.end];
    if (begin.used || end.used) continue;
    Pair pair{&begin, &end};
    choose_keys(pair);
    const std::size_t events = begin.rows.size() + end.rows.size();
    if (errors(pair, pair.keys) * 2 > events) continue;  // they do not belong together
    begin.used = end.used = true;
    pairs_.push_back(std::move(pair));
  }
}

// Begins that are open already and ends without begin, when matched by these fields.
std::size_t Suggester::errors(const Pair& pair, const std::vector<std::string>& keys) const {
  std::unordered_map<std::string, bool> open;
  std::size_t wrong = 0, b = 0, e = 0;
  const auto key_of = [&](const Template& made, const Row& row) {
    std::string key;
    for (const std::string& name : keys) {
      key += row.values[static_cast<std::size_t>(made.find(name))];
      key += '/';
    }
    return key;
  };
  while (b < pair.begin->rows.size() || e < pair.end->rows.size()) {
    const bool begins =
        e == pair.end->rows.size() ||
        (b < pair.begin->rows.size() && pair.begin->rows[b].line < pair.end->rows[e].line);
    bool& is_open = open[begins ? key_of(*pair.begin, pair.begin->rows[b])
                                : key_of(*pair.end, pair.end->rows[e])];
    wrong += is_open == begins ? 1 : 0;
    is_open = begins;
    begins ? ++b : ++e;
  }
  return wrong;
}

void Suggester::choose_keys(Pair& pair) {
  std::vector<std::string> items, others, workers;
  for (std::size_t i = 0; i < pair.begin->names.size(); ++i) {
    const std::string& name = pair.begin->names[i];
    const int there = pair.end->find(name);
    const Word& word = pair.begin->word(i);
    if (there < 0 || is_time_key(word.key) || !pair.begin->durations[i].empty() ||
        !pair.end->durations[static_cast<std::size_t>(there)].empty())
      continue;
    if (name == "worker")
      workers.push_back(name);
    else if (is_item_key(word.key))
      items.push_back(name);
    else if (!is_stage_key(word.key))
      others.push_back(name);
  }
  pair.keys = items;
  const std::size_t events = pair.begin->rows.size() + pair.end->rows.size();
  const auto allowed = static_cast<std::size_t>(kFewErrors * static_cast<double>(events));
  for (auto* more : {&others, &workers}) {
    std::size_t now = errors(pair, pair.keys);
    while (now > allowed && !more->empty()) {
      std::size_t best = now, best_at = more->size();
      for (std::size_t i = 0; i < more->size(); ++i) {
        std::vector<std::string> with = pair.keys;
        with.push_back((*more)[i]);
        if (const std::size_t wrong = errors(pair, with); wrong < best) {
          best = wrong;
          best_at = i;
        }
      }
      if (best_at == more->size()) break;
      pair.keys.push_back((*more)[best_at]);
      more->erase(more->begin() + static_cast<std::ptrdiff_t>(best_at));
      now = best;
    }
  }
  // Nothing keyed tells items apart where nothing has to: what both lines name is then the item.
  if (pair.keys.empty() && !others.empty() && errors(pair, {}) <= allowed)
    pair.keys.push_back(others[0]);
}

// How many values a field has in the lines of a template.
std::size_t Suggester::cardinality(const Template& made, std::size_t field) {
  std::set<std::string_view> values;
  for (const Row& row : made.rows) values.insert(row.values[field]);
  return values.size();
}

std::string Suggester::stage_name(const Template& made, RoleWord role) const {
  std::string name;
  std::size_t count = 0;
  for (const std::string& word : words_of(made, role)) {
    if (count++ == 3) break;
    name += name.empty() ? word : "_" + word;
  }
  for (char& c : name)
    if (!((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-')) c = '_';
  return name.empty() ? "span" : name;
}

std::string Suggester::type_of(const Template& made, std::size_t field, int duration) const {
  if (static_cast<int>(field) == duration) return ":" + made.durations[field];
  const bool whole = std::ranges::all_of(made.rows, [&](const Row& row) {
    return !row.values[field].empty() &&
           std::ranges::all_of(row.values[field], [](char c) { return c >= '0' && c <= '9'; });
  });
  return whole && made.names[field] != "worker" ? ":int" : "";
}

std::string toml_string(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

void append_literal(std::string& pattern, std::string_view text) {
  for (const char c : text) {
    pattern += c;
    if (c == '{' || c == '}') pattern += c;
  }
}

bool Suggester::write_match(const Template& made, const std::set<std::size_t>& wanted,
                            RoleWord role, int duration, std::string& out) {
  const auto& words = made.shape.words;
  const Word* anchor = role == RoleWord::none ? nullptr : made.role(role);
  // The words from `first` to `last` are the pattern; keyed fields outside become pairs.
  std::size_t first = words.size(), last = 0;
  const auto include = [&](std::size_t i) {
    first = std::min(first, i);
    last = std::max(last, i);
  };
  for (std::size_t i = 0; i < words.size(); ++i)
    if (&words[i] == anchor) include(i);
  for (const std::size_t field : wanted)
    if (!made.word(field).keyed) include(made.varying[field]);
  const auto plain = [&](std::size_t i) {
    return !words[i].varies && !words[i].is_key && !words[i].keyed && !is_level(words[i].text);
  };
  if (first == words.size()) {  // all is keyed: any plain word, else the duration itself
    for (std::size_t i = 0; i < words.size() && first == words.size(); ++i)
      if (plain(i) && words[i].text.size() >= 3) include(i);
    if (first == words.size() && duration >= 0)
      include(made.varying[static_cast<std::size_t>(duration)]);
    if (first == words.size()) return false;
  }
  const auto adjacent = [&](std::size_t a) {  // words a and a + 1 with one blank or comma between
    return words[a].begin + words[a].text.size() + 1 == words[a + 1].begin;
  };
  while (first > 0 && !words[first].keyed && plain(first - 1) && adjacent(first - 1)) --first;
  const auto front_of_message = [&](std::size_t i) { return words[i].keyed && !words[i].varies; };
  if (first > 0 && !words[first].keyed && front_of_message(first - 1) && adjacent(first - 1))
    --first;
  if (first > 0 && words[first].keyed && words[first - 1].is_key) --first;
  while (last + 1 < words.size() && plain(last + 1) && adjacent(last)) ++last;
  std::string pattern;
  std::set<std::size_t> done;
  std::size_t at = words[first].begin;
  for (std::size_t i = first; i <= last; ++i) {
    append_literal(pattern, made.example.substr(at, words[i].begin - at));
    at = words[i].begin + words[i].text.size();
    if (!words[i].varies) {
      append_literal(pattern, words[i].text);
      continue;
    }
    const auto found = std::ranges::find(made.varying, i);
    const auto field = static_cast<std::size_t>(found - made.varying.begin());
    if (found != made.varying.end() && wanted.contains(field)) {
      pattern += "{" + made.names[field] + type_of(made, field, duration) + "}";
      if (static_cast<int>(field) == duration)
        pattern.replace(pattern.rfind('{'), std::string::npos,
                        "{d" + type_of(made, field, duration) + "}");
      done.insert(field);
    } else {
      pattern += "{_:any}";
    }
  }
  if (!patterns_.insert(pattern).second || !Pattern::compile(pattern)) return false;
  std::string pairs;
  for (const std::size_t field : wanted) {
    if (done.contains(field)) continue;
    const Word& word = made.word(field);
    const auto& key = made.shape.words[made.varying[field] - 1];
    const std::size_t from =
        key.begin > 0 && made.example[key.begin - 1] == '"' ? key.begin - 1 : key.begin;
    std::string pair;
    append_literal(pair, made.example.substr(from, word.begin - from));
    const bool is_duration = static_cast<int>(field) == duration;
    pair += "{" + (is_duration ? "d" : made.names[field]) + type_of(made, field, duration) + "}";
    pairs += (pairs.empty() ? "" : ", ") + toml_string(pair);
  }
  out = fmt::format("# {} line{} like: {}\n[[event]]\nmatch = {}\n", made.rows.size(),
                    made.rows.size() == 1 ? "" : "s", printable(shorten(made.example, 120)),
                    toml_string(pattern));
  if (!pairs.empty()) out += "pairs = [" + pairs + "]\n";
  return true;
}

void Suggester::write_pair(const Pair& pair) {
  const auto wanted = [&](const Template& made, bool with_duration) {
    std::set<std::size_t> fields;
    for (const std::string& name : items_)
      if (const int at = made.find(name); at >= 0) fields.insert(static_cast<std::size_t>(at));
    if (const int at = made.find("worker"); at >= 0) fields.insert(static_cast<std::size_t>(at));
    if (with_duration && made.duration() >= 0)
      fields.insert(static_cast<std::size_t>(made.duration()));
    return fields;
  };
  std::string name = stage_name(*pair.begin, RoleWord::begin);
  while (!stages_.insert(name).second) name += "_2";
  std::string begin, end;
  if (!write_match(*pair.begin, wanted(*pair.begin, false), RoleWord::begin, -1, begin) ||
      !write_match(*pair.end, wanted(*pair.end, true), RoleWord::end, pair.end->duration(), end))
    return;
  const std::string ref = name + ".service";
  events_.emplace_back(begin.find('\n', begin.find("match")) - begin.find("match"),
                       begin + fmt::format("begin = {}\n", toml_string(ref)));
  events_.emplace_back(end.find('\n', end.find("match")) - end.find("match"),
                       end + fmt::format("end = {}\n", toml_string(ref)));
}

void Suggester::write_span(Template& made) {
  const int duration = made.duration();
  std::set<std::size_t> wanted = {static_cast<std::size_t>(duration)};
  std::string stage;
  for (std::size_t i = 0; i < made.names.size(); ++i) {
    if (static_cast<int>(i) == duration) continue;
    const Word& word = made.word(i);
    if (stage.empty() && is_stage_key(word.key) && cardinality(made, i) <= kMostStages) {
      stage = "{" + made.names[i] + "}";
      wanted.insert(i);
    } else if (made.names[i] == "worker" ||
               std::ranges::find(items_, made.names[i]) != items_.end() || is_item_key(word.key)) {
      wanted.insert(i);
    }
  }
  if (stage.empty()) {
    stage = stage_name(made, RoleWord::end);
    if (stage == "span" && made.word(static_cast<std::size_t>(duration)).keyed)
      stage = field_name(made.word(static_cast<std::size_t>(duration)).key);
  }
  std::string text;
  if (!write_match(made, wanted, made.role(RoleWord::end) ? RoleWord::end : RoleWord::none,
                   duration, text))
    return;
  made.used = true;
  for (const std::size_t i : wanted) {
    const Word& word = made.word(i);
    if (is_item_key(word.key) && std::ranges::find(items_, made.names[i]) == items_.end() &&
        made.names[i] != "worker")
      items_.push_back(made.names[i]);
  }
  events_.emplace_back(text.find('\n', text.find("match")) - text.find("match"),
                       text + fmt::format("span = {}\n", toml_string(stage + ".service")));
}

std::string Suggester::run(std::string_view sample) {
  cluster(sample);
  find_pairs();
  std::ranges::stable_sort(pairs_, [](const Pair& a, const Pair& b) {
    return a.begin->rows.size() > b.begin->rows.size();
  });
  for (const Pair& pair : pairs_)
    for (const std::string& key : pair.keys)
      if (key != "worker" && std::ranges::find(items_, key) == items_.end()) items_.push_back(key);
  for (const Pair& pair : pairs_)
    if (events_.size() + 2 <= kMostEvents) write_pair(pair);
  std::vector<Template*> spans;
  for (const auto& made : templates_)
    if (!made->used && made->duration() >= 0 && (made->rows.size() >= 2 || lines_ <= 50))
      spans.push_back(made.get());
  std::ranges::stable_sort(
      spans, [](const Template* a, const Template* b) { return a->rows.size() > b->rows.size(); });
  for (Template* made : spans)
    if (events_.size() < kMostEvents) write_span(*made);
  // A longer pattern is the more certain one; of several that match the first counts.
  std::ranges::stable_sort(events_, [](const auto& a, const auto& b) { return a.first > b.first; });
  std::string out = fmt::format(
      "# Proposed from {} lines of the log: {} pair{} of begin and end, {} event{} in all.\n"
      "# Check the names; add [[stage]] tables (after, servers, capacity) for a replay.\n",
      lines_, pairs_.size(), pairs_.size() == 1 ? "" : "s", events_.size(),
      events_.size() == 1 ? "" : "s");
  if (events_.empty())
    return out + "# No line begins and ends something, and none has a duration.\n";
  if (!items_.empty()) {
    out += "item = [";
    for (std::size_t i = 0; i < items_.size(); ++i)
      out += (i == 0 ? "" : ", ") + toml_string(items_[i]);
    out += "]\n";
  }
  for (const auto& [length, text] : events_) out += "\n" + text;
  return out;
}

}  // namespace

std::string suggest_rules(std::string_view sample) {
  std::string clean;
  if (sample.find('\x1b') != std::string_view::npos) {
    strip_escapes(sample, clean);
    sample = clean;
  }
  std::string without_returns;
  if (sample.find('\r') != std::string_view::npos) {
    without_returns = sample;
    std::erase(without_returns, '\r');
    sample = without_returns;
  }
  return Suggester().run(sample);
}

}  // namespace assay::trace
