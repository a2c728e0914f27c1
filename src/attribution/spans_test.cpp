// SPDX-License-Identifier: Apache-2.0
#include "attribution/spans.hpp"

#include <gtest/gtest.h>

#include <string>

namespace assay::attribution {
namespace {

using trace::Trace;

struct Plain {
  std::string name;
  trace::Nanos from, to;
};

Trace trace_of(const std::vector<Plain>& spans) {
  Trace run;
  run.worker_id(trace::kNone, "main");
  for (const Plain& span : spans)
    run.spans.push(span.from, span.to, trace::kNone, run.stage_id(span.name), 0,
                   trace::SpanKind::service, trace::Quality::exact);
  return run;
}

SpanComparison compared(const Trace& a, const Trace& b) {
  const Trace* left[] = {&a};
  const Trace* right[] = {&b};
  return compare_spans(left, right);
}

const SpanDelta& row(const SpanComparison& of, std::string_view name_a) {
  for (const SpanDelta& delta : of.spans)
    if (delta.name_a == name_a) return delta;
  ADD_FAILURE() << name_a;
  static const SpanDelta kNothing;
  return kNothing;
}

TEST(Spans, MatchExactlyThenNormalisedThenByPlace) {
  constexpr trace::Nanos kSecond = 1000000000;
  const Trace a = trace_of({{"main", 0, 100 * kSecond},
                            {"ntt<4>", 10 * kSecond, 40 * kSecond},
                            {"butterflies", 15 * kSecond, 35 * kSecond},
                            {"multiexp", 50 * kSecond, 80 * kSecond},
                            {"bucket_add", 55 * kSecond, 75 * kSecond},
                            {"gone", 90 * kSecond, 92 * kSecond}});
  const Trace b = trace_of({{"main", 0, 110 * kSecond},
                            {"ntt<8>", 10 * kSecond, 45 * kSecond},
                            {"butterflies", 15 * kSecond, 40 * kSecond},
                            {"msm", 50 * kSecond, 90 * kSecond},
                            {"bucket_add", 55 * kSecond, 85 * kSecond}});
  const SpanComparison result = compared(a, b);
  EXPECT_EQ(row(result, "main").matched_by, "exact");
  EXPECT_EQ(row(result, "ntt<4>").matched_by, "normalised");
  EXPECT_EQ(row(result, "ntt<4>").name_b, "ntt<8>");
  EXPECT_EQ(row(result, "multiexp").matched_by, "tree");
  EXPECT_EQ(row(result, "multiexp").name_b, "msm");
  EXPECT_NEAR(row(result, "multiexp").self_a_s, 10, 1e-9);
  EXPECT_NEAR(row(result, "multiexp").self_b_s, 10, 1e-9);
  EXPECT_EQ(row(result, "gone").matched_by, "");
  EXPECT_EQ(row(result, "gone").name_b, "");
  EXPECT_NEAR(result.unmatched_share, 2.0 / 210, 1e-12);
  EXPECT_EQ(result.spans.size(), 6U);
  // Self times sum to what was covered.
  double self_a = 0, self_b = 0;
  for (const SpanDelta& delta : result.spans) {
    self_a += delta.self_a_s;
    self_b += delta.self_b_s;
  }
  EXPECT_NEAR(self_a, 100, 1e-9);
  EXPECT_NEAR(self_b, 110, 1e-9);
  EXPECT_EQ(result.spans.front().name_a, "bucket_add") << "+10 s of self time comes first";
}

TEST(Spans, StrangersDoNotMatch) {
  const SpanComparison result =
      compared(trace_of({{"alpha", 0, 10}}), trace_of({{"beta", 0, 9}, {"gamma", 20, 100}}));
  for (const SpanDelta& delta : result.spans)
    EXPECT_TRUE(delta.name_a.empty() || delta.name_b.empty() || delta.matched_by == "tree");
  EXPECT_EQ(compared(Trace{}, Trace{}).unmatched_share, 0);
  EXPECT_EQ(compared(trace_of({{"a", 0, 5}}), Trace{}).unmatched_share, 1);
}

TEST(Spans, SeveralRunsAreMeans) {
  const Trace one = trace_of({{"work", 0, 10}}),
              two = trace_of({{"work", 0, 20}, {"work", 30, 40}});
  const Trace* a[] = {&one, &two};
  const Trace* b[] = {&one};
  const SpanComparison result = compare_spans(a, b);
  ASSERT_EQ(result.spans.size(), 1U);
  EXPECT_NEAR(result.spans[0].self_a_s, 20e-9, 1e-18);
  EXPECT_EQ(result.spans[0].count_a, 2U) << "1.5, rounded";
  EXPECT_EQ(result.spans[0].count_b, 1U);
}

}  // namespace
}  // namespace assay::attribution
