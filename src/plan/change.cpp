// SPDX-License-Identifier: Apache-2.0
#include "plan/change.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "base/document.hpp"
#include "base/text.hpp"

namespace assay::plan {
namespace {

constexpr const char* kDefines = "{defines}";
constexpr const char* kNames = "letters, digits and _ . - make a name";

bool is_name_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

bool is_name(std::string_view name) {
  return !name.empty() && name.size() <= 64 && name.front() != '-' &&
         std::ranges::all_of(name, [](char c) { return is_name_char(c) || c == '.' || c == '-'; });
}

// Of an environment variable, a definition, a placeholder.
bool is_identifier(std::string_view name) {
  return !name.empty() && !(name.front() >= '0' && name.front() <= '9') &&
         std::ranges::all_of(name, is_name_char);
}

// What stands in front of the first `by`, and behind it.
std::optional<std::pair<std::string, std::string>> split_at(std::string_view text, char by) {
  const auto at = text.find(by);
  if (at == std::string_view::npos) return std::nullopt;
  return std::pair{std::string(text.substr(0, at)), std::string(text.substr(at + 1))};
}

using Read = Result<void> (*)(std::string_view, ChangeSpec&);

Result<void> read_environment(std::string_view text, ChangeSpec& spec) {
  auto parts = split_at(text, '=');
  if (!parts || !is_identifier(parts->first))
    return fail(fmt::format("'{}' sets no environment variable", printable(text)), {},
                "such as OMP_NUM_THREADS=4");
  spec.key = std::move(parts->first);
  spec.on = std::move(parts->second);
  return {};
}

Result<void> read_flag(std::string_view text, ChangeSpec& spec) {
  auto words = split_command(text);
  if (!words) return fail(words.error());
  if (words->empty()) return fail("a flag without words");
  spec.words = std::move(*words);
  return {};
}

Result<void> read_value(std::string_view text, ChangeSpec& spec) {
  const char* hint = "set:NAME=OFF,ON, such as set:cap=4,1 for {cap} in the command";
  auto parts = split_at(text, '=');
  if (!parts || !is_identifier(parts->first))
    return fail(fmt::format("'{}' names no placeholder", printable(text)), {}, hint);
  const auto values = split_at(parts->second, ',');
  if (!values || values->second.find(',') != std::string::npos)
    return fail(fmt::format("'{}' is not one value off and one on", printable(parts->second)), {},
                hint);
  if (values->first == values->second)
    return fail(fmt::format("{} is {} both off and on", parts->first, printable(values->first)), {},
                hint);
  spec.key = std::move(parts->first);
  spec.off = values->first;
  spec.on = values->second;
  return {};
}

Result<void> read_definition(std::string_view text, ChangeSpec& spec) {
  const auto parts = split_at(text, '=');
  spec.key = parts ? parts->first : std::string(text);
  if (!is_identifier(spec.key))
    return fail(fmt::format("'{}' defines nothing", printable(text)), {},
                "define:NAME or define:NAME=VALUE");
  spec.on = std::string(text);
  return {};
}

Result<void> read_text(std::string_view text, ChangeSpec& spec) {
  if (text.empty() || text.front() == '-')
    return fail(fmt::format("'{}' is no {}", printable(text),
                            spec.change.kind == ChangeKind::patch ? "patch file" : "commit"));
  spec.on = std::string(text);
  return {};
}

struct Form {
  std::string_view prefix;  // on a command line, with a colon; the key in a file
  ChangeKind kind;
  Read read;
};

constexpr Form kForms[] = {{"env", ChangeKind::environment, read_environment},
                           {"flag", ChangeKind::flag, read_flag},
                           {"set", ChangeKind::value, read_value},
                           {"define", ChangeKind::definition, read_definition},
                           {"patch", ChangeKind::patch, read_text},
                           {"commit", ChangeKind::commit, read_text}};

constexpr const char* kSpecHint =
    "a change is VAR=VALUE, --flag, set:NAME=OFF,ON, define:NAME=VALUE, patch:FILE or commit:REV";

Result<void> read_form(const Form& form, std::string_view text, ChangeSpec& spec) {
  if (text.find('\0') != std::string_view::npos) return fail("a zero byte in a change");
  spec.change.kind = form.kind;
  return form.read(text, spec);
}

Result<void> read_spec(std::string_view text, ChangeSpec& spec) {
  spec.change.spec = std::string(text);
  if (text.starts_with('-')) return read_form(kForms[1], text, spec);
  const auto colon = text.find(':');
  const auto equals = text.find('=');
  if (colon < equals) {
    for (const Form& form : kForms)
      if (text.substr(0, colon) == form.prefix)
        return read_form(form, text.substr(colon + 1), spec);
    std::vector<std::string> known;
    for (const Form& form : kForms) known.emplace_back(form.prefix);
    const std::string word(text.substr(0, colon));
    const auto near = nearest(word, known);
    return fail(fmt::format("unknown sort of change '{}'", printable(word)), {},
                near ? fmt::format("did you mean '{}:'?", *near) : kSpecHint);
  }
  if (equals != std::string_view::npos && is_identifier(text.substr(0, equals)))
    return read_form(kForms[0], text, spec);
  return fail(fmt::format("'{}' is no change", printable(text)), {}, kSpecHint);
}

// --- a file

class FileReader {
 public:
  explicit FileReader(const Document& document) : document_(document) {}

  Result<std::vector<ChangeSpec>> read() {
    for (const Node::Member& member : *document_.root().to_table()) {
      if (member.key != "change" || member.value.to_table() == nullptr)
        return fail(document_.error(member.at,
                                    fmt::format("unknown table or key '{}'", printable(member.key)),
                                    {}, "a file of changes has tables [change.NAME]"));
      for (const Node::Member& one : *member.value.to_table()) {
        auto spec = read_change(one);
        if (!spec) return fail(spec.error());
        changes_.push_back(std::move(*spec));
      }
    }
    if (changes_.empty())
      return fail("the file has no change", document_.file(), "add a table such as [change.pin]");
    return std::move(changes_);
  }

 private:
  Error wrong(Position at, const std::string& what, const std::string& hint = {}) const {
    return document_.error(at, what, {}, hint);
  }

  Result<ChangeSpec> read_change(const Node::Member& one) {
    const Node::Table* table = one.value.to_table();
    if (table == nullptr)
      return fail(wrong(
          one.at, fmt::format("'{}' must be a table, not {}", printable(one.key), one.value.kind()),
          fmt::format("[change.{}]", printable(one.key))));
    if (!is_name(one.key))
      return fail(wrong(one.at, fmt::format("'{}' is no name", printable(one.key)), kNames));
    ChangeSpec spec;
    spec.change.name = one.key;
    spec.where = fmt::format("{}:{}:{}", document_.file(), one.at.line, one.at.column);
    const Node::Member* what = nullptr;
    const Form* form = nullptr;
    for (const Node::Member& member : *table) {
      if (member.key == "off" || member.key == "on") continue;
      const std::string_view key = member.key == "value" ? "set" : std::string_view(member.key);
      const auto known = std::ranges::find(kForms, key, &Form::prefix);
      if (known == std::end(kForms) || member.key == "set") return fail(unknown_key(member));
      if (what != nullptr)
        return fail(wrong(member.at, fmt::format("'{}' beside '{}'", member.key, what->key),
                          "a change is one thing; make two changes of it"));
      what = &member;
      form = known;
    }
    if (what == nullptr)
      return fail(wrong(one.at, fmt::format("change '{}' says nothing", one.key),
                        "it needs one of env, flag, value, define, patch, commit"));
    auto text = text_of(*table, *what, *form);
    if (!text) return fail(text.error());
    if (auto done = read_form(*form, *text, spec); !done)
      return fail(wrong(what->value.at, done.error().what, done.error().hint));
    spec.change.spec = fmt::format("{}:{}", form->prefix, *text);
    return spec;
  }

  Error unknown_key(const Node::Member& member) const {
    const std::vector<std::string> known = {"env",    "flag",  "value", "off",
                                            "define", "patch", "on",    "commit"};
    const auto near = nearest(member.key, known);
    return document_.error(
        member.at, fmt::format("unknown key '{}'", printable(member.key)),
        near ? fmt::format("did you mean '{}'?", *near) : "",
        near ? "" : "a change has one of env, flag, value, define, patch, commit");
  }

  // What stands behind "kind:" on a command line.
  Result<std::string> text_of(const Node::Table& table, const Node::Member& what,
                              const Form& form) const {
    auto text = scalar(what);
    if (!text) return text;
    for (const char* side : {"off", "on"}) {
      const auto member = std::ranges::find(table, side, &Node::Member::key);
      const bool wanted = form.kind == ChangeKind::value;
      if (wanted == (member != table.end())) continue;
      if (wanted)
        return fail(wrong(what.at, fmt::format("'value' without '{}'", side),
                          "value = \"cap\", off = 4, on = 1"));
      return fail(wrong(member->at, fmt::format("'{}' goes with 'value' only", side)));
    }
    if (form.kind != ChangeKind::value) return text;
    const auto off = scalar(*std::ranges::find(table, "off", &Node::Member::key));
    if (!off) return off;
    const auto on = scalar(*std::ranges::find(table, "on", &Node::Member::key));
    if (!on) return on;
    return fmt::format("{}={},{}", *text, *off, *on);
  }

  Result<std::string> scalar(const Node::Member& member) const {
    if (const std::string* text = member.value.to_string()) return *text;
    if (const auto* whole = std::get_if<std::int64_t>(&member.value.value))
      return fmt::format("{}", *whole);
    if (const auto* number = std::get_if<double>(&member.value.value);
        number && std::isfinite(*number))
      return fmt::format("{}", *number);
    return fail(wrong(member.value.at, fmt::format("'{}' must be a string or a number, not {}",
                                                   printable(member.key), member.value.kind())));
  }

  const Document& document_;
  std::vector<ChangeSpec> changes_;
};

// --- configurations

// Replaces every `from` and says whether there was one.
bool replace_all(std::string& text, const std::string& from, const std::string& to) {
  bool any = false;
  for (auto at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
    any = true;
  }
  return any;
}

bool fill_in(Subject& arm, const std::string& placeholder, const std::string& value) {
  const std::string from = "{" + placeholder + "}";
  bool used = false;
  for (std::string& word : arm.argv) used = replace_all(word, from, value) || used;
  for (auto& [name, text] : arm.env) used = replace_all(text, from, value) || used;
  for (std::string* text : {&arm.input, &arm.setup, &arm.prepare, &arm.conclude, &arm.cleanup})
    used = replace_all(*text, from, value) || used;
  if (arm.build) used = replace_all(arm.build->command, from, value) || used;
  return used;
}

bool runs_in_shell(const Subject& arm) {
  return arm.argv.size() == 3 && arm.argv[1] == "-c" && arm.argv[0].ends_with("sh");
}

void append_words(Subject& arm, const std::vector<std::string>& words) {
  if (runs_in_shell(arm))
    arm.argv[2] += " " + join_command(words);
  else
    arm.argv.insert(arm.argv.end(), words.begin(), words.end());
}

std::string label_of(const std::vector<ChangeSpec>& changes, std::size_t mask) {
  if (mask == 0) return "all off";
  if (mask + 1 == std::size_t{1} << changes.size()) return "all on";
  std::string label;
  for (std::size_t i = 0; i < changes.size(); ++i)
    if (mask >> i & 1) label += (label.empty() ? "" : "+") + changes[i].change.name;
  return label;
}

Error error_of(const ChangeSpec& spec, std::string what, std::string hint) {
  return {fmt::format("change '{}': {}", printable(spec.change.name), what), spec.where,
          std::move(hint)};
}

Result<void> check_use(const Subject& base, const ChangeSpec& spec) {
  Subject copy = base;
  switch (spec.change.kind) {
    case ChangeKind::value:
      if (fill_in(copy, spec.key, "")) return {};
      return fail(error_of(spec, fmt::format("nothing uses it, {{{}}} is nowhere", spec.key),
                           fmt::format("write {{{0}}} where its value belongs: in the command, "
                                       "--env, --input, a hook or --build, such as -- CMD "
                                       "--{0}={{{0}}}",
                                       spec.key)));
    case ChangeKind::definition:
      if (!base.build || base.build->command.empty())
        return fail(error_of(spec, "a definition needs a build command",
                             "such as --build 'cc -O2 {defines} -o bench bench.c'"));
      if (base.build->command.find(kDefines) != std::string::npos) return {};
      return fail(error_of(spec, "nothing uses it, {defines} is not in the build command",
                           "such as --build 'make CFLAGS=\"-O2 {defines}\"'"));
    case ChangeKind::patch:
    case ChangeKind::commit:
      if (base.build) return {};
      return fail(error_of(spec, "it changes the tree, and nothing is built from it",
                           "say how with --build, such as --build 'make -j4'"));
    case ChangeKind::environment:
    case ChangeKind::flag:
      break;
  }
  return {};
}

Result<void> check_pairs(const std::vector<ChangeSpec>& changes) {
  for (std::size_t i = 0; i < changes.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) {
      const ChangeSpec &a = changes[j], &b = changes[i];
      if (a.change.kind != b.change.kind || a.key != b.key) continue;
      const bool keyed = a.change.kind == ChangeKind::environment ||
                         a.change.kind == ChangeKind::value ||
                         a.change.kind == ChangeKind::definition;
      const bool same_text =
          (a.change.kind == ChangeKind::patch || a.change.kind == ChangeKind::commit) &&
          a.on == b.on;
      const bool same_words = a.change.kind == ChangeKind::flag && a.words == b.words;
      if (keyed)
        return fail(error_of(b, fmt::format("'{}' sets {} too", a.change.name, b.key),
                             "both on, only one would count: make one change of them"));
      if (same_text || same_words)
        return fail(error_of(b, fmt::format("it is the same as '{}'", a.change.name),
                             "leave one of them out"));
    }
  return {};
}

void apply(const ChangeSpec& spec, bool on, Subject& arm, std::string& defines) {
  switch (spec.change.kind) {
    case ChangeKind::environment:
      if (on) {
        std::erase_if(arm.env, [&](const auto& pair) { return pair.first == spec.key; });
        arm.env.emplace_back(spec.key, spec.on);
      }
      break;
    case ChangeKind::flag:
      if (on) append_words(arm, spec.words);
      break;
    case ChangeKind::value:
      fill_in(arm, spec.key, on ? spec.on : spec.off);
      break;
    case ChangeKind::definition:
      if (on)
        defines +=
            (defines.empty() ? "" : " ") + join_command(std::vector<std::string>{"-D" + spec.on});
      break;
    case ChangeKind::patch:
    case ChangeKind::commit: {
      const auto& step = on ? spec.when_on : spec.when_off;
      if (step) arm.build->steps.push_back(*step);
      break;
    }
  }
}

}  // namespace

Result<ChangeSpec> parse_change(std::string_view text) {
  auto parts = split_at(text, '=');
  if (!parts || !is_name(parts->first))
    return fail(fmt::format("'{}' has no name in front", printable(text)), {},
                fmt::format("NAME=CHANGE, such as pin=PROVER_PIN=on; {}", kNames));
  ChangeSpec spec;
  spec.change.name = parts->first;
  if (auto done = read_spec(parts->second, spec); !done)
    return fail(error_of(spec, done.error().what, done.error().hint));
  return spec;
}

Result<std::vector<ChangeSpec>> parse_changes(std::string_view toml, const std::string& file) {
  const auto document = Document::parse(toml, file);
  if (!document) return fail(document.error());
  return FileReader(*document).read();
}

Result<void> check_changes(const std::vector<ChangeSpec>& changes) {
  if (changes.size() < 2)
    return fail(changes.empty() ? "no change was given" : "one change alone is a comparison", {},
                changes.empty() ? "such as --change pin=PROVER_PIN=on --change early=--early-free"
                                : "'assay compare' says what one change costs");
  if (changes.size() > kMostChanges)
    return fail(
        fmt::format("{} changes, at most {} can be told apart", changes.size(), kMostChanges), {},
        "group them: changes that belong together as one change (several flags in one, "
        "commits of one feature as one patch), find the group, then ablate inside it");
  for (std::size_t i = 0; i < changes.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (changes[i].change.name == changes[j].change.name)
        return fail(Error{fmt::format("two changes are called '{}'", changes[i].change.name),
                          changes[i].where, "give each a name of its own"});
  return check_pairs(changes);
}

Result<std::vector<Subject>> configurations(const Subject& base,
                                            const std::vector<ChangeSpec>& changes) {
  if (auto valid = check_changes(changes); !valid) return fail(valid.error());
  for (const ChangeSpec& spec : changes)
    if (auto used = check_use(base, spec); !used) return fail(used.error());
  std::vector<std::size_t> order(changes.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return changes[i].order; });
  std::vector<Subject> arms;
  for (std::size_t mask = 0; mask < std::size_t{1} << changes.size(); ++mask) {
    Subject arm = base;
    arm.label = label_of(changes, mask);
    std::string defines;
    for (const std::size_t i : order) apply(changes[i], (mask >> i & 1) != 0, arm, defines);
    if (arm.build) replace_all(arm.build->command, kDefines, defines);
    arms.push_back(std::move(arm));
  }
  return arms;
}

}  // namespace assay::plan
