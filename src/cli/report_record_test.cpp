// SPDX-License-Identifier: Apache-2.0
#include "cli/report_record.hpp"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace assay::cli
