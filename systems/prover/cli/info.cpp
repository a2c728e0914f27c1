// SPDX-License-Identifier: Apache-2.0
#include "prover/cli/commands.hpp"
#include "prover/cli/exit_status.hpp"
#include "prover/cli/terminal.hpp"
#include "prover/files/describe.hpp"

namespace prover::cli {

Result<int> run_info(const Arguments& arguments) {
  const auto text = files::describe(arguments.positionals[0], arguments.has("json"));
  if (!text) return fail(text.error());
  if (auto printed = print(*text); !printed) return fail(printed.error());
  return kFine;
}

}  // namespace prover::cli
