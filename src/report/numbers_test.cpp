// SPDX-License-Identifier: Apache-2.0
#include "report/numbers.hpp"

#include <gtest/gtest.h>

namespace assay::report {
namespace {

TEST(Numbers, SecondsKeepThreeDigitsOrWholeSeconds) {
  struct Case {
    double seconds;
    const char* text;
  };
  for (const Case& c :
       {Case{0, "0 s"}, Case{0.0381, "38.1 ms"}, Case{7.0512, "7.05 s"}, Case{125.4, "125 s"},
        Case{599.6, "600 s"}, Case{612.2, "612 s"}, Case{999.6, "1,000 s"}, Case{2801.3, "2,801 s"},
        Case{-2801.3, "-2,801 s"}, Case{100'000, "27 h 47 min"}, Case{172'800 + 7'200, "2 d 2 h"},
        Case{1e-15, "0 s"}, Case{-0.5, "-500 ms"}})
    EXPECT_EQ(seconds_text(c.seconds), c.text) << c.seconds;
}

TEST(Numbers, SharesOfATime) {
  struct Case {
    double share;
    const char* text;
  };
  for (const Case& c :
       {Case{0.969, "97 %"}, Case{1, "100 %"}, Case{0.0344, "3.4 %"}, Case{0.0999, "10.0 %"},
        Case{0.1, "10 %"}, Case{0.0001, "0.0 %"}, Case{0, "0 %"}, Case{-0.02, "-2.0 %"}})
    EXPECT_EQ(share_text(c.share), c.text) << c.share;
}

TEST(Numbers, AScaleMakesPartsComparable) {
  const SecondsScale seconds = scale_for(281.2);
  EXPECT_EQ(signed_seconds(281.2, seconds), "+281 s");
  EXPECT_EQ(signed_seconds(-0.3, seconds), "0 s");
  EXPECT_EQ(signed_seconds(-12.6, seconds), "-13 s");
  EXPECT_EQ(signed_number(1281.2, seconds), "+1,281");
  EXPECT_EQ(signed_seconds(8.104, scale_for(8.1)), "+8.10 s");
  EXPECT_EQ(signed_seconds(-73.12, scale_for(-73.12)), "-73.1 s");
  EXPECT_EQ(signed_seconds(0.00042, scale_for(0.0381)), "+0.4 ms");
  EXPECT_EQ(signed_seconds(0, scale_for(0)), "0 s");
  EXPECT_EQ(signed_seconds(3e-9, scale_for(3e-9)), "+3.00 ns");
}

TEST(Numbers, GroupedHasNoNegativeZero) {
  EXPECT_EQ(grouped(2000100), "2,000,100");
  EXPECT_EQ(grouped(-0.2), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(-1000), "-1,000");
}

}  // namespace
}  // namespace assay::report
