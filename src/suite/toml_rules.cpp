// SPDX-License-Identifier: Apache-2.0
#include "suite/toml_rules.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "results/results.hpp"
#include "suite/ids.hpp"

namespace assay::suite {
namespace {

using Words = std::vector<std::string>;

const Words kRuleKeys = {"command",   "list",      "units", "run",      "env",
                         "lines_are", "separator", "joins", "reorders", "repeats",
                         "from",      "results",   "line"};
const Words kLineKeys = {"pattern", "unit"};
const Words kLinesAreWords = {"units", "ids", "families"};
const Words kFromWords = {"stdout", "stderr", "file"};

std::string near_word(const std::string& word, const Words& words) {
  const auto near = nearest(word, words);
  return near ? fmt::format("did you mean '{}'?", *near)
              : fmt::format("known: {}", fmt::join(words, ", "));
}

Words format_words() {
  Words words;
  for (const results::Format& format : results::formats()) words.emplace_back(format.name);
  return words;
}

class TomlReader {
 public:
  explicit TomlReader(const Document& document) : document_(document) {}

  Result<TomlRules> read() {
    const Node::Table& top = *document_.root().to_table();
    if (auto known = check_keys(top, kRuleKeys, "a suite's file"); !known)
      return fail(known.error());
    for (const Node::Member& member : top)
      if (auto done = take(member); !done) return fail(done.error());
    if (auto whole = check(); !whole) return fail(whole.error());
    return std::move(rules_);
  }

 private:
  tl::unexpected<Error> bad(Position at, const std::string& what, const std::string& remark = {},
                            const std::string& hint = {}) const {
    return fail(document_.error(at, what, remark, hint));
  }
  tl::unexpected<Error> wrong_kind(const Node::Member& member, std::string_view wanted) const {
    return bad(member.value.at,
               fmt::format("{} is {}, not {}", member.key, wanted, member.value.kind()));
  }

  Result<void> check_keys(const Node::Table& table, const Words& known, std::string_view of) const {
    for (const Node::Member& member : table)
      if (std::ranges::find(known, member.key) == known.end())
        return bad(member.at, fmt::format("unknown key '{}' of {}", printable(member.key), of),
                   near_word(member.key, known));
    return {};
  }

  Result<void> take(const Node::Member& member) {
    const std::string& key = member.key;
    if (key == "command") return take_words(member, rules_.command);
    if (key == "list") return take_words(member, rules_.list);
    if (key == "units") return take_words(member, rules_.units);
    if (key == "run") return take_words(member, rules_.run);
    if (key == "env") return take_env(member);
    if (key == "joins") return take_bool(member, rules_.joins);
    if (key == "reorders") return take_bool(member, rules_.reorders);
    if (key == "repeats") return take_bool(member, rules_.repeats);
    if (key == "line") return take_lines(member);
    if (key == "separator") return take_text(member, rules_.separator);
    if (key == "lines_are") return take_choice(member, kLinesAreWords, lines_are_);
    if (key == "from") return take_choice(member, kFromWords, from_);
    static const Words kFormats = format_words();
    return take_choice(member, kFormats, rules_.format);
  }

  Result<void> take_text(const Node::Member& member, std::string& into) const {
    const std::string* text = member.value.to_string();
    if (text == nullptr) return wrong_kind(member, "a string");
    into = *text;
    return check_zero(member.value.at, member.key, into);
  }
  // Nothing that a process is given can hold one.
  Result<void> check_zero(Position at, const std::string& key, std::string_view text) const {
    if (text.find('\0') == text.npos) return {};
    return bad(at, fmt::format("{} holds a zero byte", printable(key)));
  }

  Result<void> take_choice(const Node::Member& member, const Words& words,
                           std::string& into) const {
    if (auto done = take_text(member, into); !done) return done;
    if (std::ranges::find(words, into) == words.end())
      return bad(member.value.at,
                 fmt::format("'{}' is no value of {}", printable(into), member.key),
                 near_word(into, words));
    return {};
  }

  Result<void> take_bool(const Node::Member& member, bool& into) const {
    const bool* value = member.value.to_bool();
    if (value == nullptr) return wrong_kind(member, "true or false");
    into = *value;
    return {};
  }

  // A list of words, or one string that is split as a shell splits it.
  Result<void> take_words(const Node::Member& member, Words& into) const {
    if (const std::string* line = member.value.to_string()) {
      if (auto clean = check_zero(member.value.at, member.key, *line); !clean) return clean;
      auto words = split_command(*line);
      if (!words) return bad(member.value.at, words.error().what);
      into = std::move(*words);
    } else if (const Node::Array* list = member.value.to_array()) {
      for (const Node& node : *list) {
        const std::string* word = node.to_string();
        if (word == nullptr)
          return bad(node.at, fmt::format("{} has {} among its words", member.key, node.kind()));
        if (auto clean = check_zero(node.at, member.key, *word); !clean) return clean;
        into.push_back(*word);
      }
    } else {
      return wrong_kind(member, "a list of words");
    }
    if (into.empty() || into.front().empty())
      return bad(member.value.at, fmt::format("{} is empty", member.key));
    return {};
  }

  Result<void> take_env(const Node::Member& member) {
    const Node::Table* table = member.value.to_table();
    if (table == nullptr) return wrong_kind(member, "a table");
    for (const Node::Member& variable : *table) {
      std::string value;
      if (variable.key.empty() ||
          variable.key.find_first_of(std::string("=\0", 2)) != std::string::npos)
        return bad(variable.at,
                   fmt::format("'{}' is no name of a variable", printable(variable.key)));
      if (auto done = take_text(variable, value); !done) return done;
      rules_.env.emplace_back(variable.key, value);
    }
    return {};
  }

  Result<void> take_lines(const Node::Member& member) {
    const Node::Array* list = member.value.to_array();
    if (list == nullptr || std::ranges::any_of(*list, [](const Node& n) { return !n.to_table(); }))
      return bad(member.at, "line is a list of tables", "write [[line]]");
    for (const Node& node : *list) {
      const Node::Table& table = *node.to_table();
      if (auto known = check_keys(table, kLineKeys, "[[line]]"); !known) return known;
      LineRule rule{.at = node.at};
      for (const Node::Member& key : table) {
        std::string text;
        if (auto done = take_text(key, text); !done) return done;
        if (key.key == "pattern") {
          rule.pattern = text;
          rule.at = key.value.at;
          continue;
        }
        const auto seconds = seconds_of_unit(text);
        if (!seconds)
          return bad(key.value.at, fmt::format("'{}' is no unit of time", printable(text)),
                     "ns, us, ms or s");
        rule.seconds = *seconds;
      }
      if (rule.pattern.empty()) return bad(node.at, "[[line]] has no pattern");
      rules_.lines.push_back(std::move(rule));
    }
    return {};
  }

  static std::optional<double> seconds_of_unit(std::string_view unit) {
    if (unit == "ns") return 1e-9;
    if (unit == "us") return 1e-6;
    if (unit == "ms") return 1e-3;
    if (unit == "s") return 1;
    return std::nullopt;
  }

  Result<void> check() {
    const auto mentions = [](const Words& words, std::string_view name) {
      return std::ranges::any_of(
          words, [&](const std::string& word) { return word.find(name) != std::string::npos; });
    };
    if (rules_.run.empty())
      return bad({}, "the file does not say how units are run", {},
                 R"(such as run = ["{command}", "{units}"])");
    if (rules_.list.empty() == rules_.units.empty())
      return bad({},
                 rules_.list.empty() ? "the file does not say which units there are"
                                     : "both list and units say which units there are",
                 {}, R"(either list = ["{command}", "--list"] or units = ["a", "b"])");
    if (!mentions(rules_.run, "{units}") && !mentions(rules_.run, "{pattern}"))
      return bad({}, "run mentions neither {units} nor {pattern}: every run would be of all");
    if (rules_.format.empty() == rules_.lines.empty())
      return bad({},
                 rules_.lines.empty() ? "the file does not say how results are read"
                                      : "both results and [[line]] say how results are read",
                 {}, R"(either results = "gbench" or [[line]] with a pattern)");
    const bool file = mentions(rules_.run, "{results}");
    if (from_ == "file" && !file)
      return bad({}, "from = \"file\", and run does not mention {results}");
    rules_.from = from_ == "stderr"         ? ResultsFrom::err
                  : from_ == "file" || file ? ResultsFrom::file
                                            : ResultsFrom::out;
    if (from_ == "stdout") rules_.from = ResultsFrom::out;
    rules_.lines_are = lines_are_ == "ids"        ? LinesAre::ids
                       : lines_are_ == "families" ? LinesAre::families
                                                  : LinesAre::units;
    return {};
  }

  const Document& document_;
  TomlRules rules_;
  std::string lines_are_, from_;
};

std::string replaced(std::string text, std::string_view name, const std::string& by) {
  for (std::size_t at = 0; (at = text.find(name, at)) != std::string::npos; at += by.size())
    text.replace(at, name.size(), by);
  return text;
}

}  // namespace

Result<TomlRules> parse_toml_rules(const std::string& text, const std::string& file) {
  const auto document = Document::parse(text, file);
  if (!document) return fail(document.error());
  return TomlReader(*document).read();
}

std::vector<std::string> fill_words(const TomlRules& rules, const std::vector<std::string>& words,
                                    const std::vector<std::string>& command,
                                    const std::vector<std::string>& units,
                                    const std::string& results) {
  Words filled, patterns;
  for (const std::string& unit : units) patterns.push_back(escape_pattern(unit));
  const std::string joined = fmt::format("{}", fmt::join(units, rules.separator));
  const std::string pattern = fmt::format("{}", fmt::join(patterns, "|"));
  for (const std::string& word : words) {
    if (word == "{command}")
      filled.insert(filled.end(), command.begin(), command.end());
    else if (word == "{units}")
      filled.insert(filled.end(), units.begin(), units.end());
    else  // results first: a unit's name may look like a placeholder
      filled.push_back(replaced(
          replaced(replaced(word, "{results}", results), "{pattern}", pattern), "{units}", joined));
  }
  return filled;
}

}  // namespace assay::suite
