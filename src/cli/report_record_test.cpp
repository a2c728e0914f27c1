// SPDX-License-Identifier: Apache-2.0
#include "cli/report_record.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "measure/trial_runner.hpp"
#include "report/reproduce.hpp"

namespace assay::cli {
namespace {

TEST(ExitCode, FollowsTheTableOfTheDesign) {
  struct Case {
    Verdict overall;
    int plain, strict;
  };
  for (const Case& c : {Case{Verdict::equivalent, 0, 0},
                        {Verdict::faster, 0, 0},
                        {Verdict::undecided, 0, 4},
                        {Verdict::slower, 1, 1},
                        {Verdict::invalid, 3, 3},
                        {Verdict::failed, 3, 3}}) {
    Conclusion conclusion;
    conclusion.overall = c.overall;
    EXPECT_EQ(exit_code(conclusion, false), c.plain);
    EXPECT_EQ(exit_code(conclusion, true), c.strict);
    conclusion.withheld = true;
    EXPECT_EQ(exit_code(conclusion, true), 3);
    conclusion.ended_by = EndedBy::interrupted;
    EXPECT_EQ(exit_code(conclusion, true), 130);
  }
}

// What a report says to type again means the same metric.
TEST(Reproduce, GivesMetricsBack) {
  for (const char* text : {"p99_ms=re:p99=([0-9.]+)", "rate[req/s,higher]=json:/rate",
                           "x[MiB]=assay", "y[higher]=re:(.)"}) {
    const auto metric = measure::parse_metric(text);
    ASSERT_TRUE(metric) << metric.error().to_text();
    Plan plan{.arms = {Subject{.label = "a", .argv = {"a"}}, Subject{.label = "b", .argv = {"b"}}},
              .metrics = {*metric}};
    const auto words = report::reproduce_words(plan);
    const auto option = std::find(words.begin(), words.end(), "--metric");
    ASSERT_NE(option, words.end());
    const auto again = measure::parse_metric(*(option + 1));
    ASSERT_TRUE(again) << *(option + 1) << ": " << again.error().to_text();
    EXPECT_EQ(*again, *metric);
  }
}

}  // namespace
}  // namespace assay::cli
