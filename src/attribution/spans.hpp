// SPDX-License-Identifier: Apache-2.0
// Plain nested spans of two sides, name by name.
#pragma once

#include <span>
#include <vector>

#include "attribution/delta.hpp"

namespace assay::attribution {

// Seconds and counts are means over the runs of a side. Every name of either side is in one row;
// what differs most in self time comes first.
struct SpanComparison {
  std::vector<SpanDelta> spans = {};
  double unmatched_share = 0;  // self time of names on one side only, of the self time of both
};
// Names match exactly; what is left over matches when the normalised forms do (names.hpp); what is
// left over then by its place in the tree: inside the same (matched) span, with the same spans
// inside, and of like number. `matched_by` says which..
SpanComparison compare_spans(std::span<const trace::Trace* const> a,
                             std::span<const trace::Trace* const> b);

}  // namespace assay::attribution
