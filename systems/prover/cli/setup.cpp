// SPDX-License-Identifier: Apache-2.0
#include "prover/groth16/setup.hpp"

#include <fmt/format.h>

#include "prover/base/text.hpp"
#include "prover/cli/commands.hpp"
#include "prover/cli/exit_status.hpp"
#include "prover/cli/interrupt.hpp"
#include "prover/cli/outputs.hpp"
#include "prover/cli/terminal.hpp"
#include "prover/cli/threads.hpp"

namespace prover::cli {

Result<int> run_setup(const Arguments& arguments) {
  const std::string &r1cs = arguments.positionals[0], &zkey = arguments.positionals[1];
  groth16::SetupOptions options;
  const auto threads = threads_of(arguments);
  if (!threads) return fail(threads.error());
  options.threads = *threads;
  const auto seed = arguments.count("seed", 0, ~std::uint64_t{0});
  if (!seed) return fail(seed.error());
  options.seed = *seed;
  const std::span<const std::string> all = arguments.positionals;
  const Interrupt interrupt;  // before anything is written, a probe of the outputs too
  if (auto ok = check_outputs(all.first(1), all.subspan(1)); !ok) return fail(ok.error());
  const auto circuit = files::R1csFile::open(r1cs);
  if (!circuit) return fail(circuit.error());

  Progress progress("setup");
  options.progress = [&](double part) {
    progress.show(part);
    return !interrupt.requested();
  };
  const auto done = groth16::setup(circuit->circuit(), r1cs, zkey, options);
  if (!done && interrupt.requested()) return interrupt.status();
  if (!done) return fail(done.error());
  progress.clear();
  warn(fmt::format(
      "{} is INSECURE: {}, and who knows it can prove what is false. For tests and benchmarks only",
      printable(zkey),
      options.seed ? "its trapdoor follows from the seed"
                   : "its trapdoor was known to this process"));
  return kFine;
}

}  // namespace prover::cli
