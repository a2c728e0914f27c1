// SPDX-License-Identifier: Apache-2.0
// Whole texts: what a user reads is part of the contract.
#include "report/explain_text.hpp"

#include <gtest/gtest.h>

#include "base/text.hpp"
#include "report/explain_cases.hpp"
#include "report/explain_sentence.hpp"

namespace assay::report {
namespace {

ExplainOptions wide() {
  ExplainOptions options;
  options.text.width = 140;
  return options;
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(ExplainText, OneRun) {
  const Text text = explain_text(run_case(), wide());
  EXPECT_EQ(
      text.out,
      "before.log: timeline, 400 items of 40 jobs, 1,200 spans, 2,802 s; times in steps of 1 ms\n"
      "gpu is busy 99 % of the time and bounds the run; synth stands blocked 15 % of it.\n"
      "synth (5 workers, 5 permits) -> room for 3 -> gpu (1 worker, count(worker))\n"
      "settings: lookahead = 3\n"
      "\n"
      "stage    n    mean  median     p90     p99     max  busy     in flight  queued  blocked\n"
      "synth  400  29.0 s  28.7 s  34.8 s  39.2 s  43.5 s  83 %  4.61, most 5       -  ~5.10 s\n"
      "gpu    400  7.00 s  6.93 s  8.40 s  9.45 s  10.5 s  99 %  4.61, most 5  19.5 s        -\n"
      "n to max: service of an item; queued, lock, blocked: its mean wait there\n"
      "gpu: mean 7,000 ms, median 6,930: the slowest tenth holds 14 % of the time\n"
      "~ is not in the log: derived from other events\n"
      "an item takes 61.0 s from begin to end in the mean (median 60.4 s, p90 73.2 s, p99 82.4 s, "
      "max 91.5 s)\n"
      "\n"
      "where the time went      wall  service  blocked  starved  unknown\n"
      "synth, 5 permits     14,006 s     83 %     15 %        -    2.6 %\n"
      "gpu worker 0          2,801 s     99 %        -    0.9 %    0.0 %\n"
      "\n"
      "busiest stage over time: sggggggggggggggggggg  s = synth (100 %), g = gpu (99 %); synth "
      "would bind next, 16 % below\n"
      "phases: fill 36.2 s, steady 2,700 s, drain 65.1 s; first completion 36.2 s + 2,766 s of "
      "intervals = 2,802 s\n");
  EXPECT_EQ(text.warnings, "");
}

TEST(ExplainText, TwoSides) {
  const Text text = explain_text(delta_case(), wide());
  EXPECT_EQ(
      text.out,
      "A: before.log, 400 items, 2,802 s\n"
      "B: after.log, 400 items, 3,082 s\n"
      "comparable: stages, items, workers, queues and settings are the same on both sides\n"
      "B takes 280 s longer (+10 %): gpu.service accounts for +280 s, synth.service for 0 s.\n"
      "One log a side describes and does not decide (unreplicated), so no verdict is given: 'assay "
      "compare' runs both sides in random order.\n"
      "\n"
      "part           seconds  99 % within this run  of the change\n"
      "gpu.service     +280 s  [+263, +296]                  100 %\n"
      "synth.service      0 s  [0, 0]                        0.0 %\n"
      "remainder          0 s  -                            -0.1 %\n"
      "makespan        +280 s  [+262, +297]                  100 %\n"
      "model error (replay less log): A +300 ms, B -400 ms; 4 replays\n"
      "\n"
      "stage          n              mean            median               p99   change\n"
      "gpu service  400  7.00 s -> 7.70 s  6.93 s -> 7.62 s  9.45 s -> 10.4 s  +0.70 s  [+0.57, "
      "+0.83]  SHIFT  all of them slower by about 10 %\n"
      "\n"
      "tail: p99 of latency 82.4 s -> 88.0 s; what the items above it spent (4 and 4):\n"
      "                       A       B   change\n"
      "  synth service   40.1 s  40.0 s  -0.10 s\n"
      "  gpu queued      35.0 s  40.3 s  +5.30 s\n"
      "  between stages     0 s  100 ms  +0.10 s\n"
      "\n"
      "A: gpu is busy 99 % of the time and bounds the run; synth stands blocked 15 % of it.\n"
      "B: gpu is busy 99 % of the time and bounds the run; synth stands blocked 15 % of it.\n");
}

TEST(ExplainText, PlainSpans) {
  const Text text = explain_text(spans_case(), wide());
  EXPECT_EQ(text.out,
            "trace.json: chrome, 4,200 spans, 12.3 s\n"
            "matmul takes the most time by itself: 8.90 s of 12.3 s (72 %), in 4,000 spans.\n"
            "\n"
            "span      self   total      n     mean   median      p90      p99      max\n"
            "matmul  8.90 s  9.00 s  4,000  2.25 ms  2.23 ms  2.70 ms  3.04 ms  3.37 ms\n"
            "step    3.40 s  12.3 s    200  61.5 ms  60.9 ms  73.8 ms  83.0 ms  92.2 ms\n"
            "not read as a pipeline: no items: plain spans\n");
}

TEST(ExplainText, WarningsStandApartAndAreCounted) {
  auto run = run_case();
  for (int i = 0; i < 20; ++i)
    run.warnings.push_back({trace::TraceWarningKind::never_occurs, "CHAN_SEND never occurs"});
  run.trusted = false;
  const Text text = explain_text(run, wide());
  EXPECT_TRUE(text.warnings.starts_with("warning: CHAN_SEND never occurs\nwarning: "));
  EXPECT_TRUE(has(text.warnings, "warning: 8 more warnings (--all)\n")) << text.warnings;
  EXPECT_TRUE(has(text.out, "The log does not hold together")) << text.out;
  auto options = wide();
  options.all = true;
  EXPECT_FALSE(has(explain_text(run, options).warnings, "more warnings"));
}

TEST(ExplainText, LawsThatHoldOnlyWithAll) {
  auto run = run_case();
  EXPECT_FALSE(has(explain_text(run, wide()).out, "law "));
  auto options = wide();
  options.all = true;
  EXPECT_TRUE(has(explain_text(run, options).out, "law U = X S / c at gpu: 0.991 and 0.991, 0 % "))
      << explain_text(run, options).out;
  run.laws[0] = {
      .law = "L = X W", .stage = "gpu", .left = 4, .right = 5, .difference = 0.2, .violated = true};
  EXPECT_TRUE(has(explain_text(run, wide()).out,
                  "law L = X W at gpu: 4 and 5, 20 % apart: events are missing, a worker count is "
                  "wrong, or clocks are mixed\n"))
      << explain_text(run, wide()).out;
}

TEST(ExplainText, APermitReleasedBeforeItsSend) {
  auto run = run_case();
  run.permits = {
      {.stage = "synth", .permits = 9, .capacity = 1, .most = 28, .at_s = 312, .exceeded = true}};
  EXPECT_TRUE(has(explain_text(run, wide()).out,
                  "permits of synth: 28 items were begun and not yet taken downstream (at 312 s), "
                  "more than 9 permits + room for 1: a permit was released\n  before its send\n"))
      << explain_text(run, wide()).out;
}

TEST(ExplainText, AChallengedSpanIsSplit) {
  auto run = run_case();
  run.challenges = {
      {.stage = "gpu",
       .total_s = 6.5,
       .shares = {{.name = "kernel", .seconds = 3.3}, {.name = "lock", .seconds = 3.2}}}};
  EXPECT_TRUE(has(explain_text(run, wide()).out,
                  "gpu is not all what its name says: 6.50 s = kernel 3.30 s (51 %) + lock 3.20 s "
                  "(49 %)\n"))
      << explain_text(run, wide()).out;
}

TEST(ExplainText, MemoryAndWhatABudgetAllows) {
  auto run = run_case();
  run.stages[0].permits = 12;
  run.memory = {memory_case()};
  auto options = wide();
  options.memory_budget = 400.0 * 1024 * 1024 * 1024;
  const std::string text = explain_text(run, options).out;
  EXPECT_TRUE(has(text,
                  "memory (tree, samples of the tree, 512 samples): peak 331 GiB at 312 s = base "
                  "69.0 GiB + 12 in synth x 20.0 GiB + 2 in gpu x 10.0 GiB =\n  329 GiB by the "
                  "model"))
      << text;
  EXPECT_TRUE(has(text,
                  "Permits of synth = 15 fits 400 GiB (389 GiB by the model); 16 does not (409 "
                  "GiB); the model is off by 3.00 GiB (root mean "))
      << text;
  run.memory.clear();
  EXPECT_TRUE(has(explain_text(run, options).out, "the log has no memory readings"));
}

TEST(BudgetAnswer, SaysWhenNothingFitsAndWhenItGuesses) {
  auto run = run_case();
  const auto model = memory_case();
  constexpr double kGiB = 1024.0 * 1024 * 1024;
  const auto none = budget_answer(run, model, 80 * kGiB);
  ASSERT_TRUE(none.has_value());
  EXPECT_EQ(none->fits, 0U);
  EXPECT_TRUE(sentence_of(*none, model, 80 * kGiB).starts_with("Nothing fits 80.0 GiB"));
  const auto many = budget_answer(run, model, 4000 * kGiB);
  EXPECT_TRUE(has(sentence_of(*many, model, 4000 * kGiB), "12 were the most that was observed"));
  EXPECT_FALSE(budget_answer(run, attribution::MemoryModel{}, kGiB).has_value());
}

TEST(ExplainText, WithoutServersItSaysWhatIsMissing) {
  auto run = run_case();
  run.bottleneck.reset();
  for (auto& stage : run.stages) stage.servers.reset();
  EXPECT_EQ(sentence_of(run),
            "Most of the work is in synth: 11,600 s in all (81 %), median 28.7 s of 400 spans. How "
            "many workers serve synth and gpu is in no line of the log, so what bounds the run "
            "cannot be said: state it with --rules.");
}

TEST(ExplainText, AMovingBottleneckIsNamedInOrder) {
  auto run = run_case();
  run.bottleneck->moves = true;
  EXPECT_EQ(sentence_of(run),
            "gpu is busy 99 % of the time and bounds the run; synth stands blocked 15 % of it. The "
            "busiest stage changes: synth, then gpu.");
  run.bottleneck->utilisation = 0.4;
  EXPECT_TRUE(sentence_of(run).starts_with(
      "No stage is busy throughout: the busiest, gpu, is at 40 %; synth stands"));
}

TEST(ExplainText, AnEmptyRun) {
  attribution::RunDescription run{.source = "empty.log", .format = "timeline"};
  run.warnings = {{trace::TraceWarningKind::empty, "empty.log is empty: nothing was read"}};
  const Text text = explain_text(run, wide());
  EXPECT_EQ(text.out, "empty.log: timeline, 0 spans, 0 s\nNothing to explain: no span was read.\n");
  EXPECT_EQ(text.warnings, "warning: empty.log is empty: nothing was read\n");
}

TEST(ExplainDelta, ARefusalIsAnAnswer) {
  auto delta = delta_case();
  delta.attribution->refused = true;
  delta.attribution->refused_because =
      "the replay of A is off by 180 s, more than half of the change of 280 s";
  const std::string text = explain_text(delta, wide()).out;
  EXPECT_TRUE(has(text,
                  "B takes 280 s longer (+10 %). No attribution: the replay of A is off by 180 s, "
                  "more than half of the change of 280 s.\n"))
      << text;
  EXPECT_FALSE(has(text, "remainder")) << text;
}

TEST(ExplainDelta, DifferencesComeBeforeTheChange) {
  auto delta = delta_case();
  delta.comparability.differences = {{.what = "setting lookahead", .a = "1", .b = "10"},
                                     {.what = "items", .a = "400", .b = "390", .forbids = true}};
  delta.comparability.items_matched = 0.975;
  delta.comparability.comparable = false;
  delta.comparability.because = "the sides did not do the same items";
  delta.attribution.reset();
  const std::string text = explain_text(delta, wide()).out;
  EXPECT_LT(text.find("setting lookahead  1    10"), text.find("B takes 280 s longer")) << text;
  EXPECT_TRUE(has(text, "items              400  390  forbids an attribution\n")) << text;
  EXPECT_TRUE(has(text, "matched: 100 % of the stages, 98 % of the items\n")) << text;
  EXPECT_TRUE(has(text, "no attribution: the sides did not do the same items\n")) << text;
}

TEST(ExplainDelta, PartsBeyondTheTopAreSummed) {
  auto delta = delta_case();
  auto options = wide();
  options.top = 1;
  const std::string text = explain_text(delta, options).out;
  EXPECT_TRUE(has(text, "1 others")) << text;
  EXPECT_TRUE(has(text, "gpu.service")) << text;
}

TEST(ExplainDelta, ShorterEqualAndManyParts) {
  auto delta = delta_case();
  delta.attribution->delta_s = -100;
  delta.attribution->parts = {{.factor = "gpu.service", .seconds = -60},
                              {.factor = "channel capacity", .seconds = -30},
                              {.factor = "workers of synth", .seconds = 20},
                              {.factor = "order", .seconds = -18},
                              {.factor = "synth.service", .seconds = -11}};
  delta.attribution->remainder_s = -1;
  EXPECT_EQ(sentence_of(delta),
            "B takes 100 s less (-3.6 %): gpu.service accounts for -60 s, channel capacity for "
            "-30 s, workers of synth for +20 s, everything else for -30 s.");
  delta.attribution->delta_s = 0.01;
  EXPECT_TRUE(sentence_of(delta).starts_with("B takes as long as A (2,802 s)"));
}

TEST(ExplainDelta, RepeatedLogs) {
  auto delta = delta_case();
  delta.a.push_back(run_case("before2.log", 7.1));
  delta.b.push_back(run_case("after2.log", 7.8));
  delta.replicated = true;
  const std::string text = explain_text(delta, wide()).out;
  EXPECT_TRUE(has(text, "A: before.log and 1 more, 400 items, 2,802 s to 2,842 s\n")) << text;
  EXPECT_TRUE(has(text, "2 + 2 logs: intervals are over runs.")) << text;
  EXPECT_FALSE(has(text, "unreplicated")) << text;
}

TEST(ExplainDelta, NestedSpans) {
  attribution::DeltaDescription delta;
  delta.a = {spans_case()};
  delta.b = {spans_case()};
  delta.b[0].makespan_s = 13.5;
  delta.spans = {{.name_a = "load_0x7f",
                  .name_b = "load_0x8a",
                  .matched_by = "normalised",
                  .self_a_s = 0.1,
                  .self_b_s = 0.2,
                  .count_a = 3,
                  .count_b = 3},
                 {.name_a = "matmul",
                  .name_b = "matmul",
                  .matched_by = "exact",
                  .self_a_s = 8.9,
                  .self_b_s = 10.0,
                  .count_a = 4000,
                  .count_b = 4000},
                 {.name_b = "warm", .self_b_s = 0.04, .count_b = 1}};
  delta.unmatched_share = 0.002;
  const std::string text = explain_text(delta, wide()).out;
  EXPECT_TRUE(has(text,
                  "B takes 1.19 s longer (+9.7 %): the time in matmul itself changes most, by "
                  "+1.10 s.\n"))
      << text;
  EXPECT_TRUE(has(text,
                  "time by itself       A        B   change       n\n"
                  "matmul          8.90 s   10.0 s  +1.10 s   4,000\n"
                  "load_0x8a       100 ms   200 ms  +0.10 s       3  called load_0x7f in A\n"
                  "warm                 -  40.0 ms  +0.04 s  0 -> 1  only in B\n"
                  "0.2 % of the time is in spans that only one side has\n"))
      << text;
}

// Names come from logs: no terminal obeys them, and no line is longer than asked for.
TEST(ExplainText, HostileNamesInAnyWidth) {
  auto delta = delta_case();
  const std::string evil = "\x1b]0;x\x07" + std::string(300, 'w') + "\xff";
  for (auto* side : {&delta.a, &delta.b}) {
    attribution::RunDescription& run = side->front();
    run.source = run.format = evil;
    run.settings = {{.name = evil, .value = evil}};
    for (auto& stage : run.stages) stage.name = stage.service.skew = evil;
    run.books[0].who = run.bottleneck->stage = run.bottleneck->next = evil;
    for (auto& stage : run.bottleneck->window_stage) stage = evil;
    run.challenges = {{.stage = evil, .total_s = 1, .shares = {{.name = evil, .seconds = 1}}}};
    run.memory = {memory_case()};
    run.memory[0].terms[0].stage = evil;
    run.warnings = {{trace::TraceWarningKind::other, evil}};
  }
  delta.attribution->parts[0].factor = evil;
  delta.attribution->notes = {evil};
  delta.attribution->interactions = {{.first = evil, .second = evil, .seconds = 3}};
  delta.comparability.differences = {{.what = evil, .a = evil, .b = evil}};
  delta.stages[0].stage = delta.stages[0].sentence = evil;
  delta.tails[0].label = evil;
  delta.spans = {{.name_a = evil, .name_b = evil, .matched_by = evil}};
  for (const std::size_t width : {40U, 80U, 140U}) {
    ExplainOptions options;
    options.text.width = width;
    options.all = true;
    options.memory_budget = 1e12;
    const Text text = explain_text(delta, options);
    const std::string whole = text.out + text.warnings;
    for (const std::string_view line : split_lines(whole)) {
      EXPECT_LE(display_width(line), width) << line;
      EXPECT_EQ(line.find('\x1b'), std::string_view::npos) << line;
    }
  }
}

}  // namespace
}  // namespace assay::report
