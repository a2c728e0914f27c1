// SPDX-License-Identifier: Apache-2.0
// Spans of one track (a worker, an item) laid over one another: what lies inside what, and how much
// of a span's time is its own. Internal to attribution.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "attribution/times.hpp"

namespace assay::attribution {

// Span indices by key, in one array: 4 B a span and a key. Fewer than 2^32 spans.
class Groups {
 public:
  // Keys from `count` on make one more group, the last; with `others` false they are left out.
  Groups(std::span<const std::uint32_t> keys, std::size_t count, bool others);
  std::size_t size() const { return first_.size() - 1; }
  std::span<std::uint32_t> of(std::size_t group) {
    return std::span(order_).subspan(first_[group], first_[group + 1] - first_[group]);
  }

 private:
  std::vector<std::uint32_t> order_;
  std::vector<std::uint32_t> first_;
};

// Ascending by begin; of those that begin together the longest first, then as they were.
void sort_by_begin(std::span<std::uint32_t> order, const trace::Spans& spans);

// What becomes of a span that begins inside another and ends after it.
enum class Overlap {
  later_wins,  // the earlier ends where the later begins: every instant belongs to one span
  worker,      // spans of one item as above; of different items both count, on lanes of their own
  lanes        // both count: streams of one track run side by side
};

// A span after the sweep. `parent`: the innermost span around it, kNone = none.
struct Swept {
  std::uint32_t span = kNone, parent = kNone;
  std::uint64_t length = 0;  // ns, within the window
  std::uint64_t self = 0;    // length less what lies inside
};

// One sweep over many tracks keeps its memory.
class Sweep {
 public:
  // `tolerance`: overlaps of different items up to it are the clock's, ns.
  Sweep(const trace::Spans& spans, Overlap overlap, Nanos window_begin, Nanos window_end,
        std::uint64_t tolerance);
  // Sweeps `order` (see sort_by_begin), leaving out spans that `skip` names (may be empty), and
  // calls `done` for each span once everything inside it is done.
  void run(std::span<const std::uint32_t> order, const std::function<bool(std::uint32_t)>& skip,
           const std::function<void(const Swept&)>& done);
  // Stretches of the window that no span of the last track covered, ascending.
  struct Gap {
    Nanos from = 0, to = 0;
  };
  const std::vector<Gap>& gaps() const { return gaps_; }

 private:
  struct Open {
    std::uint32_t span;
    Nanos begin, end;
    std::uint64_t inside;
  };
  using Lane = std::vector<Open>;
  bool place(Lane& lane, const Open& open, const std::function<void(const Swept&)>& done);
  bool conflicts(const Open& outer, const Open& inner) const;
  static void close_top(Lane& lane, const std::function<void(const Swept&)>& done);

  const trace::Spans& spans_;
  Overlap overlap_;
  Nanos window_begin_, window_end_;
  std::uint64_t tolerance_;
  std::vector<Lane> lanes_;
  std::vector<Gap> gaps_;
};

}  // namespace assay::attribution
