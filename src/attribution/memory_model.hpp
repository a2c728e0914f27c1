// SPDX-License-Identifier: Apache-2.0
// Memory explained by the items in flight: base + bytes per item of each stage, fitted by
// non-negative least squares, and what a budget allows under that model.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "attribution/description.hpp"

namespace assay::attribution {

// x >= 0 that minimises |A x - b|, by the active-set method of Lawson and Hanson (Solving Least
// Squares Problems, 1974, ch. 23). `columns`: A by columns, each as long as `right`. Where columns
// depend on one another, one of the solutions. Values are finite.
std::vector<double> non_negative_least_squares(const std::vector<std::vector<double>>& columns,
                                               const std::vector<double>& right);

struct MemoryFit {
  MemoryModel model = {};
  // Stages whose bytes cannot be told from the base's or one another's: their items in flight never
  // varied, or varied together.
  std::vector<std::string> inseparable = {};
};
// in_flight[stage][sample]: items there at the sample's time. Nothing below two samples a term.
std::optional<MemoryFit> fit_memory(const trace::MemorySeries& series, trace::Nanos run_begin,
                                    std::span<const std::string> stages,
                                    const std::vector<std::vector<double>>& in_flight);

// base + sum of items x bytes; in_flight by term.
double predicted_peak(const MemoryModel& model, std::span<const double> in_flight);

// The largest number of items allowed in `stage` at once (its permits) whose predicted peak, with
// twice the residual on top, is within the budget; the other stages stay as full as at the peak.
struct SettingWithin {
  std::optional<std::uint64_t> most = {};  // nothing: see `because`
  double predicted_bytes = 0;              // at `most`, without the margin
  double margin_bytes = 0;                 // twice the residual: what the model does not explain
  std::string because = {};
};
SettingWithin largest_setting_within(const MemoryModel& model, std::string_view stage,
                                     double budget_bytes);

}  // namespace assay::attribution
