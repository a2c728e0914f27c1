// SPDX-License-Identifier: Apache-2.0
#include "report/ablate.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "base/text.hpp"
#include "tests/support/records.hpp"

namespace assay::report {
namespace {

constexpr std::uint32_t kAllOn = 7;

// Three changes; pin and presize cost 9 % together, <b>early</b> nothing.
Record ablated() {
  Record record = support::record_of(support::compare_plan({"./engine"}));
  record.id = "abcd1234";
  Plan& plan = record.plan;
  plan.kind = PlanKind::ablate;
  plan.metrics = {support::wall_metric()};
  plan.design = Design{};
  for (const char* name : {"pin", "presize", "<b>early</b>"})
    plan.design->changes.push_back({.name = name, .kind = ChangeKind::flag, .spec = "--x"});
  const Subject subject = plan.arms.front();
  plan.arms.assign(kAllOn + 1, subject);
  const char* const labels[] = {"all off", "pin",   "presize", "pin+presize",
                                "early",   "pin+e", "pre+e",   "all on"};
  for (std::uint32_t arm = 0; arm <= kAllOn; ++arm) plan.arms[arm].label = labels[arm];
  return record;
}

MetricFinding finding(std::uint32_t arm, Verdict verdict, double estimate) {
  MetricFinding made{.arm = arm, .metric = 0, .verdict = verdict, .reason = Reason::decided};
  made.reading = {.runs = 12, .estimate = estimate, .lo99 = estimate - .01, .hi99 = estimate + .01};
  made.all_runs = 12;
  made.baseline_median = 0.1;
  made.candidate_median = 0.1 * std::exp(estimate);
  return made;
}

Conclusion named() {
  Conclusion conclusion;
  conclusion.overall = Verdict::equivalent;
  conclusion.findings = {finding(kAllOn, Verdict::slower, std::log(1.09)),
                         finding(3, Verdict::slower, std::log(1.09))};
  AblateFinding found{.reproduced = Reproduced::yes, .best = 6, .runs = 40};
  found.terms = {{.changes = {0, 1},
                  .effect = {std::log(1.09), std::log(1.08), std::log(1.10)},
                  .probability = 0.9996,
                  .named = true,
                  .finding = 1,
                  .reverting = Estimate{std::log(0.92), std::log(0.91), std::log(0.93)}}};
  for (const std::uint32_t arm : {0u, 1u, 3u, kAllOn}) {
    const bool slow = arm == 3 || arm == kAllOn;
    found.configurations.push_back({.arm = arm,
                                    .runs = 4,
                                    .median = slow ? 0.109 : 0.1,
                                    .effect = {slow ? std::log(1.09) : 0, {}, {}}});
  }
  found.best_effect = {std::log(0.92), std::log(0.91), std::log(0.93)};
  found.remainder = {0.001, -0.01, 0.012};
  conclusion.ablate = found;
  return conclusion;
}

std::string text_of(const Conclusion& conclusion, std::size_t width) {
  return ablate_text(ablated(), conclusion, {.unicode = true, .width = width}).out;
}

TEST(AblateReport, EveryStateHasItsSentence) {
  const struct {
    std::function<void(Conclusion&)> change;
    const char* says;
  } cases[] = {
      {[](Conclusion&) {},
       "pin and presize together cost +9.0 % [+8.0, +10]; neither alone does; reverting pin gives"},
      {[](Conclusion& c) { c.ablate->terms[0].either = true; },
       "pin or presize, either alone, costs +9.0 %"},
      {[](Conclusion& c) { c.ablate->terms[0].changes = {0}; },
       "pin costs +9.0 % [+8.0, +10]; taking it back gives it back (-8.0 %)."},
      {[](Conclusion& c) {
         c.ablate->terms[0].changes = {0};
         c.ablate->terms[0].effect = {-0.05, -0.06, -0.04};
       },
       "pin helps: -4.9 %"},
      {[](Conclusion& c) { c.ablate->revert_all = true, c.ablate->best = 0; },
       "All of it off is best: revert. It gives -8.0 %"},
      {[](Conclusion& c) {
         c.ablate->terms[0].named = false;
         c.overall = Verdict::undecided;
       },
       "no few changes and pairs fit what the configurations cost, so none is named"},
      {[](Conclusion& c) {
         c.ablate->reproduced = Reproduced::no;
         c.ablate->terms.clear();
         c.ablate->runs = 0;
         c.findings = {finding(kAllOn, Verdict::equivalent, 0.001)};
       },
       "It does not reproduce: all on and all off are alike in the wall time within 2 %"},
      {[](Conclusion& c) { c.ablate->terms.clear(); },
       "No single change and no pair of them stands out."},
      {[](Conclusion& c) {
         c.overall = Verdict::failed;
         c.failure = "all on: exited with status 2: \"what is --pni?\"";
       },
       "so nothing is concluded."}};
  for (const auto& state : cases) {
    Conclusion conclusion = named();
    state.change(conclusion);
    EXPECT_NE(text_of(conclusion, 0).find(state.says), std::string::npos) << state.says << "\n"
                                                                          << text_of(conclusion, 0);
    EXPECT_TRUE(ablate_json(ablated(), conclusion).has("terms"));
    const std::string page = ablate_html(ablated(), conclusion);
    EXPECT_NE(page.find("</html>"), std::string::npos);
    EXPECT_EQ(page.find("<b>early"), std::string::npos) << "text of a user is escaped";
    for (const std::size_t width : {40u, 80u}) {
      const std::string text = text_of(conclusion, width);
      for (const std::string_view line : split_lines(text))
        EXPECT_TRUE(display_width(line) <= width || line.starts_with("again: ")) << line;
    }
  }
}

}  // namespace
}  // namespace assay::report
