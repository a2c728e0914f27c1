// SPDX-License-Identifier: Apache-2.0
#include "attribution/sweep.hpp"

#include <gtest/gtest.h>

#include <map>
#include <numeric>

#include "base/random.hpp"

namespace assay::attribution {
namespace {

using trace::Quality;
using trace::SpanKind;
using trace::Spans;

void add(Spans& spans, Nanos from, Nanos to, std::uint32_t item = kNone) {
  spans.push(from, to, item, 0, 0, SpanKind::service, Quality::exact);
}

std::vector<std::uint32_t> sorted(const Spans& spans) {
  std::vector<std::uint32_t> order(spans.size());
  std::iota(order.begin(), order.end(), 0U);
  sort_by_begin(order, spans);
  return order;
}

std::vector<std::uint64_t> selfs(const Spans& spans, Overlap overlap, Nanos begin, Nanos end,
                                 std::uint64_t tolerance = 0) {
  std::vector<std::uint64_t> self(spans.size(), 0);
  Sweep sweep(spans, overlap, begin, end, tolerance);
  sweep.run(sorted(spans), {}, [&](const Swept& swept) { self[swept.span] = swept.self; });
  return self;
}

TEST(Sweep, NestedSpansShareTheTime) {
  Spans spans;  // as they end: children first
  add(spans, 2, 4);
  add(spans, 5, 9);
  add(spans, 0, 10);
  for (const Overlap overlap : {Overlap::later_wins, Overlap::worker, Overlap::lanes})
    EXPECT_EQ(selfs(spans, overlap, 0, 10), (std::vector<std::uint64_t>{2, 4, 4}));
  EXPECT_EQ(selfs(spans, Overlap::lanes, 3, 7), (std::vector<std::uint64_t>{1, 2, 1}))
      << "only the window counts";
}

TEST(Sweep, WhatOverlapsWithoutNesting) {
  Spans spans;
  add(spans, 0, 10, 1);
  add(spans, 6, 15, 2);
  EXPECT_EQ(selfs(spans, Overlap::later_wins, 0, 20), (std::vector<std::uint64_t>{6, 9}));
  EXPECT_EQ(selfs(spans, Overlap::lanes, 0, 20), (std::vector<std::uint64_t>{10, 9}));
  EXPECT_EQ(selfs(spans, Overlap::worker, 0, 20), (std::vector<std::uint64_t>{10, 9}))
      << "two items on one worker: both count, and the book goes negative";
  EXPECT_EQ(selfs(spans, Overlap::worker, 0, 20, 4), (std::vector<std::uint64_t>{6, 9}))
      << "within the clock's resolution it is rounding";
  spans.item[1] = 1;
  EXPECT_EQ(selfs(spans, Overlap::worker, 0, 20), (std::vector<std::uint64_t>{6, 9}))
      << "one item is not in two places";
}

TEST(Sweep, AnItemInsideAnotherIsAConflict) {
  Spans spans;
  add(spans, 0, 10, 1);
  add(spans, 2, 5, 2);
  add(spans, 3, 4);  // no item: a detail of whichever holds the worker
  EXPECT_EQ(selfs(spans, Overlap::worker, 0, 10), (std::vector<std::uint64_t>{9, 3, 1}));
}

TEST(Sweep, GapsAreWhatNoSpanCovers) {
  Spans spans;
  add(spans, 2, 4);
  add(spans, 3, 6);
  add(spans, 9, 9);
  Sweep sweep(spans, Overlap::lanes, 0, 12, 0);
  sweep.run(sorted(spans), {}, [](const Swept&) {});
  std::vector<std::pair<Nanos, Nanos>> gaps;
  for (const Sweep::Gap& gap : sweep.gaps()) gaps.emplace_back(gap.from, gap.to);
  EXPECT_EQ(gaps, (std::vector<std::pair<Nanos, Nanos>>{{0, 2}, {6, 9}, {9, 12}}));
}

// Random spans against a count of every nanosecond.
TEST(Sweep, PartitionsTimeExactly) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    Random random(seed);
    Spans spans;
    const std::size_t n = 1 + random.below(40);
    for (std::size_t i = 0; i < n; ++i) {
      const auto from = static_cast<Nanos>(random.below(60));
      add(spans, from, from + static_cast<Nanos>(random.below(seed % 2 == 0 ? 6 : 40)));
    }
    std::uint64_t covered = 0;
    for (Nanos t = 0; t < 100; ++t) {
      for (std::size_t i = 0; i < n; ++i) {
        if (spans.begin[i] > t || spans.end[i] <= t) continue;
        ++covered;
        break;
      }
    }
    const auto later = selfs(spans, Overlap::later_wins, 0, 100);
    EXPECT_EQ(std::accumulate(later.begin(), later.end(), std::uint64_t{0}), covered) << seed;

    // On lanes: at least the union, at most the sum, and never more than its own length.
    const auto lanes = selfs(spans, Overlap::lanes, 0, 100);
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < n; ++i) {
      EXPECT_LE(lanes[i], elapsed(spans.begin[i], spans.end[i])) << seed;
      sum += elapsed(spans.begin[i], spans.end[i]);
    }
    const std::uint64_t all = std::accumulate(lanes.begin(), lanes.end(), std::uint64_t{0});
    EXPECT_GE(all, covered) << seed;
    EXPECT_LE(all, sum) << seed;
  }
}

TEST(Sweep, TheOrderOfTheInputDoesNotMatter) {
  Random random(7);
  Spans spans, shuffled;
  std::vector<std::uint32_t> order(400);
  std::iota(order.begin(), order.end(), 0U);
  for (std::size_t i = 0; i < order.size(); ++i) {
    const auto from = static_cast<Nanos>(random.below(3000));
    // Distinct pairs, so that the order has no ties.
    add(spans, from, from + static_cast<Nanos>(i));
  }
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
  for (const std::uint32_t i : order) add(shuffled, spans.begin[i], spans.end[i]);
  const auto left = selfs(spans, Overlap::lanes, 0, 4000);
  const auto right = selfs(shuffled, Overlap::lanes, 0, 4000);
  for (std::size_t i = 0; i < order.size(); ++i) EXPECT_EQ(left[order[i]], right[i]);
}

TEST(Sweep, ExtremeTimes) {
  constexpr Nanos kLeast = std::numeric_limits<Nanos>::min();
  constexpr Nanos kMost = std::numeric_limits<Nanos>::max();
  Spans spans;
  add(spans, kLeast, kMost);
  add(spans, -5, 5);
  const auto self = selfs(spans, Overlap::lanes, kLeast, kMost);
  EXPECT_EQ(self[0], ~std::uint64_t{0} - 10);
  EXPECT_EQ(self[1], 10U);
}

TEST(Groups, PutEverySpanWithItsKey) {
  const std::vector<std::uint32_t> keys = {1, 0, kNone, 1, 7, 0};
  Groups with(keys, 2, true);
  ASSERT_EQ(with.size(), 3U);
  EXPECT_EQ(std::vector<std::uint32_t>(with.of(0).begin(), with.of(0).end()),
            (std::vector<std::uint32_t>{1, 5}));
  EXPECT_EQ(std::vector<std::uint32_t>(with.of(1).begin(), with.of(1).end()),
            (std::vector<std::uint32_t>{0, 3}));
  EXPECT_EQ(std::vector<std::uint32_t>(with.of(2).begin(), with.of(2).end()),
            (std::vector<std::uint32_t>{2, 4}));
  EXPECT_EQ(Groups(keys, 2, false).size(), 2U);
}

}  // namespace
}  // namespace assay::attribution
