// SPDX-License-Identifier: Apache-2.0
// One metric of one candidate as every writer shows it: raw values and the texts made of them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/conclusion.hpp"
#include "model/plan.hpp"

namespace assay::report {

struct Row {
  Metric metric;
  std::uint32_t arm = 1;
  Verdict verdict = Verdict::undecided;  // INVALID where verdicts are withheld
  Reason reason = Reason::too_few;
  bool judged = true;  // false: numbers without a word
  bool by_holm = false;
  double tolerance = 0;  // the one in force for this metric (rule.md section 4)

  // Ratios candidate / baseline; lo <= hi. For metrics where more is better the reading has been
  // turned back. bound99 is the worst change that the 99 % interval leaves: hi99, or lo99 where
  // more is better.
  std::optional<double> ratio, lo99, hi99, lo95, hi95, bound99, since_ratio;
  std::uint32_t runs = 0, all_runs = 0;  // per side
  Sign sign = Sign::none;                // slower = worse
  std::optional<std::uint32_t> more;     // total runs per side that would decide
  double p_seq = 1;
  std::optional<double> baseline_median, candidate_median;  // base units

  // Texts, all printable.
  std::string title;                          // "peak mem"
  std::string word;                           // "SLOWER", "MORE", "WITHHELD"; empty unless judged
  std::string baseline_text, candidate_text;  // the medians: "2.31 s", "2,000,100"
  std::string medians;                        // "2.31 s -> 2.47 s"
  std::string change;                         // "+6.9 %"
  std::string interval;                       // "[+5.1, +8.8]"; "no bound yet" or "[-, -]" without
  std::string runs_words;                     // "18 + 18 runs"
  std::vector<std::string> notes;             // "exact", "largest process"
  std::string outlook;  // "about 420 would decide; --max-runs 420"; if UNDECIDED
  std::string since;    // "+7.4 % over all 36 + 36 runs"; empty unless sampling went on

  bool is_open() const { return judged && verdict == Verdict::undecided; }
  // Whether any look was possible, or the verdict stands without one.
  bool has_look() const { return ratio || verdict != Verdict::undecided; }
  // Whether the sign is proven or, for this metric alone, the 99 % interval is on one side of 0.
  bool has_direction() const {
    return ratio && (sign != Sign::none || (lo99 && *lo99 > 1) || (hi99 && *hi99 < 1));
  }
};

// `withheld`: the control moved, so the finding's verdict does not count.
// `round_seconds` (samples.hpp) makes the outlook name the time that its runs take.
// The finding's arm and metric must exist in the plan.
Row make_row(const Plan& plan, const MetricFinding& finding, bool withheld,
             std::optional<double> round_seconds = {});

}  // namespace assay::report
