// SPDX-License-Identifier: Apache-2.0
// Several tests at once. Holm bounds the chance of any false claim (gates); Benjamini-Hochberg
// bounds the share of false ones among the claims (dashboards). Both hold in the order of the
// input. Ref: Holm 1979; Benjamini and Hochberg 1995.
#pragma once

#include <span>
#include <vector>

namespace assay::stats {

struct Adjusted {
  std::vector<double> p;     // adjusted p-values, in the order of the input
  std::vector<bool> reject;  // p <= level
};

// p-values in [0, 1], any dependence between them: {.01, .04, .03}, .05 -> {.03, .06, .06}.
Adjusted holm(std::span<const double> p, double level);

// p-values in [0, 1], independent or positively dependent: {.01, .04, .03}, .05 -> {.03, .04, .04}.
Adjusted benjamini_hochberg(std::span<const double> p, double level);

}  // namespace assay::stats
