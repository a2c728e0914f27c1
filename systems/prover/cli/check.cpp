// SPDX-License-Identifier: Apache-2.0
#include "prover/groth16/check.hpp"

#include <fmt/format.h>

#include "prover/base/text.hpp"
#include "prover/cli/commands.hpp"
#include "prover/cli/exit_status.hpp"
#include "prover/cli/interrupt.hpp"
#include "prover/cli/terminal.hpp"
#include "prover/cli/threads.hpp"

namespace prover::cli {

Result<int> run_check(const Arguments& arguments) {
  const std::string& path = arguments.positionals[0];
  groth16::CheckOptions options;
  const auto threads = threads_of(arguments);
  if (!threads) return fail(threads.error());
  options.threads = *threads;
  const auto key = files::ZkeyFile::open(path);
  if (!key) return fail(key.error());

  const Interrupt interrupt;
  Progress progress("check");
  options.progress = [&](const std::string& what) {
    progress.show(what);
    return !interrupt.requested();
  };
  const auto faults = groth16::check(key->key(), options);
  if (!faults && interrupt.requested()) return interrupt.status();
  if (!faults) return fail(faults.error());
  progress.clear();
  for (const Error& fault : *faults) complain(fault);
  if (!faults->empty()) return kUsage;
  if (auto printed =
          print(fmt::format("{}: points, groups and coefficients are sound\n", printable(path)));
      !printed)
    return fail(printed.error());
  if (key->key().insecure()) warn(fmt::format("{} is INSECURE", printable(path)));
  return kFine;
}

}  // namespace prover::cli
