// SPDX-License-Identifier: Apache-2.0
#include "prover/bench/distribution.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace prover::bench {
namespace {

using Stamp = TimePoint PartitionTimes::*;

struct Interval {
  const char* name;
  const char* what;
  Stamp from, to;
};

constexpr Interval kIntervals[] = {
    {"permit_wait", "wait for a permit", &PartitionTimes::taken, &PartitionTimes::permitted},
    {"budget_wait", "wait for bytes", &PartitionTimes::permitted, &PartitionTimes::reserved},
    {"synth", "synthesis", &PartitionTimes::synth_start, &PartitionTimes::synth_end},
    {"blocked_send", "blocked in the send", &PartitionTimes::synth_end, &PartitionTimes::sent},
    {"queue_wait", "wait in the queue", &PartitionTimes::sent, &PartitionTimes::picked_up},
    {"device_wait", "wait for the device", &PartitionTimes::picked_up,
     &PartitionTimes::prove_start},
    {"start", "start, on the device", &PartitionTimes::prove_start, &PartitionTimes::start_end},
    {"finish", "finish", &PartitionTimes::start_end, &PartitionTimes::finish_end},
};

// `ascending` is not empty.
double quantile(const std::vector<double>& ascending, double part) {
  const double rank = std::ceil(part * static_cast<double>(ascending.size()));
  return ascending[static_cast<std::size_t>(std::max(1.0, rank)) - 1];
}

}  // namespace

std::optional<Distribution> distribution_of(std::vector<double> values) {
  if (values.empty()) return std::nullopt;
  std::sort(values.begin(), values.end());
  Distribution found;
  found.n = values.size();
  found.mean = std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(found.n);
  found.median = (values[(found.n - 1) / 2] + values[found.n / 2]) / 2;
  found.p90 = quantile(values, 0.90);
  found.p99 = quantile(values, 0.99);
  found.max = values.back();
  return found;
}

std::vector<Sample> samples_of(const BatchResult& result) {
  std::vector<Sample> samples;
  for (const Interval& interval : kIntervals) {
    Sample sample{interval.name, interval.what, {}};
    for (const JobOutcome& outcome : result.outcomes) {
      if (!outcome.proof) continue;
      for (const PartitionTimes& times : outcome.times)
        sample.values.push_back(milliseconds(times.*interval.from, times.*interval.to));
    }
    samples.push_back(std::move(sample));
  }
  Sample latency{"proof_latency", "submission to checked proof", {}};
  Sample between{"inter_completion", "between two proofs", {}};
  std::optional<TimePoint> before;
  for (const JobOutcome& outcome : result.outcomes) {
    if (!outcome.proof) continue;
    latency.values.push_back(milliseconds(outcome.submitted, outcome.done));
    if (before) between.values.push_back(milliseconds(*before, outcome.done));
    before = outcome.done;
  }
  samples.push_back(std::move(latency));
  samples.push_back(std::move(between));
  return samples;
}

}  // namespace prover::bench
