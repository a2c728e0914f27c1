// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "trace/importers/structured.hpp"
#include "trace/source.hpp"

namespace assay::trace {
namespace {

Trace import(const std::string& log) {
  const auto source = memory_source(log, "run.log");
  auto trace = import_run(*source, "", {});
  EXPECT_TRUE(trace) << (trace ? "" : trace.error().to_text());
  return trace ? std::move(*trace) : Trace();
}

void check(const Trace& trace) {
  EXPECT_EQ(trace.format, "tracing");
  ASSERT_EQ(trace.spans.size(), 2U);
  const std::uint32_t gpu = trace.find_stage("gpu");
  ASSERT_NE(gpu, kNone);
  EXPECT_EQ(trace.stages[gpu].parent, trace.find_stage("prove"));
  EXPECT_EQ(trace.spans.kind[0], SpanKind::other);
  EXPECT_EQ(trace.spans.kind[1], SpanKind::service);
  EXPECT_EQ(trace.spans.end[1] - trace.spans.begin[1], 7'050'000'000);
  EXPECT_EQ(trace.spans.end[0] - trace.spans.begin[0], 12'300);
  EXPECT_EQ(trace.spans.end[0], trace.spans.begin[1]);
  EXPECT_EQ(trace.spans.end[1], 0);  // the first timestamp is the epoch
  EXPECT_EQ(trace.spans.quality[1], Quality::derived);
  EXPECT_EQ(trace.strings.at(trace.items.key[trace.spans.item[1]]), "a1/3");
  EXPECT_EQ(trace.workers[trace.spans.worker[1]].label, "0");
  EXPECT_EQ(trace.lost(Loss::bad_field), 0U);
}

TEST(Tracing, TextWithColours) {
  check(
      import("\x1b[2m2026-03-04T05:06:07.000000Z\x1b[0m \x1b[32m INFO\x1b[0m "
             "\x1b[1mprove\x1b[0m\x1b[1m{\x1b[0mjob=\"a1\" partition=3\x1b[1m}\x1b[0m:gpu{worker=0}"
             ": engine::gpu: close time.busy=7.05s time.idle=12.3\xC2\xB5s\n"));
}

TEST(Tracing, Json) {
  check(import(R"({"timestamp":"2026-03-04T05:06:07.000000Z","level":"INFO","fields":{"message":)"
               R"("close","time.busy":"7.05s","time.idle":"12.3µs"},"target":"engine","span":)"
               R"({"worker":0,"name":"gpu"},"spans":[{"job":"a1","partition":3,"name":"prove"},)"
               R"({"worker":0,"name":"gpu"}]})"
               "\n"));
}

TEST(Tracing, DamagedLinesAreCounted) {
  const Trace trace = import(
      "2026-03-04T05:06:07Z INFO gpu: engine: close time.busy=1s time.idle=1us\n"
      "2026-03-04T05:06:07Z INFO gpu{a: engine: close time.busy=1s time.idle=1us\n"
      "2026-03-04T05:06:07Z INFO gpu: engine: close time.busy=soon time.idle=1us\n"
      "{\"timestamp\":\"2026-03-04T05:06:07Z\",\"fields\":{\"time.busy\":\"1s\"\n");
  EXPECT_EQ(trace.lost(Loss::bad_field), 3U);
  EXPECT_EQ(trace.spans.size(), 2U);
}

}  // namespace
}  // namespace assay::trace
