// SPDX-License-Identifier: Apache-2.0
// The rows of the commands that measure. Their options come from the table of settings.
#include "prover/bench/settings.hpp"
#include "prover/cli/command.hpp"
#include "prover/cli/commands.hpp"

namespace prover::cli {
namespace {

Command with_settings(bench::Command which, Command command) {
  command.name = bench::command_name(which);
  for (const bench::Setting& setting : bench::settings())
    if (setting.is_of(which))
      command.options.push_back({.name = setting.name,
                                 .short_name = setting.short_name,
                                 .value = setting.value,
                                 .help = setting.help,
                                 .group = setting.group,
                                 .choices = setting.choices});
  return command;
}

Command batch_command() {
  return with_settings(
      bench::Command::batch,
      {.summary = "prove many jobs of many partitions with the engine, and measure it",
       .details =
           "Sends jobs of partitions through the engine and reports throughput, distributions, CPU "
           "time, peak memory and whether all that was asked for was proved. A partition is a "
           "Groth16 proof of one of our own circuits; its key is made at the first run, INSECURE, "
           "and kept in a cache. With --work synthetic it takes time, CPU and memory as "
           "configured, "
           "and proves nothing. A first Ctrl-C or SIGTERM lets the jobs in flight end, a second "
           "one "
           "cancels them.",
       .examples = {{"prover bench batch -c 15 -j 15 --partitions 10",
                     "15 proofs of 10 partitions, all in flight at once"},
                    {"prover bench batch -c 15 -j 15 --memory-budget 96MiB --json report.json",
                     "the same within 96 MiB"},
                    {"prover bench batch --work porep --depth 4 --partition-workers 2",
                     "scaled proofs of replication"},
                    {"prover bench batch --work synthetic --inject prove=+10% --timeline run.log",
                     "a slower device; the events of the run as TIMELINE lines"}},
       .run = run_bench_batch});
}

Command single_command() {
  return with_settings(
      bench::Command::single,
      {.summary = "prove one job of many partitions with the engine, and show its critical path",
       .details = "What a client that is alone waits for: the chain of activities, backwards from "
                  "the checked proof, each behind the one that let it begin.",
       .examples = {{"prover bench single --partitions 10", "one proof of 10 partitions"}},
       .run = run_bench_single});
}

Command loop_command() {
  return with_settings(
      bench::Command::loop,
      {.summary = "prove the same partitions one after the other, without the engine",
       .details = "The calls that the engine makes, on one thread and with nothing between them: "
                  "what the engine costs, and what it wins, is the difference to bench batch.",
       .examples = {{"prover bench loop -c 2 --partitions 10", "20 partitions"}},
       .run = run_bench_loop});
}

Command synth_command() {
  return with_settings(
      bench::Command::synth,
      {.summary = "synthesise partitions alone: CPU time, page faults, memory",
       .examples = {{"prover bench synth-only --compiled off --lc-pool off",
                     "by the circuit's builder, every linear combination allocated"}},
       .run = run_bench_synth});
}

Command stages_command() {
  return with_settings(
      bench::Command::stages,
      {.summary = "what a partition's time goes into: transforms, sums, synthesis, the check",
       .examples = {{"prover bench stages --work poseidon --partitions 3", "means of three"}},
       .run = run_bench_stages});
}

Command bench_field_command() {
  return {
      .name = "bench field",
      .summary = "nanoseconds of a product, a bucket addition and a butterfly, by instruction set",
      .details =
          "One thread. GMP stands beside them where libgmp is installed: a product and "
          "its remainder.",
      .options = {{.name = "json", .help = "print the result as JSON"},
                  {.name = "quick", .help = "fewer and shorter samples: a second in all"}},
      .examples = {{"prover bench field", "takes some ten seconds"}},
      .run = run_bench_field};
}

}  // namespace

std::vector<Command> bench_commands() {
  return {batch_command(), single_command(), loop_command(),
          synth_command(), stages_command(), bench_field_command()};
}

}  // namespace prover::cli
