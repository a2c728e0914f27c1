// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <iterator>
#include <map>

#include "prover/base/text.hpp"
#include "prover/bench/critical_path.hpp"
#include "prover/bench/distribution.hpp"
#include "prover/bench/report.hpp"
#include "prover/bench/settings.hpp"

namespace prover::bench {
namespace {

constexpr std::size_t kColumns = 100, kShownErrors = 5;

using Out = std::back_insert_iterator<std::string>;

void counts_lines(Out out, const BatchOptions& options, const BatchResult& result) {
  const Counts counts = counts_of(options, result);
  fmt::format_to(out, "proofs      {} of {}, each checked\n", counts.proofs, counts.jobs_asked);
  fmt::format_to(out, "partitions  {} x {} = {} asked, {} proved, {} in the proofs: {}\n",
                 counts.jobs_asked, options.partitions, counts.partitions_asked,
                 counts.partitions_proved, counts.partitions_in_proofs,
                 counts.complete() ? "complete" : "INCOMPLETE");
}

void throughput_lines(Out out, const BatchOptions& options, const BatchResult& result) {
  const Counts counts = counts_of(options, result);
  const double seconds = result.makespan_s();
  fmt::format_to(out, "makespan    {}", show_ms(seconds * 1e3));
  if (counts.proofs > 0 && seconds > 0)
    fmt::format_to(out, "   {:.3g} proofs/s   {:.3g} partitions/s",
                   static_cast<double>(counts.proofs) / seconds,
                   static_cast<double>(counts.partitions_in_proofs) / seconds);
  fmt::format_to(out, "\n\n");
}

void distribution_lines(Out out, const BatchResult& result) {
  fmt::format_to(out, "{:30}{:>7}{:>10}{:>10}{:>10}{:>10}{:>10}\n", "of the checked proofs", "n",
                 "mean", "median", "p90", "p99", "max");
  for (const Sample& sample : samples_of(result)) {
    const auto found = distribution_of(sample.values);
    fmt::format_to(out, "{:30}", sample.what);
    if (!found) {
      fmt::format_to(out, "{:>7}\n", 0);
      continue;
    }
    fmt::format_to(out, "{:>7}", found->n);
    for (const double value : {found->mean, found->median, found->p90, found->p99, found->max})
      fmt::format_to(out, "{:>10}", show_ms(value));
    fmt::format_to(out, "\n");
  }
  fmt::format_to(out, "\n");
}

double per_partition_ms(double seconds, const Counts& counts) {
  return seconds * 1e3 / static_cast<double>(counts.partitions_proved);
}

// CPU time, which other programs' noise touches least.
void cpu_lines(Out out, const BatchOptions& options, const BatchResult& result) {
  const Counts counts = counts_of(options, result);
  if (counts.partitions_proved == 0 || result.cpu_s <= 0) return;
  fmt::format_to(out, "cpu         {}, {} a partition; of it, by the threads that call:",
                 show_ms(result.cpu_s * 1e3), show_ms(per_partition_ms(result.cpu_s, counts)));
  for (std::size_t i = 0; i < kSteps; ++i)
    if (result.cpus[i].calls > 0)
      fmt::format_to(out, " {} {}", kStepNames[i],
                     show_ms(per_partition_ms(result.cpus[i].seconds, counts)));
  fmt::format_to(out, "\n");
}

void memory_lines(Out out, const BatchOptions& options, const BatchResult& result) {
  const Snapshot& engine = result.engine;
  const auto& set = options.settings.engine;
  fmt::format_to(out, "peak memory {} ({})\n", show_bytes(result.peak.bytes), result.peak.method);
  if (options.command == Command::loop) return;
  fmt::format_to(out, "reserved    {} at most, of {}\n", show_bytes(engine.reserved_peak),
                 set.memory_budget ? fmt::format("a budget of {}", show_bytes(*set.memory_budget))
                                   : "no budget");
  if (engine.cache.loads + engine.cache.hits > 0)
    fmt::format_to(out, "loaded      {} keys and circuits, used {} times, {} evicted\n",
                   engine.cache.loads, engine.cache.loads + engine.cache.hits,
                   engine.cache.evictions);
  fmt::format_to(out,
                 "in flight   {} at most before the prove workers (permits {} + capacity {}), {} "
                 "with those being proved\n",
                 engine.peaks.before_proving, set.partition_workers, set.capacity(),
                 engine.peaks.total);
}

void path_lines(Out out, const BatchOptions& options, const BatchResult& result) {
  if (options.command != Command::single || result.outcomes.empty()) return;
  const auto parts = critical_path(result.outcomes.front());
  if (parts.empty()) return;
  double total = 0;
  for (const PathPart& part : parts) total += part.ms;
  fmt::format_to(out, "critical path, from the submission to the checked proof:\n");
  for (const PathPart& part : parts)
    fmt::format_to(out, "  {:12}{:>5}{:>10}{:>7.1f} %\n", part.name, part.n, show_ms(part.ms),
                   total > 0 ? 100 * part.ms / total : 0);
  fmt::format_to(out, "\n");
}

// Each error once, with how many jobs had it.
void error_lines(Out out, const BatchResult& result) {
  std::map<std::string, std::size_t> errors;
  for (const JobOutcome& outcome : result.outcomes)
    if (outcome.error) ++errors[outcome.error->to_text()];
  std::size_t shown = 0;
  for (const auto& [text, jobs] : errors) {
    if (++shown > kShownErrors) break;
    fmt::format_to(out, "{} {}: {}\n", jobs, jobs == 1 ? "job" : "jobs", text);
  }
  if (errors.size() > kShownErrors)
    fmt::format_to(out, "and {} other errors\n", errors.size() - kShownErrors);
}

}  // namespace

std::string settings_text(const BatchOptions& options) {
  std::string text;
  const Out out(text);
  std::string line = "settings ";
  for (const auto& [name, value] : effective_settings(options)) {
    const std::string word = fmt::format(" {}={}", name, value);
    if (line.size() + word.size() > kColumns) {
      fmt::format_to(out, "{}\n", line);
      line = std::string(9, ' ');
    }
    line += word;
  }
  fmt::format_to(out, "{}\n\n", line);
  return text;
}

Counts counts_of(const BatchOptions& options, const BatchResult& result) {
  Counts counts;
  counts.jobs_asked = options.jobs;
  counts.partitions_asked = std::uint64_t{options.jobs} * options.partitions;
  counts.partitions_proved = result.engine.partitions_proved;
  for (const JobOutcome& outcome : result.outcomes) {
    if (!outcome.proof) continue;
    ++counts.proofs;
    counts.partitions_in_proofs += outcome.proof->partitions;
  }
  return counts;
}

std::string report_text(const BatchOptions& options, const BatchResult& result) {
  std::string text;
  const Out out(text);
  fmt::format_to(out, "prover {}: {} {} x {} partitions, {} at once, {} work\n",
                 command_name(options.command), options.jobs, options.jobs == 1 ? "job" : "jobs",
                 options.partitions, options.jobs_at_once(), options.load.name());
  text += settings_text(options);
  counts_lines(out, options, result);
  throughput_lines(out, options, result);
  distribution_lines(out, result);
  path_lines(out, options, result);
  cpu_lines(out, options, result);
  memory_lines(out, options, result);
  error_lines(out, result);
  return text;
}

std::string assay_lines(const BatchOptions& options, const BatchResult& result) {
  const Counts counts = counts_of(options, result);
  std::string text;
  const Out out(text);
  if (counts.proofs > 0 && result.makespan_s() > 0) {
    fmt::format_to(out, "ASSAY throughput={} partitions/s\n",
                   static_cast<double>(counts.partitions_in_proofs) / result.makespan_s());
    fmt::format_to(out, "ASSAY proof_throughput={} proofs/s\n",
                   static_cast<double>(counts.proofs) / result.makespan_s());
    fmt::format_to(out, "ASSAY makespan={} s\n", result.makespan_s());
    for (const Sample& sample : samples_of(result))
      if (const auto found = distribution_of(sample.values);
          found && sample.name == "proof_latency")
        fmt::format_to(out, "ASSAY proof_latency={} s\n", found->mean / 1e3);
  }
  const auto cpu = [&](const char* name, double seconds) {
    if (counts.partitions_proved > 0 && seconds > 0)
      fmt::format_to(out, "ASSAY {}={} s\n", name,
                     seconds / static_cast<double>(counts.partitions_proved));
  };
  const auto of = [&](Step step) { return result.cpus[static_cast<std::size_t>(step)].seconds; };
  cpu("partition_cpu", result.cpu_s);
  cpu("synth_cpu", of(Step::synth));
  cpu("prove_cpu", of(Step::upload) + of(Step::start) + of(Step::finish));
  if (result.peak.bytes > 0) fmt::format_to(out, "ASSAY peak_memory={} B\n", result.peak.bytes);
  return text;
}

std::string fatal_text(const BatchOptions& options, const Fatal& fatal) {
  const FlightCounts& at = fatal.held.in_flight;
  std::string text = fmt::format("out of memory: {}\n", fatal.error.to_text());
  fmt::format_to(Out(text),
                 "  held at that moment: {} resident, {} reserved\n"
                 "  in flight: {} being synthesised, {} finished and not sent, {} queued, {} being "
                 "proved\n",
                 show_bytes(fatal.held.resident), show_bytes(fatal.held.reserved),
                 at[Place::synthesising], at[Place::unsent], at[Place::queued], at[Place::proving]);
  if (options.settings.engine.permit_scope == PermitScope::synthesis)
    text +=
        "  finished partitions wait in their sends without a permit: --permit-scope send stops "
        "the synthesis instead\n";
  text +=
      "  what bounds it: --memory-budget BYTES, fewer --partition-workers, a smaller --channel or "
      "--lookahead, --early-free on";
  return text;
}

}  // namespace prover::bench
