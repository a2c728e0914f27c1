// SPDX-License-Identifier: Apache-2.0
// Plain nested spans: time per name, and how much of it is the name's own. Internal to attribution.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "attribution/description.hpp"
#include "attribution/sweep.hpp"

namespace assay::attribution {

// By trace stage (a name of spans). Waiting in queues is left out: it is the item's.
struct NameTimes {
  std::vector<std::uint64_t> count;
  std::vector<Wide> total, self;
  // (outer << 32 | inner) -> time of `inner` directly inside `outer`; outer = kNone: at the top.
  // Filled when asked for.
  std::unordered_map<std::uint64_t, Wide> inside;
};
// Tracks are workers; spans without one lie on their item's track, or all together on one. Spans of
// a track that overlap without nesting are laid side by side (GPU streams), so that self time is
// never below zero.
// `workers`: the spans by worker, where the caller has them already; they are left sorted.
NameTimes name_times(const trace::Trace& run, bool with_inside, Groups* workers = nullptr);

// Every span's length by stage and kind, in one array, seconds.
class Lengths {
 public:
  // Clipped spans are left out: how long they would have been is not known.
  explicit Lengths(const trace::Trace& run);
  std::vector<double> of(std::uint32_t stage, trace::SpanKind kind) const;
  std::vector<double> of(std::uint32_t stage) const;  // every kind but the waiting in queues

 private:
  std::vector<std::size_t> first_;
  std::vector<double> values_;
};

}  // namespace assay::attribution
