// SPDX-License-Identifier: Apache-2.0
#include "report/bisect.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "base/text.hpp"
#include "report/bisect_view.hpp"
#include "tests/support/records.hpp"

namespace assay::report {
namespace {

constexpr std::uint32_t kCommits = 12;

std::string id_of(std::uint32_t commit) {
  return std::string(2, static_cast<char>('a' + commit)) + std::string(38, '0');
}

// Commit 7 of twelve made it 6 % slower; commit 4 does not build.
Record bisected() {
  Record record = support::record_of(support::compare_plan({"./bench"}));
  record.id = "abcd1234";
  Plan& plan = record.plan;
  plan.kind = PlanKind::bisect;
  plan.metrics = {support::wall_metric()};
  plan.design = Design{};
  plan.design->asked = {"--good", "v1", "--", "./bench"};
  const Subject subject = plan.arms.front();
  plan.arms.assign(2 * kCommits, subject);
  for (std::uint32_t i = 0; i < kCommits; ++i) {
    plan.design->commits.push_back({.id = id_of(i), .subject = "Step " + std::to_string(i)});
    if (i > 0) plan.design->commits.back().parents = {i - 1};
  }
  return record;
}

MetricFinding finding(std::uint32_t arm, Verdict verdict, double estimate) {
  MetricFinding made{.arm = arm, .metric = 0, .verdict = verdict, .reason = Reason::decided};
  made.reading = {.runs = 12, .estimate = estimate, .lo99 = estimate - .01, .hi99 = estimate + .01};
  made.baseline_median = 0.1;
  made.candidate_median = 0.1 * std::exp(estimate);
  return made;
}

Conclusion named() {
  Conclusion conclusion;
  conclusion.overall = Verdict::equivalent;
  conclusion.findings = {finding(7, Verdict::slower, 0.06),
                         finding(kCommits + 7, Verdict::faster, -0.06)};
  conclusion.broken = {{.arm = 4, .built = false, .why = "does not build"}};
  BisectFinding found{.reproduced = Reproduced::yes, .runs = 30};
  found.anchors = {0.061, 0.05, 0.07};
  found.culprits = {{.commit = 7,
                     .probability = 0.982,
                     .effect = {0.06, 0.05, 0.07},
                     .set = {7},
                     .named = true,
                     .finding = 0,
                     .reverted = 1}};
  for (std::uint32_t i = 0; i < kCommits; ++i)
    found.commits.push_back({.commit = i,
                             .runs = i % 3 == 0 || i == 7 || i == 11 ? 2u : 0u,
                             .median = i < 7 ? 0.1 : 0.106,
                             .probability = i == 7   ? 0.982
                                            : i == 6 ? 0.018
                                                     : 0});
  conclusion.bisect = found;
  return conclusion;
}

std::string text_of(const Conclusion& conclusion, std::size_t width = 100) {
  TextOptions options;
  options.width = width;
  return bisect_text(bisected(), conclusion, options).out;
}

void expect_says(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << "'" << part << "' in\n" << text;
}

TEST(Bisect, SaysWhoWhatItCostsAndWhatGivesItBack) {
  const std::string text = text_of(named(), 0);
  expect_says(text,
              "hh00000000 'Step 7' made it 6.2 % slower [+5.1, +7.3], with 98 % probability.");
  expect_says(text, "Confirmed: SLOWER (+6.2 % [+5.1, +7.3], 12 + 12 runs) against its parent.");
  expect_says(text, "Reverting it on top of the bad end gives it back: FASTER (-5.8 %");
  expect_says(text, "Between the ends lie +6.3 %");
  expect_says(text, "One commit could not be measured: ee00000000 'Step 4' does not build.");
  expect_says(text, "Step 7 (culprit)");
  expect_says(text, "again: assay bisect --seed 42 --good v1 -- ./bench");
}

TEST(Bisect, EveryStateHasItsSentence) {
  const struct {
    std::function<void(Conclusion&)> change;
    const char* says;
  } cases[] = {
      {[](Conclusion& c) { c.bisect->reproduced = Reproduced::no, c.bisect->culprits.clear(); },
       "The difference does not reproduce"},
      {[](Conclusion& c) { c.bisect->reproduced = Reproduced::better; }, "Are the ends swapped?"},
      {[](Conclusion& c) {
         c.bisect->reproduced = Reproduced::unknown;
         c.bisect->culprits.clear();
         c.ended_by = EndedBy::time_budget;
       },
       "--time-budget allows more"},
      {[](Conclusion& c) {
         c.bisect->culprits[0].set = {5, 6, 7};
         c.bisect->culprits[0].named = false;
         c.bisect->culprits[0].reverted.reset();
         c.bisect->more_runs = 40;
         c.ended_by = EndedBy::time_budget;
       },
       "One of 3 commits made it 6.2 % slower"},
      {[](Conclusion& c) {
         c.bisect->culprits[0].set = {5, 6, 7};
         c.bisect->culprits[0].named = false;
         c.bisect->more_runs = 40;
         c.ended_by = EndedBy::interrupted;
       },
       "About 40 more runs would name the commit"},
      {[](Conclusion& c) { c.ended_by = EndedBy::interrupted; }, "'assay resume abcd1234' goes on"},
      {[](Conclusion& c) { c.ended_by = EndedBy::max_runs; }, "limit of runs"},
      {[](Conclusion& c) { c.findings[0].verdict = Verdict::undecided; }, "Not confirmed: against"},
      {[](Conclusion& c) {
         c.findings[0].verdict = Verdict::undecided;
         c.bisect->culprits[0].named = false;
       },
       "but nothing confirms it: no commit is named."},
      {[](Conclusion& c) { c.findings[1].verdict = Verdict::equivalent; },
       "does not give it back: EQUIVALENT"},
      {[](Conclusion& c) {
         c.bisect->culprits[0].reverted.reset();
         c.broken.push_back({kCommits + 7, false, "does not apply: conflict in a.c"});
       },
       "The bad end without it could not be measured: it does not apply: conflict in a.c."},
      {[](Conclusion& c) {
         c.bisect->anchors = {0.12, 0.11, 0.13};
       },
       "+6.2 % of that remain without a culprit"},
      {[](Conclusion& c) {
         c.bisect->culprits.push_back(c.bisect->culprits[0]);
         c.bisect->culprits[1].commit = 2;
         c.bisect->culprits[1].set = {2};
         c.bisect->culprits[1].named = true;
       },
       "Another change: cc00000000"},
      {[](Conclusion& c) {
         c.overall = Verdict::failed;
         c.failure = "the good end, aa00000000, does not build";
         c.bisect.reset();
       },
       "FAILED: the good end, aa00000000, does not build"}};
  for (const auto& state : cases) {
    Conclusion conclusion = named();
    state.change(conclusion);
    expect_says(text_of(conclusion, 0), state.says);
    // JSON and page of the same do not fall over, and no line is too long.
    EXPECT_TRUE(bisect_json(bisected(), conclusion).has("reproduced"));
    expect_says(bisect_html(bisected(), conclusion), "</html>");
    for (const std::size_t width : {40u, 72u}) {
      const std::string text = text_of(conclusion, width);
      for (const std::string_view line : split_lines(text))
        // A command line is copied: it stands in one line.
        EXPECT_TRUE(display_width(line) <= width || line.starts_with("again: ")) << line;
    }
  }
}

TEST(Bisect, AReportedSizeThatIsNotThere) {
  Record record = bisected();
  record.plan.design->expect = 1.5;
  Conclusion conclusion = named();
  conclusion.bisect->reproduced = Reproduced::no;
  conclusion.bisect->culprits.clear();
  const std::string text = bisect_text(record, conclusion, {}).out;
  expect_says(text, "The reported +50 % does not reproduce");
  expect_says(text, "--expect=+6.3%");
}

TEST(Bisect, TheMergeThatBroughtIt) {
  Record record = bisected();
  record.plan.design->commits[9].parents = {5, 8};  // 6..8 are its side
  record.plan.design->commits[6].parents = {5};
  expect_says(bisect_text(record, named(), {.width = 0}).out,
              "It came in with jj00000000 'Step 9'.");
}

TEST(Bisect, JsonHasTheAnswer) {
  const Json json = bisect_json(bisected(), named());
  EXPECT_EQ(json["culprit"], Json(id_of(7)));
  EXPECT_EQ(json["confirmed"], Json(true));
  EXPECT_EQ(json["reproduced"], Json("yes"));
  EXPECT_EQ(json["set"].size(), 1u);
  EXPECT_EQ(json["commits"].size(), std::size_t{kCommits});
  EXPECT_EQ(json["broken"].size(), 1u);
}

TEST(Bisect, SubjectsOfCommitsAreHarmless) {
  Record record = bisected();
  record.plan.design->commits[7].subject = "<script>\x1b[2Jboo</script>";
  const std::string page = bisect_html(record, named());
  EXPECT_EQ(page.find("<script>"), std::string::npos);
  const std::string text = bisect_text(record, named(), {}).out;
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
}

TEST(Bisect, RatesAreTurnedBack) {
  Record record = bisected();
  record.plan.metrics = {support::output_metric("req/s", "req/s", Better::higher)};
  record.plan.metrics[0].gating = true;
  expect_says(bisect_text(record, named(), {.width = 0}).out, "made req/s 5.8 % lower");
}

}  // namespace
}  // namespace assay::report
