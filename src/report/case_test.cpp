// SPDX-License-Identifier: Apache-2.0
// What a case says, from hand-made statuses: the words, the remainder, the third round, hostile
// text.
#include "report/case.hpp"

#include <gtest/gtest.h>

#include "cases/case_file.hpp"

namespace assay::report {
namespace {

using cases::Effect;
using cases::Quantity;
using cases::Word;

// A gap of 12 ms, of which `spill` explains 5; `early` is ruled out, `cap` is open.
CaseView made() {
  CaseView view;
  view.of = *cases::parse_case(R"(question = "Why 12 ms longer?"
gap-record = "k3v9x2ab"
[[hypothesis]]
id = "spill"
mechanism = "partitions spill"
predict = "4-6 ms"
[[hypothesis]]
id = "early"
mechanism = "freed too early"
predict = "0.2 s"
[[hypothesis]]
id = "cap"
mechanism = "inline capacity"
predict = "falls with cap"
test = "assay sweep --param cap=1,2,4 -- ./run {cap}"
price = "1 minute"
)",
                               "c.toml", "slow");
  view.file = "/x/.assay/cases/slow.toml";
  auto& status = view.status;
  status.hypotheses.push_back(
      {.hypothesis = 0,
       .word = Word::confirmed,
       .reason = "explains 36 % to 47 % of the gap",
       .measured = cases::Measured{.record = "ab12cd34",
                                   .source = "compare, cpu, 18 + 18 runs",
                                   .effect = {.value = 0.005, .lo = 0.0045, .hi = 0.0055},
                                   .runs = 18},
       .share = cases::Share{.value = 0.42, .lo = 0.36, .hi = 0.47},
       .tests = 1});
  status.hypotheses.push_back({.hypothesis = 1,
                               .word = Word::ruled_out,
                               .reason = "cannot explain more than 4.2 % of the gap"});
  status.hypotheses.push_back({.hypothesis = 2,
                               .reason = "nothing has tested it",
                               .next = "assay sweep --param cap=1,2,4 -- ./run {cap}",
                               .price = "1 minute"});
  status.remainders.push_back({.quantity = Quantity::seconds,
                               .gap = {.value = 0.012, .lo = 0.0116, .hi = 0.0124},
                               .rest = {.value = 0.007, .lo = 0.0061, .hi = 0.0079},
                               .gap_source = "compare, cpu, 18 + 18 runs, record k3v9x2ab",
                               .explained = {0},
                               .share = cases::Share{.value = 0.58, .lo = 0.49, .hi = 0.68}});
  status.sentence = "3 hypotheses: 1 confirmed, 1 ruled out, 1 open.";
  return view;
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(CaseReport, SaysTheWordsAndWhatRemains) {
  const CaseView view = made();
  const Text text = case_text(view, {.width = 140});
  for (const char* part :
       {"slow: Why 12 ms longer?", "gap +12.0 ms [+11.6, +12.4]", "CONFIRMED",
        "explains 36 % to 47 % of the gap", "RULED OUT", "100 to 400 ms", "falls with cap", "OPEN",
        "unexplained", "+7.00 ms [+6.10, +7.90]", "49 to 68 %", "the gap less spill",
        "cap: assay sweep --param cap=1,2,4 -- ./run {cap}  (1 minute)"})
    EXPECT_TRUE(has(text.out, part)) << part << "\n" << text.out;
  EXPECT_FALSE(has(text.out, "patches"));
  const std::string page = case_html(view), markdown = case_markdown(view);
  for (const std::string& form : {page, markdown})
    for (const char* part : {"CONFIRMED", "unexplained", "partitions spill", "1 minute", "99 %"})
      EXPECT_TRUE(has(form, part)) << part;
  EXPECT_TRUE(has(page, "<svg"));
}

TEST(CaseReport, ARemainderBelowZeroIsShownAsItIs) {
  CaseView view = made();
  view.status.remainders[0].rest = {.value = -0.003, .lo = -0.004, .hi = -0.002};
  const Text text = case_text(view, {.width = 0});
  EXPECT_TRUE(has(text.out, "-3.00 ms [-4.00, -2.00]")) << text.out;
  EXPECT_TRUE(has(text.out, "less than nothing is left"));
  view.status.remainders.clear();
  EXPECT_TRUE(has(case_text(view, {}).out, "the gap is not known"));
}

TEST(CaseReport, TheThirdRoundShowsAllOfThem) {
  CaseView view = made();
  for (std::size_t i = 0; i < 2; ++i) {
    view.of.rounds.push_back({.date = "2026-11-30", .text = "patch " + std::to_string(i)});
    view.status.rounds.push_back({.round = i});
  }
  EXPECT_TRUE(has(case_text(view, {}).out, "last tried: patch 1 (not measured)"));
  view.of.rounds.push_back({.text = "patch 2", .record = "q7w8e9r0", .result = "SLOWER"});
  view.status.rounds.push_back({.round = 2, .effect = "SLOWER +3 %"});
  view.status.patch_on_patch = true;
  const std::string out = case_text(view, {.width = 200}).out;
  EXPECT_TRUE(has(out, "patch 0")) << out;
  EXPECT_TRUE(has(out, "3 patches on top of one another"));
  EXPECT_TRUE(has(out, "2 of them were never measured"));
}

TEST(CaseReport, TextFromOutsideIsMadeSafe) {
  CaseView view = made();
  view.of.question = "a\x1b[31m|b<script>";
  EXPECT_FALSE(has(case_text(view, {}).out, "\x1b"));
  EXPECT_FALSE(has(case_html(view), "<script>b")) << "escaped";
  EXPECT_TRUE(has(case_markdown(view), "\\|b\\<script>"));
}

TEST(CaseReport, JsonHasWhatTheTextHas) {
  const Json json = case_json(made());
  EXPECT_EQ(*json["kind"].to_string(), "case");
  EXPECT_EQ(json["schema_version"].to_int(), 1);
  EXPECT_EQ(*json["hypotheses"].items()[0]["word"].to_string(), "CONFIRMED");
  EXPECT_EQ(json["hypotheses"].items()[0]["measured"]["hi"].to_double(), 0.0055);
  EXPECT_EQ(*json["hypotheses"].items()[2]["predicted"].to_string(), "falls with cap");
  EXPECT_EQ(json["remainders"].items()[0]["unexplained"]["lo"].to_double(), 0.0061);
  const std::vector<CaseView> views = {made()};
  EXPECT_TRUE(has(cases_text(views, {}), "slow"));
  EXPECT_EQ(cases_json(views)["cases"].size(), 1u);
}

}  // namespace
}  // namespace assay::report
