// SPDX-License-Identifier: Apache-2.0
// What a person reads before and while an experiment runs (on stderr).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "model/conclusion.hpp"
#include "model/plan.hpp"
#include "report/options.hpp"

namespace assay::report {

// The fields of an experiment's progress that a line shows.
struct ProgressView {
  std::uint32_t blocks_done = 0;
  std::uint32_t runs_done = 0;              // all arms, warm-up included
  std::optional<double> seconds_left;       // until the answer or the cut
  std::span<const MetricFinding> findings;  // as they stand; empty before the first look
  std::string status = {};                  // in place of the findings, when there is one
};

// One line without a newline, never wider than the options' width: blocks done, time left, and for
// every gating metric ratio, interval and bound while it is open, the verdict word once it is
// decided. What does not fit is left out from the end.
//   "block 3, 38 runs, 4 min left | wall +2.2 % [-1.9, +5.8] at most +5.8 % | cpu EQUIVALENT"
std::string progress_line(const Plan& plan, const ProgressView& view, const TextOptions& options);

struct PriceView {
  std::uint64_t expected_runs = 0;        // all arms, likely number until the answer; 0 = unknown
  std::uint64_t most_runs = 0;            // all arms, at the cap
  std::optional<double> seconds_per_run;  // nothing before anything ran
  double budget_s = 0;                    // 0 = none
};

// "about 26 runs, 4 min; at most 396 runs, here cut at 10 min".
std::string price_text(const PriceView& price);

}  // namespace assay::report
