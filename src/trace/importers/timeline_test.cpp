// SPDX-License-Identifier: Apache-2.0
#include "trace/importers/timeline.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "trace/rules.hpp"
#include "trace/source.hpp"

namespace assay::trace {
namespace {

// Two jobs of two partitions, one at a time: 10 ms of synthesis, 2 ms blocked, 3 ms queued, 5 ms
// proved.
std::string make_log(const std::function<bool(std::string_view line)>& keep = {},
                     std::string_view front = "") {
  std::string log(front);
  const auto add = [&](int t, std::string_view event, std::string_view tail) {
    const std::string line =
        "TIMELINE," + std::to_string(t) + "," + std::string(event) + "," + std::string(tail);
    if (!keep || keep(line)) log += line + "\n";
  };
  for (int i = 0; i < 4; ++i) {
    const std::string job = i < 2 ? "a1b2" : "c3d4";
    const std::string part = "partition=" + std::to_string(i % 2);
    const int t = i * 100;
    add(t, "SYNTH_START", job + "," + part);
    add(t + 10, "SYNTH_END", job + "," + part + ",synth_ms=10");
    add(t + 12, "CHAN_SEND", job + "," + part + ",blocked_ms=2");
    add(t + 12, "GPU_QUEUE", job + "," + part);
    add(t + 15, "GPU_PICKUP", job + ",worker=" + std::to_string(i % 2) + "," + part);
    add(t + 15, "GPU_START", job + ",worker=" + std::to_string(i % 2) + "," + part);
    add(t + 20, "GPU_END", job + "," + part + ",worker=" + std::to_string(i % 2) + ",gpu_ms=5");
  }
  return log;
}

Trace import(const std::string& log, const Rules* rules = nullptr) {
  ImportOptions options;
  options.rules = rules;
  const auto source = memory_source(log, "run.log");
  auto trace = import_run(*source, "", options);
  EXPECT_TRUE(trace) << (trace ? "" : trace.error().to_text());
  return trace ? std::move(*trace) : Trace();
}

// Sum in ms and number of the spans of (stage, kind), of that quality.
std::pair<Nanos, int> sum_of(const Trace& trace, std::string_view stage, SpanKind kind,
                             Quality quality = Quality::exact) {
  std::pair<Nanos, int> sum;
  for (std::size_t i = 0; i < trace.spans.size(); ++i) {
    if (trace.stages[trace.spans.stage[i]].name != stage || trace.spans.kind[i] != kind ||
        trace.spans.quality[i] != quality)
      continue;
    sum.first += (trace.spans.end[i] - trace.spans.begin[i]) / 1'000'000;
    ++sum.second;
  }
  return sum;
}

bool warns(const Trace& trace, TraceWarningKind kind, std::string_view front) {
  return std::ranges::any_of(trace.warnings, [&](const TraceWarning& warning) {
    return warning.kind == kind && warning.text.starts_with(front);
  });
}

using Sum = std::pair<Nanos, int>;

TEST(Timeline, ReadsEveryStage) {
  const Trace trace = import(make_log({}, "2026-03-04T05:06:07Z  INFO engine: starting\n"));
  EXPECT_EQ(trace.format, "timeline");
  EXPECT_EQ(sum_of(trace, "synth", SpanKind::service), Sum(40, 4));
  EXPECT_EQ(sum_of(trace, "synth", SpanKind::blocked_send), Sum(8, 4));
  EXPECT_EQ(sum_of(trace, "gpu", SpanKind::queue_wait), Sum(12, 4));
  EXPECT_EQ(sum_of(trace, "gpu", SpanKind::service), Sum(20, 4));
  EXPECT_EQ(trace.spans.size(), 16U);
  EXPECT_EQ(trace.items.size(), 4U);
  EXPECT_EQ(trace.strings.at(trace.items.key[0]), "a1b2/0");
  ASSERT_EQ(trace.edges.size(), 1U);
  EXPECT_EQ(trace.edges[0], (Edge{trace.find_stage("synth"), trace.find_stage("gpu")}));
  const Stage& gpu = trace.stages[trace.find_stage("gpu")];
  EXPECT_EQ(gpu.servers, 2U);
  EXPECT_EQ(gpu.servers_from, "count(worker)");
  EXPECT_EQ(gpu.kind, StageKind::gpu);
  EXPECT_FALSE(gpu.capacity);
  EXPECT_FALSE(trace.stages[trace.find_stage("synth")].servers);
  for (std::size_t i = 0; i < trace.spans.size(); ++i)
    EXPECT_EQ(trace.spans.worker[i] == kNone,
              trace.spans.kind[i] != SpanKind::service ||
                      trace.spans.stage[i] == trace.find_stage("synth")
                  ? trace.spans.kind[i] != SpanKind::queue_wait
                  : false);
  EXPECT_TRUE(trace.warnings.empty()) << trace.warnings[0].text;
}

TEST(Timeline, EchoedSettingsAreTheTopology) {
  const Trace trace = import(make_log({},
                                      "TIMELINE-SETTING effective_partition_workers=5\n"
                                      "TIMELINE-SETTING effective_lookahead=3\n"
                                      "TIMELINE-SETTING effective_channel=auto\n"
                                      "TIMELINE-SETTING effective_prove_workers=2\n"));
  const Stage& synth = trace.stages[trace.find_stage("synth")];
  EXPECT_EQ(synth.permits, 5U);
  EXPECT_EQ(synth.servers, 5U);
  EXPECT_EQ(synth.servers_from, "setting(partition_workers)");
  const Stage& gpu = trace.stages[trace.find_stage("gpu")];
  EXPECT_EQ(gpu.capacity, 3U);
  EXPECT_EQ(gpu.servers, 2U);
  EXPECT_EQ(gpu.servers_from, "setting(prove_workers)");
}

TEST(Timeline, RulesLayTheirTopologyOver) {
  const auto rules = parse_rules(
      "[[stage]]\nname = \"synth\"\nservers = 5\npermits = \"setting(pw)\"\n"
      "[[stage]]\nname = \"gpu\"\nafter = \"synth\"\ncapacity = 3\n[[stage]]\nname = \"gpuu\"\n",
      "r.toml");
  ASSERT_TRUE(rules);
  const Trace trace = import(make_log(), &*rules);
  EXPECT_EQ(trace.stages[trace.find_stage("synth")].servers, 5U);
  EXPECT_EQ(trace.stages[trace.find_stage("gpu")].capacity, 3U);
  EXPECT_EQ(trace.stages[trace.find_stage("gpu")].servers, 2U);
  EXPECT_EQ(trace.edges.size(), 1U);
  EXPECT_TRUE(warns(trace, TraceWarningKind::topology,
                    "permits of stage synth is setting(pw): the log does not echo that setting"));
  EXPECT_TRUE(warns(trace, TraceWarningKind::topology,
                    "stage gpuu of the rules does not occur in this run; did you mean 'gpu'?"));
}

TEST(Timeline, WithoutChanSendNoBlockingIsInvented) {
  const Trace trace =
      import(make_log([](std::string_view line) { return line.find("CHAN_SEND") == line.npos; }));
  EXPECT_EQ(sum_of(trace, "synth", SpanKind::blocked_send), Sum(0, 0));
  EXPECT_EQ(sum_of(trace, "synth", SpanKind::blocked_send, Quality::clipped), Sum(0, 0));
  ASSERT_EQ(trace.warnings.size(), 1U);
  EXPECT_TRUE(warns(trace, TraceWarningKind::never_occurs,
                    "CHAN_SEND never occurs: time blocked in a send cannot be read from this log"));
}

TEST(Timeline, ALostEndIsNotASpanToTheEnd) {
  const Trace trace = import(make_log([](std::string_view line) {
    return !line.starts_with("TIMELINE,20,GPU_END") &&
           !line.starts_with("TIMELINE,100,SYNTH_START");
  }));
  EXPECT_EQ(sum_of(trace, "gpu", SpanKind::service), Sum(15, 3));
  EXPECT_EQ(sum_of(trace, "gpu", SpanKind::service, Quality::clipped), Sum(0, 0));
  EXPECT_EQ(sum_of(trace, "synth", SpanKind::service, Quality::derived), Sum(10, 1));
  EXPECT_TRUE(warns(trace, TraceWarningKind::unbalanced,
                    "gpu.service is unbalanced: 4 begins, 3 ends; 1 without its end (first: "
                    "run.log:6), 1 of an item or a worker that goes on, not used"));
  EXPECT_TRUE(warns(trace, TraceWarningKind::unbalanced,
                    "synth.service is unbalanced: 3 begins, 4 ends; 1 without its begin, computed "
                    "from the duration (first: run.log:7)"));
  EXPECT_TRUE(warns(trace, TraceWarningKind::counts_disagree,
                    "4 items in the log, 3 have a whole gpu.service"));
  EXPECT_EQ(trace.lost(Loss::missing_begin), 1U);
  EXPECT_EQ(trace.lost(Loss::missing_end), 1U);
}

TEST(Timeline, AMissingItemIsCounted) {
  const Trace trace = import(make_log([](std::string_view line) {
    return line.find("c3d4") == line.npos || line.find("partition=1") == line.npos;
  }));
  EXPECT_TRUE(warns(trace, TraceWarningKind::counts_disagree,
                    "2 jobs x 2 partitions make 4 items, the log has 3"));
}

TEST(Timeline, DurationsAreChecked) {
  std::string log = make_log();
  log.replace(log.find("gpu_ms=5"), 8, "gpu_ms=9");
  const Trace trace = import(log);
  EXPECT_EQ(trace.lost(Loss::duration_differs), 1U);
  EXPECT_EQ(sum_of(trace, "gpu", SpanKind::service), Sum(20, 4));
}

TEST(Timeline, OnlyDurationsMakeDerivedSpans) {
  const Trace trace =
      import(make_log([](std::string_view line) { return line.find("GPU_END") != line.npos; }));
  EXPECT_EQ(sum_of(trace, "gpu", SpanKind::service, Quality::derived), Sum(20, 4));
  EXPECT_TRUE(warns(trace, TraceWarningKind::derived, "gpu.service: the log has no begins; 4 are"));
  EXPECT_TRUE(warns(trace, TraceWarningKind::never_occurs, "GPU_START never occurs"));
}

TEST(Timeline, BuiltInRulesAreARulesFile) {
  const auto rules = parse_rules(timeline_rules_text(), "timeline");
  ASSERT_TRUE(rules);
  EXPECT_EQ(rules->events.size(), 7U);
  const Trace by_rules = import(make_log(), &*rules);
  EXPECT_EQ(by_rules.format, "rules");
  EXPECT_EQ(by_rules.spans.begin, import(make_log()).spans.begin);
}

}  // namespace
}  // namespace assay::trace
