// SPDX-License-Identifier: Apache-2.0
#include "prover/bench/inspect.hpp"
#include "prover/cli/bench_output.hpp"
#include "prover/cli/commands.hpp"
#include "prover/cli/exit_status.hpp"
#include "prover/cli/interrupt.hpp"
#include "prover/cli/terminal.hpp"
#include "prover/groth16/stages.hpp"

namespace prover::cli {

Result<int> run_bench_synth(const Arguments& arguments) {
  const auto options = bench_options(bench::Command::synth, arguments);
  if (!options) return fail(options.error());
  const auto output = BenchOutput::open(*options);
  if (!output) return fail(output.error());
  ResidentMemory resident;
  const auto load = open_load(*options);
  if (!load) return fail(load.error());
  const Interrupt interrupt;
  const auto result =
      run_synthesis(*options, **load, resident, [&] { return !interrupt.requested(); });
  if (!result && interrupt.requested()) return interrupt.status();
  if (!result) return fail(result.error());
  if (auto done = output->write(*options, synthesis_text(*options, *result),
                                synthesis_json(*options, *result), synthesis_lines(*result));
      !done)
    return fail(done.error());
  for (const std::string& warning : result->warnings) warn(warning);
  return kFine;
}

Result<int> run_bench_stages(const Arguments& arguments) {
  auto options = bench_options(bench::Command::stages, arguments);
  if (!options) return fail(options.error());
  const auto output = BenchOutput::open(*options);
  if (!output) return fail(output.error());
  groth16::StageTotals stages;
  options->settings.work.stages = &stages;
  ResidentMemory resident;
  const auto load = open_load(*options);
  if (!load) return fail(load.error());
  const Interrupt interrupt;
  const auto result =
      run_stages(*options, **load, resident, [&] { return !interrupt.requested(); });
  if (!result && interrupt.requested()) return interrupt.status();
  if (!result) return fail(result.error());
  if (auto done = output->write(*options, stages_text(*options, *result),
                                stages_json(*options, *result), stages_lines(*result));
      !done)
    return fail(done.error());
  for (const std::string& warning : result->warnings) warn(warning);
  return kFine;
}

}  // namespace prover::cli
