// SPDX-License-Identifier: Apache-2.0
// One side alone: what `assay measure` prints. Numbers without verdict words.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/json.hpp"
#include "report/options.hpp"
#include "report/samples.hpp"
#include "report/view.hpp"
#include "stats/summary.hpp"

namespace assay::report {

struct Distribution {
  Metric metric;
  std::string title;
  std::size_t n = 0;                     // runs that gave a value
  std::optional<stats::Summary> values;  // nothing when n = 0; the interval is that of 95 %
  // Quantiles that the number of runs can carry: p90 from 10 runs on, p99 from 100 on (with fewer
  // it would be the maximum).
  std::optional<double> p90, p99;
  std::optional<Histogram> histogram;
};

struct MeasureView {
  std::string id;
  Plan plan;
  Host host;
  Side side;
  std::size_t runs = 0;  // without warm-ups
  std::vector<Distribution> metrics;
  Waiting waiting;
  double voluntary_switches = 0, involuntary_switches = 0;  // a run, means
  std::optional<Failure> failure;
  std::string invalid;  // why nothing can be said: no run gave what was asked; mostly empty
  std::string remark;   // interrupted, ...; may be empty
  std::vector<Warning> warnings;
};

MeasureView view_measure(const Record& record, const Conclusion& conclusion);

Text measure_text(const MeasureView& view, const TextOptions& options);
// The head of every document, then {"runs", "failure" (what failed, or why no run gave a value),
// "metrics": [{name, unit, better, method, n, median, lo95, hi95, achieved, mean, sd, min, p90,
// p99, max}], "contention": {idle, pressure, delay, disk, busy, voluntary_switches,
// involuntary_switches}}.
Json measure_json(const MeasureView& view);

Text measure_text(const Record& record, const Conclusion& conclusion, const TextOptions& options);
Json measure_json(const Record& record, const Conclusion& conclusion);

}  // namespace assay::report
