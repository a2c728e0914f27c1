// SPDX-License-Identifier: Apache-2.0
#include "attribution/tails.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/traces.hpp"

namespace assay::attribution {
namespace {

using testing::two_stages;
using trace::SpanKind;
using trace::Trace;

// Mean latency of the items at or above the side's p99, straight from the spans.
double conditional_mean(const std::vector<const Trace*>& runs) {
  std::vector<double> latencies;
  for (const Trace* run : runs) {
    for (std::uint32_t item = 0; item < run->items.size(); ++item) {
      trace::Nanos first = INT64_MAX, last = INT64_MIN;
      for (std::size_t i = 0; i < run->spans.size(); ++i) {
        if (run->spans.item[i] != item) continue;
        first = std::min(first, run->spans.begin[i]);
        last = std::max(last, run->spans.end[i]);
      }
      if (first <= last) latencies.push_back(static_cast<double>(last - first) / 1e9);
    }
  }
  const double p99 = distribution_of(latencies).p99;
  double sum = 0, count = 0;
  for (const double latency : latencies) {
    if (latency < p99) continue;
    sum += latency;
    count += 1;
  }
  return sum / count;
}

TEST(Tails, RowsAndGapSumToTheDifference) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    auto before = two_stages(120, 7, 2, 1), after = before;
    before[0].service_s = testing::lognormal(120, 29, .3, seed);
    after[0].service_s = testing::lognormal(120, 31, .4, seed + 100);
    after[1].service_s = testing::lognormal(120, 7, .6, seed + 200);
    testing::SimLog log;
    log.blocked_send = seed % 2 == 0;  // else the blocking is a gap
    log.resolution_ns = seed % 3 == 0 ? 1000000 : 1;
    const Trace a = trace_of(before, simulate(before), log);
    const Trace b = trace_of(after, simulate(after), log);
    const Trace* left[] = {&a};
    const Trace* right[] = {&b, &a};
    const auto tails = tail_deltas(left, right);
    ASSERT_EQ(tails.size(), 1U);
    double sum_a = tails[0].gap_a_s, sum_b = tails[0].gap_b_s;
    for (const TailRow& row : tails[0].rows) {
      sum_a += row.a_s;
      sum_b += row.b_s;
    }
    EXPECT_NEAR(sum_a, conditional_mean({&a}), 1e-8) << seed;
    EXPECT_NEAR(sum_b, conditional_mean({&b, &a}), 1e-8) << seed;
    EXPECT_EQ(tails[0].items_a, 2U);
    if (seed % 2 == 1) {
      EXPECT_GT(tails[0].gap_a_s, 0);
    }
  }
}

TEST(Tails, ByClassOfItem) {
  const auto stages = two_stages(100, 4, 2, 1);
  Trace run = trace_of(stages, simulate(stages));
  const std::uint32_t big = run.strings.intern("32G"), small = run.strings.intern("2K");
  for (std::size_t i = 0; i < run.items.size(); ++i) run.items.label[i] = i % 4 == 0 ? big : small;
  const Trace* side[] = {&run};
  const auto tails = tail_deltas(side, side);
  ASSERT_EQ(tails.size(), 3U);
  EXPECT_EQ(tails[0].label, "");
  EXPECT_EQ(tails[1].label, "2K");
  EXPECT_EQ(tails[2].label, "32G");
  for (const TailDelta& delta : tails)
    for (const TailRow& row : delta.rows) EXPECT_EQ(row.a_s, row.b_s);
  EXPECT_TRUE(tail_deltas({}, side).empty());
}

TEST(Tails, NameTheCause) {
  auto before = two_stages(400, 5, 3, 1), after = before;
  for (std::size_t i = 0; i < 400; i += 50) after[0].service_s[i] += 100;  // eight slow items
  const Trace a = trace_of(before, simulate(before)), b = trace_of(after, simulate(after));
  const Trace* left[] = {&a};
  const Trace* right[] = {&b};
  const auto tails = tail_deltas(left, right);
  ASSERT_EQ(tails.size(), 1U);
  EXPECT_EQ(tails[0].rows.front().stage, "synth");
  EXPECT_EQ(tails[0].rows.front().kind, SpanKind::service);
  EXPECT_NEAR(tails[0].rows.front().b_s - tails[0].rows.front().a_s, 100, 20);
}

}  // namespace
}  // namespace assay::attribution
