// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <sys/resource.h>
#include <time.h>

#include <chrono>
#include <iterator>

#include "prover/base/text.hpp"
#include "prover/bench/distribution.hpp"
#include "prover/bench/inspect.hpp"
#include "prover/bench/report.hpp"
#include "prover/bench/resources.hpp"

namespace prover::bench {
namespace {

double ms_of(const timeval& time) {
  return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_usec) / 1e3;
}

double ms_since(TimePoint begin) { return milliseconds(begin, std::chrono::steady_clock::now()); }

// getrusage counts in ticks of 4 ms on many kernels.
double thread_cpu_ms() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

rusage usage() {
  rusage now{};
  getrusage(RUSAGE_THREAD, &now);
  return now;
}

Result<SynthesisSample> synthesise_one(const Load& load, const Source& source,
                                       ResidentMemory& resident) {
  SynthesisSample sample;
  const rusage before = usage();
  const double cpu_before = thread_cpu_ms();
  const TimePoint begin = std::chrono::steady_clock::now();
  auto assignment = load.work().synthesize(source, {});
  if (!assignment) return fail(assignment.error());
  sample.wall_ms = ms_since(begin);
  const rusage after = usage();
  sample.cpu_ms = thread_cpu_ms() - cpu_before;
  sample.system_ms = ms_of(after.ru_stime) - ms_of(before.ru_stime);
  sample.page_faults = static_cast<std::uint64_t>(after.ru_minflt - before.ru_minflt);
  resident.sample();
  const TimePoint full = std::chrono::steady_clock::now();
  assignment->reset();
  sample.free_ms = ms_since(full);
  return sample;
}

struct Column {
  const char* name;
  const char* what;
  double (*of)(const SynthesisSample& sample);
  bool is_time = true;
};

constexpr Column kColumns[] = {
    {"cpu_ms", "cpu time", [](const SynthesisSample& s) { return s.cpu_ms; }},
    {"system_ms", "  of it the kernel's", [](const SynthesisSample& s) { return s.system_ms; }},
    {"wall_ms", "wall time", [](const SynthesisSample& s) { return s.wall_ms; }},
    {"free_ms", "to give it back", [](const SynthesisSample& s) { return s.free_ms; }},
    {"page_faults", "page faults",
     [](const SynthesisSample& s) { return static_cast<double>(s.page_faults); }, false},
};

std::optional<Distribution> distribution(const SynthesisResult& result, const Column& column) {
  std::vector<double> values;
  for (const SynthesisSample& sample : result.samples) values.push_back(column.of(sample));
  return distribution_of(std::move(values));
}

}  // namespace

Result<SynthesisResult> run_synthesis(const BatchOptions& options, const Load& load,
                                      ResidentMemory& resident,
                                      const std::function<bool()>& go_on) {
  if (auto ok = check(options); !ok) return fail(ok.error());
  SynthesisResult result;
  const auto spec = load.job(0, options.partitions);
  if (!spec) return fail(spec.error());
  const auto resources = Resources(load.work()).of(*spec);
  if (!resources) return fail(resources.error());
  result.footprint = load.work().footprint(*spec, {JobId{1}, 0});
  for (std::uint32_t i = 0; i < options.partitions; ++i) {
    if (!go_on()) return fail(ErrorKind::cancelled, "interrupted");
    auto sample = synthesise_one(load, {{JobId{1}, i}, *spec, *resources}, resident);
    if (!sample) return fail(sample.error());
    result.samples.push_back(*sample);
  }
  result.peak = resident.peak();
  result.warnings = load.warnings();
  return result;
}

std::string synthesis_text(const BatchOptions& options, const SynthesisResult& result) {
  std::string text;
  const auto out = std::back_inserter(text);
  fmt::format_to(out, "prover bench synth-only: {} partitions of {}, one after the other\n",
                 options.partitions, options.load.name());
  text += settings_text(options);
  fmt::format_to(out, "{:22}{:>10}{:>10}{:>10}{:>10}\n", "a partition", "mean", "median", "p90",
                 "max");
  for (const Column& column : kColumns) {
    const auto found = distribution(result, column);
    if (!found) continue;
    fmt::format_to(out, "{:22}", column.what);
    for (const double value : {found->mean, found->median, found->p90, found->max})
      fmt::format_to(out, "{:>10}", column.is_time ? show_ms(value) : fmt::format("{:.0f}", value));
    fmt::format_to(out, "\n");
  }
  fmt::format_to(out, "\nfootprint   {} for a, b, c and {} for the rest, at most\n",
                 show_bytes(result.footprint.vectors), show_bytes(result.footprint.rest));
  fmt::format_to(out, "peak memory {} ({})\n", show_bytes(result.peak.bytes), result.peak.method);
  return text;
}

std::string synthesis_lines(const SynthesisResult& result) {
  std::string text;
  const auto cpu = distribution(result, kColumns[0]), faults = distribution(result, kColumns[4]);
  if (cpu) text += fmt::format("ASSAY synth_cpu={} s\n", cpu->mean / 1e3);
  if (faults) text += fmt::format("ASSAY page_faults={}\n", faults->mean);
  if (result.peak.bytes > 0) text += fmt::format("ASSAY peak_memory={} B\n", result.peak.bytes);
  return text;
}

std::vector<std::pair<std::string, Distribution>> distributions_of(const SynthesisResult& result) {
  std::vector<std::pair<std::string, Distribution>> all;
  for (const Column& column : kColumns)
    if (const auto found = distribution(result, column)) all.emplace_back(column.name, *found);
  return all;
}

}  // namespace prover::bench
