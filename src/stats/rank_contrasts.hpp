// SPDX-License-Identifier: Apache-2.0
// Sweeps: does a value depend on an ordered level? Every round ran all k levels once in random
// order, so under "no effect" the ranks inside a round are a uniformly random permutation, and any
// contrast of rank sums has a known variance, whatever the rounds do (Friedman's blocks, Page's
// trend). Ref: Page 1963; Hollander, Wolfe and Chicken, ch. 7.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace assay::stats {

// Ranks 1..k of one round, ties (within kTie) averaged: {5, 7, 5} -> {1.5, 3, 1.5}.
std::vector<double> midranks(std::span<const double> values);

// The k contrasts of a sweep over k >= 2 levels: [0] the linear trend, [j] "a step after level j":
// -1/j before, 1/(k - j) from there on.
std::vector<std::vector<double>> sweep_contrasts(std::size_t levels);

// z of every contrast, standard normal under "no effect"; ties make it conservative.
//   rounds     row-major, rounds x levels, log units
//   contrasts  each as long as `levels`, not all zero
std::vector<double> rank_contrast_z(std::span<const double> rounds, std::size_t levels,
                                    std::span<const std::vector<double>> contrasts);

}  // namespace assay::stats
