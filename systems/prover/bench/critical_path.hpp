// SPDX-License-Identifier: Apache-2.0
// What one job waited for, from its submission to its end: the chain of activities, backwards from
// the last, each behind the one whose end let it begin.
//
//   finish      its own start
//   start       its own synthesis, or what else ended last before it: the device, a prove worker
//   synthesis   what ended last before it: a worker, a permit, bytes
//
// The parts sum to the job's latency: what lies between two activities of the chain is hand-over
// (queues, threads that wake up), what lies before the first is admission (a key that is loaded),
// and what lies behind the last is the assembly and the check of the proof.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "prover/engine/job.hpp"

namespace prover::bench {

struct PathPart {
  std::string name;     // admission, synth, start, finish, hand_over, check
  std::uint32_t n = 0;  // activities
  double ms = 0;
};

// In that order; empty for a job without a proof.
std::vector<PathPart> critical_path(const JobOutcome& outcome);

}  // namespace prover::bench
