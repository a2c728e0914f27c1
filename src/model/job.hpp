// SPDX-License-Identifier: Apache-2.0
// What an experiment asks for: runs in an order that must be kept.
#pragma once

#include <cstdint>
#include <vector>

namespace assay {

// One run to make. The labels are those of the Trial it becomes.
struct Run {
  std::uint32_t arm = 0;    // index into Plan::arms
  std::uint32_t block = 0;  // 0 = warm-up
  std::uint32_t slot = 0;   // position inside the block
  std::uint32_t pad = 0;    // length of ASSAY_PAD, 0..4095 bytes
  bool warmup = false;
  double limit_s = 0;  // killed after this, when shorter than the plan's timeout; 0 = none
  // Suites: what one process runs, in this order; indices into SuitePlan::units, which may repeat.
  std::vector<std::uint32_t> units = {};

  bool operator==(const Run&) const = default;
};

// An ordered list of runs on one machine; never reordered, never split over machines.
struct Job {
  std::vector<Run> runs = {};
  bool ends_block = true;  // the store makes what came so far durable behind it

  bool operator==(const Job&) const = default;
};

}  // namespace assay
