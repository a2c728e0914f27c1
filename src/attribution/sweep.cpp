// SPDX-License-Identifier: Apache-2.0
#include "attribution/sweep.hpp"

#include <algorithm>

#include "base/check.hpp"

namespace assay::attribution {
namespace {

// Beyond, a span counts for itself: tracks that need more are not tracks.
constexpr std::size_t kMostLanes = 64;

constexpr std::size_t kFewSpans = 24;

}  // namespace

Groups::Groups(std::span<const std::uint32_t> keys, std::size_t count, bool others) {
  const std::size_t groups = count + (others ? 1 : 0);
  const auto group_of = [&](std::uint32_t key) { return std::min<std::size_t>(key, count); };
  ASSAY_CHECK(keys.size() < kNone, "a run has fewer than 2^32 - 1 spans");
  // first_[g + 1] is where the next of group g goes, and, once all are placed, where it ends.
  first_.assign(groups + 2, 0);
  for (const std::uint32_t key : keys) {
    if (group_of(key) < groups) ++first_[group_of(key) + 2];
  }
  for (std::size_t g = 2; g < first_.size(); ++g) first_[g] += first_[g - 1];
  order_.resize(first_.back());
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (const std::size_t group = group_of(keys[i]); group < groups)
      order_[first_[group + 1]++] = static_cast<std::uint32_t>(i);
  }
  first_.pop_back();
}

void sort_by_begin(std::span<std::uint32_t> order, const trace::Spans& spans) {
  const auto before = [&](std::uint32_t l, std::uint32_t r) {
    if (spans.begin[l] != spans.begin[r]) return spans.begin[l] < spans.begin[r];
    if (spans.end[l] != spans.end[r]) return spans.end[l] > spans.end[r];
    return l < r;
  };
  if (order.size() <= kFewSpans) {
    for (std::size_t i = 1; i < order.size(); ++i) {
      const std::uint32_t span = order[i];
      std::size_t at = i;
      for (; at > 0 && before(span, order[at - 1]); --at) order[at] = order[at - 1];
      order[at] = span;
    }
    return;
  }
  if (std::is_sorted(order.begin(), order.end(), before)) return;
  // Together with their times: a sort by index alone would wait for memory at every step.
  struct Entry {
    Nanos begin, end;
    std::uint32_t span;
  };
  std::vector<Entry> entries;
  entries.reserve(order.size());
  for (const std::uint32_t span : order)
    entries.push_back({spans.begin[span], spans.end[span], span});
  std::sort(entries.begin(), entries.end(), [](const Entry& l, const Entry& r) {
    if (l.begin != r.begin) return l.begin < r.begin;
    if (l.end != r.end) return l.end > r.end;
    return l.span < r.span;
  });
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = entries[i].span;
}

Sweep::Sweep(const trace::Spans& spans, Overlap overlap, Nanos window_begin, Nanos window_end,
             std::uint64_t tolerance)
    : spans_(spans),
      overlap_(overlap),
      window_begin_(window_begin),
      window_end_(window_end),
      tolerance_(tolerance) {}

void Sweep::close_top(Lane& lane, const std::function<void(const Swept&)>& done) {
  const Open open = lane.back();
  lane.pop_back();
  const std::uint64_t length = elapsed(open.begin, open.end);
  if (!lane.empty()) lane.back().inside += length;
  done({open.span, lane.empty() ? kNone : lane.back().span, length, length - open.inside});
}

bool Sweep::conflicts(const Open& outer, const Open& inner) const {
  if (overlap_ == Overlap::later_wins) return false;
  const bool partial = inner.end > outer.end;
  if (overlap_ == Overlap::lanes) return partial;
  const std::uint32_t a = spans_.item[outer.span], b = spans_.item[inner.span];
  if (a == b || a == kNone || b == kNone) return false;
  return elapsed(inner.begin, std::min(inner.end, outer.end)) > tolerance_;
}

bool Sweep::place(Lane& lane, const Open& open, const std::function<void(const Swept&)>& done) {
  while (!lane.empty() && lane.back().end <= open.begin) close_top(lane, done);
  if (!lane.empty() && conflicts(lane.back(), open)) return false;
  // Here the later wins: what ends inside `open` ends where it begins.
  while (!lane.empty() && lane.back().end < open.end) {
    lane.back().end = open.begin;
    close_top(lane, done);
  }
  lane.push_back(open);
  return true;
}

void Sweep::run(std::span<const std::uint32_t> order,
                const std::function<bool(std::uint32_t)>& skip,
                const std::function<void(const Swept&)>& done) {
  gaps_.clear();
  Nanos covered = window_begin_;
  for (const std::uint32_t span : order) {
    if (skip && skip(span)) continue;
    const Open open = {span, std::max(spans_.begin[span], window_begin_),
                       std::min(spans_.end[span], window_end_), 0};
    if (open.begin > open.end) continue;
    if (open.begin > covered) gaps_.push_back({covered, open.begin});
    covered = std::max(covered, open.end);
    std::size_t lane = 0;
    while (lane < kMostLanes) {
      if (lane == lanes_.size()) lanes_.emplace_back();
      if (place(lanes_[lane], open, done)) break;
      ++lane;
    }
    if (lane == kMostLanes) {
      const std::uint64_t length = elapsed(open.begin, open.end);
      done({span, kNone, length, length});
    }
  }
  if (covered < window_end_) gaps_.push_back({covered, window_end_});
  for (Lane& lane : lanes_) {
    while (!lane.empty()) close_top(lane, done);
  }
}

}  // namespace assay::attribution
