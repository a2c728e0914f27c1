// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

#include "prover/cli/exit_status.hpp"
#include "prover/cli/help.hpp"
#include "prover/cli/parse.hpp"
#include "prover/cli/program_start.hpp"
#include "prover/cli/terminal.hpp"
#include "prover/field/isa.hpp"

namespace prover::cli {
namespace {

bool is_help(const std::string& word) { return word == "--help" || word == "-h"; }

Result<int> show(const std::string& text) {
  if (auto printed = print(text); !printed) return fail(printed.error());
  return kFine;
}

// prover help prove
Result<int> help_about(std::span<const std::string> words) {
  if (words.size() == 1 && !subcommands(words[0]).empty()) return show(group_help(words[0]));
  const auto found = find_command(words);
  if (!found) return fail(found.error());
  return show(full_help(*found->command));
}

Result<int> run(const std::vector<std::string>& words) {
  if (const auto isa = field::isa_from_environment(); !isa) return fail(isa.error());
  if (!words.empty()) {
    const std::string& first = words.front();
    if (is_help(first) || words == std::vector<std::string>{"help"}) return show(overview());
    if (first == "help") return help_about(std::span(words).subspan(1));
    if (first == "--version") return show(fmt::format("prover {}\n", PROVER_VERSION));
    if (words.size() > 1 && is_help(words[1]) && !subcommands(first).empty())
      return show(group_help(first));
  }
  const auto found = find_command(words);
  if (!found) return fail(found.error());
  const Command& command = *found->command;
  const auto arguments = parse(command, std::span(words).subspan(found->words));
  if (!arguments) return fail(arguments.error());
  if (arguments->help != Help::none)
    return show(arguments->help == Help::brief ? brief_help(command) : full_help(command));
  return command.run(*arguments);
}

}  // namespace
}  // namespace prover::cli

int main(int argc, char** argv) {
  prover::cli::prepare_program();
  return prover::cli::run_program(argc, argv, prover::cli::run);
}
