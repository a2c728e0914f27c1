// SPDX-License-Identifier: Apache-2.0
#include "prover/bench/microbench.hpp"
#include "prover/cli/commands.hpp"
#include "prover/cli/exit_status.hpp"
#include "prover/cli/interrupt.hpp"
#include "prover/cli/terminal.hpp"

namespace prover::cli {

Result<int> run_bench_field(const Arguments& arguments) {
  bench::MicrobenchOptions options;
  if (arguments.has("quick")) options.sample_s = 0.004, options.samples = 5;
  const Interrupt interrupt;
  Progress progress("bench field");
  options.progress = [&](double part) {
    progress.show(part);
    return !interrupt.requested();
  };
  const auto figures = bench::microbench(options);
  if (!figures && interrupt.requested()) return interrupt.status();
  if (!figures) return fail(figures.error());
  progress.clear();
  const std::string text =
      arguments.has("json") ? microbench_json(*figures, options) : microbench_text(*figures);
  if (auto printed = print(text); !printed) return fail(printed.error());
  return kFine;
}

}  // namespace prover::cli
