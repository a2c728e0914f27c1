// SPDX-License-Identifier: Apache-2.0
#include "report/plot.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/text.hpp"
#include "report/estimates.hpp"
#include "report/plot_scale.hpp"

namespace assay::report {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

IntervalPlot levels() {
  return {.title = "wall by cap",
          .axis = "against cap=1, %",
          .points = {{.label = "cap=1", .value = 0},
                     {.label = "cap=2", .value = 0.4, .lo = -0.5, .hi = 1.3, .note = "+0.4 %"},
                     {.label = "cap=4",
                      .value = 6.1,
                      .lo = 5,
                      .hi = 7.2,
                      .tone = Tone::bad,
                      .note = "+6.1 %"}},
          .reference = 0,
          .band_lo = -2,
          .band_hi = 2};
}

void expect_fits(const std::string& text, std::size_t width) {
  for (const std::string_view line : split_lines(text))
    EXPECT_LE(display_width(line), width) << text;
}

TEST(Plot, IntervalsShareOneAxis) {
  EXPECT_EQ(draw(levels(), {.width = 60}),
            "wall by cap\n"
            "  cap=1    ┊       ●       ┊\n"
            "  cap=2    ┊     ├───●───┤ ┊                          +0.4 %\n"
            "  cap=4    ┊       │       ┊            ├────●───┤    +6.1 %\n"
            "         ──┴───────┴───────┴────────┴───────┴───────\n"
            "          -2       0       2        4       6\n"
            "         against cap=1, %\n");
  EXPECT_EQ(draw(levels(), {.unicode = false, .width = 60}),
            "wall by cap\n"
            "  cap=1    :       *       :\n"
            "  cap=2    :     [---*---] :                          +0.4 %\n"
            "  cap=4    :       |       :            [----*---]    +6.1 %\n"
            "         --+-------+-------+--------+-------+-------\n"
            "          -2       0       2        4       6\n"
            "         against cap=1, %\n");
}

TEST(Plot, BarsHaveEighths) {
  const BarPlot plot{.title = "posterior",
                     .axis = "probability",
                     .bars = {{.label = "3fa1c2d", .value = 0.5, .note = "50 %"},
                              {.label = "0000000", .value = 1e-9, .note = "0 %"},
                              {.label = "none", .value = 0},
                              {.label = "too much", .value = 3}}};
  EXPECT_EQ(draw(plot, {.width = 50}),
            "posterior\n"
            "  3fa1c2d   ████████████████                  50 %\n"
            "  0000000   ▏                                 0 %\n"
            "  none\n"
            "  too much  ████████████████████████████████\n"
            "            probability\n");
  EXPECT_EQ(draw(plot, {.unicode = false, .width = 50}),
            "posterior\n"
            "  3fa1c2d   ################                  50 %\n"
            "  0000000   #                                 0 %\n"
            "  none\n"
            "  too much  ################################\n"
            "            probability\n");
}

TEST(Plot, LinesAreNamedWhereTheyEnd) {
  const LinePlot plot{.title = "pin and presize",
                      .axis = "wall, ms",
                      .places = {"presize off", "presize on"},
                      .lines = {{"pin off", {10.0, 10.1}}, {"pin on", {10.2, 16.0}}}};
  EXPECT_EQ(draw(plot, {.width = 70}),
            "pin and presize\n"
            "  wall, ms\n"
            "  16                        ○         ○ pin on\n"
            "                           ·\n"
            "                         ··\n"
            "  14                   ··\n"
            "                      ·\n"
            "                    ··\n"
            "                  ··\n"
            "  12             ·\n"
            "               ··\n"
            "             ○·           ··●         ● pin off\n"
            "  10         ●············\n"
            "        presize off    presize on\n");
  EXPECT_EQ(draw(plot, {.unicode = false, .width = 70}),
            "pin and presize\n"
            "  wall, ms\n"
            "  16                        o         o pin on\n"
            "                           .\n"
            "                         ..\n"
            "  14                   ..\n"
            "                      .\n"
            "                    ..\n"
            "                  ..\n"
            "  12             .\n"
            "               ..\n"
            "             o.           ..*         * pin off\n"
            "  10         *............\n"
            "        presize off    presize on\n");
}

TEST(Plot, NothingIsDrawnOfNothing) {
  EXPECT_EQ(draw(IntervalPlot{}, {}), "");
  EXPECT_EQ(draw(BarPlot{}, {}), "");
  EXPECT_EQ(draw(LinePlot{}, {}), "");
  EXPECT_EQ(svg(IntervalPlot{}), "");
  EXPECT_EQ(svg(BarPlot{}), "");
  EXPECT_EQ(svg(LinePlot{}), "");
}

TEST(Plot, HoldsTheWidthWhateverComes) {
  const std::string longest(300, 'x'), wide = "Grüße an alle \x1b[31m und \xff alle";
  for (const double value : {0.0, 1e300, -1e-300, kNan, kInf, 123456.789}) {
    const IntervalPlot intervals{
        .title = longest,
        .axis = wide,
        .points = {{.label = longest, .value = value, .lo = -value, .hi = kInf, .note = longest},
                   {.label = wide, .value = 1, .lo = kNan, .note = wide},
                   {.label = "", .value = kNan, .tone = Tone::broken}},
        .reference = value};
    const BarPlot bars{.axis = longest, .full = value, .bars = {{longest, value, Tone::bad, wide}}};
    const LinePlot lines{
        .title = wide,
        .axis = longest,
        .places = {longest, wide, "c", "d"},
        .lines = {{longest, {value, 1.0, std::nullopt, 2.0, 3.0, 4.0}}, {wide, {}}}};
    for (const std::size_t width : {40u, 57u, 80u, 200u}) {
      for (const bool unicode : {true, false}) {
        const TextOptions options{.unicode = unicode, .width = width};
        for (const std::string& text :
             {draw(intervals, options), draw(bars, options), draw(lines, options)}) {
          expect_fits(text, width);
          EXPECT_EQ(text.find('\x1b'), std::string::npos) << "no colour unless asked for";
          EXPECT_EQ(text.find(" \n"), std::string::npos) << text;
        }
      }
    }
    for (const std::string& image : {svg(intervals), svg(bars), svg(lines)}) {
      EXPECT_TRUE(image.starts_with("<svg "));
      EXPECT_TRUE(image.ends_with("</svg>\n"));
      EXPECT_EQ(image.find("nan"), std::string::npos) << image;
      EXPECT_EQ(image.find("inf"), std::string::npos) << image;
    }
  }
}

TEST(Plot, AsciiIsAscii) {
  const std::string text = draw(levels(), {.unicode = false, .width = 80});
  for (const char c : text) EXPECT_LT(static_cast<unsigned char>(c), 128) << text;
}

TEST(Plot, ColoursOnlyWhenAsked) {
  EXPECT_NE(draw(levels(), {.colour = true, .width = 80}).find("\x1b[1;31m"), std::string::npos);
}

TEST(Plot, SvgIsEscapedAndClassed) {
  IntervalPlot plot = levels();
  plot.title = "<wall> & \"x\"";
  plot.points[1].label = "cap=<2>";
  const std::string image = svg(plot);
  EXPECT_NE(image.find("<title>&lt;wall&gt; &amp; &quot;x&quot;</title>"), std::string::npos);
  EXPECT_NE(image.find("cap=&lt;2&gt;"), std::string::npos);
  EXPECT_NE(image.find("class=\"band\""), std::string::npos);
  EXPECT_EQ(image.find("style="), std::string::npos);
  EXPECT_EQ(image.find("fill=\"#"), std::string::npos);
}

TEST(PlotScale, HasRoundTicks) {
  const struct {
    std::vector<double> values;
    std::size_t ticks;
    std::vector<std::string> texts;
  } cases[] = {
      {{0, 10}, 5, {"0", "2", "4", "6", "8", "10"}},
      {{-0.021, 0.062}, 5, {"-0.02", "0", "0.02", "0.04", "0.06"}},
      {{3}, 3, {"2.9", "3.0", "3.1"}},
      {{0}, 2, {"-0.5", "0", "0.5"}},
      {{1e9, 3e9}, 4, {"1e+09", "1.5e+09", "2e+09", "2.5e+09", "3e+09"}},
      {{}, 2, {"0", "0.5", "1.0"}},
  };
  for (const auto& c : cases) {
    const Scale scale = make_scale(c.values, c.ticks);
    std::vector<std::string> texts;
    for (const double tick : scale.ticks) texts.push_back(scale.text(tick));
    EXPECT_EQ(texts, c.texts);
    for (const double value : c.values) {
      EXPECT_GT(scale.place(value), 0);
      EXPECT_LT(scale.place(value), 1);
    }
  }
}

TEST(PlotScale, OfPowersSaysThePowers) {
  const Scale scale = make_scale(std::vector<double>{-0.3, 3.4}, 9, true);
  std::vector<std::string> texts;
  for (const double tick : scale.ticks) texts.push_back(scale.text(tick));
  EXPECT_EQ(texts, (std::vector<std::string>{"1", "10", "100", "1000"}));
}

TEST(Plot, FarChangesStandOnALogarithmicAxis) {
  IntervalPlot plot{.points = {{"a", 0}, {"b", 10, 5, 15}, {"c", 99900, 89900, 109900}},
                    .reference = 0};
  const IntervalPlot near = plot_of_changes({.points = {{"a", 0}, {"b", 1800}}}, "a");
  EXPECT_FALSE(near.powers);
  EXPECT_EQ(near.axis, "change against a, %");
  plot = plot_of_changes(plot, "a");
  EXPECT_TRUE(plot.powers);
  EXPECT_EQ(plot.axis, "times a");
  EXPECT_NEAR(plot.points[2].value, 3, 1e-9);
  EXPECT_NEAR(*plot.points[1].lo, std::log10(1.05), 1e-9);
  EXPECT_EQ(*plot.reference, 0);
  EXPECT_NE(draw(plot, {.width = 80}).find("1000"), std::string::npos);
}

}  // namespace
}  // namespace assay::report
