// SPDX-License-Identifier: Apache-2.0
#include "trace/importers/text.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "trace/importer.hpp"
#include "trace/rules.hpp"
#include "trace/source.hpp"

namespace assay::trace {
namespace {

constexpr const char* kRules = R"toml(
item = "job"
[[event]]
match = "start {job}"
pairs = ["w={worker}"]
begin = "gpu"
[[event]]
match = "end {job}"
pairs = ["w={worker}", "ms={d:ms}"]
end = "gpu"
[[event]]
match = "step took {d:duration}"
span = "step"
[[event]]
match = "depth={v:int}"
counter = "queue.depth"
[[event]]
match = "tick {job}"
instant = "tick"
)toml";

Trace import(const std::string& log, const std::string& rules_text = kRules) {
  auto rules = parse_rules(rules_text, "r.toml");
  EXPECT_TRUE(rules) << (rules ? "" : rules.error().to_text());
  ImportOptions options;
  options.rules = &*rules;
  const auto source = memory_source(log, "run.log");
  auto trace = import_run(*source, "", options);
  EXPECT_TRUE(trace) << (trace ? "" : trace.error().to_text());
  return trace ? std::move(*trace) : Trace();
}

// "gpu.service a1 w0 1000..3000 exact; ..." in ms.
std::string spans_of(const Trace& trace) {
  std::string text;
  for (std::size_t i = 0; i < trace.spans.size(); ++i) {
    const auto& s = trace.spans;
    if (!text.empty()) text += "; ";
    text += trace.stages[s.stage[i]].name + "." + std::string(to_word(s.kind[i]));
    if (s.item[i] != kNone) text += " " + std::string(trace.strings.at(trace.items.key[s.item[i]]));
    if (s.worker[i] != kNone) text += " w" + trace.workers[s.worker[i]].label;
    text += " " + std::to_string(s.begin[i] / 1'000'000) + ".." +
            std::to_string(s.end[i] / 1'000'000) + " " + std::string(to_word(s.quality[i]));
  }
  return text;
}

std::string warning_of(const Trace& trace, TraceWarningKind kind) {
  for (const TraceWarning& warning : trace.warnings)
    if (warning.kind == kind) return warning.text;
  return "";
}

TEST(TextImporter, SpansInstantsCountersSettings) {
  const Trace trace = import(
      "2026-03-04T05:06:07.000Z INFO effective_workers=4, effective_mode=\"fast\"\n"
      "2026-03-04T05:06:08.000Z start a1 w=0\n"
      "2026-03-04T05:06:08.100Z depth=3\n"
      "2026-03-04T05:06:08.500Z start a2 w=1\r\n"
      "2026-03-04T05:06:09.000Z tick a2\n"
      "2026-03-04T05:06:09.500Z step took 250ms\n"
      "2026-03-04T05:06:10.000Z end a1 w=0 ms=2000\n"
      "2026-03-04T05:06:10.500Z end a2 w=1 ms=1500\n");
  EXPECT_EQ(spans_of(trace),
            "step.service 1250..1500 derived; gpu.service a1 w0 0..2000 exact; "
            "gpu.service a2 w1 500..2500 exact");
  EXPECT_EQ(trace.lost(Loss::duration_differs), 1U);
  EXPECT_EQ(warning_of(trace, TraceWarningKind::duration_differs),
            "1 duration in the log differs from its end - begin (first: run.log:8): end - begin is "
            "used; the program times something else than it logs");
  EXPECT_EQ(trace.counters.value, std::vector<double>{3});
  EXPECT_EQ(trace.instants.at, std::vector<Nanos>{1'000'000'000});
  EXPECT_EQ(trace.find_setting("workers")->value, "4");
  EXPECT_EQ(trace.find_setting("mode")->value, "fast");
  EXPECT_EQ(trace.clock.resolution_ns, 1'000'000);
  EXPECT_EQ(trace.clock.epoch_ns, Nanos{1'772'600'768} * 1'000'000'000);
  EXPECT_EQ(trace.lines_read, 8U);
  EXPECT_EQ(trace.lines_matched, 7U);
}

struct Bad {
  const char* what;
  std::string log;
  const char* spans;
  TraceWarningKind kind;
  const char* text;  // the warning begins so
};

TEST(TextImporter, BadInputIsNamedAndNeverAWrongNumber) {
  using namespace std::string_literals;
  const std::string fine = "1.000 start a1 w=0\n3.000 end a1 w=0\n";
  const char* fine_span = "gpu.service a1 w0 1000..3000 exact";
  const std::string pad(4096 - fine.size() - 12, 'x');
  const Bad cases[] = {
      {"torn last line", fine + "4.000 start a2 w=0\n4.5 end a",
       "gpu.service a1 w0 1000..3000 exact; gpu.service a2 w0 4000..4000 clipped",
       TraceWarningKind::torn, "the last line has no newline (run.log:4) and is not used"},
      {"torn in mid-number", fine + "4.000 start a2\n4.500 end a2 ms=1",
       "gpu.service a1 w0 1000..3000 exact; gpu.service a2 4000..4000 clipped",
       TraceWarningKind::torn, "the last line"},
      {"torn at a page", fine + pad + "\n4.000 start", fine_span, TraceWarningKind::block_buffered,
       "the log ends in mid-line (run.log:4) after a multiple of 4096 bytes: its program is "
       "block-buffered"},
      {"NUL bytes", "1.000 start a1 w=0\n\0\0\0\0\n3.000 end a1 w=0\n"s, fine_span,
       TraceWarningKind::other, "1 line has NUL bytes or is not UTF-8 (first: run.log:2)"},
      {"invalid UTF-8", "1.000 start a1 w=0 \xff\xfe\n3.000 end a1 w=0\n", fine_span,
       TraceWarningKind::other, "1 line has NUL bytes or is not UTF-8 (first: run.log:1)"},
      {"100 MB line",
       "1.000 start a1 w=0\n" + std::string(100'000'000, 'x') + "\n3.000 end a1 w=0\n", fine_span,
       TraceWarningKind::lost_events, "1 line was longer than 16 MiB and skipped"},
      {"clock backwards", "1.000 start a1 w=0\n0.500 tick a1\n3.000 end a1 w=0\n", fine_span,
       TraceWarningKind::clock_backwards,
       "1 timestamp is earlier than the line before (first: "
       "run.log:2, at most 500 ms back)"},
      {"ends before it begins", "3.000 start a1 w=0\n1.000 end a1 w=0\n", "",
       TraceWarningKind::lost_events,
       "1 span that ends before it begins was not used (first: run.log:2)"},
      {"begin twice", "0.500 start a1 w=0\n1.000 start a1 w=0\n3.000 end a1 w=0\n", fine_span,
       TraceWarningKind::duplicate_keys, "1 begin was repeated before its end (first: run.log:2)"},
      {"item twice", fine + "4.000 start a1 w=0\n5.000 end a1 w=0\n",
       "gpu.service a1 w0 1000..3000 exact; gpu.service a1 w0 4000..5000 exact",
       TraceWarningKind::duplicate_keys,
       "gpu.service: 1 span of an item that passed it before (first: a1)"},
      {"end without begin", fine + "4.000 end a2 w=0\n", fine_span, TraceWarningKind::unbalanced,
       "gpu.service is unbalanced: 1 begin, 2 ends; 1 without its begin, not used (first: "
       "run.log:3)"},
      {"begin without end", fine + "4.000 start a2 w=1\n6.000 tick a9\n",
       "gpu.service a1 w0 1000..3000 exact; gpu.service a2 w1 4000..6000 clipped",
       TraceWarningKind::unbalanced,
       "gpu.service is unbalanced: 2 begins, 1 end; 1 without its end (first: run.log:3), 1 "
       "clipped "
       "at the log's end"},
      {"end lost, worker goes on", "0.100 start a0 w=0\n" + fine, fine_span,
       TraceWarningKind::unbalanced,
       "gpu.service is unbalanced: 2 begins, 1 end; 1 without its end (first: run.log:1), 1 of an "
       "item or a worker that goes on, not used"},
      {"offsets and epoch", fine + "2026-03-04T05:06:07Z end a1 w=0\n", fine_span,
       TraceWarningKind::two_clocks,
       "two clocks in one log: the first event is in offsets from a start, 1 event is in Unix time "
       "(first: run.log:3) and not used"},
      {"a jump of a day", fine + "90000.000 tick a1\n", fine_span, TraceWarningKind::two_clocks,
       "the timestamps jump by 25 h at run.log:3"},
      {"a field that does not parse", fine + "4.000 end a2 ms=seven\n", fine_span,
       TraceWarningKind::lost_events,
       "1 line matches a rule but for a field or a timestamp that does not parse (first: "
       "run.log:3)"},
      {"a line without timestamp", fine + "start a3\n", fine_span, TraceWarningKind::lost_events,
       "1 line matches a rule but for a field or a timestamp"},
      {"a rule that never matches", fine, fine_span, TraceWarningKind::never_occurs,
       "r.toml:12: no line matches 'step took {d:duration}'"},
      {"nothing matches", "1.000 hello\n", "", TraceWarningKind::never_occurs,
       "r.toml:4: no line matches"},
      {"a setting that changes", fine + "effective_x=1\neffective_x=2\n", fine_span,
       TraceWarningKind::setting_changed,
       "setting x changes within the run; its last value 2 is shown"},
      {"empty", "", "", TraceWarningKind::empty, "the input is empty"},
  };
  for (const Bad& bad : cases) {
    const Trace trace = import(bad.log);
    EXPECT_EQ(spans_of(trace), bad.spans) << bad.what;
    const std::string text = warning_of(trace, bad.kind);
    EXPECT_TRUE(text.starts_with(bad.text)) << bad.what << ": " << text;
  }
}

TEST(TextImporter, OverlappingRulesAreNamed) {
  const Trace trace = import("1.0 start a1\n2.0 end a1\n",
                             "[[event]]\nmatch = \"start {a}\"\nbegin = \"x\"\n"
                             "[[event]]\nmatch = \"art {a}\"\nbegin = \"y\"\n"
                             "[[event]]\nmatch = \"end {a}\"\nend = \"x\"\n");
  EXPECT_EQ(spans_of(trace), "x.service 1000..2000 exact");
  EXPECT_EQ(warning_of(trace, TraceWarningKind::overlap),
            "r.toml:5: 1 line is matched by this rule and, before it, by the rule of line 2, which "
            "counts (first: run.log:1); make one pattern longer");
}

TEST(TextImporter, SpansThatNothingTellsApartAreNotUsed) {
  const Trace trace = import("1.0 start\n1.5 start\n2.0 end\n3.0 end\n4.0 start\n5.0 end\n",
                             "[[event]]\nmatch = \"start\"\nbegin = \"x\"\n"
                             "[[event]]\nmatch = \"end\"\nend = \"x\"\n");
  EXPECT_EQ(spans_of(trace), "x.service 4000..5000 exact");
  EXPECT_TRUE(
      warning_of(trace, TraceWarningKind::duplicate_keys)
          .starts_with("x.service: several spans are open at once that nothing tells apart"));
}

TEST(TextImporter, WorkersTellSpansApartWhereThereAreNoItems) {
  const Trace trace = import("1.0 start w=a\n1.5 start w=b\n2.0 end w=a\n3.0 end w=b\n",
                             "[[event]]\nmatch = \"start w={worker}\"\nbegin = \"x\"\n"
                             "[[event]]\nmatch = \"end w={worker}\"\nend = \"x\"\n");
  EXPECT_EQ(spans_of(trace), "x.service wa 1000..2000 exact; x.service wb 1500..3000 exact");
}

TEST(TextImporter, StageFromTheLineNumbersWithoutZerosColours) {
  const Trace trace = import(
      "1.0 \x1b[32mdone\x1b[0m job=007 stage=fetch ms=250\n2.0 done job=7 stage=parse ms=500\n",
      "item = \"job\"\n[[event]]\nmatch = \"done job={job:int} stage={stage} ms={d:ms}\"\n"
      "span = \"{stage}\"\n");
  EXPECT_EQ(spans_of(trace),
            "fetch.service 7 750..1000 derived; parse.service 7 1500..2000 derived");
}

TEST(TextImporter, RegularExpressionsWithAndWithoutLiteral) {
  const Trace trace =
      import("1.0 begin a1\n2.0 x END:a1\n",
             "item = \"job\"\n[[event]]\nre = '(?i)BEGIN (?P<job>\\w+)'\nbegin = \"x\"\n"
             "[[event]]\nre = 'END:(?P<job>\\w+)'\nend = \"x\"\n");
  EXPECT_EQ(spans_of(trace), "x.service a1 1000..2000 exact");
}

}  // namespace
}  // namespace assay::trace
