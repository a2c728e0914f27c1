// SPDX-License-Identifier: Apache-2.0
// What is odd about a series of runs, for warnings. None of it touches a verdict: the rule holds
// under all of it. Each check names its false-alarm rate on a series with nothing odd about it
// (independent runs of one shape); diagnostics_test.cpp holds them to it with fixed seeds.
//
// All values are logs, so that sizes are relative: 0.04 = 4 %.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace assay::stats {

// Values of runs in execution order with the effect of the side taken out: each minus the median of
// its own side's runs in its block. Under a random order they are exchangeable inside the block.
//   logs   block after block, `slots` runs each, in slot order
//   sides  the arm of each run
std::vector<double> within_side_residuals(std::span<const double> logs,
                                          std::span<const std::uint32_t> sides, std::size_t slots);

// The whole machine moved while the series ran. Kendall's tau of the block medians against time.
// Alarm at two-sided p < .001 (normal approximation, continuity corrected; it is a little
// conservative: < .1 % false alarms). Autocorrelated noise alarms more often, rightly: it is a
// drift that turns back. Ref: Mann 1945; Sen 1968 for the slope.
struct Drift {
  double p = 1;
  double change = 0;  // Sen's slope times the distance from first to last block, log units
  bool alarm = false;
};
// Nothing below 8 blocks. Beyond 400 blocks neighbours are merged by their median.
std::optional<Drift> find_drift(std::span<const double> block_medians);

// The place inside the block matters (the first run after a pause, every second run). Friedman's
// test of the slots over the blocks. Alarm at p < .001 (chi-squared approximation, conservative for
// few blocks: <= .1 % false alarms).
struct PositionEffect {
  double p = 1;
  std::size_t slot = 0;  // the slot that stands out most, from 0
  double shift = 0;      // its median residual, log units
  bool alarm = false;
};
// residuals  see within_side_residuals. Nothing below 5 blocks.
std::optional<PositionEffect> find_position_effect(std::span<const double> residuals,
                                                   std::size_t slots);

// Runs fall into two groups with nothing between. The widest gap between neighbours in the middle
// 70 % of the sorted values. Alarm where an even density would show a wider one with probability
// .0002, and it is wider than the middle half of either group. False alarms < .1 % for normal and
// for exponential runs. Give it one side: two sides with different medians are two groups.
struct TwoModes {
  double gap = 0;  // log units
  double low = 0;  // the values on either side of it, log units
  double high = 0;
  double share_high = 0;  // of the runs above the gap
  bool alarm = false;
};
// Nothing below 18 values, or when a coarse clock leaves fewer than half of the values different.
std::optional<TwoModes> find_two_modes(std::span<const double> ascending);

// Single runs far from the rest: beyond 6 robust standard deviations (1.4826 MAD, log units) of the
// median. Alarm at the first one. False alarms for normal runs: .6 % at n = 18, .1 % from n = 36
// on; heavy tails alarm, rightly.
struct Outliers {
  std::size_t low = 0, high = 0;  // how many on either side
  double largest = 0;             // distance of the farthest from the median, log units, signed
  bool alarm = false;
};
// Nothing below 18 values, or when more than half of the values are equal.
std::optional<Outliers> find_outliers(std::span<const double> ascending);

}  // namespace assay::stats
