// SPDX-License-Identifier: Apache-2.0
// What the arrows and numbers of a Chrome trace connect: flow events (s, t, f) and the correlation
// of a launch with what it launched.
#pragma once

#include <cstdint>
#include <vector>

#include "trace/events.hpp"

namespace assay::trace {

// A point of an arrow: it belongs to the span of its worker that is open at `at`, or, for an end
// ('f') that does not bind to the enclosing span, to the first one that begins from then on.
struct FlowPoint {
  Nanos at = 0;
  std::uint32_t worker = kNone;
  std::uint32_t flow = 0;  // equal for the points of one arrow
  char phase = 's';        // s, t or f
  bool binds_enclosing = false;
};

// A span with a correlation number, which a launch and what it launched have in common.
struct Correlation {
  std::uint64_t number = 0;
  std::uint32_t span = kNone;
};

// Adds a link of kind enqueue between the spans of neighbouring points of each arrow. Returns how
// many points touch no span.
std::size_t link_flows(Trace& trace, std::vector<FlowPoint> points);

// Adds a link of kind launch from each launch to the device spans of the same number. Of several
// launches with one number the first counts: the runtime's call, which holds the driver's.
void link_launches(Trace& trace, std::vector<Correlation> launches,
                   const std::vector<Correlation>& device_spans);

}  // namespace assay::trace
