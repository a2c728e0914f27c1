// SPDX-License-Identifier: Apache-2.0
#include "trace/importers/trace_json.hpp"

#include <gtest/gtest.h>

#include "base/random.hpp"
#include "trace/exporters/trace_json.hpp"
#include "trace/source.hpp"

namespace assay::trace {
namespace {

Trace sample() {
  Trace trace;
  trace.source = "memory";
  trace.format = "timeline";
  trace.host = "bench-1";
  trace.clock = {"offset in ms", 1'000'000, 1'700'000'000'000'000'000};
  trace.set("lookahead", "3");
  trace.set("lookahead", "4");
  const std::uint32_t synth = trace.stage_id("synth"), gpu = trace.stage_id("gpu \"1\"\n");
  trace.stages[gpu].kind = StageKind::gpu;
  trace.stages[gpu].servers = 2;
  trace.stages[gpu].capacity = 10;
  trace.stages[synth].permits = 5;
  trace.stages[gpu].servers_from = "declared";
  const std::uint32_t part = trace.stage_id("gpu.start");
  trace.stages[part].parent = gpu;
  trace.edges.push_back({synth, gpu});
  const std::uint32_t worker = trace.worker_id(gpu, "0");
  Random random(3);
  for (int i = 0; i < 300; ++i) {
    const auto item = trace.items.intern(trace.strings.intern("job/" + std::to_string(i)));
    trace.items.bytes[item] = random.below(1 << 20);
    const Nanos begin = static_cast<Nanos>(random.below(1'000'000)) - 500'000;
    trace.spans.push(begin, begin + static_cast<Nanos>(random.below(1000)), item,
                     i % 2 == 0 ? synth : gpu, i % 2 == 0 ? kNone : worker,
                     static_cast<SpanKind>(random.below(kSpanKinds)),
                     static_cast<Quality>(random.below(3)));
  }
  trace.instants.at = {5};
  trace.instants.name = {trace.strings.intern("sent")};
  trace.instants.item = {kNone};
  trace.counters.at = {1, 2};
  trace.counters.name = {trace.strings.intern("in_flight"), trace.strings.intern("in_flight")};
  trace.counters.value = {1.5, 1e300};
  trace.memory.push_back({"pid", "statm", {1, 9}, {100, std::uint64_t{1} << 40}});
  trace.links.push_back({0, 1, LinkKind::permit});
  trace.lost(Loss::torn_line) = 1;
  trace.lines_read = 7;
  trace.warn(TraceWarningKind::torn, "the last line is torn");
  return trace;
}

std::string written(const Trace& trace) {
  std::string text;
  const auto done = write_trace_json(trace, [&](std::string_view piece) -> Result<void> {
    text += piece;
    return {};
  });
  EXPECT_TRUE(done.has_value());
  return text;
}

Result<Trace> read_back(std::string text) {
  const auto source = memory_source(std::move(text));
  return trace_json_importer().read(*source, {});
}

TEST(TraceJson, WhatWasWrittenComesBackWhole) {
  const std::string text = written(sample());
  EXPECT_EQ(trace_json_importer().sniff(text), 100);
  const auto back = read_back(text);
  ASSERT_TRUE(back.has_value()) << back.error().to_text();
  EXPECT_EQ(written(*back), text);
  EXPECT_EQ(back->spans.size(), 300U);
  EXPECT_EQ(back->clock.epoch_ns, 1'700'000'000'000'000'000);
  EXPECT_EQ(back->stages[1].name, "gpu \"1\"\n");
  EXPECT_EQ(back->stages[2].parent, 1U);
  EXPECT_TRUE(back->find_setting("lookahead")->changed);
}

TEST(TraceJson, AnEmptyTraceComesBack) {
  const auto back = read_back(written(Trace()));
  ASSERT_TRUE(back.has_value()) << back.error().to_text();
  EXPECT_EQ(back->spans.size(), 0U);
}

TEST(TraceJson, TheCompressedFormIsReadThroughTheSameSource) {
  const auto packed = trace_json_zst(sample());
  ASSERT_TRUE(packed.has_value());
  EXPECT_LT(packed->size(), written(sample()).size() / 2);
}

TEST(TraceJson, DamageIsRefusedByName) {
  const std::string good = written(sample());
  const struct {
    std::string from, to, error;
  } cases[] = {
      {"\"assay_trace\":1", "\"assay_trace\":2", "a trace of version 2, this assay reads 1"},
      {"\"edges\":[[0,1]]", "\"edges\":[[0,3]]", "'edges' holds what is no whole number"},
      {"\"parent\":1", "\"parent\":9", "'parent' holds what is no whole number"},
      {"\"name\":\"synth\"", "\"name\":\"gpu.start\"", "stage 'gpu.start' is listed twice"},
      {"\"quality\":[", "\"quality\":[7,", "column 'quality' does not have 300 values"},
      {"\"stage\":[0,", "\"stage\":[-1,", "span 0 ends before it begins, or has no stage"},
      {"\"bytes\":[100,", "\"bytes\":[", "column 'bytes' does not have 2 values"},
  };
  for (const auto& c : cases) {
    std::string text = good;
    const std::size_t at = text.find(c.from);
    ASSERT_NE(at, std::string::npos) << c.from;
    text.replace(at, c.from.size(), c.to);
    const auto back = read_back(text);
    ASSERT_FALSE(back.has_value()) << c.from;
    EXPECT_NE(back.error().to_text().find(c.error), std::string::npos) << back.error().to_text();
  }
}

}  // namespace
}  // namespace assay::trace
