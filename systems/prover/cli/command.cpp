// SPDX-License-Identifier: Apache-2.0
#include "prover/cli/command.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "prover/base/text.hpp"

namespace prover::cli {
namespace {

tl::unexpected<Error> unknown(std::string what, const std::string& word,
                              const std::vector<std::string>& known) {
  const std::string near = nearest(word, known);
  return fail(ErrorKind::usage, std::move(what), {},
              near.empty() ? fmt::format("there are {}; 'prover --help' explains them",
                                         fmt::join(known, ", "))
                           : fmt::format("did you mean '{}'?", near));
}

}  // namespace

const Option* Command::find(std::string_view option) const {
  const auto at =
      std::ranges::find_if(options, [&](const Option& row) { return row.name == option; });
  return at == options.end() ? nullptr : &*at;
}

std::string Command::usage() const {
  std::string text = fmt::format("prover {}", name);
  for (const Positional& positional : positionals) text += fmt::format(" {}", positional.name);
  return options.empty() ? text : text + " [OPTIONS]";
}

void Arguments::add(std::string_view option, std::string value) {
  given_[std::string(option)].push_back(std::move(value));
}

bool Arguments::has(std::string_view option) const { return !values(option).empty(); }

std::vector<std::string> Arguments::values(std::string_view option) const {
  PROVER_CHECK(command_->find(option) != nullptr, "an option of this command");
  const auto at = given_.find(option);
  return at == given_.end() ? std::vector<std::string>() : at->second;
}

std::optional<std::string> Arguments::value(std::string_view option) const {
  std::vector<std::string> all = values(option);
  if (!all.empty()) return std::move(all.back());
  const std::string_view fallback = command_->find(option)->fallback;
  if (fallback.empty()) return std::nullopt;
  return std::string(fallback);
}

Result<std::optional<std::uint64_t>> Arguments::count(std::string_view option, std::uint64_t low,
                                                      std::uint64_t high) const {
  const auto text = value(option);
  if (!text) return std::optional<std::uint64_t>();
  auto number = parse_count(*text, low, high);
  if (number) return std::optional(*number);
  number.error().where = fmt::format("--{} {}", option, printable(*text));
  return fail(number.error());
}

std::vector<std::string> first_words() {
  std::vector<std::string> words;
  for (const Command& command : commands()) {
    const std::string_view first = command.name.substr(0, command.name.find(' '));
    if (words.empty() || words.back() != first) words.emplace_back(first);
  }
  return words;
}

std::vector<std::string> subcommands(std::string_view first) {
  std::vector<std::string> words;
  for (const Command& command : commands())
    if (command.name.size() > first.size() && command.name.starts_with(first) &&
        command.name[first.size()] == ' ')
      words.emplace_back(command.name.substr(first.size() + 1));
  return words;
}

Result<Found> find_command(std::span<const std::string> words) {
  if (words.empty() || words[0].empty())
    return fail(ErrorKind::usage, "a command is needed", {}, "'prover --help' lists what there is");
  const std::string& first = words[0];
  for (const Command& command : commands())
    if (command.name == first) return Found{&command, 1};
  const std::vector<std::string> seconds = subcommands(first);
  if (seconds.empty())
    return unknown(fmt::format("'{}' is no command", printable(first)), first, first_words());
  if (words.size() < 2 || words[1].starts_with('-'))
    return fail(ErrorKind::usage,
                fmt::format("{} needs to know what: {}", first, fmt::join(seconds, ", ")), {},
                fmt::format("'prover {} {} --help' explains it", first, seconds.front()));
  for (const Command& command : commands())
    if (command.name == fmt::format("{} {}", first, words[1])) return Found{&command, 2};
  return unknown(
      fmt::format("{}: '{}' is none of {}", first, printable(words[1]), fmt::join(seconds, ", ")),
      words[1], seconds);
}

}  // namespace prover::cli
