// SPDX-License-Identifier: Apache-2.0
// What a partition is made of, one after the other on one thread and without the engine:
// `prover bench synth-only` (the synthesis alone) and `prover bench stages` (every stage of all of
// it).
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "prover/bench/distribution.hpp"
#include "prover/bench/load.hpp"

namespace prover::bench {

// One synthesis: its wall and CPU time, the kernel's part of that, what giving it back took, and
// the pages that had to be found for it.
struct SynthesisSample {
  double wall_ms = 0, cpu_ms = 0, system_ms = 0, free_ms = 0;  // system: in ticks of the kernel
  std::uint64_t page_faults = 0;
};

struct SynthesisResult {
  std::vector<SynthesisSample> samples;  // by partition
  Footprint footprint;                   // of one
  PeakMemory peak;
  std::vector<std::string> warnings;
};

// cpu_ms, system_ms, wall_ms, free_ms and page_faults, of a partition; those that there are.
std::vector<std::pair<std::string, Distribution>> distributions_of(const SynthesisResult& result);

// Of options.partitions partitions. `go_on` says whether to, after each; ErrorKind::cancelled when
// not. Errors: what cannot be loaded or synthesised.
Result<SynthesisResult> run_synthesis(const BatchOptions& options, const Load& load,
                                      ResidentMemory& resident, const std::function<bool()>& go_on);

// Wall and CPU time (all threads) of a stage, a partition's mean. `depth`: 0 for the calls that a
// partition goes through, 1 for what is inside the call above it.
struct StageRow {
  std::string name;
  unsigned depth = 0;
  std::uint64_t n = 0;
  double wall_ms = 0, cpu_ms = 0;
};

struct StagesResult {
  std::vector<StageRow> rows;  // in the order of a partition's way
  PeakMemory peak;
  std::vector<std::string> warnings;
  double cpu_ms() const;  // of a partition: the rows of depth 0
};

// options.settings.work.stages is where the load tells its stages.
Result<StagesResult> run_stages(const BatchOptions& options, const Load& load,
                                ResidentMemory& resident, const std::function<bool()>& go_on);

std::string synthesis_text(const BatchOptions& options, const SynthesisResult& result);
std::string synthesis_json(const BatchOptions& options, const SynthesisResult& result);
std::string synthesis_lines(const SynthesisResult& result);  // ASSAY name=value unit
std::string stages_text(const BatchOptions& options, const StagesResult& result);
std::string stages_json(const BatchOptions& options, const StagesResult& result);
std::string stages_lines(const StagesResult& result);

}  // namespace prover::bench
