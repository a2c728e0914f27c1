// SPDX-License-Identifier: Apache-2.0
// The figures of a sample, and the samples of a batch.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "prover/bench/batch.hpp"

namespace prover::bench {

// Quantiles are observed values: p90 is the smallest that at least 90 % do not exceed.
struct Distribution {
  std::size_t n = 0;
  double mean = 0, median = 0, p90 = 0, p99 = 0, max = 0;
};

// Nothing for an empty sample. In the unit of the values, which come in any order.
std::optional<Distribution> distribution_of(std::vector<double> values);

struct Sample {
  std::string name;            // synth, queue_wait, proof_latency, ...
  std::string what;            // a clause for people
  std::vector<double> values;  // milliseconds
};

// Per partition: permit_wait, budget_wait, synth, blocked_send, queue_wait, device_wait, start,
// finish; per proof: proof_latency (from submission) and inter_completion. Of the proofs that were
// checked.
std::vector<Sample> samples_of(const BatchResult& result);

}  // namespace prover::bench
