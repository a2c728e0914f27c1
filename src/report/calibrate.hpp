// SPDX-License-Identifier: Apache-2.0
// The noise floors that `assay calibrate` found: how far a command differs from its own copies.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/json.hpp"
#include "report/options.hpp"
#include "report/view.hpp"

namespace assay::report {

struct FloorRow {
  Metric metric;
  std::string title;
  double sys_sigma = 0;  // log units, as stored
  double pair_sigma = 0;
  int comparisons = 0;
  double floor = 0;  // the same two as fractions: exp(sigma) - 1
  double pair = 0;
  double smallest =
      0;  // smallest tolerance that can be called EQUIVALENT at 198 runs a side, a fraction
};

struct CalibrateView {
  std::string id;
  Plan plan;
  Host host;
  Side side;
  std::vector<FloorRow> floors;
  std::optional<Failure> failure;
  std::string sentence;
  std::vector<Warning> warnings;
};

CalibrateView view_calibrate(const Record& record, const Conclusion& conclusion);

Text calibrate_text(const CalibrateView& view, const TextOptions& options);
// The head of every document, then {"sentence", "failure", "floors": [{metric, unit, sys_sigma,
// sys_k, pair_sigma, floor_percent, pair_percent, smallest_percent}]}.
Json calibrate_json(const CalibrateView& view);

Text calibrate_text(const Record& record, const Conclusion& conclusion, const TextOptions& options);
Json calibrate_json(const Record& record, const Conclusion& conclusion);

}  // namespace assay::report
