// SPDX-License-Identifier: Apache-2.0
#include "report/trade.hpp"

#include <gtest/gtest.h>

namespace assay::report {
namespace {

constexpr double kGiB = 1024.0 * 1024 * 1024;

TradeView view_of(std::vector<attribution::TradePoint> points, const std::string& setting = "pw",
                  std::optional<double> budget = {}) {
  TradeView view{.points = std::move(points)};
  view.trade = attribution::trade(view.points, {.setting = setting, .budget_bytes = budget});
  return view;
}

attribution::TradePoint point(double pw, double cost, double gib) {
  return {.label = "pw=" + std::to_string(static_cast<int>(pw)),
          .cost_s = cost,
          .peak_bytes = gib * kGiB,
          .settings = {{"pw", pw}}};
}

TEST(TradeText, PublishedSweep) {
  auto view = view_of(
      {point(10, 38.5, 321), point(12, 37.7, 400), point(14, 37.8, 457), point(16, 38.4, 510)},
      "pw", 400 * kGiB);
  view.title = "phase12";
  const std::string text = trade_text(view, {.width = 120});
  EXPECT_EQ(text,
            "phase12:\n"
            "pw=12 is the fastest: 37.7 s an item at 400 GiB; pw=14 and pw=16 are dominated: "
            "another takes no more memory and no more\n"
            "  time.\n"
            "setting  an item     peak  off the line\n"
            "pw=10     38.5 s  321 GiB     -24.7 GiB  on the front\n"
            "pw=12     37.7 s  400 GiB      -683 MiB  on the front\n"
            "pw=14     37.8 s  457 GiB     +1.33 GiB  dominated by pw=12\n"
            "pw=16     38.4 s  510 GiB      -683 MiB  dominated by pw=12\n"
            "from pw=10 to pw=12: +2.1 % throughput for 79.0 GiB more, 0.027 % a GiB\n"
            "peak = 70.7 GiB + 27.5 GiB x pw, by 3 of 4 settings, off by 965 MiB (root mean "
            "square); below the line: pw=10\n"
            "pw=12 fits 400 GiB; pw=14 does not (457 GiB).\n");
}

TEST(TradeText, IntervalsAndNothing) {
  auto slow = point(1, 10, 2);
  slow.cost_bounds = {{9.5, 10.5}};
  const std::string text = trade_text(view_of({slow, point(2, 5, 4)}), {.width = 120});
  EXPECT_NE(text.find("[9.50 s, 10.5 s]"), std::string::npos) << text;
  EXPECT_EQ(sentence_of(view_of({})), "There is nothing to compare: no row has a cost and a peak.");
}

TEST(TradeJson, NamesPointsByLabel) {
  const auto view =
      view_of({point(10, 38.5, 321), point(12, 37.7, 400), point(14, 37.8, 457)}, "pw", 300 * kGiB);
  const Json json = trade_json(std::span(&view, 1));
  const Json& table = json["tables"].items()[0];
  EXPECT_EQ(table["points"].items()[2]["dominated_by"], Json("pw=12"));
  EXPECT_TRUE(table["points"].items()[0]["dominated_by"].is_null());
  EXPECT_EQ(table["points"].items()[0]["on_front"], Json(true));
  EXPECT_EQ(table["exchanges"].items()[0]["from"], Json("pw=10"));
  EXPECT_TRUE(table["budget"]["fits"].is_null());
}

}  // namespace
}  // namespace assay::report
