// SPDX-License-Identifier: Apache-2.0
// prover-daemon: the daemon and its clients, the only program with gRPC. `prover daemon`, `prover
// submit` and so on start it with their words.
#include <fmt/format.h>

#include <span>

#include "prover/cli/daemon_commands.hpp"
#include "prover/cli/exit_status.hpp"
#include "prover/cli/help.hpp"
#include "prover/cli/parse.hpp"
#include "prover/cli/program_start.hpp"
#include "prover/cli/terminal.hpp"
#include "prover/field/isa.hpp"

namespace prover::cli {
namespace {

struct Verb {
  std::string_view name;
  Result<int> (*run)(const Arguments& arguments);
};
constexpr Verb kVerbs[] = {{"daemon", run_daemon}, {"submit", run_submit}, {"await", run_await},
                           {"cancel", run_cancel}, {"status", run_status}, {"preload", run_preload},
                           {"evict", run_evict},   {"config", run_config}};

Result<int> run(const std::vector<std::string>& words) {
  if (const auto isa = field::isa_from_environment(); !isa) return fail(isa.error());
  for (const Verb& verb : kVerbs) {
    if (words.empty() || words.front() != verb.name) continue;
    const auto found = find_command(words);
    if (!found) return fail(found.error());
    const auto arguments = parse(*found->command, std::span(words).subspan(found->words));
    if (!arguments) return fail(arguments.error());
    if (arguments->help == Help::none) return verb.run(*arguments);
    if (auto shown = print(arguments->help == Help::brief ? brief_help(*found->command)
                                                          : full_help(*found->command));
        !shown)
      return fail(shown.error());
    return kFine;
  }
  if (words.size() == 1 && words.front() == "--version") {
    if (auto shown = print(fmt::format("prover-daemon {}\n", PROVER_VERSION)); !shown)
      return fail(shown.error());
    return kFine;
  }
  return fail(ErrorKind::usage, "this program serves 'prover daemon', submit, await and so on", {},
              "'prover --help' lists the commands");
}

}  // namespace
}  // namespace prover::cli

int main(int argc, char** argv) {
  prover::cli::prepare_program();
  return prover::cli::run_program(argc, argv, prover::cli::run);
}
