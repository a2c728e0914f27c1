// SPDX-License-Identifier: Apache-2.0
#include "trace/importers/chrome.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "base/random.hpp"
#include "trace/exporters/chrome_json.hpp"
#include "trace/importers/importer_lines.hpp"
#include "trace/importers/json_window.hpp"
#include "trace/rules.hpp"

namespace assay::trace {
namespace {

using testing::Lines;
using testing::spans_of;

Result<Trace> import(const std::string& text, const Rules* rules = nullptr) {
  return testing::import(chrome_importer(), text, rules);
}

TEST(ChromeImporter, PhasesBecomeSpans) {
  const struct {
    const char* name;
    std::string events;
    Lines expected;
  } cases[] = {
      {"complete, in us",
       R"({"name":"f","cat":"c","ph":"X","ts":1.5,"dur":2,"pid":1,"tid":2,"args":{"a":[{}]}})",
       {"f service 1500..3500 thread 2 exact -"}},
      {"begin and end, nested",
       R"({"name":"f","ph":"B","ts":1,"pid":1,"tid":1},{"name":"g","ph":"B","ts":2,"pid":1,"tid":1},
          {"ph":"E","ts":3,"pid":1,"tid":1},{"ph":"E","ts":4,"pid":1,"tid":1})",
       {"g service 2000..3000 thread 1 exact -", "f service 1000..4000 thread 1 exact -"}},
      {"each thread has its stack",
       R"({"name":"f","ph":"B","ts":1,"pid":1,"tid":1},{"name":"g","ph":"B","ts":2,"pid":1,"tid":"x"},
          {"name":"f","ph":"E","ts":3,"pid":1,"tid":1},{"name":"g","ph":"E","ts":4,"pid":1,"tid":"x"})",
       {"f service 1000..3000 thread 1 exact -", "g service 2000..4000 thread x exact -"}},
      {"an end by name closes what is inside",
       R"({"name":"f","ph":"B","ts":1,"pid":1,"tid":1},{"name":"g","ph":"B","ts":2,"pid":1,"tid":1},
          {"name":"f","ph":"E","ts":5,"pid":1,"tid":1})",
       {"g service 2000..5000 thread 1 clipped -", "f service 1000..5000 thread 1 exact -"}},
      {"never ended: up to the last event",
       R"({"name":"f","ph":"B","ts":1,"pid":1,"tid":1},{"name":"x","ph":"i","ts":9,"pid":1,"tid":1})",
       {"f service 1000..9000 thread 1 clipped -"}},
      {"complete without duration",
       R"({"name":"f","ph":"X","ts":1,"pid":1,"tid":1},{"name":"x","ph":"i","ts":9,"pid":1,"tid":1})",
       {"f service 1000..9000 thread 1 clipped -"}},
      {"asynchronous by category and id, also nested",
       R"({"name":"r","cat":"a","ph":"b","id":1,"ts":1,"pid":1,"tid":1},
          {"name":"r","cat":"a","ph":"b","id":"1x","ts":2,"pid":1,"tid":1},
          {"name":"s","cat":"a","ph":"b","id":1,"ts":3,"pid":1,"tid":9},
          {"name":"s","cat":"a","ph":"e","id":1,"ts":4,"pid":1,"tid":9},
          {"name":"r","cat":"a","ph":"e","id":"1x","ts":5,"pid":1,"tid":1},
          {"cat":"a","ph":"e","id":1,"ts":6,"pid":1,"tid":1})",
       {"s service 3000..4000 - exact -", "r service 2000..5000 - exact -",
        "r service 1000..6000 - exact -"}},
      {"overlap on a stream is kept",
       R"({"name":"k1","cat":"kernel","ph":"X","ts":1,"dur":5,"pid":0,"tid":7},
          {"name":"k2","cat":"kernel","ph":"X","ts":3,"dur":5,"pid":0,"tid":7})",
       {"k1 service 1000..6000 thread 7 exact -", "k2 service 3000..8000 thread 7 exact -"}},
      {"kinds of time by category",
       R"({"name":"f","cat":"queue_wait,x","ph":"X","ts":1,"dur":1,"pid":1,"tid":1},
          {"name":"m","cat":"gpu_memcpy","ph":"X","ts":1,"dur":1,"pid":1,"tid":1})",
       {"f queue_wait 1000..2000 thread 1 exact -", "m transfer 1000..2000 thread 1 exact -"}},
      {"text is unescaped; members in any order",
       R"({"tid":1,"pid":1,"dur":1.0,"ts":"1","args":{},"name":"a\"\u00e9","ph":"X"})",
       {"a\"\u00e9 service 1000..2000 thread 1 exact -"}},
      {"large times count from the first event",
       R"({"name":"f","ph":"X","ts":1712345678901234.567,"dur":1.001,"pid":1,"tid":1},
          {"name":"f","ph":"X","ts":1712345678901233.5,"dur":1,"pid":1,"tid":1})",
       {"f service 0..1001 thread 1 exact -", "f service -1067..-67 thread 1 exact -"}},
      {"one name on CPU and GPU is two stages",
       R"({"name":"s","cat":"x","ph":"X","ts":1,"dur":1,"pid":1,"tid":1},
          {"name":"s","cat":"gpu_user_annotation","ph":"X","ts":1,"dur":1,"pid":1,"tid":1})",
       {"s service 1000..2000 thread 1 exact -", "s (gpu) service 1000..2000 thread 1 exact -"}},
  };
  for (const auto& c : cases) {
    for (const std::string& text : {"[" + c.events + "]", "[" + c.events, "[" + c.events + ",{}]\n",
                                    "\xef\xbb\xbf{\"x\":{\"traceEvents\":[1]},\"traceEvents\":[" +
                                        c.events + "],\"displayTimeUnit\":\"ms\"}",
                                    "{\"traceEvents\" : [" + c.events + ",\n"}) {
      const auto run = import(text);
      ASSERT_TRUE(run) << c.name << run.error().to_text();
      EXPECT_EQ(spans_of(*run), c.expected) << c.name << "\n" << text;
      EXPECT_TRUE(run->warnings.empty()) << c.name << run->warnings.front().text;
      EXPECT_EQ(run->lost(Loss::malformed_record), 0U) << c.name;
    }
  }
}

TEST(ChromeImporter, LossIsCountedByKind) {
  const std::string good = R"({"name":"f","ph":"X","ts":1,"dur":1,"pid":1,"tid":1})";
  const struct {
    const char* name;
    std::string text;
    Loss loss;
    std::uint64_t count;
    std::size_t spans;
  } cases[] = {
      {"cut within an event", "[" + good + ",{\"name\":\"g\",\"ph\":\"X\",\"ts\":12",
       Loss::torn_line, 1, 1},
      {"cut within a string", "[" + good + ",{\"name\":\"g", Loss::torn_line, 1, 1},
      {"no colon", "[{\"ph\" 1}," + good + "]", Loss::malformed_record, 1, 1},
      {"not objects", "[1,null,\"x\",[2]," + good + "]", Loss::malformed_record, 4, 1},
      {"no phase", "[{\"name\":\"x\",\"ts\":1}," + good + "]", Loss::malformed_record, 1, 1},
      {"no time", "[{\"name\":\"x\",\"ph\":\"X\",\"pid\":1}," + good + "]", Loss::malformed_record,
       1, 1},
      {"a time that is none", "[{\"ph\":\"X\",\"ts\":null,\"dur\":1}," + good + "]",
       Loss::bad_field, 1, 1},
      {"a time out of range", "[{\"ph\":\"X\",\"ts\":1e300,\"dur\":1}," + good + "]",
       Loss::bad_field, 1, 1},
      {"an end out of range",
       "[" + good + ",{\"ph\":\"X\",\"ts\":9223372036854775,\"dur\":9223372036854775}]",
       Loss::bad_field, 1, 1},
      {"negative duration", "[{\"ph\":\"X\",\"ts\":5,\"dur\":-1}," + good + "]",
       Loss::negative_span, 1, 1},
      {"end without begin", "[{\"ph\":\"E\",\"ts\":5,\"pid\":1,\"tid\":1}," + good + "]",
       Loss::missing_begin, 1, 1},
      {"asynchronous end without begin", "[{\"ph\":\"e\",\"ts\":5,\"id\":3}," + good + "]",
       Loss::missing_begin, 1, 1},
      {"begin without end",
       "[{\"name\":\"b\",\"ph\":\"B\",\"ts\":0,\"pid\":1,\"tid\":1}," + good + "]",
       Loss::missing_end, 1, 2},
      {"asynchronous begins without end",
       "[{\"name\":\"b\",\"ph\":\"b\",\"ts\":0,\"id\":1},{\"ph\":\"b\",\"ts\":0,\"id\":2}," + good +
           "]",
       Loss::missing_end, 2, 3},
      {"end before its begin",
       "[{\"name\":\"b\",\"ph\":\"B\",\"ts\":9,\"pid\":1,\"tid\":1},"
       "{\"ph\":\"E\",\"ts\":5,\"pid\":1,\"tid\":1}," +
           good + "]",
       Loss::negative_span, 1, 1},
      {"unknown phase", "[{\"ph\":\"P\",\"ts\":1}," + good + "]", Loss::unknown_record, 1, 1},
      {"invalid UTF-8", "[{\"name\":\"a\xff\",\"ph\":\"X\",\"ts\":1,\"dur\":1}]", Loss::bad_bytes,
       1, 1},
      {"NUL", "[{\"name\":\"a" + std::string(1, '\0') + "\",\"ph\":\"X\",\"ts\":1,\"dur\":1}]",
       Loss::bad_bytes, 1, 1},
      {"an event longer than the window",
       "[{\"name\":\"" + std::string(json::JsonWindow::kLongest + 10, '}') + "\",\"ph\":\"X\"}," +
           good + "]",
       Loss::long_line, 1, 1},
  };
  for (const auto& c : cases) {
    const auto run = import(c.text);
    ASSERT_TRUE(run) << c.name << run.error().to_text();
    EXPECT_EQ(run->lost(c.loss), c.count) << c.name;
    EXPECT_EQ(run->spans.size(), c.spans) << c.name;
  }
}

TEST(ChromeImporter, WhatIsNoTraceIsAnError) {
  for (const char* text : {"", "   ", "hello", "{}", "{\"a\":[]}", "{\"traceEvents\":5}", "1"}) {
    const auto run = import(text);
    ASSERT_FALSE(run) << text;
    EXPECT_TRUE(run.error().where.starts_with("t")) << run.error().where;
  }
  const auto empty = import("{\"traceEvents\":[]}");
  ASSERT_TRUE(empty);
  EXPECT_EQ(empty->spans.size(), 0U);
}

TEST(ChromeImporter, NestingAndSizesDoNotMatter) {
  const std::size_t depth = 300000;
  const std::string deep = std::string(depth, '[') + std::string(depth, ']');
  std::string text = "{\"metadata\":" + deep + ",\"traceEvents\":[";
  text += "{\"name\":\"f\",\"ph\":\"X\",\"ts\":1,\"dur\":1,\"args\":{\"x\":" + deep + "}},";
  std::uint64_t count = 1;
  // Events of many lengths, so that block borders fall everywhere.
  for (std::size_t i = 0; text.size() < 3 * json::JsonWindow::kBlock; ++i, ++count) {
    text += fmt::format(R"({{"name":"f","ph":"X","ts":{},"dur":1,"args":{{"x":"{}"}}}},)", i,
                        std::string(i % 97, '\\') + std::string(i % 97, 'y'));
  }
  text.back() = ']';
  const auto run = import(text + "}");
  ASSERT_TRUE(run) << run.error().to_text();
  EXPECT_EQ(run->spans.size() + run->lost(Loss::malformed_record), count);
  for (std::size_t i = 0; i < run->spans.size(); ++i) {
    ASSERT_EQ(run->spans.end[i] - run->spans.begin[i], 1000);
  }
}

TEST(ChromeImporter, ProfilesOfPyTorch) {
  const auto run = import(R"({
  "schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "X"}],
  "traceEvents": [
  {"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 9, "tid": 9, "ts": 100.0, "dur": 30.0,
   "args": {"External id": 1}},
  {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 9, "tid": 9,
   "ts": 110.25, "dur": 5.0, "args": {"cbid": 211, "correlation": 17}},
  {"ph": "s", "id": 17, "pid": 9, "tid": 9, "ts": 110.25, "cat": "ac2g", "name": "ac2g"},
  {"ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": 7, "ts": 150.5, "dur": 9.0,
   "args": {"stream": 7, "correlation": 17}},
  {"ph": "f", "id": 17, "pid": 0, "tid": 7, "ts": 150.5, "cat": "ac2g", "name": "ac2g", "bp": "e"},
  {"ph": "i", "name": "[memory]", "pid": 0, "tid": 0, "ts": 151, "s": "t",
   "args": {"Total Allocated": 4096, "Device Id": 0, "Device Type": 1, "Bytes": 512}},
  {"name": "process_name", "ph": "M", "ts": 0, "pid": 9, "tid": 0, "args": {"name": "python"}},
  {"name": "process_name", "ph": "M", "ts": 0, "pid": 0, "tid": 0, "args": {"name": "GPU 0"}},
  {"name": "thread_name", "ph": "M", "ts": 0, "pid": 0, "tid": 7, "args": {"name": "stream 7"}}
  ], "traceName": "x.json", "baseTimeNanoseconds": 1700000000000000000})");
  ASSERT_TRUE(run) << run.error().to_text();
  EXPECT_EQ(spans_of(*run),
            (Lines{"aten::mm service 100000..130000 python / thread 9 exact -",
                   "cudaLaunchKernel service 110250..115250 python / thread 9 exact -",
                   "gemm service 150500..159500 GPU 0 / stream 7 exact -"}));
  EXPECT_EQ(run->stages[run->find_stage("gemm")].kind, StageKind::gpu);
  EXPECT_EQ(run->stages[run->find_stage("cudaLaunchKernel")].kind, StageKind::cpu);
  ASSERT_EQ(run->links.size(), 1U);
  EXPECT_EQ(run->links[0].from, 1U);
  EXPECT_EQ(run->links[0].to, 2U);
  EXPECT_EQ(run->links[0].kind, LinkKind::launch);
  ASSERT_EQ(run->memory.size(), 1U);
  EXPECT_EQ(run->memory[0].scope, "gpu");
  EXPECT_EQ(run->memory[0].bytes, std::vector<std::uint64_t>{4096});
  EXPECT_EQ(run->clock.epoch_ns, 1700000000000000000);
  EXPECT_EQ(run->clock.resolution_ns, 10);
  EXPECT_EQ(run->workers[0].tid, 9);
  EXPECT_EQ(run->workers[1].stage, run->find_stage("gemm"));
}

TEST(ChromeImporter, ArrowsLinkTheSpansTheyTouch) {
  const auto run = import(R"([
  {"name":"a","ph":"X","ts":0,"dur":10,"pid":1,"tid":1},
  {"name":"b","ph":"X","ts":20,"dur":10,"pid":1,"tid":2},
  {"name":"c","ph":"X","ts":21,"dur":2,"pid":1,"tid":2},
  {"name":"d","ph":"X","ts":40,"dur":2,"pid":1,"tid":3},
  {"name":"q","cat":"x","ph":"s","id":1,"ts":5,"pid":1,"tid":1},
  {"name":"q","cat":"x","ph":"t","id":1,"ts":22,"pid":1,"tid":2},
  {"name":"q","cat":"x","ph":"f","id":1,"ts":30,"pid":1,"tid":3},
  {"name":"q","cat":"x","ph":"s","id":2,"ts":15,"pid":1,"tid":1},
  {"name":"q","cat":"x","ph":"f","bp":"e","id":2,"ts":28,"pid":1,"tid":2}])");
  ASSERT_TRUE(run);
  ASSERT_EQ(run->links.size(), 2U);
  EXPECT_EQ(run->links[0].from, 0U);
  EXPECT_EQ(run->links[0].to, 2U);
  EXPECT_EQ(run->links[1].from, 2U);
  EXPECT_EQ(run->links[1].to, 3U);
  ASSERT_EQ(run->warnings.size(), 1U);  // the point at 15 touches nothing
}

TEST(ChromeImporter, CountersInstantsItemsAndTwoClocks) {
  Rules rules;
  rules.item = {"args.job", "args.part"};
  const auto run = import(R"([
  {"name":"f","ph":"X","ts":0,"dur":10,"pid":1,"tid":1,"args":{"part":7,"job":"a1"}},
  {"name":"f","ph":"X","ts":0,"dur":10,"pid":1,"tid":1,"args":{"part":7}},
  {"name":"depth","ph":"C","ts":1,"pid":1,"args":{"value":3.5}},
  {"name":"depth","ph":"C","ts":2,"pid":1,"args":{"in":1,"out":"2"}},
  {"name":"mark","ph":"i","ts":1700000000000000,"pid":1,"tid":1}])",
                          &rules);
  ASSERT_TRUE(run);
  EXPECT_EQ(spans_of(*run).front(), "f service 0..10000 thread 1 exact a1/7");
  EXPECT_EQ(spans_of(*run).back(), "f service 0..10000 thread 1 exact -");
  ASSERT_EQ(run->counters.size(), 3U);
  EXPECT_EQ(run->strings.at(run->counters.name[0]), "depth");
  EXPECT_EQ(run->strings.at(run->counters.name[2]), "depth/out");
  EXPECT_EQ(run->counters.value, (std::vector<double>{3.5, 1, 2}));
  EXPECT_EQ(run->instants.size(), 1U);
  ASSERT_EQ(run->warnings.size(), 1U);
  EXPECT_EQ(run->warnings[0].kind, TraceWarningKind::two_clocks);
}

TEST(ChromeImporter, Sniffs) {
  const Importer& importer = chrome_importer();
  EXPECT_GE(importer.sniff("{\"displayTimeUnit\":\"ns\",\"traceEvents\":["), 90);
  EXPECT_GE(importer.sniff("[\n{\"name\":\"x\",\"ph\":\"X\",\"ts\":1"), 80);
  EXPECT_EQ(importer.sniff("[1,2,3]"), 0);
  EXPECT_EQ(importer.sniff("{\"resourceSpans\":[]}"), 0);
  EXPECT_EQ(importer.sniff("[INFO] ph ts"), 0);
  EXPECT_EQ(importer.sniff(""), 0);
}

// A run of every kind of span, with awkward names.
Trace any_run(std::uint64_t seed) {
  Random random(seed);
  Trace run;
  run.source = "run \"" + std::to_string(seed) + "\".log";
  constexpr std::string_view kNames[] = {"synth", "gpu \"k\"<T>", "na\\me\n", "\u00e9", ""};
  for (const std::string_view name : kNames) {
    run.stages[run.stage_id(name)].kind = static_cast<StageKind>(random.below(4));
  }
  for (std::uint64_t i = 1 + random.below(3); i > 0; --i) {
    run.worker_id(kNone, "worker " + std::to_string(i));
  }
  for (std::uint64_t i = random.below(60); i > 0; --i) {
    const Nanos begin = static_cast<Nanos>(random.below(1000000)) - 500000;
    const Nanos end = begin + static_cast<Nanos>(random.below(2) * random.below(1000000));
    const std::uint32_t item = random.below(2) == 0
                                   ? kNone
                                   : run.items.intern(run.strings.intern(fmt::format(
                                         "job \"{}\"/{}", random.below(3), random.below(9))));
    run.spans.push(
        begin, end, item, static_cast<std::uint32_t>(random.below(5)),
        random.below(4) == 0 ? kNone : static_cast<std::uint32_t>(random.below(run.workers.size())),
        static_cast<SpanKind>(random.below(kSpanKinds)), static_cast<Quality>(random.below(3)));
  }
  for (std::uint64_t i = random.below(5); i > 0; --i) {
    run.counters.at.push_back(static_cast<Nanos>(random.below(1000)));
    run.counters.name.push_back(run.strings.intern("depth/x"));
    run.counters.value.push_back(random.uniform());
    run.instants.at.push_back(static_cast<Nanos>(random.below(1000)));
    run.instants.name.push_back(run.strings.intern("mark"));
    run.instants.item.push_back(kNone);
  }
  run.memory.push_back({"tree", "statm", {1, 2000}, {4096, std::uint64_t{1} << 50}});
  return run;
}

std::string exported(std::span<const ExportSide> sides) {
  std::string text;
  const auto done = write_chrome_json(sides, [&](std::string_view piece) {
    text += piece;
    return Result<void>();
  });
  EXPECT_TRUE(done);
  return text;
}

TEST(ChromeJson, ComesBackAsTheSameSpans) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const Trace run = any_run(seed);
    const ExportSide side{&run, 0};
    const auto again = import(exported({&side, 1}));
    ASSERT_TRUE(again) << again.error().to_text();
    EXPECT_EQ(spans_of(*again), spans_of(run)) << seed;
    EXPECT_EQ(again->counters.at, run.counters.at);
    EXPECT_EQ(again->counters.value, run.counters.value);
    EXPECT_EQ(again->instants.at, run.instants.at);
    ASSERT_EQ(again->memory.size(), 1U);
    EXPECT_EQ(again->memory[0].scope, "tree");
    EXPECT_EQ(again->memory[0].method, "statm");
    EXPECT_EQ(again->memory[0].bytes, run.memory[0].bytes);
    for (const std::uint64_t lost : again->losses) EXPECT_EQ(lost, 0U);
    for (std::size_t i = 0; i < run.spans.size(); ++i) {
      EXPECT_EQ(again->stages[again->spans.stage[i]].kind, run.stages[run.spans.stage[i]].kind);
    }
  }
}

TEST(ChromeJson, TwoRunsAreTwoProcessesAlignedAtTheirFirstCompletion) {
  Trace a, b;
  for (Trace* run : {&a, &b}) {
    run->source = run == &a ? "before.log" : "after.log";
    const std::uint32_t synth = run->stage_id("synth"), gpu = run->stage_id("gpu");
    run->edges.push_back({synth, gpu});
    const std::uint32_t worker = run->worker_id(gpu, "gpu 0");
    const Nanos shift = run == &a ? 0 : 777000;
    run->spans.push(shift, shift + 1000, kNone, synth, worker, SpanKind::service, Quality::exact);
    run->spans.push(shift, shift + 1500, kNone, gpu, worker, SpanKind::queue_wait, Quality::exact);
    run->spans.push(shift + 1000, shift + 5000, kNone, gpu, worker, SpanKind::service,
                    Quality::exact);
  }
  EXPECT_EQ(first_completion(a), 5000);
  EXPECT_EQ(first_completion(b), 782000);
  EXPECT_EQ(first_completion(Trace()), 0);
  const ExportSide sides[] = {{&a, first_completion(a)}, {&b, first_completion(b)}};
  const auto both = import(exported(sides));
  ASSERT_TRUE(both);
  const Lines lines = spans_of(*both);
  ASSERT_EQ(lines.size(), 6U);
  EXPECT_EQ(lines[2], "gpu service -4000..0 A: before.log / gpu 0 exact -");
  EXPECT_EQ(lines[5], "gpu service -4000..0 B: after.log / gpu 0 exact -");
}

TEST(ChromeJson, AnErrorOfTheSinkEndsTheWriting) {
  Trace run = any_run(1);
  for (int i = 0; i < 100000; ++i) {
    run.spans.push(i, i, kNone, 0, kNone, SpanKind::service, Quality::exact);
  }
  const ExportSide side{&run, 0};
  int calls = 0;
  const auto done = write_chrome_json({&side, 1}, [&](std::string_view) -> Result<void> {
    ++calls;
    return fail("disk full");
  });
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().what, "disk full");
  EXPECT_EQ(calls, 1);
}

}  // namespace
}  // namespace assay::trace
