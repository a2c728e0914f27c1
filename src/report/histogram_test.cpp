// SPDX-License-Identifier: Apache-2.0
#include "report/histogram.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "base/text.hpp"

namespace assay::report {
namespace {

using Samples = std::vector<std::vector<double>>;
const std::vector<std::string> kTwo = {"A", "B"};

TEST(Histogram, SharesOneAxis) {
  const Samples samples = {{1, 1, 1, 1, 1.25, 1.5}, {1.75, 2, 2, 2, 2, 2}};
  const auto histogram = make_histogram("wall", "s", samples, kTwo);
  ASSERT_TRUE(histogram);
  EXPECT_FALSE(histogram->log_axis);
  EXPECT_EQ(histogram->lo, 1);
  EXPECT_EQ(histogram->hi, 2);
  EXPECT_EQ(histogram->counts[0].front(), 4u);
  EXPECT_EQ(histogram->counts[1].back(), 5u);
  for (const auto& counts : histogram->counts)
    EXPECT_EQ(std::accumulate(counts.begin(), counts.end(), 0u), 6u);
  EXPECT_EQ(draw(*histogram, true, 100),
            "wall  A  ▇         ▂         ▂\n"
            "      B                                ▂        █\n"
            "         1.00 s                            2.00 s\n");
  EXPECT_EQ(draw(*histogram, false, 100),
            "wall  A  %         :         :\n"
            "      B                                :        #\n"
            "         1.00 s                            2.00 s\n");
}

TEST(Histogram, UsesALogAxisForWideRanges) {
  const Samples samples = {{1, 10, 10, 10, 10, 100}, {1, 1, 1, 1, 1, 1}};
  const auto histogram = make_histogram("wall", "s", samples, kTwo);
  ASSERT_TRUE(histogram);
  EXPECT_TRUE(histogram->log_axis);
  EXPECT_EQ(histogram->counts[0][0], 1u);
  EXPECT_EQ(histogram->counts[0][kHistogramBins / 2], 4u);
  EXPECT_EQ(histogram->counts[0].back(), 1u);
  EXPECT_NE(draw(*histogram, true, 0).find("(log)"), std::string::npos);
}

TEST(Histogram, NeedsAShape) {
  const struct {
    const char* why;
    Samples samples;
  } cases[] = {{"too few", {{1, 2, 3, 4, 5, 6}, {1, 2, 3, 4, 5}}},
               {"all equal", {{1, 1, 1, 1, 1, 1}, {1, 1, 1, 1, 1, 1}}},
               {"the span overflows", {{-1e308, 1e308, 1, 1, 1, 1}, {1, 1, 1, 1, 1, 1}}}};
  for (const auto& c : cases) EXPECT_FALSE(make_histogram("wall", "s", c.samples, kTwo)) << c.why;
}

TEST(Histogram, KeepsTheWidthOrStaysAway) {
  const Samples samples = {{0, -3, 5, 7, 8, 9}, {1, 2, 3, 4, 5, 6}};
  const auto histogram = make_histogram("a metric", "a very long unit of measure", samples, kTwo);
  ASSERT_TRUE(histogram);
  EXPECT_EQ(draw(*histogram, true, 52), "");
  const std::string text = draw(*histogram, true, 53);
  EXPECT_NE(text, "");
  for (const std::string_view line : split_lines(text)) EXPECT_LE(display_width(line), 53u) << line;
}

}  // namespace
}  // namespace assay::report
