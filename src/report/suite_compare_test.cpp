// SPDX-License-Identifier: Apache-2.0
#include "report/suite_compare.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace assay::report {
namespace {

Record suite_record(double tolerance) {
  Record record;
  record.plan.kind = PlanKind::suite_compare;
  record.plan.tolerance = tolerance;
  record.plan.time_budget_s = 600;
  record.plan.suite = SuitePlan{.adapter = "gbench", .units = {{"Sort", {}}, {"Hash", {}}}};
  return record;
}

SuiteCompareRow judged(const std::string& id, double ratio, Verdict verdict,
                       std::uint32_t runs = 12) {
  SuiteCompareRow row{.unit = id.starts_with("Hash") ? 1U : 0U, .id = id};
  row.finding.verdict = verdict;
  row.finding.reason = verdict == Verdict::undecided ? Reason::noisy : Reason::decided;
  row.finding.reading = {.runs = runs,
                         .estimate = std::log(ratio),
                         .lo99 = std::log(ratio * 0.99),
                         .hi99 = std::log(ratio * 1.01)};
  row.finding.baseline_median = 0.001;
  row.finding.candidate_median = 0.001 * ratio;
  return row;
}

Conclusion concluded_suite(std::vector<SuiteCompareRow> rows) {
  Conclusion conclusion;
  conclusion.suite_compare = SuiteCompareFinding{.family = 4, .rows = std::move(rows)};
  conclusion.suite_compare->geometric_mean = 1.02;
  conclusion.suite_compare->mean_of = 4;
  return conclusion;
}

TEST(SuiteCompareText, WhatMattersComesFirst) {
  SuiteCompareRow gone{.id = "Sort/gone", .presence = Presence::only_baseline};
  gone.finding.verdict = Verdict::failed;
  gone.trouble = "B does not have it";
  SuiteCompareRow fresh{.unit = 1, .id = "Hash/new", .presence = Presence::only_candidate};
  fresh.finding.verdict = Verdict::failed;
  const Conclusion conclusion = concluded_suite(
      {judged("Sort/8", 1.001, Verdict::equivalent), judged("Hash/8", 0.9, Verdict::faster),
       judged("Sort/64", 1.08, Verdict::slower), fresh, gone,
       judged("Hash/64", 1.03, Verdict::undecided, 198)});
  EXPECT_EQ(
      suite_compare_text(suite_record(0.02), conclusion, {.width = 140}).out,
      "Of 5 benchmarks 1 is slower, 1 is faster, 1 is within 2 %, 1 is undecided and 1 failed "
      "or went missing.\n"
      "\n"
      "benchmark        A        B  B / A  change  99 %                                runs\n"
      "Sort/gone        -        -      -       -                GONE                     -\n"
      "Sort/64    1.00 ms  1.08 ms  1.080  +8.0 %  [+6.9, +9.1]  SLOWER        12 + 12 runs\n"
      "Hash/8     1.00 ms   900 us  0.900   -10 %  [-11, -9.1]   FASTER        12 + 12 runs\n"
      "Hash/64    1.00 ms  1.03 ms  1.030  +3.0 %  [+2.0, +4.0]  UNDECIDED   198 + 198 runs  "
      "outside 2 %; the runs vary too much\n"
      "Sort/8     1.00 ms  1.00 ms  1.001  +0.1 %  [-0.9, +1.1]  EQUIVALENT    12 + 12 runs\n"
      "Hash/new         -        -      -       -                new                      -\n"
      "\n"
      "Geometric mean of 4 ratios: 1.020. It is no verdict: it weighs benchmarks that nobody "
      "weighed, and a rise of one hides in a fall of another.\n"
      "Only in B: Hash/new.\n"
      "Gone from B: Sort/gone.\n");
}

TEST(SuiteCompareText, TellsABudgetThatRanOutFromOneThatWasTooShort) {
  Record record = suite_record(0.02);
  record.plan.time_budget_s = 40;
  SuiteCompareRow row{.id = "Hash/8"};
  row.finding.all_runs = 5;
  row.finding.baseline_median = row.finding.candidate_median = 0.002;
  Conclusion conclusion = concluded_suite({row});
  conclusion.ended_by = EndedBy::time_budget;
  const auto text = [&](int seconds) {
    record.entries = {Trial{.duration = std::chrono::seconds(seconds)}};
    return suite_compare_text(record, conclusion, {.width = 0}).out;
  };
  EXPECT_NE(text(39).find("\nThe time budget of 40 s ended it with 1 open: run it again with a "
                          "longer --time-budget.\n"),
            std::string::npos)
      << text(39);
  EXPECT_NE(text(6).find("\nIt ended after 6 s, because the next blocks of runs do not fit in the "
                         "time budget of 40 s, with 1 open: run it again"),
            std::string::npos)
      << text(6);
  EXPECT_NE(text(6).find("2.00 ms  2.00 ms"), std::string::npos) << "medians without a word";
  EXPECT_NE(text(6).find("5 + 5 runs"), std::string::npos) << text(6);
}

TEST(SuiteCompareText, ExplainsARatioThatTheMediansDoNotGive) {
  SuiteCompareRow row = judged("Sort/8", 0.998, Verdict::equivalent);
  const auto text = [&] {
    return suite_compare_text(suite_record(0.15), concluded_suite({row}), {.width = 0}).out;
  };
  EXPECT_EQ(text().find("medians give"), std::string::npos) << text();
  row.finding.baseline_median = 2.04e-6;
  row.finding.candidate_median = 1.70e-6;
  EXPECT_NE(text().find("For Sort/8 the medians give 0.833, the blocks 0.998."), std::string::npos)
      << text();
}

// The team's tolerance of 15 %: 0.86 is 14 % less, and 1 / 0.86 is 16 % more.
TEST(SuiteCompareText, RatiosAreHeldAgainstTheToleranceInLogs) {
  const auto text = [](double ratio) {
    return suite_compare_text(suite_record(0.15),
                              concluded_suite({judged("Sort/8", ratio, Verdict::faster)}),
                              {.width = 0})
        .out;
  };
  EXPECT_NE(text(0.85).find("Sort/8 at 0.85 lies outside 15 %: in logs, where A / B and B / A are "
                            "as far from 1, log 1/0.85 = 0.1625 is more than log 1.15 = 0.1398."),
            std::string::npos)
      << text(0.85);
  EXPECT_EQ(text(0.87).find("lies outside"), std::string::npos);
  EXPECT_EQ(text(0.80).find("lies outside"), std::string::npos) << "outside either way";
  EXPECT_EQ(text(1.20).find("lies outside"), std::string::npos) << "outside either way";
}

TEST(SuiteCompareText, WithheldVerdictsArePrintedNowhere) {
  SuiteCompareRow control = judged("Hash/8", 1.05, Verdict::slower);
  control.control = true;
  Conclusion conclusion = concluded_suite({judged("Sort/8", 1.1, Verdict::slower), control});
  conclusion.withheld = true;
  const std::string text = suite_compare_text(suite_record(0.02), conclusion, {.width = 0}).out;
  EXPECT_TRUE(text.starts_with("Verdicts are withheld")) << text;
  EXPECT_EQ(text.find("SLOWER"), std::string::npos) << text;
  EXPECT_EQ(text.find("Geometric mean"), std::string::npos);
  const Json json = suite_compare_json(suite_record(0.02), conclusion);
  EXPECT_TRUE(json["benchmarks"].items()[0]["verdict"].is_null());
}

TEST(SuiteCompareText, TheMeanHasNoWord) {
  const std::string text =
      suite_compare_text(suite_record(0.02),
                         concluded_suite({judged("Sort/8", 1.1, Verdict::slower)}), {.width = 0})
          .out;
  EXPECT_NE(text.find("Geometric mean of 4 ratios: 1.020. It is no verdict"), std::string::npos);
}

TEST(SuiteCompareMarkdown, NamesAreEscaped) {
  const std::string text = suite_compare_markdown(
      suite_record(0.02), concluded_suite({judged("Sort/a|b\n*c*", 1.1, Verdict::slower)}));
  EXPECT_NE(text.find("| Sort/a\\|b \\*c\\* |"), std::string::npos) << text;
}

TEST(SuiteCompareJson, SaysWhatIsInsideTheTolerance) {
  const Json json = suite_compare_json(
      suite_record(0.15), concluded_suite({judged("Sort/8", 0.85, Verdict::faster),
                                           judged("Hash/8", 1.14, Verdict::undecided)}));
  EXPECT_EQ(json["benchmarks"].items()[0]["within_tolerance"], Json(false));
  EXPECT_EQ(json["benchmarks"].items()[1]["within_tolerance"], Json(true));
  EXPECT_EQ(json["family"], Json(4));
}

}  // namespace
}  // namespace assay::report
