// SPDX-License-Identifier: Apache-2.0
#include "prover/bench/batch.hpp"
#include "prover/bench/loop.hpp"
#include "prover/bench/report.hpp"
#include "prover/cli/bench_output.hpp"
#include "prover/cli/commands.hpp"
#include "prover/cli/exit_status.hpp"
#include "prover/cli/signals.hpp"
#include "prover/cli/terminal.hpp"

namespace prover::cli {
namespace {

int exit_status(const bench::BatchOptions& options, const bench::BatchResult& result,
                const Timeline& timeline) {
  if (result.engine.fatal) return kFailed;
  if (result.signal_number != 0) return kSignalled + result.signal_number;
  if (!counts_of(options, result).complete() || timeline.trouble()) return kFailed;
  return kFine;
}

Result<bench::BatchResult> measure(const bench::BatchOptions& options, const bench::Load& load,
                                   ResidentMemory& resident, Timeline& timeline,
                                   bench::StopRequests& stops) {
  if (options.command == bench::Command::loop) return run_loop(options, load, resident, stops);
  return run_batch(options, load, resident, timeline, stops);
}

Result<int> run_bench(bench::Command command, const Arguments& arguments) {
  const auto options = bench_options(command, arguments);
  if (!options) return fail(options.error());
  const auto output = BenchOutput::open(*options);
  if (!output) return fail(output.error());
  Timeline timeline;
  if (options->timeline)
    if (auto opened = timeline.open(*options->timeline); !opened) return fail(opened.error());

  ResidentMemory resident;
  const auto load = open_load(*options);
  if (!load) return fail(load.error());
  bench::StopRequests stops;
  const SignalWatch watch([&](int number) {
    stops.request(number);
    tell("prover: {}\n", stops.count() == 1
                             ? "no new jobs; those in flight end (once more cancels them)"
                             : "cancelling what is in flight");
  });
  const auto result = measure(*options, **load, resident, timeline, stops);
  if (!result) return fail(result.error());
  if (auto done = output->write(*options, report_text(*options, *result),
                                report_json(*options, *result), assay_lines(*options, *result));
      !done)
    return fail(done.error());
  for (const std::string& warning : result->warnings) warn(warning);
  if (result->engine.fatal) tell("prover: {}\n", fatal_text(*options, *result->engine.fatal));
  return exit_status(*options, *result, timeline);
}

}  // namespace

Result<int> run_bench_batch(const Arguments& arguments) {
  return run_bench(bench::Command::batch, arguments);
}

Result<int> run_bench_single(const Arguments& arguments) {
  return run_bench(bench::Command::single, arguments);
}

Result<int> run_bench_loop(const Arguments& arguments) {
  return run_bench(bench::Command::loop, arguments);
}

}  // namespace prover::cli
