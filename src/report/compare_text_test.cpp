// SPDX-License-Identifier: Apache-2.0
// Whole texts: what a user reads is part of the contract.
#include <gtest/gtest.h>

#include "report/compare.hpp"
#include "report/compare_cases.hpp"

namespace assay::report {
namespace {

TextOptions bare() {
  TextOptions options;
  options.histograms = false;
  return options;
}

std::string text_of(const CompareCase& c) {
  return compare_text(c.record, c.conclusion, bare()).out;
}

TEST(CompareText, ShowsASlowerCandidate) {
  const CompareCase c = slower_case();
  const Text text = compare_text(c.record, c.conclusion, {});
  EXPECT_EQ(text.out,
            "wall      2.31 s -> 2.47 s       +6.9 % [+5.1, +8.8]   SLOWER   18 + 18 runs\n"
            "cpu       2.28 s -> 2.44 s       +7.0 % [+6.4, +7.5]   SLOWER   12 + 12 runs\n"
            "peak mem  41.0 MiB -> 57.2 MiB  +39 %   [+39, +39]     MORE     18 + 18 runs, exact, "
            "largest process\n"
            "./encode -7 in.bin is slower by 6.9 % (99 % interval +5.1 to +8.8 %).\n"
            "wall  A  ▆  █   █   █  ▆\n"
            "      B                          ▆   █   █   █  ▆\n"
            "         2.28 s                            2.53 s\n");
  EXPECT_EQ(text.warnings,
            "warning: outputs differ between the sides (sha256 3fa1... / 9c0e...)\n");
}

TEST(CompareText, SaysWhatIsKnownWhenUndecided) {
  EXPECT_EQ(
      text_of(undecided_case()),
      "wall  38.0 ms -> 39.0 ms  +2.2 % [-1.9, +5.8]   UNDECIDED    36 + 36 runs\n"
      "    about 420 would decide; --max-runs 420\n"
      "cpu   18.1 ms -> 18.1 ms  +0.1 % [-0.9, +1.0]   EQUIVALENT   18 + 18 runs\n"
      "No slowdown above 5.8 % (99 %). ./encode -7 in.bin uses the same CPU (within 2 %). This "
      "machine is\n"
      "busy: waiting makes up 53 % of the wall time. About 420 runs a side would decide: "
      "--max-runs "
      "420.\n");
}

TEST(CompareText, NamesTheTimeThatADecisionTakes) {
  CompareCase c = undecided_case();
  c.conclusion.ended_by = EndedBy::time_budget;
  c.record.plan.time_budget_s = 10;
  const std::string text = text_of(c);
  EXPECT_NE(text.find("About 420 runs a side would decide: --max-runs 420\n--time-budget 40s."),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("The time budget of 10 s ended the sampling.\n"), std::string::npos) << text;
}

TEST(CompareText, ShowsThatSamplingWentOn) {
  CompareCase c = slower_case();
  c.conclusion.findings.resize(2);
  c.conclusion.findings[1].all_runs = 18;
  c.conclusion.findings[1].since_then = std::log(1.072);
  EXPECT_EQ(text_of(c),
            "wall  2.31 s -> 2.47 s  +6.9 % [+5.1, +8.8]   SLOWER   18 + 18 runs\n"
            "cpu   2.28 s -> 2.44 s  +7.0 % [+6.4, +7.5]   SLOWER   12 + 12 runs\n"
            "      since then +7.2 % over all 18 + 18 runs\n"
            "./encode -7 in.bin is slower by 6.9 % (99 % interval +5.1 to +8.8 %).\n");
}

TEST(CompareText, BreaksLongRowsForNarrowTerminals) {
  TextOptions options = bare();
  options.width = 60;
  options.colour = true;
  const CompareCase c = slower_case();
  EXPECT_EQ(compare_text(c.record, c.conclusion, options).out,
            "wall      2.31 s -> 2.47 s       +6.9 % [+5.1, +8.8]  \x1b[1;31mSLOWER\x1b[0m\n"
            "    18 + 18 runs\n"
            "cpu       2.28 s -> 2.44 s       +7.0 % [+6.4, +7.5]  \x1b[1;31mSLOWER\x1b[0m\n"
            "    12 + 12 runs\n"
            "peak mem  41.0 MiB -> 57.2 MiB  +39 %   [+39, +39]    \x1b[1;31mMORE\x1b[0m\n"
            "    18 + 18 runs, exact, largest process\n"
            "./encode -7 in.bin is slower by 6.9 % (99 % interval +5.1 to\n"
            "+8.8 %).\n");
}

TEST(CompareText, FitsEightyColumns) {
  TextOptions options = bare();
  options.width = 80;
  CompareCase c = slower_case();
  c.conclusion.findings[0] = undecided_case().conclusion.findings[0];
  const std::string text = compare_text(c.record, c.conclusion, options).out;
  EXPECT_EQ(text.substr(0, text.find("./encode")),
            "wall      38.0 ms -> 39.0 ms     +2.2 % [-1.9, +5.8]  UNDECIDED  36 + 36 runs\n"
            "    about 420 would decide; --max-runs 420 --time-budget 38m\n"
            "cpu       2.28 s -> 2.44 s       +7.0 % [+6.4, +7.5]  SLOWER     12 + 12 runs\n"
            "peak mem  41.0 MiB -> 57.2 MiB  +39 %   [+39, +39]    MORE       18 + 18 runs\n"
            "    exact, largest process\n");
}

TEST(CompareText, ShowsTheCommandsWhenTheyAreLong) {
  CompareCase c = two("", Verdict::faster, {faster_spec(), faster_spec()});
  c.record.plan.arms = {support::subject("./encode -6 'a file with a long name.bin' --threads 8"),
                        support::subject("./encode -7 'a file with a long name.bin' --threads 8")};
  EXPECT_EQ(text_of(c),
            "A  ./encode -6 'a file with a long name.bin' --threads 8\n"
            "B  ./encode -7 'a file with a long name.bin' --threads 8\n"
            "\n"
            "wall  2.00 s -> 1.86 s  -7.0 % [-9.0, -5.0]   FASTER   18 + 18 runs\n"
            "cpu   2.00 s -> 1.86 s  -7.0 % [-9.0, -5.0]   FASTER   18 + 18 runs\n"
            "B is faster by 7.0 % (99 % interval -9.0 to -5.0 %).\n");
}

TEST(CompareText, TellsTwoSidesOfOneCommandApartByLetters) {
  CompareCase c = two("", Verdict::equivalent, {equal_spec(), equal_spec()});
  c.record.plan.arms[1] = c.record.plan.arms[0];
  EXPECT_EQ(text_of(c),
            "A  ./encode -6 in.bin\n"
            "B  ./encode -6 in.bin\n"
            "\n"
            "wall  2.00 s -> 2.00 s  +0.1 % [-0.9, +1.0]   EQUIVALENT   18 + 18 runs\n"
            "cpu   2.00 s -> 2.00 s  +0.1 % [-0.9, +1.0]   EQUIVALENT   18 + 18 runs\n"
            "B is equivalent to A: wall and CPU time agree within 2 %.\n");
}

TEST(CompareText, HasABlockForEveryCandidate) {
  EXPECT_EQ(
      text_of(all_cases().back()),
      "./b against ./a\n"
      "wall      1.00 s -> 1.00 s          +0.0 % [-1.0, +1.0]   EQUIVALENT   12 + 12 runs\n"
      "req_rate  100 req/s -> 90.0 req/s  -10 %   [-12, -9.1]    LOWER        12 + 12 runs\n"
      "errors    0 -> 1                           [-, -]                      12 + 12 runs\n"
      "    not judged: a run gave zero or a negative value\n"
      "req_rate of ./b is lower by 10 % (99 % interval -12 to -9.1 %). The wall time of ./b is "
      "the same\n"
      "(within 2 %).\n"
      "\n"
      "./c -x against ./a\n"
      "wall      1.00 s -> 900 ms         -10 %   [-11, -9.0]    FASTER       12 + 12 runs\n"
      "req_rate  100 req/s -> 101 req/s    +1.0 % [-2.0, +3.1]   UNDECIDED    12 + 12 runs\n"
      "    about 24 would decide\n"
      "No loss of req_rate of ./c -x above 2.0 % (99 %). ./c -x finishes 10 % sooner. About 24 "
      "runs a side\n"
      "would decide.\n");
}

TEST(CompareText, ExplainsAFailedRun) {
  EXPECT_EQ(text_of(failed_case({Ending::exited, 2},
                                "reading\r 5 %\r 9 %\r\ncannot open \x1b[1min.bin\n")),
            "FAILED: run 4 (B) exited with status 2\n"
            "  command: ./encode -7 in.bin\n"
            "  its last lines:\n"
            "    |  9 %\n"
            "    | cannot open \\x1b[1min.bin\n"
            "Nothing is concluded. Mend the command, or accept exit statuses other than 0 with "
            "--ignore-exit.\n");
  EXPECT_EQ(text_of(failed_case({Ending::signalled, 11}, "")),
            "FAILED: run 4 (B) was killed by signal 11 (SIGSEGV)\n"
            "  command: ./encode -7 in.bin\n"
            "Nothing is concluded. --ignore-exit does not accept signals: mend the command.\n");
  CompareCase late = failed_case({Ending::timed_out, 0}, "");
  late.record.plan.run.timeout_s = 10;
  EXPECT_EQ(text_of(late),
            "FAILED: run 4 (B) timed out after 10.0 s\n"
            "  command: ./encode -7 in.bin\n"
            "Nothing is concluded. --timeout 20s allows twice the time.\n");
  EXPECT_EQ(text_of(failed_case({Ending::not_started, 2}, "")),
            "FAILED: run 4 (B) could not be started: No such file or directory\n"
            "  command: ./encode -7 in.bin\n"
            "Nothing is concluded. Check that the command exists and may be executed.\n");
}

TEST(CompareText, KeepsTheLastTenLinesOfAFailure) {
  std::string lines;
  for (int i = 1; i <= 12; ++i) lines += "line " + std::to_string(i) + "\n";
  const std::string text = text_of(failed_case({Ending::exited, 1}, lines));
  EXPECT_EQ(text.find("| line 2\n"), std::string::npos);
  EXPECT_NE(text.find("| line 3\n"), std::string::npos);
  EXPECT_NE(text.find("| line 12\n"), std::string::npos);
}

TEST(CompareText, ExplainsAFailedBuild) {
  CompareCase c{"", support::record_of(support::compare_plan()), {}};
  Build build;
  build.arm = 1;
  build.log_tail = "cc: error\n";
  c.record.entries = {build};
  c.conclusion = support::conclusion(Verdict::failed, {});
  const std::string commit = "eb8e20d783" + std::string(30, '0');
  c.record.plan.arms[1].build = BuildSpec{"/home/me/repo", "main", commit, "make -j2 bench"};
  EXPECT_EQ(text_of(c),
            "FAILED: main (eb8e20d783) does not build\n"
            "  build command: make -j2 bench\n"
            "  its last lines:\n"
            "    | cc: error\n"
            "Nothing is concluded. Mend the build, or choose other revisions.\n");
  EXPECT_NE(
      compare_markdown(c.record, c.conclusion).find("Build command: <code>make -j2 bench</code>\n"),
      std::string::npos);
  c.conclusion.failure = "the build of HEAD failed";
  EXPECT_EQ(text_of(c).substr(0, 33), "FAILED: the build of HEAD failed\n");
}

TEST(CompareText, PrintsAShellCommandOnce) {
  CompareCase c = two("", Verdict::equivalent, {equal_spec(), equal_spec()});
  for (std::size_t arm = 0; arm < 2; ++arm) {
    Subject& subject = c.record.plan.arms[arm];
    subject.label = arm == 0 ? "./encode -6 < a-file-with-a-long-name.bin | sort"
                             : "./encode -7 < a-file-with-a-long-name.bin | sort";
    subject.argv = {"/bin/sh", "-c", subject.label};
  }
  const std::string text = text_of(c);
  EXPECT_EQ(text.substr(0, text.find("\n\n")),
            "A  ./encode -6 < a-file-with-a-long-name.bin | sort\n"
            "B  ./encode -7 < a-file-with-a-long-name.bin | sort");
}

TEST(CompareText, KeepsTheVerdictOnTheFirstLine) {
  TextOptions options = bare();
  options.width = 60;
  CompareCase c = slower_case();
  c.conclusion.findings[0] = undecided_case().conclusion.findings[0];
  const std::string text = compare_text(c.record, c.conclusion, options).out;
  EXPECT_EQ(text.substr(0, text.find("./encode")),
            "wall       +2.2 % [-1.9, +5.8]  UNDECIDED\n"
            "    38.0 ms -> 39.0 ms    36 + 36 runs\n"
            "    about 420 would decide; --max-runs 420 --time-budget 38m\n"
            "cpu        +7.0 % [+6.4, +7.5]  SLOWER\n"
            "    2.28 s -> 2.44 s      12 + 12 runs\n"
            "peak mem  +39 %   [+39, +39]    MORE\n"
            "    41.0 MiB -> 57.2 MiB  18 + 18 runs\n"
            "    exact, largest process\n");
}

TEST(CompareText, MarksWhatDoesNotGate) {
  CompareCase c = two("", Verdict::equivalent, {equal_spec(), equal_spec()});
  auto more = slower_case().conclusion.findings[2];
  c.conclusion.findings.push_back(more);
  EXPECT_NE(
      text_of(c).find("MORE         18 + 18 runs\n    exact, largest process, does not gate\n"),
      std::string::npos)
      << text_of(c);
  c.conclusion.overall = Verdict::slower;
  EXPECT_EQ(text_of(c).find("does not gate"), std::string::npos);
  c.record.plan.metrics[0].gating = false;  // --gate cpu
  const std::string text = text_of(c);
  EXPECT_NE(text.find("wall      2.00 s -> 2.00 s       +0.1 % [-0.9, +1.0]   EQUIVALENT   18 + 18 "
                      "runs, does not gate\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("EQUIVALENT   18 + 18 runs\npeak"), std::string::npos) << text;
}

CompareCase with_control(const support::FindingSpec& wall, const support::FindingSpec& cpu) {
  CompareCase c = two("", Verdict::slower, {slower_spec(), slower_spec()});
  c.record.plan.arms.push_back(c.record.plan.arms.front());
  c.record.plan.control = 2;
  auto findings = two("", Verdict::equivalent, {wall, cpu}).conclusion.findings;
  for (MetricFinding& finding : findings) {
    finding.arm = 2;
    c.conclusion.findings.push_back(finding);
  }
  return c;
}

TEST(CompareText, NeedsOneLineForAControlThatAgrees) {
  const CompareCase c = with_control(equal_spec(), equal_spec());
  EXPECT_EQ(text_of(c),
            "wall  2.00 s -> 2.14 s  +7.0 % [+5.0, +9.0]   SLOWER   18 + 18 runs\n"
            "cpu   2.00 s -> 2.14 s  +7.0 % [+5.0, +9.0]   SLOWER   18 + 18 runs\n"
            "./encode -7 in.bin is slower by 7.0 % (99 % interval +5.0 to +9.0 %).\n"
            "control: the copy of the baseline does not differ\n");
  EXPECT_NE(compare_markdown(c.record, c.conclusion)
                .find("\ncontrol: the copy of the baseline does not differ\n"),
            std::string::npos);
  const Json json = compare_json(c.record, c.conclusion);
  ASSERT_EQ(json["metrics"].size(), 4u);
  EXPECT_EQ(json["metrics"].items()[1]["control"], Json(false));
  EXPECT_EQ(json["metrics"].items()[2]["control"], Json(true));
  EXPECT_EQ(json["verdict"], Json("SLOWER"));
  EXPECT_EQ(json["sentence"],
            Json("./encode -7 in.bin is slower by 7.0 % (99 % interval +5.0 to +9.0 %)."));
}

TEST(CompareText, ClaimsNoMoreOfTheControlThanIsKnown) {
  const std::string text = text_of(with_control(open_spec(), equal_spec()));
  EXPECT_NE(text.find("control: no difference of the copy of the baseline is proven\n"),
            std::string::npos)
      << text;
  // What is still open of the control alone ends nothing and opens nothing.
  CompareCase c = with_control(open_spec(), open_spec());
  c.conclusion.ended_by = EndedBy::time_budget;
  EXPECT_EQ(text_of(c).find("The time budget"), std::string::npos);
}

TEST(CompareText, WithholdsVerdictsWhenTheControlMoved) {
  CompareCase c = slower_case();
  c.conclusion.findings.resize(1);
  c.conclusion.withheld = true;
  EXPECT_EQ(
      text_of(c),
      "wall  2.31 s -> 2.47 s  +6.9 % [+5.1, +8.8]   WITHHELD   18 + 18 runs, the control "
      "moved\n"
      "Verdicts are withheld: the control, a copy of the baseline under another path, differs "
      "from it. A\n"
      "difference between the candidate and the baseline need not come from the change.\n");
}

TEST(CompareText, ShowsTheControlWhenItHasFindings) {
  CompareCase c = slower_case();
  c.conclusion.findings.resize(1);
  c.record.plan.arms.push_back(c.record.plan.arms.front());
  c.record.plan.control = 2;
  auto moved = c.conclusion.findings[0];
  moved.arm = 2;
  c.conclusion.findings.push_back(moved);
  c.conclusion.withheld = true;
  EXPECT_EQ(
      text_of(c),
      "./encode -7 in.bin against ./encode -6 in.bin\n"
      "wall  2.31 s -> 2.47 s  +6.9 % [+5.1, +8.8]   WITHHELD   18 + 18 runs, the control "
      "moved\n"
      "\n"
      "A' against ./encode -6 in.bin: the control, a copy of the baseline\n"
      "wall  2.31 s -> 2.47 s  +6.9 % [+5.1, +8.8]   SLOWER     18 + 18 runs\n"
      "\n"
      "Verdicts are withheld: the control, a copy of the baseline under another path, differs "
      "from it by\n"
      "+6.9 % (99 % interval +5.1 to +8.8 %) in the wall time. A difference between the "
      "candidate and the\n"
      "baseline need not come from the change.\n");
}

TEST(CompareText, SaysHowToGoOnAfterAnInterruption) {
  CompareCase c = two("", Verdict::undecided, {open_spec(), equal_spec()});
  c.conclusion.ended_by = EndedBy::interrupted;
  EXPECT_EQ(text_of(c),
            "wall  2.00 s -> 2.02 s  +1.0 % [-2.0, +4.0]   UNDECIDED    18 + 18 runs; about 60 "
            "would decide\n"
            "cpu   2.00 s -> 2.00 s  +0.1 % [-0.9, +1.0]   EQUIVALENT   18 + 18 runs\n"
            "No slowdown above 4.0 % (99 %). ./encode -7 in.bin uses the same CPU (within 2 %). "
            "About 60 runs a\n"
            "side would decide.\n"
            "Interrupted after 36 runs; 'assay resume k3v9x2ab' goes on where it stopped.\n");
  c.record.entries.push_back(support::trial(0, {2.0, 2.0, 43e6}));
  c.record.entries.push_back(Stop{StopReason::disk_full, 0});
  const std::string text = text_of(c);
  EXPECT_NE(
      text.find("Stopped after 37 runs (18 + 18 runs in complete blocks) because the disk was "
                "full; make room, then\n'assay resume k3v9x2ab' goes on.\n"),
      std::string::npos)
      << text;
}

TEST(CompareText, NamesABudgetThatIsTooSmall) {
  CompareCase c{"", support::record_of(support::compare_plan()), {}};
  c.record.plan.time_budget_s = 5;
  support::add_runs(c.record, 1, {{2, 2, 43e6}, {2, 2, 43e6}});
  c.conclusion = support::conclusion(Verdict::undecided, {});
  c.conclusion.ended_by = EndedBy::time_budget;
  EXPECT_EQ(text_of(c),
            "The time budget of 5 s ended before the 6 runs a side of the first look, which take "
            "about 31 s:\n"
            "--time-budget 40s.\n");
  c.record.entries.clear();
  EXPECT_EQ(text_of(c),
            "The time budget of 5 s ended before every side had run once: --time-budget allows "
            "more.\n");
}

TEST(CompareText, LabelsWhatWasJudgedAgain) {
  CompareCase c = two("", Verdict::equivalent, {equal_spec(), equal_spec()});
  c.record.plan.tolerance = 0.05;
  c.conclusion.exploratory = true;
  const std::string text = text_of(c);
  EXPECT_NE(
      text.find("Exploratory: judged again with a tolerance of 5 % after the runs were known, "
                "so no error rate holds.\n"),
      std::string::npos)
      << text;
}

}  // namespace
}  // namespace assay::report
