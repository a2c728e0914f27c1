// SPDX-License-Identifier: Apache-2.0
// Estimates of experiments over many arms as people read them. In the model they are logs with
// higher = worse; here they are ratios to the reference again, whatever is better.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/conclusion.hpp"
#include "model/plan.hpp"
#include "report/plain.hpp"
#include "report/plot.hpp"

namespace assay::report {

// The metric that decides; the first one when none does.
const Metric& deciding_metric(const Plan& plan);

struct RatioEstimate {
  double ratio = 1;
  std::optional<double> lo, hi;
};
RatioEstimate ratio_of(const Estimate& estimate, Better better);

// "+6.1 %", "[+5.0, +7.2]", both together.
std::string change_text(const RatioEstimate& ratio);
std::string bounds_text(const RatioEstimate& ratio);
std::string change_with_bounds(const RatioEstimate& ratio);

// Better or worse than the reference by more than the tolerance, with its interval; else neutral.
Tone tone_of(const Estimate& estimate, double tolerance);

// In percent, for a plot against the reference.
PlotPoint point_of(const std::string& label, const RatioEstimate& ratio, Tone tone);
// A plot of changes in percent; where one is x 20 or more, ratios on a logarithmic axis instead, so
// that the others can be told apart.
IntervalPlot plot_of_changes(IntervalPlot percent, const std::string& against);

// "cap=8 does not build", one a broken arm.
std::vector<std::string> broken_sentences(const Plan& plan, const Conclusion& conclusion);

// The shell line that asks again; empty when it is not known.
std::string reproduce_line(const Plan& plan);

// The name of the plan, or its command as it was typed; for titles.
std::string command_title(const Plan& plan);

}  // namespace assay::report
