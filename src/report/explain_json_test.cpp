// SPDX-License-Identifier: Apache-2.0
#include "report/explain_json.hpp"

#include <gtest/gtest.h>

#include "report/explain_cases.hpp"
#include "report/timeline_json.hpp"

namespace assay::report {
namespace {

TEST(ExplainJson, OneRunHasTheHeadOfTwo) {
  const Json json = explain_json(run_case(), {});
  EXPECT_EQ(json["schema_version"], Json(1));
  EXPECT_EQ(json["kind"], Json("explain"));
  EXPECT_EQ(json["runs"].size(), 1U);
  EXPECT_TRUE(json.has("delta_s"));
  EXPECT_TRUE(json["delta_s"].is_null());
  EXPECT_TRUE(json["parts"].is_array());
  const Json& run = json["runs"].items()[0];
  EXPECT_EQ(run["side"], Json("A"));
  EXPECT_EQ(run["stages"].items()[1]["servers"].to_uint(), 1U);
  EXPECT_TRUE(run["stages"].items()[0]["capacity"].is_null());
  EXPECT_EQ(run["books"].items()[0]["seconds"]["blocked_send"].to_double(), 2040.0);
  EXPECT_EQ(run["bottleneck"]["window_stage"].size(), 20U);
  EXPECT_EQ(run["clock"]["resolution_ns"].to_int(), 1'000'000);
}

TEST(ExplainJson, CurvesOnlyWhenAsked) {
  const Json without = explain_json(run_case(), {});
  const Json with = explain_json(run_case(), {.curves = true});
  EXPECT_EQ(without.at_pointer("/runs/0/stages/0/service/curve"), nullptr);
  ASSERT_NE(with.at_pointer("/runs/0/stages/0/service/curve"), nullptr);
  EXPECT_EQ(with.at_pointer("/runs/0/stages/0/service/curve")->size(), 101U);
}

TEST(ExplainJson, PartsAndRemainderAreTheDelta) {
  const Json json = explain_json(delta_case(), {});
  double sum = json["remainder_s"].to_double().value();
  for (const Json& part : json["parts"].items()) sum += part["seconds"].to_double().value();
  EXPECT_NEAR(sum, json["delta_s"].to_double().value(), 1e-9);
  EXPECT_EQ(json["model_error_s"].size(), 2U);
  EXPECT_TRUE(json["refused"].is_null());
  EXPECT_EQ(json["reason"], Json("unreplicated"));
  EXPECT_EQ(json["stages"].items()[0]["shape"], Json("SHIFT"));
  EXPECT_EQ(json["delta_lo_s"].to_double(), 262.0);
  EXPECT_EQ(json["runs"].size(), 2U);
  EXPECT_EQ(json["runs"].items()[1]["side"], Json("B"));
  EXPECT_EQ(json["comparability"]["comparable"], Json(true));
}

TEST(ExplainJson, ARefusalSaysWhy) {
  auto delta = delta_case();
  delta.attribution->refused = true;
  delta.attribution->refused_because = "the replay of A is off by 900 s";
  EXPECT_EQ(explain_json(delta, {})["refused"], Json("the replay of A is off by 900 s"));
  delta.attribution.reset();
  const Json json = explain_json(delta, {});
  EXPECT_TRUE(json["refused"].is_null());
  EXPECT_TRUE(json["model_error_s"].is_null());
  EXPECT_NEAR(json["delta_s"].to_double().value(), 280, 1e-9);
}

trace::Trace many_spans(std::size_t count) {
  trace::Trace run;
  run.source = "many.log";
  const std::uint32_t stage = run.stage_id("gpu");
  const std::uint32_t worker = run.worker_id(stage, "0");
  for (std::size_t i = 0; i < count; ++i) {
    const auto at = static_cast<trace::Nanos>(i) * 1000 + 5'000'000'000;
    const std::uint32_t item = run.items.intern(run.strings.intern("job/" + std::to_string(i)));
    run.spans.push(at, at + 400 + static_cast<trace::Nanos>(i % 7), item, stage, worker,
                   trace::SpanKind::service, trace::Quality::exact);
  }
  return run;
}

TEST(TimelineJson, SmallRunsAreWhole) {
  const Json json = timeline_json(many_spans(3), "A");
  EXPECT_TRUE(json["thinned"].is_null());
  EXPECT_EQ(json["begin_ns"], Json("5000000000"));
  EXPECT_EQ(json["spans"]["t0"].items()[1].to_double(), 1e-6);
  EXPECT_EQ(json["spans"]["dur"].items()[2].to_double(), 402e-9);
  EXPECT_EQ(json["items"].items()[2], Json("job/2"));
  EXPECT_EQ(json["workers"].items()[0]["label"], Json("0"));
  EXPECT_EQ(json["kinds"].items()[1], Json("queue_wait"));
  EXPECT_EQ(json["in_flight"].items()[0]["n"].size(), 6U);
}

TEST(TimelineJson, LongRunsAreThinnedAndSaySo) {
  const Json json = timeline_json(many_spans(5000), "B", {.spans = 100, .points = 50});
  EXPECT_EQ(json["spans"]["t0"].size(), 100U);
  EXPECT_EQ(json["thinned"]["kept"].to_uint(), 100U);
  EXPECT_EQ(json["thinned"]["of"].to_uint(), 5000U);
  EXPECT_LE(json["in_flight"].items()[0]["t"].size(), 50U);
  // In order, from near the begin to near the end, and the longest are there.
  double before = -1;
  std::size_t longest = 0;
  for (std::size_t i = 0; i < 100; ++i) {
    const double t0 = json["spans"]["t0"].items()[i].to_double().value();
    EXPECT_GT(t0, before);
    before = t0;
    if (json["spans"]["dur"].items()[i].to_double().value() > 405.5e-9) ++longest;
  }
  EXPECT_GE(longest, 50U);
  EXPECT_GT(before, 4000e-6);
}

TEST(TimelineJson, ABrokenClockDoesNotOverflow) {
  trace::Trace run;
  run.stage_id("s");
  run.spans.push(INT64_MIN, INT64_MAX, trace::kNone, 0, trace::kNone, trace::SpanKind::service,
                 trace::Quality::exact);
  run.clock.epoch_ns = INT64_MIN;
  const Json json = timeline_json(run, "A");
  EXPECT_GT(json["spans"]["dur"].items()[0].to_double().value(), 1.8e10);
  EXPECT_EQ(json["spans"]["worker"].items()[0].to_int(), -1);
  EXPECT_EQ(json["spans"]["item"].items()[0].to_int(), -1);
}

}  // namespace
}  // namespace assay::report
