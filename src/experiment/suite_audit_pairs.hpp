// SPDX-License-Identifier: Apache-2.0
// Is a benchmark something else behind others than alone? Three fresh processes of each are few, so
// four things must hold together: the medians differ by more than 10 % and by more than three times
// the A/A spread; all runs of one side lie beyond all runs of the other; Student's t between the
// sides passes Benjamini-Hochberg at 5 % over the whole suite. The spread and the standard
// deviation of a benchmark are never taken to be smaller than the typical ones of the suite: three
// runs that happen to agree prove nothing. The spread is that of three runs; where both sides have
// more, their medians vary less, and three times the spread shrinks with the root of their number.
// How often that names an innocent benchmark: `assay simulate audit`.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace assay::experiment {

inline constexpr double kLeastFactor = 1.10;
inline constexpr double kSpreads = 3;
inline constexpr double kAuditLevel = 0.05;  // of Benjamini-Hochberg
inline constexpr double kLeastIterations = 30;

// One benchmark on both sides: logs of its times.
struct SidePair {
  std::vector<double> alone = {}, behind = {};
  double least_n = 0;  // iterations behind a value alone; 0 = not known
};

// How much a benchmark varies between processes of the same side.
struct Scatter {
  double range = 0;  // largest difference between two runs of one side, of three runs, log
  double sd = 0;     // pooled over the sides, log
};

// One for each pair, raised to the typical one of all; nothing known = 0.
std::vector<Scatter> scatters_of(std::span<const SidePair> pairs);

struct PairJudgement {
  bool judged = false;    // both sides known well enough
  double effect = 0;      // log(behind / alone), medians
  double threshold = 0;   // log: what counts here
  double least_seen = 0;  // log: what counts and, were it the only one, passes the test; 0: unknown
  double p = 1;           // after Benjamini-Hochberg
  bool differs = false;
  std::string why = {};  // not judged: "n = 1 alone, and 30 are needed"
};

// `scatters` as of scatters_of; they may come from other runs of the same benchmarks. The family is
// all pairs that can be judged. A side behind may have one run (an order that was tried once), and
// two alone are needed.
std::vector<PairJudgement> judge_pairs(std::span<const SidePair> pairs,
                                       std::span<const Scatter> scatters);

// The effect, as a log, from which on a typical benchmark of these would be seen with `repeats`
// runs a side; the sides apart, too, where times are normal.
double least_seen_with(std::span<const SidePair> pairs, std::span<const Scatter> scatters,
                       unsigned repeats);

}  // namespace assay::experiment
