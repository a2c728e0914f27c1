// SPDX-License-Identifier: Apache-2.0
// The only file that includes CLI11.
#include "prover/cli/parse.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "prover/base/text.hpp"
#include "prover/field/curve_id.hpp"

namespace prover::cli {
namespace {

std::string place(const Command& command) { return fmt::format("prover {}", command.name); }

tl::unexpected<Error> unknown_option(const Command& command, const std::string& word) {
  std::vector<std::string> known = {"--help"};
  for (const Option& option : command.options) known.push_back(fmt::format("--{}", option.name));
  const std::string near = nearest(word.substr(0, word.find('=')), known);
  return fail(ErrorKind::usage, fmt::format("there is no option '{}'", printable(word)),
              place(command),
              near.empty() ? fmt::format("'{} --help' lists them", place(command))
                           : fmt::format("did you mean '{}'?", near));
}

Result<void> check_choice(const std::vector<std::string_view>& choices, const std::string& value,
                          std::string where) {
  if (choices.empty() || std::ranges::find(choices, value) != choices.end()) return {};
  const std::vector<std::string> words(choices.begin(), choices.end());
  std::string near = nearest(value, words);
  if (const auto curve = curve_by_name(value)) near = curve_name(*curve);  // snarkjs's names
  return fail(
      ErrorKind::usage, fmt::format("'{}' is none of {}", printable(value), fmt::join(words, ", ")),
      std::move(where), near.empty() ? std::string() : fmt::format("did you mean '{}'?", near));
}

Result<void> check_positionals(const Command& command, const Arguments& arguments) {
  const auto& given = arguments.positionals;
  const auto& wanted = command.positionals;
  const std::string usage = fmt::format("usage: {}", command.usage());
  if (given.size() > wanted.size() && wanted.empty())
    return fail(ErrorKind::usage, fmt::format("'{}' is no option", printable(given.front())),
                place(command),
                fmt::format("options begin with --; '{} --help' lists them", place(command)));
  if (given.size() > wanted.size())
    return fail(ErrorKind::usage,
                fmt::format("'{}' is one word too many", printable(given[wanted.size()])),
                place(command), usage);
  if (given.size() < wanted.size())
    return fail(ErrorKind::usage, fmt::format("{} is missing", wanted[given.size()].name),
                place(command), usage);
  for (std::size_t i = 0; i < given.size(); ++i)
    if (auto ok = check_choice(wanted[i].choices, given[i],
                               fmt::format("{} {}", place(command), wanted[i].name));
        !ok)
      return ok;
  return {};
}

void add_option(CLI::App& app, const Option& option, std::vector<std::string>& values) {
  std::string names = fmt::format("--{}", option.name);
  if (option.short_name != 0) names += fmt::format(",-{}", option.short_name);
  if (option.value.empty()) {
    app.add_flag_callback(names, [&values] { values = {""}; })->disable_flag_override();
    return;
  }
  app.add_option(names, values)
      ->expected(1)
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

}  // namespace

Result<Arguments> parse(const Command& command, std::span<const std::string> words) {
  Arguments arguments(command);
  const auto dashes = std::ranges::find(words, "--");
  const std::span<const std::string> before(words.begin(), dashes);
  for (const std::string& word : before)
    if (word == "--help" || word == "-h")
      arguments.help = std::max(arguments.help, word == "-h" ? Help::brief : Help::full);
  if (arguments.help != Help::none) return arguments;

  const auto& options = command.options;
  CLI::App app;
  app.set_help_flag();
  app.allow_extras();
  std::vector<std::vector<std::string>> values(options.size());
  for (std::size_t i = 0; i < options.size(); ++i) add_option(app, options[i], values[i]);
  try {
    // CLI11 takes the words from the back.
    app.parse(std::vector<std::string>(before.rbegin(), before.rend()));
  } catch (const CLI::ArgumentMismatch& error) {
    const std::string text = error.what();  // "--json: 1 required TEXT missing"
    return fail(ErrorKind::usage, fmt::format("{} needs a value", text.substr(0, text.find(':'))),
                place(command), fmt::format("'{} --help' explains the options", place(command)));
  } catch (const CLI::ParseError& error) {
    return fail(ErrorKind::usage, error.what(), place(command),
                fmt::format("'{} --help' explains the options", place(command)));
  }
  for (std::string& word : app.remaining()) {
    if (word.size() > 1 && word.starts_with('-')) return unknown_option(command, word);
    arguments.positionals.push_back(std::move(word));
  }
  if (dashes != words.end())
    arguments.positionals.insert(arguments.positionals.end(), dashes + 1, words.end());
  for (std::size_t i = 0; i < options.size(); ++i)
    for (std::string& value : values[i]) {
      if (auto ok = check_choice(options[i].choices, value, fmt::format("--{}", options[i].name));
          !ok)
        return fail(ok.error());
      arguments.add(options[i].name, std::move(value));
    }
  if (auto ok = check_positionals(command, arguments); !ok) return fail(ok.error());
  return arguments;
}

}  // namespace prover::cli
