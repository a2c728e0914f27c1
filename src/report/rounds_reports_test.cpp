// SPDX-License-Identifier: Apache-2.0
// The reports of sweep and timeline, from hand-built conclusions.
#include <gtest/gtest.h>

#include <cmath>

#include "base/text.hpp"
#include "report/accepted.hpp"
#include "report/sweep.hpp"
#include "report/timeline.hpp"

namespace assay::report {
namespace {

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

Estimate around(double ratio, double half = 0.01) {
  return {std::log(ratio), std::log(ratio) - half, std::log(ratio) + half};
}

Plan bare(PlanKind kind) {
  Plan plan;
  plan.kind = kind;
  plan.seed = 7;
  plan.metrics = {Metric{.name = "cpu", .unit = "s", .gating = true},
                  Metric{.name = "peak_mem", .unit = "B"}};
  return plan;
}

Record sweep_record() {
  Record record;
  record.plan = bare(PlanKind::sweep);
  record.plan.design = Design{.parameters = {{.name = "cap", .levels = {"1", "2", "4"}}},
                              .asked = {"--param", "cap=1,2,4", "--", "./x", "{cap}"}};
  for (const char* level : {"1", "2", "4"})
    record.plan.arms.push_back({.label = std::string("cap=") + level, .argv = {"./x", level}});
  return record;
}

Conclusion sweep_conclusion(Shape shape, std::optional<std::uint32_t> at, double last) {
  Conclusion conclusion;
  conclusion.overall = shape == Shape::undecided ? Verdict::undecided : Verdict::equivalent;
  conclusion.ended_by = EndedBy::runs_done;
  SweepFinding found{.rounds = 24};
  found.parameters = {{.parameter = 0,
                       .shape = shape,
                       .at = at,
                       .z = {1, 2, 9},
                       .p_holm = {1, 1, 0},
                       .effect = around(last)}};
  const double memory[] = {1048576, 2097152, 4194304};
  for (std::uint32_t arm = 0; arm < 3; ++arm)
    found.levels.push_back(
        {.arm = arm,
         .runs = 24,
         .median = arm == 2 ? last : 1,
         .effect = arm == 0 ? Estimate{0, 0.0, 0.0} : around(arm == 2 ? last : 1),
         .memory = memory[arm],
         .memory_effect = around(memory[arm] / 1048576)});
  found.pareto = {0};
  conclusion.sweep = found;
  return conclusion;
}

TEST(SweepReport, BeginsWithASentenceToActOn) {
  const struct {
    Shape shape;
    std::optional<std::uint32_t> at;
    double last;
    const char* sentence;
  } cases[] = {
      {Shape::flat,
       {},
       1.0,
       "CPU time is FLAT at cap = 1, 2 and 4 (within 2 %): cap is not the cause."},
      {Shape::step, 2, 1.061,
       "CPU time makes a STEP at cap = 4: +6.1 % [+5.0, +7.2] from there on against 1 and 2 in "
       "front."},
      {Shape::trend,
       {},
       1.061,
       "CPU time follows a TREND in cap: +6.1 % [+5.0, +7.2] from 1 to 4."},
      {Shape::undecided,
       {},
       1.0,
       "Whether cap matters is UNDECIDED: no trend and no step is proven"},
  };
  for (const auto& c : cases) {
    const std::string out =
        sweep_text(sweep_record(), sweep_conclusion(c.shape, c.at, c.last), {.width = 0}).out;
    EXPECT_TRUE(out.starts_with(c.sentence)) << out;
    EXPECT_TRUE(has(out, "again: assay sweep --seed 7 --param cap=1,2,4 -- ./x '{cap}'")) << out;
  }
}

TEST(SweepReport, SaysWhatIsNearlyAsLikely) {
  Conclusion close = sweep_conclusion(Shape::step, 2, 1.061);
  close.sweep->parameters[0].z = {8.5, 2, 9};
  EXPECT_TRUE(has(sweep_text(sweep_record(), close, {.width = 0}).out,
                  "A trend in cap fits nearly as well."));
  EXPECT_FALSE(has(sweep_text(sweep_record(), sweep_conclusion(Shape::step, 2, 1.061), {}).out,
                   "nearly as well"));
}

TEST(SweepReport, LevelsThatFailAreTold) {
  Conclusion conclusion = sweep_conclusion(Shape::flat, {}, 1.0);
  conclusion.sweep->levels.pop_back();
  conclusion.broken = {{2, true, "exited with status 3"}};
  const std::string out = sweep_text(sweep_record(), conclusion, {.width = 0}).out;
  EXPECT_TRUE(has(out, "FLAT at cap = 1 and 2 ")) << out;
  EXPECT_TRUE(has(out, "cap=4 exited with status 3; the others went on.")) << out;
  conclusion.sweep.reset();
  conclusion.failure = "only one level runs";
  EXPECT_TRUE(sweep_text(sweep_record(), conclusion, {.width = 0})
                  .out.starts_with("Only one level runs, so nothing is concluded."));
}

TEST(SweepReport, FitsEveryWidthWithoutColour) {
  for (const std::size_t width : {40u, 80u, 120u})
    for (const bool unicode : {true, false}) {
      const std::string out = sweep_text(sweep_record(), sweep_conclusion(Shape::step, 2, 1.061),
                                         {.unicode = unicode, .width = width})
                                  .out;
      EXPECT_FALSE(has(out, "\x1b"));
      for (const std::string_view line : split_lines(out))
        EXPECT_TRUE(display_width(line) <= width || line.starts_with("again: ")) << line;
    }
}

TEST(SweepReport, JsonAndPage) {
  const Json json = sweep_json(sweep_record(), sweep_conclusion(Shape::step, 2, 1.061));
  EXPECT_EQ(*json["kind"].to_string(), "sweep");
  EXPECT_EQ(*json["shape"].to_string(), "STEP");
  EXPECT_EQ(*json["at"].to_string(), "4");
  EXPECT_EQ(json["levels"].size(), 3u);
  EXPECT_EQ(*json["levels"].items()[2]["level"].to_string(), "4");
  EXPECT_NEAR(*json["levels"].items()[2]["ratio"].to_double(), 1.061, 1e-9);
  EXPECT_EQ(*json["levels"].items()[2]["peak_memory"].to_double(), 4194304);
  EXPECT_EQ(json["pareto"].size(), 1u);
  const std::string page = sweep_html(sweep_record(), sweep_conclusion(Shape::step, 2, 1.061));
  EXPECT_TRUE(has(page, "<svg"));
  EXPECT_TRUE(has(page, "makes a STEP at cap = 4"));
  EXPECT_FALSE(has(page, "<script"));
}

TEST(SweepReport, HigherIsBetterReadsAsItIs) {
  Record record = sweep_record();
  record.plan.metrics[0] =
      Metric{.name = "rate", .unit = "1/s", .better = Better::higher, .gating = true};
  const std::string out =
      sweep_text(record, sweep_conclusion(Shape::step, 2, 1.25), {.width = 0}).out;
  EXPECT_TRUE(has(out, "-20 %")) << out;  // 25 % worse = four fifths of the rate
}

Record timeline_record() {
  Record record;
  record.plan = bare(PlanKind::timeline);
  record.plan.design = Design{};
  const char* subjects[] = {"First", "Check <every> entry", "Broken", "Only new entries"};
  for (std::uint32_t i = 0; i < 4; ++i) {
    record.plan.design->commits.push_back(
        {.id = std::string(40, static_cast<char>('a' + i)), .subject = subjects[i]});
    record.plan.arms.push_back({.label = subjects[i], .argv = {"./x"}});
  }
  return record;
}

Conclusion timeline_conclusion() {
  Conclusion conclusion;
  conclusion.overall = Verdict::equivalent;
  conclusion.ended_by = EndedBy::runs_done;
  TimelineFinding found{.rounds = 12, .back_at_first = true};
  const double to_first[] = {1, 1.1, 0, 1}, to_parent[] = {1, 1.1, 0, 1 / 1.1};
  for (const std::uint32_t arm : {0u, 1u, 3u})
    found.commits.push_back({.to_first = {.arm = arm,
                                          .runs = 12,
                                          .median = to_first[arm],
                                          .effect = around(to_first[arm])},
                             .to_parent = around(to_parent[arm]),
                             .step = arm != 0});
  found.commits[1].undone_by = 3;
  conclusion.timeline = found;
  conclusion.broken = {{2, false, "does not build"}};
  return conclusion;
}

TEST(TimelineReport, TellsStepsAndWhatUndidThem) {
  const std::string out = timeline_text(timeline_record(), timeline_conclusion(), {.width = 0}).out;
  EXPECT_TRUE(
      out.starts_with("CPU time changes by +10 % [+8.9, +11] with bbbbbbbbbb 'Check <every> "
                      "entry'; dddddddddd 'Only new entries' undid it."))
      << out;
  EXPECT_TRUE(has(out, "undo them all and nothing of CPU time is lost"));
  EXPECT_TRUE(has(out, "cccccccccc 'Broken' does not build; the others went on."));
  EXPECT_TRUE(has(out, "dddddddddd may share its step with the commits in front of it"));
  for (const std::size_t width : {40u, 80u}) {
    const auto narrow = timeline_text(timeline_record(), timeline_conclusion(), {.width = width});
    for (const std::string_view line : split_lines(narrow.out))
      EXPECT_LE(display_width(line), width) << line;
  }
}

// Two neighbours can differ the other way than the stretches that they lie in.
TEST(TimelineReport, AStepIsThatOfItsStretchInSizeAndDirection) {
  Conclusion conclusion = timeline_conclusion();
  TimelineCommit& commit = conclusion.timeline->commits[1];
  commit.to_parent = around(0.98);
  commit.step_effect = around(1.1);
  commit.memory_step = true;
  commit.memory_to_parent = around(0.97);
  commit.memory_step_effect = around(1.5);
  const std::string out =
      timeline_text(timeline_record(), conclusion, {.colour = true, .width = 0}).out;
  EXPECT_TRUE(has(out, "CPU time changes by +10 % [+8.9, +11] with bbbbbbbbbb")) << out;
  EXPECT_TRUE(has(out, "Peak memory changes by +50 % [+49, +52] with bbbbbbbbbb")) << out;
  for (const std::string_view line : split_lines(out)) {
    if (line.find("-2.0 %") != line.npos) {
      EXPECT_NE(line.find("\x1b[1;31m"), line.npos) << "up is bad: " << line;
    }
  }
}

TEST(TimelineReport, NothingHappened) {
  Conclusion quiet = timeline_conclusion();
  for (TimelineCommit& commit : quiet.timeline->commits) commit.step = false;
  EXPECT_TRUE(timeline_text(timeline_record(), quiet, {.width = 0})
                  .out.starts_with("CPU time makes no step of 2 % or more at any of 3 commits."));
  quiet.timeline->rounds = 5;
  EXPECT_TRUE(timeline_text(timeline_record(), quiet, {.width = 0}).out.starts_with("UNDECIDED"));
}

TEST(TimelineReport, JsonAndPage) {
  const Json json = timeline_json(timeline_record(), timeline_conclusion());
  EXPECT_EQ(json["commits"].size(), 3u);
  EXPECT_EQ(json["steps"].size(), 2u);
  EXPECT_EQ(*json["commits"].items()[1]["undone_by"].to_string(), std::string(40, 'd'));
  EXPECT_EQ(*json["back_at_first"].to_bool(), true);
  const std::string page = timeline_html(timeline_record(), timeline_conclusion(), {"a <note>"});
  EXPECT_TRUE(has(page, "Check &lt;every&gt; entry"));
  EXPECT_TRUE(has(page, "a &lt;note&gt;"));
  EXPECT_FALSE(has(page, "<every>"));
}

TEST(AcceptedReport, AddsUp) {
  EXPECT_TRUE(accepted_sentences({}).empty());
  std::vector<Accepted> all(7, {.record = "abc",
                                .commit = std::string(40, 'a'),
                                .what = "Checks",
                                .metric = "cpu",
                                .ratio = 1.1,
                                .memory_ratio = 2,
                                .reason = "safety\x1b[31m"});
  const auto lines = accepted_sentences(all);
  EXPECT_EQ(lines.front(),
            "Accepted so far: 7 regressions, together +95 % cpu and x 128 peak memory.");
  EXPECT_EQ(lines[1], "  aaaaaaaaaa 'Checks' +10 %: safety\\x1b[31m (record abc, 1970-01-01)");
  EXPECT_EQ(lines.back(), "  and 2 more: assay accept --list");
  const Json json = accepted_json(all);
  EXPECT_NEAR(*json["ratios"]["cpu"].to_double(), std::pow(1.1, 7), 1e-9);
  EXPECT_TRUE(has(accepted_table(all, {.width = 0}), "1970-01-01"));
}

}  // namespace
}  // namespace assay::report
