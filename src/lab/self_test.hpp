// SPDX-License-Identifier: Apache-2.0
// A command against itself, for `assay doctor`: how small a difference would this machine show?
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "model/conclusion.hpp"
#include "model/subject.hpp"

namespace assay::lab {

inline constexpr std::uint32_t kSelfTestRuns = 30;  // per side

struct SelfTest {
  std::string metric;  // "wall" or "cpu"
  bool isolated = false;
  double median = 0;  // s
  double sigma = 0;   // robust SD of one run pair, log units
  // Ratio - 1 that kSelfTestRuns runs a side would call SLOWER four times in five, at a family of
  // two gates.
  double smallest_difference = 0;
};

struct SelfTestReport {
  std::vector<SelfTest> tests;    // wall and cpu
  std::vector<Warning> warnings;  // what isolation could not do
};

// Runs `subject` kSelfTestRuns times a side, in the order of a comparison, nothing stored. Nothing
// when interrupted. `on_block` is called with blocks done and blocks in all.
Result<std::optional<SelfTestReport>> self_test(
    const Subject& subject, bool isolated, std::uint64_t seed, const std::atomic<bool>& interrupted,
    const std::function<void(std::uint32_t, std::uint32_t)>& on_block);

}  // namespace assay::lab
