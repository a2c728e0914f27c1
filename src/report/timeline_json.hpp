// SPDX-License-Identifier: Apache-2.0
// A run's spans, items in flight and memory as the page draws them: seconds since the run's first
// span, columns, thinned to what a screen can show. What was left out is said in the document.
#pragma once

#include <cstddef>
#include <string_view>

#include "base/json.hpp"
#include "trace/events.hpp"

namespace assay::report {

struct TimelineLimits {
  std::size_t spans = 20'000;  // half the longest, half evenly from the others
  std::size_t points = 2'000;  // of each series; its extremes stay
};

// {"side", "source", "begin_ns" (a string: Unix time, or the log's own clock), "workers": [{stage,
//  label}], "spans": {t0, dur, stage, worker, kind, item}, "stages": [names], "kinds": [words],
//  "items": [keys], "in_flight": [{stage, t, n}], "memory": [{scope, method, t, bytes}], "thinned":
//  null | {kept, of, rule}}. Stages, workers, kinds and items are indices, -1 = none; in_flight has
//  the stage's name.
Json timeline_json(const trace::Trace& run, std::string_view side,
                   const TimelineLimits& limits = {});

}  // namespace assay::report
