// SPDX-License-Identifier: Apache-2.0
// How the times of each stage changed, per item.
#pragma once

#include <span>
#include <vector>

#include "attribution/delta.hpp"
#include "attribution/pipeline.hpp"

namespace assay::attribution {

// One row a stage (and part) that both sides have and a kind of time that either spent there:
// service, waiting, blocking. Runs of a side are pooled for the distributions.
//   mean_delta_s   B - A: mean per item; of several runs the mean of the runs' means
//   interval       99 %. Several runs on both sides: Welch's over the runs. Else moving blocks of
//                  n^(1/3) neighbours; of the items' own differences where every item is on both
//                  sides, else of either side. Nothing below 20 values.
std::vector<StageDelta> stage_deltas(std::span<const trace::Trace* const> a,
                                     std::span<const trace::Trace* const> b,
                                     const Pipeline& pipeline_a, const Pipeline& pipeline_b);

// Variance of the mean of `values` as a moving-block bootstrap with blocks of `length` gives it, in
// closed form. Ref: Kuensch, The jackknife and the bootstrap for general stationary observations,
// Annals of Statistics 17, 1989. Nothing below 20 values.
std::optional<double> block_variance(std::span<const double> values, std::size_t length);

}  // namespace assay::attribution
