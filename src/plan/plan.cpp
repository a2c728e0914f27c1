// SPDX-License-Identifier: Apache-2.0
#include "plan/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <utility>

#include "base/document.hpp"
#include "base/text.hpp"

namespace assay::plan {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kReadLimit = (std::size_t{1} << 20) + 1;  // one more than a document may have
constexpr const char* kFileName = "assay.toml";
constexpr const char* kAnyName = "letters, digits and _ . - make a name";

// Keys of a table that are commands and not options.
std::vector<std::string> command_keys(const TableRules& rules) {
  if (rules.shape == TableShape::sides) return {"baseline", "candidate", "candidates", "command"};
  std::vector<std::string> keys = {"command"};
  if (!rules.positional.empty()) keys.push_back(rules.positional);
  return keys;
}

// What an experiment is called in messages.
std::string noun_of(const TableRules& rules) {
  static constexpr std::pair<std::string_view, const char*> kNouns[] = {
      {"compare", "comparison"},
      {"measure", "measurement"},
      {"calibrate", "calibration"},
      {"ablate", "ablation"},
      {"bisect", "bisection"}};
  for (const auto& [command, noun] : kNouns)
    if (rules.command == command) return noun;
  return rules.command;
}

std::string with_article(const std::string& noun) {
  return (noun.starts_with('a') ? "an " : "a ") + noun;
}

bool is_name(std::string_view name) {
  return !name.empty() && name.front() != '-' && std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '.' || c == '-';
  });
}

// One [COMMAND.NAME] table on its way to a NamedPlan.
class Reader {
 public:
  Reader(const Document& document, const TableRules& rules, const Node::Member& entry)
      : document_(document), rules_(rules), entry_(entry), table_(*entry.value.to_table()) {}

  Result<NamedPlan> read() {
    plan_.command = rules_.command;
    plan_.name = entry_.key;
    plan_.where = where(entry_.at);
    for (const Node::Member& member : table_)
      if (auto read = read_member(member); !read) return fail(read.error());
    if (auto read = read_commands(); !read) return fail(read.error());
    return std::move(plan_);
  }

 private:
  std::string where(Position at) const {
    return fmt::format("{}:{}:{}", document_.file(), at.line, at.column);
  }
  const Node::Member* find(std::string_view key) const {
    const auto found = std::ranges::find(table_, key, &Node::Member::key);
    return found == table_.end() ? nullptr : &*found;
  }
  bool uses_shell() const {
    const Node::Member* shell = find("shell");
    return shell != nullptr && shell->value.to_bool() != nullptr && *shell->value.to_bool();
  }

  Result<void> read_member(const Node::Member& member);
  Result<void> read_flag(const Node::Member& member);
  Result<std::string> read_value(const Node& node, const Node::Member& member, bool numbers) const;
  Result<std::string> read_command(const Node& node, const Node::Member& member) const;
  Result<void> read_candidates(const Node::Member& member);
  Result<void> read_commands();
  Result<void> read_sides();
  Result<void> read_trailing(const Node::Member& command);
  Result<void> read_revisions(const Node::Member& revision);
  Error missing(const std::string& key, const std::string& hint) const {
    return document_.error(
        entry_.at, fmt::format("{} '{}' has no '{}'", noun_of(rules_), entry_.key, key), {}, hint);
  }
  Error wrong_type(const Node& node, const Node::Member& member, std::string_view wanted) const {
    return document_.error(node.at, fmt::format("'{}' must be {}, not {}", printable(member.key),
                                                wanted, node.kind()));
  }

  const Document& document_;
  const TableRules& rules_;
  const Node::Member& entry_;
  const Node::Table& table_;
  NamedPlan plan_;
};

Result<std::string> Reader::read_value(const Node& node, const Node::Member& member,
                                       bool numbers) const {
  if (const std::string* text = node.to_string()) {
    if (text->find('\0') == std::string::npos) return *text;
    return fail(document_.error(node.at, fmt::format("'{}' contains a zero byte", member.key)));
  }
  if (numbers) {
    if (const auto* whole = std::get_if<std::int64_t>(&node.value))
      return fmt::format("{}", *whole);
    if (const auto* number = std::get_if<double>(&node.value); number && std::isfinite(*number))
      return fmt::format("{}", *number);
  }
  return fail(wrong_type(node, member, numbers ? "a string or a finite number" : "a string"));
}

Result<void> Reader::read_flag(const Node::Member& member) {
  const bool* on = member.value.to_bool();
  if (on == nullptr) return fail(wrong_type(member.value, member, "true or false"));
  if (*on) plan_.options.push_back({member.key, {}, where(member.at)});
  return {};
}

Result<void> Reader::read_member(const Node::Member& member) {
  std::vector<std::string> known = command_keys(rules_);
  if (std::ranges::find(known, member.key) != known.end()) return {};
  const auto rule = std::ranges::find(rules_.options, member.key, &OptionRule::name);
  if (rule == rules_.options.end()) {
    for (const OptionRule& r : rules_.options) known.push_back(r.name);
    std::string dashed = member.key;  // as in other tools' files
    std::ranges::replace(dashed, '_', '-');
    while (dashed.starts_with('-')) dashed.erase(0, 1);
    const auto near = nearest(dashed, known);
    return fail(document_.error(
        member.at,
        fmt::format("unknown option '{}' of {} '{}'", printable(member.key), noun_of(rules_),
                    entry_.key),
        near ? fmt::format("did you mean '{}'?", *near) : "",
        near ? ""
             : fmt::format("{} has the options of 'assay {}' (assay {} --help)",
                           with_article(noun_of(rules_)), rules_.command, rules_.command)));
  }
  if (rule->kind == OptionKind::flag) return read_flag(member);
  Option option{member.key, {}, where(member.at)};
  const Node::Array* items = rule->kind == OptionKind::list ? member.value.to_array() : nullptr;
  const std::span<const Node> nodes =
      items != nullptr ? std::span<const Node>(*items) : std::span<const Node>(&member.value, 1);
  if (nodes.empty())
    return fail(document_.error(member.value.at, fmt::format("'{}' is an empty list", member.key),
                                {}, "leave the line out, or list something"));
  for (const Node& node : nodes) {
    auto value = read_value(node, member, rule->kind != OptionKind::text);
    if (!value) return fail(value.error());
    option.values.push_back(std::move(*value));
  }
  plan_.options.push_back(std::move(option));
  return {};
}

Result<std::string> Reader::read_command(const Node& node, const Node::Member& member) const {
  const auto command = read_value(node, member, false);
  if (!command) return fail(command.error());
  if (command->find_first_not_of(" \t\r\n") == std::string::npos)
    return fail(document_.error(node.at, fmt::format("'{}' is an empty command", member.key)));
  if (uses_shell()) return *command;
  const auto words = split_command(*command);
  if (!words) {
    const Error& error = words.error();
    return fail(document_.error(node.at, fmt::format("'{}' cannot be split into words", member.key),
                                {}, error.what + (error.hint.empty() ? "" : "\n  " + error.hint)));
  }
  return *command;
}

Result<void> Reader::read_candidates(const Node::Member& member) {
  const Node::Array* items = member.value.to_array();
  if (items == nullptr) return fail(wrong_type(member.value, member, "a list of commands"));
  if (items->empty())
    return fail(document_.error(member.value.at, "'candidates' is an empty list", {},
                                "list the commands that are compared with the baseline"));
  for (const Node& item : *items) {
    auto command = read_command(item, member);
    if (!command) return fail(command.error());
    plan_.commands.push_back(std::move(*command));
  }
  return {};
}

Result<void> Reader::read_revisions(const Node::Member& revision) {
  for (const char* key : {"baseline", "candidate", "candidates"})
    if (const Node::Member* command = find(key))
      return fail(document_.error(
          command->at, fmt::format("'{}' and '{}' exclude each other", key, revision.key), {},
          "revisions run one 'command'; commands are compared as they are"));
  for (const char* key : {"baseline-rev", "candidate-rev"})
    if (find(key) == nullptr)
      return fail(missing(key, fmt::format("'{}' needs it beside it", revision.key)));
  const Node::Member* member = find("command");
  if (member == nullptr)
    return fail(
        missing("command", "add the command that runs on both revisions: command = \"./bench\""));
  return read_trailing(*member);
}

Result<void> Reader::read_trailing(const Node::Member& member) {
  const auto command = read_command(member.value, member);
  if (!command) return fail(command.error());
  plan_.trailing = {*command};
  if (!uses_shell()) plan_.trailing = *split_command(*command);
  return {};
}

Result<void> Reader::read_commands() {
  if (rules_.shape == TableShape::sides) return read_sides();
  const Node::Member* command = find("command");
  if (command == nullptr)
    return fail(missing("command", "add the command that it runs: command = \"./bench\""));
  if (rules_.shape == TableShape::word) {
    auto word = read_command(command->value, *command);
    if (!word) return fail(word.error());
    plan_.commands.push_back(std::move(*word));
    return {};
  }
  if (const Node::Member* positional =
          rules_.positional.empty() ? nullptr : find(rules_.positional)) {
    auto word = read_value(positional->value, *positional, false);
    if (!word) return fail(word.error());
    if (word->empty() || word->starts_with('-'))
      return fail(
          document_.error(positional->value.at,
                          fmt::format("'{}' cannot be '{}'", positional->key, printable(*word))));
    plan_.commands.push_back(std::move(*word));
  }
  return read_trailing(*command);
}

Result<void> Reader::read_sides() {
  for (const char* key : {"baseline-rev", "candidate-rev"})
    if (const Node::Member* revision = find(key)) return read_revisions(*revision);
  if (const Node::Member* command = find("command"))
    return fail(
        document_.error(command->at, "'command' belongs to revisions", {},
                        "add baseline-rev and candidate-rev, or call it baseline or candidate"));
  const Node::Member* baseline = find("baseline");
  if (baseline == nullptr) return fail(missing("baseline", "add it: baseline = \"./old\""));
  auto first = read_command(baseline->value, *baseline);
  if (!first) return fail(first.error());
  plan_.commands.push_back(std::move(*first));
  const Node::Member *one = find("candidate"), *several = find("candidates");
  if (one != nullptr && several != nullptr)
    return fail(document_.error(one->at, "'candidate' and 'candidates' exclude each other", {},
                                "move the command into the list"));
  if (several != nullptr) return read_candidates(*several);
  if (one == nullptr) return fail(missing("candidate", "add it: candidate = \"./new\""));
  auto second = read_command(one->value, *one);
  if (!second) return fail(second.error());
  plan_.commands.push_back(std::move(*second));
  return {};
}

// A plan and where it stands, for the order of the file.
struct Placed {
  Position at;
  NamedPlan plan;
};

Error unknown_table(const Document& document, const Node::Member& member,
                    std::span<const TableRules> tables) {
  std::vector<std::string> known;
  for (const TableRules& rules : tables) known.push_back(rules.command);
  const auto near = nearest(member.key, known);
  std::vector<std::string> shown;
  for (const std::string& name : known) shown.push_back(fmt::format("[{}.NAME]", name));
  return document.error(
      member.at, fmt::format("unknown table '{}'", printable(member.key)),
      near ? fmt::format("did you mean '{}'?", *near) : "",
      near ? "" : fmt::format("a file of plans has tables {}", fmt::join(shown, ", ")));
}

// The experiments of one command.
Result<void> read_table(const Document& document, const TableRules& rules,
                        const Node::Member& member, std::vector<Placed>& out) {
  const Node::Table* table = member.value.to_table();
  const std::string give_name =
      fmt::format("give the {} a name: [{}.NAME]", noun_of(rules), rules.command);
  if (table == nullptr)
    return fail(document.error(
        member.at, fmt::format("'{}' must be a table, not {}", member.key, member.value.kind()), {},
        give_name));
  for (const Node::Member& entry : *table) {
    if (entry.value.to_table() == nullptr)
      return fail(document.error(
          entry.at, fmt::format("'{}' belongs to no {}", printable(entry.key), noun_of(rules)), {},
          give_name));
    if (!is_name(entry.key))
      return fail(document.error(
          entry.at,
          fmt::format("'{}' cannot name {}", printable(entry.key), with_article(noun_of(rules))),
          {}, kAnyName));
    auto plan = Reader(document, rules, entry).read();
    if (!plan) return fail(plan.error());
    out.push_back({entry.at, std::move(*plan)});
  }
  return {};
}

}  // namespace

Result<std::vector<NamedPlan>> parse_plans(std::string_view toml, const std::string& file,
                                           std::span<const TableRules> tables) {
  const auto document = Document::parse(toml, file);
  if (!document) return fail(document.error());
  std::vector<Placed> placed;
  for (const Node::Member& member : *document->root().to_table()) {
    const auto rules = std::ranges::find(tables, member.key, &TableRules::command);
    if (rules == tables.end()) return fail(unknown_table(*document, member, tables));
    if (auto read = read_table(*document, *rules, member, placed); !read) return fail(read.error());
  }
  std::ranges::stable_sort(placed, [](const Placed& a, const Placed& b) {
    return a.at.line != b.at.line ? a.at.line < b.at.line : a.at.column < b.at.column;
  });
  std::vector<NamedPlan> plans;
  for (Placed& one : placed) plans.push_back(std::move(one.plan));
  return plans;
}

Result<std::vector<NamedPlan>> load_plans(const std::string& path,
                                          std::span<const TableRules> tables) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (!fs::exists(status)) return fail("no such file", path);
  if (!fs::is_regular_file(status)) return fail("not a file", path);
  std::ifstream file(path, std::ios::binary);
  if (!file) return fail("cannot be read", path, "check its permissions");
  std::string text(kReadLimit, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (file.bad()) return fail("cannot be read", path);
  text.resize(static_cast<std::size_t>(file.gcount()));
  return parse_plans(text, path, tables);
}

Result<NamedPlan> select_plan(std::span<const NamedPlan> plans, const std::string& name,
                              const std::string& file) {
  std::vector<std::string> names;
  for (const NamedPlan& plan : plans) {
    if (plan.command != "compare") continue;
    if (plan.name == name) return plan;
    names.push_back(plan.name);
  }
  const std::string what = fmt::format("no comparison is called '{}'", printable(name));
  if (const auto near = nearest(name, names))
    return fail(what, file, fmt::format("did you mean '{}'?", *near));
  if (names.empty()) return fail(what, file, "it has none: add a table [compare.NAME]");
  return fail(what, file, fmt::format("it has {}", fmt::join(names, ", ")));
}

Result<std::vector<NamedPlan>> select_plans(std::span<const NamedPlan> plans,
                                            std::span<const std::string> names,
                                            const std::string& file) {
  if (plans.empty())
    return fail("the file has no experiment", file, "add a table such as [compare.NAME]");
  std::vector<bool> chosen(plans.size(), names.empty());
  for (const std::string& name : names) {
    std::vector<std::size_t> found;
    std::vector<std::string> known;
    for (std::size_t i = 0; i < plans.size(); ++i) {
      const std::string whole = plans[i].command + "." + plans[i].name;
      if (plans[i].name == name || whole == name) found.push_back(i);
      known.push_back(plans[i].name);
      known.push_back(whole);
    }
    if (found.empty()) {
      const auto near = nearest(name, known);
      return fail(fmt::format("no experiment is called '{}'", printable(name)), file,
                  near ? fmt::format("did you mean '{}'?", *near)
                       : fmt::format("it has {}", fmt::join(known, ", ")));
    }
    if (found.size() > 1)
      return fail(fmt::format("two experiments are called '{}'", printable(name)), file,
                  fmt::format("say which: {}.{} or {}.{}", plans[found[0]].command, name,
                              plans[found[1]].command, name));
    chosen[found.front()] = true;
  }
  std::vector<NamedPlan> selected;
  for (std::size_t i = 0; i < plans.size(); ++i)
    if (chosen[i]) selected.push_back(plans[i]);
  return selected;
}

std::optional<std::string> find_plan_file(const std::string& cwd) {
  std::error_code error;
  fs::path folder = fs::absolute(cwd, error).lexically_normal();
  if (error) return std::nullopt;
  while (true) {
    const fs::path file = folder / kFileName;
    if (fs::is_regular_file(file, error)) return file.string();
    if (!folder.has_parent_path() || folder == folder.parent_path()) return std::nullopt;
    folder = folder.parent_path();
  }
}

std::vector<std::string> option_words(const NamedPlan& plan) {
  std::vector<std::string> words;
  for (const Option& option : plan.options) {
    if (option.values.empty()) words.push_back("--" + option.name);
    for (const std::string& value : option.values)
      words.push_back(fmt::format("--{}={}", option.name, value));
  }
  return words;
}

}  // namespace assay::plan
