// SPDX-License-Identifier: Apache-2.0
#include "report/diverge.hpp"

#include <gtest/gtest.h>

#include "diverge/comparer.hpp"

namespace assay::report {
namespace {

// A participant's answers to steps 1, 2, ... as letters; '-' = none.
struct Log {
  std::string name, kind, answers;
};

DivergeRun diverge_run_of(const std::vector<Log>& logs) {
  DivergeRun run;
  diverge::Comparer comparer(logs.size());
  for (std::size_t p = 0; p < logs.size(); ++p) {
    run.participants.push_back({logs[p].name, logs[p].name + ".log", logs[p].kind});
    run.lines.push_back({.lines = logs[p].answers.size()});
    for (std::size_t i = 0; i < logs[p].answers.size(); ++i)
      if (logs[p].answers[i] != '-')
        comparer.add(p,
                     {static_cast<std::int64_t>(i + 1), std::string(1, logs[p].answers[i]), i + 1});
  }
  run.findings = comparer.finish();
  return run;
}

DivergeView view_of_logs(
    const std::vector<Log>& logs,
    const std::vector<std::pair<std::string, std::vector<Log>>>& controls = {}) {
  DivergeView view{.key = "slot", .value = "root", .run = diverge_run_of(logs)};
  std::vector<diverge::RunFindings> findings;
  for (const auto& [kind, control] : controls) {
    view.controls.push_back({"all-" + kind, kind});
    view.control_runs.push_back(diverge_run_of(control));
    view.control_runs.back().name = "all-" + kind;
    findings.push_back(view.control_runs.back().findings);
  }
  view.implication =
      diverge::implication_of(view.run.findings, view.run.participants, view.controls, findings);
  return view;
}

TEST(DivergeSentence, Table) {
  const struct {
    std::string a, b, sentence;
  } kCases[] = {
      {"xyz", "xyz", "a and b agree on all of 3 steps in common, up to slot 3."},
      {"xyz", "xyw", "a and b agree up to slot 2 and disagree from slot 3 on."},
      {"xyz", "wvu", "a and b disagree from slot 1 on."},
      {"xyzz", "xwzz",
       "a and b agree up to slot 1 and disagree at slot 2; in all at 1 of 4 steps in common. They "
       "agree again from 3 on."},
      {"xyzzyz", "xwzzwz",
       "a and b agree up to slot 1 and disagree at slot 2; in all at 2 of 6 steps in common. They "
       "agree again from 3 to 4 and from 6 on."},
      {"xyzyz", "xwzwz",
       "a and b agree up to slot 1 and disagree at slot 2; in all at 2 of 5 steps in common. They "
       "agree again at 3 and from 5 on."},
      {"yzyzyzyzyzy", "wzwzwzwzwzw",
       "a and b disagree at slot 1; in all at 6 of 11 steps in common. They agree again at 2, at "
       "4, at 6 and 2 times more."},
      {"yzyzyzyzyz", "wzwzwzwzwz",
       "a and b disagree at slot 1; in all at 5 of 10 steps in common. They agree again at 2, at "
       "4, at 6 and 2 times more, at last from 10 on."},
      {"xy--", "--zz", "a and b have no slot in common."}};
  for (const auto& c : kCases)
    EXPECT_EQ(sentence_of(view_of_logs({{"a", "a", c.a}, {"b", "b", c.b}})), c.sentence);
}

TEST(DivergeText, ThreeOfTwoKindsWithAControl) {
  auto view = view_of_logs({{"a1", "A", "ssss"}, {"a2", "A", "ssss"}, {"b1", "B", "sst"}},
                           {{"A", {{"c1", "A", "pqrs"}, {"c2", "A", "pqrs"}}}});
  view.run.excerpts = {diverge::Excerpt{2, {"two", "three", "four"}}, {}, {}};
  EXPECT_EQ(diverge_text(view, {.width = 100}),
            "a1, a2 and b1 agree up to slot 2 and disagree from slot 3 on.\n"
            "\n"
            "    kind  lines  answers  slot\n"
            "a1  A         4        4  1 to 4\n"
            "a2  A         4        4  1 to 4\n"
            "b1  B         3        3  1 to 3\n"
            "\n"
            "last agreed: slot 2, at a1.log:2, a2.log:2, b1.log:2\n"
            "first disagreement: slot 3\n"
            "root = s  at a1.log:3, a2.log:3\n"
            "    a1.log:2  two\n"
            "  > a1.log:3  three\n"
            "    a1.log:4  four\n"
            "root = t  at b1.log:3\n"
            "\n"
            "slot\n"
            "1 to 2  a1, a2, b1\n"
            "3 to 4  a1, a2 | b1\n"
            "\n"
            "b1 does not get beyond slot 3 (b1.log:3); others go on to 4\n"
            "b1 has no answer to 1 step that others have: 4\n"
            "\n"
            "A+B splits at slot 3, all-A agrees to its end, slot 4: the disagreement is between A "
            "and B.\n"
            "Nothing shows that B agrees with itself: a run of this kind alone would.\n"
            "Who is right is not said by it.\n");
}

TEST(DivergeText, AgreementIsShort) {
  EXPECT_EQ(diverge_text(view_of_logs({{"a", "a", "xyz"}, {"b", "b", "xyz"}}), {.width = 100}),
            "a and b agree on all of 3 steps in common, up to slot 3.\n"
            "\n"
            "   lines  answers  slot\n"
            "a      3        3  1 to 3\n"
            "b      3        3  1 to 3\n");
}

TEST(DivergeImplied, WhatTheKindsSay) {
  const std::vector<Log> mixed = {{"a", "A", "xs"}, {"b", "B", "xs"}, {"c", "C", "xt"}};
  EXPECT_EQ(implication_sentences(view_of_logs(mixed)).front(),
            "The disagreement is between (A, B) and C.");
  EXPECT_EQ(
      implication_sentences(view_of_logs({{"a", "A", "xs"}, {"b", "A", "xt"}, {"c", "B", "xt"}}))
          .front(),
      "A stands on both sides: the disagreement is not one between kinds.");
  EXPECT_EQ(implication_sentences(view_of_logs({{"a", "A", "xs"}, {"b", "B", "xt"}},
                                               {{"B", {{"d", "B", "xs"}, {"e", "B", "xt"}}}}))
                .front(),
            "A+B splits at slot 2, all-B splits at slot 2 by itself: B does not agree with itself: "
            "what its answers differ in from others says nothing about them.");
  EXPECT_TRUE(implication_sentences(view_of_logs({{"a", "a", "xs"}, {"b", "b", "xt"}})).empty());
}

TEST(DivergeWarnings, NameFileAndLine) {
  DivergeView view = view_of_logs({{"a", "a", "xy"}, {"b", "b", "xy"}});
  view.run.lines[0].torn = true;
  view.run.lines[1].bad_json = 3;
  view.run.lines[1].first_bad_json = 17;
  EXPECT_EQ(diverge_warnings(view),
            (std::vector<std::string>{
                "a.log: the last line has no newline and is not used: the program was killed or "
                "still writes",
                "b.log: 3 lines skipped: not a whole JSON object (first: line 17)"}));
}

TEST(DivergeText, NamesFromOutsideAreMadeSafe) {
  DivergeView view = view_of_logs({{"a\x1b[31m", "a\x1b[31m", "xs"}, {"b", "b", "xt"}});
  EXPECT_EQ(diverge_text(view, {.width = 100}).find('\x1b'), std::string::npos);
}

// "h" has no plural, and a key may be "slots".
TEST(DivergeSentence, StepsAreCountedAsSteps) {
  DivergeView view = view_of_logs({{"a", "a", "xy"}, {"b", "b", "xy"}});
  view.key = "h";
  EXPECT_EQ(sentence_of(view), "a and b agree on all of 2 steps in common, up to h 2.");
}

TEST(DivergeJson, HasSidesGroupsAndWords) {
  const Json json = diverge_json(view_of_logs({{"a", "A", "xs"}, {"b", "B", "xt"}},
                                              {{"A", {{"c", "A", "xy"}, {"d", "A", "xy"}}}}));
  EXPECT_EQ(json["verdict"], Json("diverge"));
  EXPECT_EQ(json["run"]["first_disagreement"]["step"], Json(2));
  EXPECT_EQ(json["run"]["first_disagreement"]["answers"].items()[1]["value"], Json("t"));
  EXPECT_EQ(json["run"]["last_agreed"]["step"], Json(1));
  EXPECT_EQ(json["run"]["phases"].items()[1]["groups"].size(), 2U);
  EXPECT_EQ(json["controls"].items()[0]["says"], Json("agrees"));
  EXPECT_EQ(json["implication"]["between"], Json("kinds"));
}

}  // namespace
}  // namespace assay::report
