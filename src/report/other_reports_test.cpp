// SPDX-License-Identifier: Apache-2.0
// measure, calibrate, list, progress and price.
#include <gtest/gtest.h>

#include "base/text.hpp"
#include "report/calibrate.hpp"
#include "report/compare_cases.hpp"
#include "report/listing.hpp"
#include "report/measure.hpp"
#include "report/progress.hpp"

namespace assay::report {
namespace {

CompareCase measured(std::uint32_t runs) {
  CompareCase c{"measure", support::record_of(support::compare_plan({"./encode -6 in.bin"})), {}};
  c.record.plan.kind = PlanKind::measure;
  support::add_runs(c.record, runs, {{2, 1.5, 43e6}});
  for (Entry& entry : c.record.entries) {
    auto& contention = std::get<Trial>(entry).contention;
    contention.psi_cpu_s = 0.1;
    contention.voluntary_switches = 10;
    contention.involuntary_switches = 2;
  }
  c.conclusion.ended_by = EndedBy::runs_done;
  return c;
}

TEST(Measure, ShowsTheDistribution) {
  const CompareCase c = measured(20);
  EXPECT_EQ(
      measure_text(c.record, c.conclusion, {}).out,
      "./encode -6 in.bin: 20 runs\n"
      "          median    95 % interval         mean      p90       max\n"
      "wall      2.04 s    [2.02 s, 2.06 s]      2.04 s    2.08 s    2.08 s\n"
      "cpu       1.53 s    [1.52 s, 1.54 s]      1.53 s    1.56 s    1.56 s\n"
      "peak mem  41.8 MiB  [41.4 MiB, 42.2 MiB]  41.8 MiB  42.6 MiB  42.6 MiB  largest process\n"
      "wall  █         █         █         █        █\n"
      "      2.00 s                            2.08 s\n"
      "contention: waiting 25 % of the wall time; CPU pressure 5 %; context switches a run 10 "
      "voluntary, 2\n"
      "    involuntary\n");
}

TEST(Measure, BreaksTheTableBetweenCells) {
  const CompareCase c = measured(100);
  TextOptions options;
  options.histograms = false;
  options.width = 60;
  const std::string text = measure_text(c.record, c.conclusion, options).out;
  EXPECT_EQ(text.substr(0, text.find("contention")),
            "./encode -6 in.bin: 100 runs\n"
            "          median    95 % interval         mean      p90\n"
            "wall      2.04 s    [2.02 s, 2.06 s]      2.04 s    2.08 s\n"
            "    p99 2.08 s  max 2.08 s\n"
            "cpu       1.53 s    [1.52 s, 1.54 s]      1.53 s    1.56 s\n"
            "    p99 1.56 s  max 1.56 s\n"
            "peak mem  41.8 MiB  [41.4 MiB, 42.2 MiB]  41.8 MiB  42.6 MiB\n"
            "    p99 42.6 MiB  max 42.6 MiB  largest process\n");
  options.width = 40;
  const std::string narrow = measure_text(c.record, c.conclusion, options).out;
  for (const std::string_view line : split_lines(narrow))
    EXPECT_LE(display_width(line), 40u) << line;
}

TEST(Measure, SaysWhenNoRunGaveWhatWasAsked) {
  CompareCase c = measured(6);
  c.record.plan.run.exact = true;
  c.record.plan.metrics.push_back(support::metric("instructions", "1", true));
  EXPECT_NE(measure_text(c.record, c.conclusion, {})
                .out.find("INVALID: no run gave the number of instructions, so nothing exact can "
                          "be said.\n"),
            std::string::npos);
  for (Entry& entry : c.record.entries) std::get<Trial>(entry).values.clear();
  c.record.plan.run.exact = false;
  EXPECT_NE(measure_text(c.record, c.conclusion, {})
                .out.find("INVALID: no run gave a value of any metric, so nothing can be said.\n"),
            std::string::npos);
  EXPECT_FALSE(measure_json(c.record, c.conclusion)["failure"].is_null());
}

TEST(Measure, SaysOnlyWhatTheRunsCarry) {
  const struct {
    std::uint32_t runs;
    bool interval, p90, p99;
  } cases[] = {{1, false, false, false}, {5, false, false, false}, {6, true, false, false},
               {10, true, true, false},  {99, true, true, false},  {100, true, true, true}};
  for (const auto& c : cases) {
    const CompareCase made = measured(c.runs);
    const auto json = parse_json(measure_json(made.record, made.conclusion).dump());
    ASSERT_TRUE(json);
    const Json& wall = (*json)["metrics"].items()[0];
    EXPECT_EQ(wall["n"].to_uint(), c.runs);
    EXPECT_EQ(!wall["lo95"].is_null(), c.interval) << c.runs;
    EXPECT_EQ(!wall["p90"].is_null(), c.p90) << c.runs;
    EXPECT_EQ(!wall["p99"].is_null(), c.p99) << c.runs;
    EXPECT_GE(wall["achieved"].to_double().value_or(1), 0.95);
  }
}

TEST(Measure, CountsTheRunsThatGaveAValue) {
  CompareCase c = measured(12);
  std::get<Trial>(c.record.entries.back()).values[1].reset();
  for (Entry& entry : c.record.entries) std::get<Trial>(entry).values[2].reset();
  const std::string text = measure_text(c.record, c.conclusion, {}).out;
  EXPECT_NE(text.find("11 of 12 runs\n"), std::string::npos) << text;
  EXPECT_NE(text.find("peak mem  -       -"), std::string::npos) << text;
  EXPECT_NE(text.find("0 of 12 runs, largest process\n"), std::string::npos) << text;
}

TEST(Measure, ExplainsAFailureAndAnInterruption) {
  CompareCase failed = failed_case({Ending::exited, 2}, "no such file\n");
  EXPECT_EQ(measure_text(failed.record, failed.conclusion, {}).out,
            "FAILED: run 4 (B) exited with status 2\n"
            "  command: ./encode -7 in.bin\n"
            "  its last lines:\n"
            "    | no such file\n"
            "Nothing is concluded. Mend the command, or accept exit statuses other than 0 with "
            "--ignore-exit.\n");
  CompareCase cut = measured(1);
  cut.conclusion.ended_by = EndedBy::interrupted;
  const std::string text = measure_text(cut.record, cut.conclusion, {}).out;
  EXPECT_NE(text.find("./encode -6 in.bin: 1 run\n"), std::string::npos) << text;
  EXPECT_NE(
      text.find("Interrupted after 1 run; 'assay resume k3v9x2ab' goes on where it stopped.\n"),
      std::string::npos)
      << text;
}

TEST(Calibrate, ShowsTheFloors) {
  CompareCase c = measured(36);
  c.record.plan.kind = PlanKind::calibrate;
  c.conclusion.floors = {{0, 0.003, 5, 0.04, 0.011}, {1, 0, 5, 0.01, 0.004}, {9, 1, 1, 1, 1}};
  EXPECT_EQ(
      calibrate_text(c.record, c.conclusion, {}).out,
      "Noise floor of ./encode -6 in.bin\n"
      "wall  copies differ by 0.3 % (1 sigma, 5 comparisons), a pair of runs differs by 4.08 "
      "%; 198 + 198\n"
      "    runs settle a tolerance of 1.1 %\n"
      "cpu   copies agree (1 sigma, 5 comparisons), a pair of runs differs by 1.01 %; 198 + 198 "
      "runs settle\n"
      "    a tolerance of 0.4 %\n"
      "Copies of this command differ by 0.3 % (one standard deviation) in the wall time without "
      "any change.\n"
      "Comparisons of it on this machine take that into account for 30 days.\n");
  const auto json = parse_json(calibrate_json(c.record, c.conclusion).dump());
  ASSERT_TRUE(json);
  EXPECT_EQ(*(*json)["kind"].to_string(), "calibrate");
  ASSERT_EQ((*json)["floors"].size(), 2u);
  const Json& wall = (*json)["floors"].items()[0];
  EXPECT_EQ(*wall["metric"].to_string(), "wall");
  EXPECT_NEAR(*wall["floor_percent"].to_double(), 0.30045, 1e-5);
  EXPECT_NEAR(*wall["smallest_percent"].to_double(), 1.1, 1e-9);
}

TEST(Calibrate, SaysWhenThereIsNothing) {
  CompareCase c = measured(1);
  c.conclusion.ended_by = EndedBy::interrupted;
  EXPECT_EQ(calibrate_text(c.record, c.conclusion, {}).out,
            "Noise floor of ./encode -6 in.bin\n"
            "No noise floor was found. Interrupted after 1 run; 'assay resume k3v9x2ab' goes on "
            "where it stopped.\n");
}

TEST(Listing, ShowsARowForEveryRecord) {
  constexpr std::int64_t kNow = 1764460800000;  // 2025-11-30
  const ListRow rows[] = {
      {"k3v9x2ab", kNow - 200'000, PlanKind::compare, "./a | ./b\x1b[1m", 38, Verdict::slower,
       false},
      {"aaaabbbb", kNow - 90'000'000, PlanKind::measure, "./a", 30, Verdict::undecided, false},
      {"ccccdddd", kNow - 3 * 86'400'000ll, PlanKind::compare, "cut", 7, Verdict::undecided, true},
      {"eeeeffff",
       kNow - 86'400'000ll * 40,
       PlanKind::calibrate,
       std::string(80, 'x'),
       0,
       {},
       false},
      {"gggghhhh", kNow + 5000, PlanKind::sessions, "from a clock ahead", 1, Verdict::failed,
       false}};
  TextOptions options;
  options.width = 80;
  EXPECT_EQ(list_text(rows, kNow, options),
            "id        when        kind       runs  verdict      what\n"
            "k3v9x2ab  3 min ago   compare      38  SLOWER       ./a | ./b\\x1b[1m\n"
            "aaaabbbb  25 h ago    measure      30  done         ./a\n"
            "ccccdddd  3 d ago     compare       7  interrupted  cut\n"
            "eeeeffff  2025-10-21  calibrate     0  unfinished   xxxxxxxxxxxxxxxxxxxxxxxxx...\n"
            "gggghhhh  2025-11-30  sessions      1  FAILED       from a clock ahead\n");
  const ListRow answered[] = {{.id = "jjjjkkkk",
                               .created_at_ms = kNow,
                               .kind = PlanKind::sweep,
                               .title = "./encode {cap}",
                               .trials = 72,
                               .overall = Verdict::equivalent,
                               .answer = "STEP at cap=4"}};
  EXPECT_NE(list_text(answered, kNow, options).find("sweep    72  STEP at cap=4  ./encode {cap}\n"),
            std::string::npos);
  EXPECT_EQ(list_json(answered)["records"].items()[0]["answer"], Json("STEP at cap=4"));
  EXPECT_TRUE(list_json(answered)["records"].items()[0]["verdict"].is_null());
  const ListRow live[] = {{.id = "hhhhiiii",
                           .created_at_ms = kNow,
                           .title = "now",
                           .trials = 3,
                           .overall = {},
                           .running = true}};
  EXPECT_NE(list_text(live, kNow, options).find("compare     3  running  now\n"),
            std::string::npos);
  EXPECT_EQ(list_json(live)["records"].items()[0]["running"], Json(true));
  options.colour = true;
  EXPECT_NE(list_text(rows, kNow, options).find("\x1b[1;31mSLOWER\x1b[0m       ./a"),
            std::string::npos);
  EXPECT_NE(list_text(rows, kNow, options).find("\x1b[1;35mFAILED\x1b[0m"), std::string::npos);
  EXPECT_EQ(list_text({}, kNow, options), "Nothing has been recorded yet.\n");
  const auto json = parse_json(list_json(rows).dump());
  ASSERT_TRUE(json);
  EXPECT_EQ((*json)["records"].size(), 5u);
  EXPECT_EQ((*json)["records"].items()[0]["verdict"], Json("SLOWER"));
  EXPECT_TRUE((*json)["records"].items()[1]["verdict"].is_null());  // measured, not judged
  EXPECT_TRUE((*json)["records"].items()[3]["verdict"].is_null());
  EXPECT_EQ((*json)["records"].items()[4]["verdict"], Json("FAILED"));
}

TEST(Progress, FitsTheLine) {
  const CompareCase c = undecided_case();
  ProgressView view;
  view.blocks_done = 3;
  view.runs_done = 38;
  view.seconds_left = 250;
  view.findings = c.conclusion.findings;
  const std::pair<std::size_t, const char*> cases[] = {
      {100,
       "block 3, 38 runs, 4 min left | wall +2.2 % [-1.9, +5.8] at most +5.8 % | cpu EQUIVALENT"},
      {0,
       "block 3, 38 runs, 4 min left | wall +2.2 % [-1.9, +5.8] at most +5.8 % | cpu EQUIVALENT"},
      {80, "block 3, 38 runs, 4 min left | wall +2.2 % [-1.9, +5.8] at most +5.8 %"},
      {40, "block 3, 38 runs, 4 min left"}};
  for (const auto& [width, expected] : cases) {
    TextOptions options;
    options.width = width;
    EXPECT_EQ(progress_line(c.record.plan, view, options), expected);
  }
  EXPECT_EQ(
      progress_line(c.record.plan,
                    {.blocks_done = 0, .runs_done = 5, .seconds_left = {}, .findings = {}}, {}),
      "first block, 5 runs");
}

TEST(Progress, NamesCandidatesAndTurnsRates) {
  const CompareCase c = all_cases().back();
  ProgressView view;
  view.blocks_done = 2;
  view.runs_done = 40;
  view.findings = c.conclusion.findings;
  TextOptions options;
  options.width = 0;
  EXPECT_EQ(progress_line(c.record.plan, view, options),
            "block 2, 40 runs | B wall EQUIVALENT | B req_rate LOWER | C wall FASTER | C req_rate "
            "+1.0 % [-2.0, +3.1] at least -2.0 %");
}

TEST(Price, SaysWhatItCosts) {
  const std::pair<PriceView, const char*> cases[] = {
      {{26, 396, 9.2, 600}, "about 26 runs, 4 min; at most 396 runs, here cut at 10 min"},
      {{26, 396, 0.05, 600}, "about 26 runs, 1 s; at most 396 runs, 20 s"},
      {{26, 396, 60, 600}, "about 26 runs; at most 396 runs, here cut at 10 min"},
      {{26, 396, {}, 600}, "about 26 runs; at most 396 runs, here cut at 10 min"},
      {{26, 396, 10, 0}, "about 26 runs, 4 min; at most 396 runs, 1 h 6 min"},
      {{0, 30, {}, 0}, "at most 30 runs"}};
  for (const auto& [price, text] : cases) EXPECT_EQ(price_text(price), text);
}

}  // namespace
}  // namespace assay::report
