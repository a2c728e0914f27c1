// SPDX-License-Identifier: Apache-2.0
// The only file that includes CLI11. It sees the options alone: positionals and the trailing
// command are split off before, because CLI11 would read `assay measure -- ls -l` as an option of
// ours, and values are handed over as `--name=value`, because it would read the value "-j2" as
// another option.
#include "cli/parse.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "base/text.hpp"

namespace assay::cli {
namespace {

struct Split {
  std::vector<std::string> options;  // as CLI11 shall see them
  std::vector<std::string> positionals;
  std::vector<std::string> trailing;
  const Flag* without_value = nullptr;  // an option at the end of its words
  Help help = Help::none;
};

const Flag* find_short(const CommandSpec& spec, char name) {
  for (const Flag& flag : spec.flags)
    if (flag.short_name == name) return &flag;
  for (const Flag& flag : global_flags())
    if (flag.short_name == name) return &flag;
  return nullptr;
}

// The flag whose value must be the next word when `word` is an option: --timeout, -o, or -qo.
const Flag* waits_for_value(const CommandSpec& spec, const std::string& word) {
  if (word.size() < 2 || word[0] != '-' || word == "--") return nullptr;
  if (word[1] == '-') {
    const Flag* flag = find_flag(spec, std::string_view(word).substr(2));
    return flag != nullptr && !flag->value.empty() ? flag : nullptr;
  }
  for (std::size_t i = 1; i < word.size(); ++i) {
    const Flag* flag = find_short(spec, word[i]);
    if (flag == nullptr) return nullptr;
    if (!flag->value.empty()) return i + 1 == word.size() ? flag : nullptr;
  }
  return nullptr;
}

bool is_known_option(const CommandSpec& spec, const std::string& word) {
  if (word == "--") return true;
  if (!word.starts_with("--")) return false;
  return find_flag(spec, std::string_view(word).substr(2, word.find('=') - 2)) != nullptr;
}

// CLI11 takes "--name=" for an option whose value is the next word, whatever that is.
void add_value(Split& out, const Flag& flag, const std::string& value) {
  if (value.empty()) {
    out.options.push_back(fmt::format("--{}", flag.name));
    out.options.emplace_back();
  } else {
    out.options.push_back(fmt::format("--{}={}", flag.name, value));
  }
}

Split split(const CommandSpec& spec, std::span<const std::string> words) {
  Split out;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (word == "--") {
      out.trailing.assign(words.begin() + static_cast<std::ptrdiff_t>(i) + 1, words.end());
      break;
    }
    if (word.size() < 2 || word[0] != '-') {
      out.positionals.push_back(word);
    } else if (word == "--help" || word == "-h") {
      out.help = std::max(out.help, word == "-h" ? Help::brief : Help::full);
    } else if (const Flag* flag = waits_for_value(spec, word); flag != nullptr && flag->or_stdout) {
      if (i + 1 < words.size() && words[i + 1] == "-") ++i;
      add_value(out, *flag, "-");
    } else if (flag != nullptr) {
      if (!word.starts_with("--") && word.size() > 2)
        out.options.push_back(word.substr(0, word.size() - 1));
      if (i + 1 == words.size() || is_known_option(spec, words[i + 1])) {
        out.without_value = flag;
        break;
      }
      add_value(out, *flag, words[++i]);
    } else if (const std::size_t equals = word.find('=');
               equals + 1 == word.size() && word.starts_with("--")) {
      out.options.push_back(word.substr(0, equals));  // an empty value, on purpose
      out.options.emplace_back();
    } else {
      out.options.push_back(word);
    }
  }
  return out;
}

void add_option(CLI::App& app, const Flag& flag) {
  std::string names = flag.short_name != 0 ? fmt::format("-{},--{}", flag.short_name, flag.name)
                                           : fmt::format("--{}", flag.name);
  if (!flag.alias.empty()) names += fmt::format(",--{}", flag.alias);
  const CLI::callback_t keep = [](const CLI::results_t&) { return true; };
  if (flag.value.empty()) {
    app.add_flag(names)->disable_flag_override()->multi_option_policy(
        CLI::MultiOptionPolicy::TakeAll);
    return;
  }
  CLI::Option* option = app.add_option(names, keep)->expected(1);
  option->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);  // collect() counts
  option->allow_extra_args(false);
}

// The command in a message, which begins with "assay: " anyway.
std::string_view describe(const CommandSpec& spec) {
  return spec.name.empty() ? std::string_view("assay") : spec.name;
}

Error unknown_option(const CommandSpec& spec, const std::string& word,
                     const std::vector<std::string>& positionals) {
  const std::string shown = word.substr(0, word.find('='));
  std::vector<std::string> names;
  for (const Flag& flag : spec.flags) names.push_back(fmt::format("--{}", flag.name));
  for (const Flag& flag : global_flags()) names.push_back(fmt::format("--{}", flag.name));
  const CommandSpec& asked = spec_to_explain(spec, positionals);
  Error error{fmt::format("{} has no option '{}'", describe(asked), printable(shown)), {}, {}};
  const std::string as_long = shown.starts_with("--") ? shown : "-" + shown;
  if (const auto near = nearest(as_long, names))
    error.hint = fmt::format("did you mean '{}'?", *near);
  else if (spec.takes_trailing && spec.trailing_is_command && !shown.starts_with("--"))
    error.hint =
        fmt::format("quote the command as one word, or put it behind --: assay {} -- COMMAND {}",
                    describe(asked), printable(shown));
  else
    error.hint = fmt::format("'assay {} -h' lists the options", asked.name);
  if (error.hint.ends_with("lists the options") && spec.takes_trailing && spec.trailing_is_command)
    error.hint += fmt::format("; one of the command's own stands inside its quotes: 'COMMAND {}'",
                              printable(shown));
  return error;
}

Error needs_value(const Flag& flag) {
  return {fmt::format("--{} needs a value", flag.name),
          {},
          fmt::format("write --{} {}", flag.name, flag.value)};
}

// What CLI11 said about an option that exists: "--strict: ...". Only switches come here.
Error bad_use(const CommandSpec& spec, std::string_view message) {
  std::string_view name = message.substr(0, message.find_first_of(": ,="));
  name.remove_prefix(std::min(name.find_first_not_of('-'), name.size()));
  const Flag* flag = find_flag(spec, name);
  if (flag == nullptr || !flag->value.empty())
    return {fmt::format("{}: {}", describe(spec), message), {}, {}};
  return {fmt::format("--{} takes no value", flag->name), {}, {}};
}

Result<void> check_choices(const std::string& what, const std::string& value,
                           const std::vector<std::string_view>& choices) {
  if (choices.empty() || std::ranges::find(choices, value) != choices.end()) return {};
  const std::vector<std::string> words(choices.begin(), choices.end());
  std::string hint = fmt::format("use {}", fmt::join(words, ", "));
  if (const auto near = nearest(value, words)) hint = fmt::format("did you mean '{}'?", *near);
  return fail(
      fmt::format("{}: '{}' is not one of {}", what, printable(value), fmt::join(words, ", ")), {},
      std::move(hint));
}

// "assay suite list --adapters": the one verb that takes the options given without a verb.
std::optional<std::string> with_verb(const CommandSpec& spec, const Positional& missing,
                                     const Arguments& arguments) {
  if (spec.of_verb == nullptr) return {};
  std::vector<std::string_view> fitting;
  std::string given;
  for (const Flag& flag : spec.flags)
    if (arguments.has(flag.name)) given += fmt::format(" --{}", flag.name);
  for (const std::string_view verb : missing.choices) {
    const CommandSpec* asked = spec.of_verb(verb);
    const bool fits = asked != nullptr && std::ranges::all_of(spec.flags, [&](const Flag& flag) {
                        return !arguments.has(flag.name) || find_flag(*asked, flag.name) != nullptr;
                      });
    if (fits) fitting.push_back(verb);
  }
  if (fitting.size() == 1) return fmt::format("assay {} {}{}", spec.name, fitting.front(), given);
  return fmt::format("{} is one of {}", missing.name, fmt::join(missing.choices, ", "));
}

Result<void> check_positionals(const CommandSpec& spec, const Arguments& arguments) {
  std::size_t lowest = 0, highest = 0;
  for (const Positional& p : spec.positionals) {
    lowest += p.at_least;
    highest = p.at_most == Positional::kAny ? Positional::kAny : highest + p.at_most;
  }
  const auto& given = arguments.positionals;
  const std::string usage =
      spec.usage.empty() ? std::string() : fmt::format("usage: assay {}", spec.usage.front());
  if (given.size() < lowest) {
    std::size_t before = 0;
    for (const Positional& p : spec.positionals) {
      before += p.at_least;
      if (before > given.size())
        return fail(fmt::format("{} needs {}", describe(spec), p.name), {},
                    with_verb(spec, p, arguments).value_or(usage));
    }
  }
  if (given.size() > highest)
    return fail(fmt::format("{} does not know what to do with '{}'", describe(spec),
                            printable(given[highest])),
                {}, usage);
  if (!arguments.trailing.empty() && !spec.takes_trailing)
    return fail(fmt::format("{} takes no command behind --", describe(spec)), {}, usage);
  if (!spec.positionals.empty() && !given.empty())
    return check_choices(std::string(spec.name), given.front(), spec.positionals.front().choices);
  return {};
}

Result<Arguments> collect(const CommandSpec& spec, CLI::App& app, Split parts) {
  Arguments arguments(spec);
  arguments.positionals = std::move(parts.positionals);
  arguments.trailing = std::move(parts.trailing);
  const auto take = [&](const Flag& flag) -> Result<void> {
    const CLI::Option* option = app.get_option(fmt::format("--{}", flag.name));
    if (option->count() > 1 && !flag.repeatable && !flag.value.empty())
      return fail(fmt::format("--{} is given {} times", flag.name, option->count()), {},
                  "give it once");
    for (const std::string& value : option->results()) {
      if (const auto ok = check_choices(fmt::format("--{}", flag.name), value, flag.choices); !ok)
        return ok;
      arguments.add(flag.name, flag.value.empty() ? std::string() : value);
    }
    return {};
  };
  for (const Flag& flag : spec.flags)
    if (const auto ok = take(flag); !ok) return fail(ok.error());
  for (const Flag& flag : global_flags()) {
    if (flag.name == "help") continue;
    if (const auto ok = take(flag); !ok) return fail(ok.error());
  }
  arguments.version = arguments.has("version");
  if (const auto ok = check_positionals(spec, arguments); !ok && !arguments.version)
    return fail(ok.error());
  return arguments;
}

}  // namespace

Result<Arguments> parse(const CommandSpec& spec, std::span<const std::string> words) {
  Split parts = split(spec, words);
  if (parts.help != Help::none) {
    Arguments arguments(spec);
    arguments.help = parts.help;
    arguments.positionals = std::move(parts.positionals);
    return arguments;
  }
  if (parts.without_value != nullptr) return fail(needs_value(*parts.without_value));
  CLI::App app;
  app.set_help_flag();
  app.allow_windows_style_options(false);
  for (const Flag& flag : spec.flags) add_option(app, flag);
  for (const Flag& flag : global_flags())
    if (flag.name != "help") add_option(app, flag);
  app.allow_extras();
  std::vector<std::string> reversed(parts.options.rbegin(), parts.options.rend());
  try {
    app.parse(std::move(reversed));
  } catch (const CLI::ParseError& error) {
    return fail(bad_use(spec, error.what()));
  }
  if (const auto extra = app.remaining(); !extra.empty())
    return fail(unknown_option(spec, extra.front(), parts.positionals));
  return collect(spec, app, std::move(parts));
}

std::size_t count_global_words(std::span<const std::string> words) {
  static const CommandSpec kNone{};
  std::size_t count = 0;
  while (count < words.size() && words[count].size() > 1 && words[count][0] == '-') {
    const bool pair = waits_for_value(kNone, words[count]) != nullptr;
    count += pair && count + 1 < words.size() ? 2 : 1;
  }
  return count;
}

}  // namespace assay::cli
