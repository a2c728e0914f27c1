// SPDX-License-Identifier: Apache-2.0
#include "prover/cli/help.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace prover::cli {
namespace {

constexpr std::size_t kIndent = 32, kColumns = 100;

// Words of `text` in lines of kColumns, from column `indent` on, behind `head`.
std::string wrapped(std::string head, std::string_view text, std::size_t indent) {
  std::string lines;
  const std::size_t ink = head.find_last_not_of(' ') + 1;
  if (indent > 0 && ink + 2 > indent && ink > 0) {  // the text begins on a line of its own
    lines = head + "\n";
    head.clear();
  }
  if (indent > 0) head.resize(indent, ' ');
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    if (head.size() + end > kColumns) {
      lines += head.substr(0, head.find_last_not_of(' ') + 1) + "\n";
      head = std::string(indent, ' ');
    }
    head.append(text.substr(0, end)).append(" ");
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines + head.substr(0, head.find_last_not_of(' ') + 1) + "\n";
}

std::string row(const Option& option) {
  std::string head = option.short_name != 0 ? fmt::format("  -{}, ", option.short_name) : "      ";
  head += fmt::format("--{}", option.name);
  if (!option.value.empty()) head += fmt::format(" {}", option.value);
  std::string text(option.help);
  if (!option.fallback.empty()) text += fmt::format(" (default {})", option.fallback);
  return wrapped(std::move(head), text, kIndent);
}

std::string option_rows(const Command& command) {
  std::string text;
  std::string_view group;
  for (const Option& option : command.options) {
    if (group != option.group) {
      group = option.group;
      text += fmt::format("\n{}:\n", group);
    }
    text += row(option);
  }
  return text;
}

std::string head(const Command& command) {
  std::string text = fmt::format("usage: {}\n", command.usage());
  text += wrapped({}, fmt::format("{}.", command.summary), 0);
  return text;
}

std::string positional_rows(const Command& command) {
  std::string text;
  for (const Positional& positional : command.positionals)
    text += wrapped(fmt::format("  {}", positional.name), positional.help, kIndent);
  return text.empty() ? text : "\n" + text;
}

std::string command_rows(std::string_view first) {
  std::string text;
  for (const Command& command : commands())
    if (command.name == first || command.name.starts_with(fmt::format("{} ", first)))
      text += wrapped(fmt::format("  {}", command.name), command.summary, 20);
  return text;
}

}  // namespace

std::string overview() {
  std::string text =
      "prover: Groth16 proofs on BN254 and BLS12-381, and a memory-bounded, pipelined engine\n\n"
      "usage: prover COMMAND ...   'prover help COMMAND' explains one, 'prover --version'\n\n";
  for (const std::string& first : first_words()) text += command_rows(first);
  return text +
         "\nPROVER_ISA=portable|adx|ifma forces an instruction set; otherwise the best one is "
         "taken.\n"
         "systems/prover/README.md says what is there and what is not.\n"
         "\n"
         "exit status: 0 fine; 1 the proof is not valid (verify); 2 bad command line or bad input; "
         "3 failed,\n"
         "for want of memory or disk too; 130 interrupted (143 by SIGTERM)\n";
}

std::string group_help(std::string_view first) {
  return fmt::format("usage: prover {} {} ...   with --help for its options\n\n{}", first,
                     fmt::join(subcommands(first), "|"), command_rows(first));
}

std::string brief_help(const Command& command) {
  return head(command) + positional_rows(command) + option_rows(command);
}

std::string full_help(const Command& command) {
  std::string text = head(command);
  for (std::string_view rest = command.details; !rest.empty();) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    text += "\n" + wrapped({}, rest.substr(0, end), 0);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  text += positional_rows(command) + option_rows(command);
  if (!command.examples.empty()) text += "\nexamples:\n";
  for (const Example& example : command.examples)
    text += fmt::format("  {}\n", example.command) +
            wrapped(std::string(6, ' '), example.explanation, 7);
  return text;
}

}  // namespace prover::cli
