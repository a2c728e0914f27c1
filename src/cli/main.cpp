// SPDX-License-Identifier: Apache-2.0
// Finds the command, parses its words, runs it, and is the only place where results become exit
// codes.
#include <fmt/format.h>
#include <unistd.h>

#include "base/check.hpp"
#include "cli/commands.hpp"
#include "cli/interrupt.hpp"
#include "cli/parse.hpp"
#include "cli/usage.hpp"

namespace assay::cli {
namespace {

Terminal make_terminal(const Arguments& arguments) {
  const std::string when = arguments.value("colour").value_or("auto");
  const Colour colour = when == "always"  ? Colour::always
                        : when == "never" ? Colour::never
                                          : Colour::automatic;
  return {STDOUT_FILENO, STDERR_FILENO, colour, arguments.has("quiet")};
}

// The exit code, once all output is written.
int finish(Terminal& terminal, const Result<int>& result) {
  terminal.clear_progress();
  int code = result ? *result : terminal.error(result.error(), kBadInput);
  if (!terminal.written()) code = terminal.error(terminal.written().error(), kNotMeasured);
  ASSAY_CHECK(code != kFine || !terminal.printed_error(), "a printed error never exits 0");
  return code;
}

int run_command(const CommandSpec& spec, std::span<const std::string> words) {
  const Result<Arguments> arguments = parse(spec, words);
  Terminal terminal = make_terminal(arguments ? *arguments : Arguments(spec));
  if (!arguments) return finish(terminal, fail(arguments.error()));
  if (arguments->help != Help::none) {
    const CommandSpec& asked = spec_to_explain(spec, arguments->positionals);
    terminal.print(arguments->help == Help::brief ? brief_help(asked) : full_help(asked));
    return finish(terminal, kFine);
  }
  if (arguments->version) return finish(terminal, run_version(*arguments, terminal));
  return finish(terminal, function_of(spec)(*arguments, terminal));
}

// `assay` with options alone: --version, --help, or nothing that can be run.
int run_without_command(const Result<Arguments>& arguments) {
  Terminal terminal = make_terminal(arguments ? *arguments : Arguments(help_spec()));
  if (!arguments) return finish(terminal, fail(arguments.error()));
  if (arguments->version) return finish(terminal, run_version(*arguments, terminal));
  if (arguments->help != Help::none) {
    terminal.print(overview(all_specs()));
    return finish(terminal, kFine);
  }
  return finish(terminal, fail("no command was given", {}, "'assay help' lists the commands"));
}

int run_program(std::vector<std::string> words) {
  watch_interrupts();
  static const CommandSpec kNone{};
  const std::size_t before = count_global_words(words);
  const auto command = words.begin() + static_cast<std::ptrdiff_t>(before);
  const Result<Arguments> globals = parse(kNone, std::span(words).first(before));
  if (command == words.end() || !globals || globals->version || globals->help == Help::full)
    return run_without_command(globals);
  const CommandSpec* spec = find_spec(*command);
  if (spec == nullptr) {
    Terminal terminal = make_terminal(*globals);
    return finish(terminal, fail(unknown_command(*command)));
  }
  // Global options may stand before the command's name: they are parsed as if they stood behind it.
  words.erase(command);
  return run_command(*spec, words);
}

}  // namespace
}  // namespace assay::cli

int main(int argc, char** argv) {
  return assay::cli::run_program(std::vector<std::string>(argv + 1, argv + argc));
}
