// SPDX-License-Identifier: Apache-2.0
// What a batch did, for people and for programs. Nothing here prints.
#pragma once

#include <string>

#include "prover/bench/batch.hpp"

namespace prover::bench {

// Whether all that was asked for was proved: jobs x partitions, and each proof holds all of its
// own.
struct Counts {
  std::uint64_t jobs_asked = 0, partitions_asked = 0;
  std::uint64_t proofs = 0, partitions_in_proofs = 0;  // of checked proofs
  std::uint64_t partitions_proved = 0;                 // those of jobs that failed later included
  bool complete() const { return proofs == jobs_asked && partitions_in_proofs == partitions_asked; }
};
Counts counts_of(const BatchOptions& options, const BatchResult& result);

// "settings  name=value ..." and an empty line.
std::string settings_text(const BatchOptions& options);
// The report: settings, counts, throughput, distributions, memory, what was in flight.
std::string report_text(const BatchOptions& options, const BatchResult& result);
// The same as one JSON document (schema_version 1, kind prover-bench-batch, -single or -loop),
// newline at its end.
std::string report_json(const BatchOptions& options, const BatchResult& result);
// Lines `ASSAY name=value unit`: throughput, proof_throughput, makespan, peak_memory; and CPU time
// a partition: partition_cpu (the process), synth_cpu and prove_cpu (the threads that call). No
// throughput of a batch that proved nothing.
std::string assay_lines(const BatchOptions& options, const BatchResult& result);
// Why the engine ended: what could not be had, what was held then, which options bound it.
std::string fatal_text(const BatchOptions& options, const Fatal& fatal);

}  // namespace prover::bench
