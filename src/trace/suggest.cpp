// SPDX-License-Identifier: Apache-2.0
#include "trace/suggest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <unordered_map>

#include "base/text.hpp"
#include "trace/line_template.hpp"
#include "trace/pattern.hpp"
#include "trace/rules.hpp"
#include "trace/scanner.hpp"

namespace assay::trace {
namespace {

constexpr std::size_t kMostLines = 40'000, kLongestLine = 2'000, kMostTemplates = 2'000;
constexpr std::size_t kMostEvents = 40, kMostStages = 50;
constexpr double kFewErrors = 0.02;  // of begins and ends that may not fit

struct Pair {
  Template* begin = nullptr;
  Template* end = nullptr;
  std::vector<std::string> keys = {};  // fields that match them
};

// A rule to be.
struct Draft {
  Template* made = nullptr;
  RoleWord role = RoleWord::none;
  std::string_view verb = {};  // begin, end, span
  std::set<std::size_t> wanted = {};
  int duration = -1;
  std::string stage = {};  // "{op}" when the line names it
  Draft* other = nullptr;  // the other end of a pair
  Width width = Width::message;
  LineMatch line = {};
  std::optional<Pattern> pattern = {};

  bool named_by_line() const { return stage.starts_with('{'); }
  bool matches(const Template& other_lines) const {
    std::array<FieldValue, Pattern::kMostFields> values;
    std::size_t bad = 0;
    return pattern->match(other_lines.example, values, bad) == Match::yes;
  }
};

std::string toml_string(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

class Suggester {
 public:
  std::string run(std::string_view sample);

 private:
  void cluster(std::string_view sample);
  void find_pairs();
  void choose_keys(Pair& pair);
  std::size_t errors(const Pair& pair, const std::vector<std::string>& keys) const;
  void draft_pair(const Pair& pair);
  void draft_span(Template& made);
  bool set_width(Draft& draft, Width width) const;
  bool widen(Draft& draft) const;
  void settle();
  void narrow_to_own();
  void name_stages();
  std::string write() const;

  std::vector<std::unique_ptr<Template>> templates_ = {};
  std::vector<Pair> pairs_ = {};
  std::vector<std::string> items_ = {};
  std::vector<std::unique_ptr<Draft>> drafts_ = {};
  std::size_t lines_ = 0, unwritten_ = 0;  // shapes with a meaning and without a rule
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
    if (shape.words.size() != found->second->shape.words.size()) continue;
    Row row{number};
    for (const std::size_t i : found->second->varying) row.values.push_back(shape.words[i].text);
    found->second->rows.push_back(std::move(row));
  }
  for (const auto& made : templates_) name_fields(*made);
}

void Suggester::find_pairs() {
  struct Candidate {
    double alike;
    std::size_t begin, end;
  };
  std::vector<Candidate> candidates;
  std::vector<std::set<std::string>> begin_words(templates_.size()), end_words(templates_.size());
  for (std::size_t i = 0; i < templates_.size(); ++i) {
    for (const std::string& w : words_of(*templates_[i], RoleWord::begin, Width::message))
      begin_words[i].insert(w);
    for (const std::string& w : words_of(*templates_[i], RoleWord::end, Width::message))
      end_words[i].insert(w);
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

// False, and nothing changed, when there is no pattern of that width.
bool Suggester::set_width(Draft& draft, Width width) const {
  auto line = match_of(*draft.made, draft.wanted, draft.role, draft.duration, width);
  if (!line) return false;
  auto pattern = Pattern::compile(line->match);
  if (!pattern) return false;
  for (const std::string& pair : line->pairs) (void)pattern->add_pair(pair);
  draft.width = width;
  draft.line = std::move(*line);
  draft.pattern = std::move(*pattern);
  return true;
}

bool Suggester::widen(Draft& draft) const {
  const std::string before = draft.line.match;
  while (draft.width != Width::all) {
    const auto next = static_cast<Width>(static_cast<std::uint8_t>(draft.width) + 1);
    if (!set_width(draft, next)) return false;
    if (draft.line.match != before) return true;
  }
  return false;
}

// A line whose message has no word of its own is known by what stands in front of it.
Width first_width(const Template& made, RoleWord role) {
  return phrase_of(made, role, Width::message).empty() ? Width::targets : Width::message;
}

void Suggester::draft_pair(const Pair& pair) {
  const auto draft = [&](Template& made, RoleWord role, std::string_view verb, int duration) {
    auto result = std::make_unique<Draft>();
    result->made = &made;
    result->role = role;
    result->verb = verb;
    result->duration = duration;
    for (const std::string& name : items_)
      if (const int at = made.find(name); at >= 0)
        result->wanted.insert(static_cast<std::size_t>(at));
    if (const int at = made.find("worker"); at >= 0)
      result->wanted.insert(static_cast<std::size_t>(at));
    if (duration >= 0) result->wanted.insert(static_cast<std::size_t>(duration));
    return result;
  };
  auto begin = draft(*pair.begin, RoleWord::begin, "begin", -1);
  auto end = draft(*pair.end, RoleWord::end, "end", pair.end->duration());
  if (!set_width(*begin, first_width(*pair.begin, RoleWord::begin)) ||
      !set_width(*end, first_width(*pair.end, RoleWord::end))) {
    unwritten_ += 2;
    return;
  }
  begin->other = end.get();
  end->other = begin.get();
  drafts_.push_back(std::move(begin));
  drafts_.push_back(std::move(end));
}

void Suggester::draft_span(Template& made) {
  auto draft = std::make_unique<Draft>();
  draft->made = &made;
  draft->verb = "span";
  draft->role = made.role(RoleWord::end) ? RoleWord::end : RoleWord::none;
  draft->duration = made.duration();
  draft->wanted = {static_cast<std::size_t>(draft->duration)};
  std::vector<std::string> items;
  for (std::size_t i = 0; i < made.names.size(); ++i) {
    if (static_cast<int>(i) == draft->duration) continue;
    const Word& word = made.word(i);
    const bool known = std::ranges::find(items_, made.names[i]) != items_.end();
    if (draft->stage.empty() && is_stage_key(word.key) && made.cardinality(i) <= kMostStages) {
      draft->stage = "{" + made.names[i] + "}";
    } else if (is_item_key(word.key) && made.names[i] != "worker" && !known) {
      // The same value in every line names no item.
      if (made.rows.size() >= 4 && made.cardinality(i) == 1) continue;
      items.push_back(made.names[i]);
    } else if (made.names[i] != "worker" && !known) {
      continue;
    }
    draft->wanted.insert(i);
  }
  if (!set_width(*draft, first_width(made, draft->role))) {
    ++unwritten_;
    return;
  }
  made.used = true;
  items_.insert(items_.end(), items.begin(), items.end());
  drafts_.push_back(std::move(draft));
}

// Whether the lines say the same in words: they differ by level, numbers and keyed fields only.
bool same_text(const Template& a, const Template& b) {
  const std::string text = phrase_of(a, RoleWord::none, Width::targets, true);
  return !text.empty() && text == phrase_of(b, RoleWord::none, Width::targets, true);
}

// One more field (retry=2) makes no other rule of a line that says the same.
bool may_share(const Draft& a, const Draft& b) {
  if (a.line.match != b.line.match || a.verb != "span" || b.verb != "span") return false;
  if (a.named_by_line() || b.named_by_line()) return a.stage == b.stage;
  return same_text(*a.made, *b.made);
}

// Orders the rules, and widens their patterns until the first that matches a template's line is the
// template's own. Where that cannot be had the template with fewer lines goes without a rule.
void Suggester::settle() {
  const auto by_length = [](const auto& a, const auto& b) {
    return a->line.match.size() > b->line.match.size();
  };
  // Each round widens one, drops one or moves one; moves are bounded by the count.
  for (std::size_t round = 0, moves = 0; round < 8 * kMostEvents; ++round) {
    if (moves == 0) std::ranges::stable_sort(drafts_, by_length);
    bool changed = false;
    for (std::size_t i = 0; i < drafts_.size() && !changed; ++i) {
      for (std::size_t k = 0; k < i && !changed; ++k) {
        Draft& mine = *drafts_[i];
        Draft& first = *drafts_[k];
        if (!first.matches(*mine.made)) continue;
        if (may_share(first, mine)) {
          for (const std::string& pair : mine.line.pairs)
            if (first.pattern->add_pair(pair)) first.line.pairs.push_back(pair);
          drafts_.erase(drafts_.begin() + static_cast<std::ptrdiff_t>(i));
          changed = true;
          continue;
        }
        const bool mutual = mine.matches(*first.made);
        if (!mutual && moves < kMostEvents) {  // the more general one comes later
          std::rotate(drafts_.begin() + static_cast<std::ptrdiff_t>(k),
                      drafts_.begin() + static_cast<std::ptrdiff_t>(i),
                      drafts_.begin() + static_cast<std::ptrdiff_t>(i) + 1);
          ++moves;
          changed = true;
          continue;
        }
        const bool a = widen(mine), b = widen(first);
        changed = a || b;
        if (changed) {
          moves = 0;
          continue;
        }
        Draft* less = first.made->rows.size() < mine.made->rows.size() ? &first : &mine;
        Draft* with = less->other;
        unwritten_ += std::erase_if(
            drafts_, [&](const auto& d) { return d.get() == less || d.get() == with; });
        changed = true;
      }
    }
    if (!changed) return;
  }
}

// Rules that match lines of templates without a rule are widened where that helps.
void Suggester::narrow_to_own() {
  const auto strangers = [&](const Draft& draft) {
    std::size_t count = 0;
    for (const auto& made : templates_)
      if (!made->used && draft.matches(*made) && !same_text(*draft.made, *made))
        count += made->rows.size();
    return count;
  };
  for (const auto& draft : drafts_) {
    if (draft->named_by_line()) continue;
    Draft best = *draft;
    std::size_t least = strangers(*draft);
    while (least > 0 && widen(*draft)) {
      if (const std::size_t now = strangers(*draft); now < least) {
        least = now;
        best = *draft;
      }
    }
    *draft = std::move(best);
  }
}

// Two templates have one stage only when all their words are the same.
void Suggester::name_stages() {
  std::map<std::string, std::string> words;  // of the stage
  for (const auto& draft : drafts_) {
    if (!draft->stage.empty() || draft->verb == "end") continue;
    const Template& made = *draft->made;
    const Width width = draft->other ? std::max(draft->width, draft->other->width) : draft->width;
    const std::string all =
        std::string(draft->other ? "pair " : "") + phrase_of(made, draft->role, width, true);
    std::string name = phrase_of(made, draft->role, width);
    if (name.empty() && draft->duration >= 0) {
      const Word& word = made.word(static_cast<std::size_t>(draft->duration));
      if (word.keyed) name = field_name(word.key);
    }
    if (name.empty()) name = "span";
    const auto fits = [&]() {
      const auto known = words.find(name);
      return known == words.end() || (known->second == all && draft->other == nullptr);
    };
    if (!fits()) {
      const std::string whole = phrase_of(made, draft->role, width, true);
      if (!whole.empty()) name = whole;
    }
    while (!fits()) name += "_2";
    words.emplace(name, all);
    draft->stage = name;
    if (draft->other) draft->other->stage = name;
  }
}

std::string Suggester::write() const {
  std::string out = fmt::format(
      "# Proposed from {} lines of the log: {} pair{} of begin and end, {} event{} in all.\n"
      "# Check the names; add [[stage]] tables (after, servers, capacity) for a replay.\n",
      lines_, pairs_.size(), pairs_.size() == 1 ? "" : "s", drafts_.size(),
      drafts_.size() == 1 ? "" : "s");
  if (unwritten_ > 0)
    out += fmt::format(
        "# {} more shape{} of lines {} no rule here: there are too many, or another "
        "rule would match them.\n",
        unwritten_, unwritten_ == 1 ? "" : "s", unwritten_ == 1 ? "has" : "have");
  if (drafts_.empty())
    return out + "# No line begins and ends something, and none has a duration.\n";
  if (!items_.empty()) {
    out += "item = [";
    for (std::size_t i = 0; i < items_.size(); ++i)
      out += (i == 0 ? "" : ", ") + toml_string(items_[i]);
    out += "]\n";
  }
  for (const auto& draft : drafts_) {
    const std::size_t lines = draft->made->rows.size();
    out +=
        fmt::format("\n# {} line{} like: {}\n[[event]]\nmatch = {}\n", lines, lines == 1 ? "" : "s",
                    printable(shorten(draft->made->example, 120)), toml_string(draft->line.match));
    std::string pairs;
    for (const std::string& pair : draft->line.pairs)
      pairs += (pairs.empty() ? "" : ", ") + toml_string(pair);
    if (!pairs.empty()) out += "pairs = [" + pairs + "]\n";
    out += fmt::format("{} = {}\n", draft->verb, toml_string(draft->stage + ".service"));
  }
  return out;
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
  for (const Pair& pair : pairs_) {
    if (drafts_.size() + 2 <= kMostEvents)
      draft_pair(pair);
    else
      unwritten_ += 2;
  }
  std::vector<Template*> spans;
  for (const auto& made : templates_)
    if (!made->used && made->duration() >= 0 && (made->rows.size() >= 2 || lines_ <= 50))
      spans.push_back(made.get());
  std::ranges::stable_sort(
      spans, [](const Template* a, const Template* b) { return a->rows.size() > b->rows.size(); });
  for (Template* made : spans) {
    if (drafts_.size() < kMostEvents)
      draft_span(*made);
    else
      ++unwritten_;
  }
  settle();
  narrow_to_own();
  settle();
  name_stages();
  return write();
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
