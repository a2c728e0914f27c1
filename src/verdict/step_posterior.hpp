// SPDX-License-Identifier: Apache-2.0
// Where along a path of commits did the level change, once? Every position is a hypothesis, and so
// is "nowhere". The levels on both sides and the noise are unknown and integrated out, so that all
// runs of either side are pooled and the probabilities hold for few runs too.
//
//   M(b)  ~ weight(b) n_L^-1/2 n_R^-1/2 RSS(b)^(-(n-2)/2)    flat priors on both means, 1/sigma
//   M(no) ~ c n^-1/2 RSS^(-(n-1)/2)                          c: half beforehand, and a change of up
//                                                            to 4 sigma either way otherwise
// Ref: Smith, A Bayesian approach to inference about a change-point, Biometrika 62, 1975.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace assay::verdict {

// One run of the commit at `position` of the path, higher = worse.
struct StepRun {
  std::uint32_t position = 0;
  double value = 0;  // log units
};

struct StepPosterior {
  // [b]: the change came with position b, so that b is the first one behind it; [0] = 0. Positions
  // without runs share what their neighbours say.
  std::vector<double> probability = {};
  double none = 0;  // no change at all; all of it sums to 1
  // At the likeliest position: right mean - left mean, noise of one run, log units.
  std::uint32_t likeliest = 0;
  double effect = 0, sigma = 0;
  std::size_t left_out = 0;  // runs that lie outside both levels

  // Probability that position p lies behind the change, for every p; ascending.
  std::vector<double> behind() const;
};

// runs     any order; at least two runs at either end of the path, all positions < `positions`
// weights  [b] > 0: how likely beforehand, relative to each other; `positions` of them, [0] unused
// O(runs log runs + positions).
StepPosterior step_posterior(std::span<const StepRun> runs, std::size_t positions,
                             std::span<const double> weights);

// Which runs count: false where a value lies so far outside of the levels of both ends that it is
// no draw of either, but never for more than a tenth of the runs. A run that was disturbed then
// says nothing instead of speaking for the slower side. Tried: clipping them; a clipped run of the
// good side still lies the whole effect nearer to the bad level.
std::vector<bool> runs_that_count(std::span<const StepRun> runs, std::size_t positions);

// Two ends against each other, values in log units, clipped at 3.5 robust deviations of their end.
struct EndsTest {
  double effect = 0;  // mean of bad - mean of good
  double error = 0;   // its standard error, pooled
  double t = 0;       // 0 while an end has fewer than two runs
  double sigma = 0;   // of one run
  std::size_t df = 0;
};
EndsTest test_ends(std::span<const double> good, std::span<const double> bad);
// Its interval at `confidence`, by Student's t; nothing without degrees of freedom.
struct EndsInterval {
  double lo = 0, hi = 0;
};
std::optional<EndsInterval> interval_of(const EndsTest& test, double confidence = 0.99);

// What `runs` runs of one commit tell of whether it lies behind the change, in bits, when it does
// with probability q and the effect is d times the noise of one run. At most the entropy of q.
double information_of_runs(double q, double d, std::uint32_t runs);

}  // namespace assay::verdict
