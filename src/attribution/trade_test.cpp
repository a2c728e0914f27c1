// SPDX-License-Identifier: Apache-2.0
#include "attribution/trade.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>

#include "attribution/trade_csv.hpp"
#include "base/random.hpp"

namespace assay::attribution {
namespace {

constexpr double kGiB = 1024.0 * 1024 * 1024;

// Published figures of another prover; the origin is in the file's first line.
std::vector<TradeTable> sweep() {
  std::ifstream file(ASSAY_TEST_DATA "/cuzk_pw_sweep.csv");
  EXPECT_TRUE(file.good());
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  auto tables = parse_trade_csv(text, "cuzk_pw_sweep.csv",
                                {"s_per_proof", "peak_rss_gib", {"pw", "gw"}, "table"});
  EXPECT_TRUE(tables) << tables.error().to_text();
  return tables ? *tables : std::vector<TradeTable>();
}

const TradeTable& table(const std::vector<TradeTable>& tables, std::string_view group) {
  const auto found = std::find_if(tables.begin(), tables.end(), [&](const TradeTable& each) {
    return each.group.starts_with(group);
  });
  EXPECT_NE(found, tables.end());
  return *found;
}

std::string labels(const TradeTable& of, const std::vector<std::size_t>& points) {
  std::string text;
  for (const std::size_t i : points) text += (text.empty() ? "" : ", ") + of.points[i].label;
  return text;
}

TEST(Trade, ThePublishedSweepComesOut) {
  const auto tables = sweep();
  ASSERT_EQ(tables.size(), 3u);
  const TradeTable& big = table(tables, "phase12");
  const Trade result = trade(big.points, {"pw", 400 * kGiB});
  EXPECT_EQ(labels(big, result.front), "pw=10 gw=2, pw=12 gw=2");
  EXPECT_EQ(result.ranks[2].dominated_by, 1u) << "pw = 14";
  EXPECT_EQ(result.ranks[3].dominated_by, 1u) << "pw = 16";
  ASSERT_TRUE(result.budget);
  EXPECT_EQ(big.points[*result.budget->largest].label, "pw=12 gw=2");
  EXPECT_EQ(big.points[*result.budget->fits].label, "pw=12 gw=2");
  EXPECT_EQ(big.points[*result.budget->next].label, "pw=14 gw=2");
  ASSERT_EQ(result.exchanges.size(), 1u);
  EXPECT_NEAR(result.exchanges[0].bytes, 79 * kGiB, 1);
  EXPECT_NEAR(result.exchanges[0].percent_per_gib, 100 * (38.5 / 37.7 - 1) / 79, 1e-9);

  const TradeTable& low = table(tables, "lowmem");
  const Trade lower = trade(low.points, {"pw", {}});
  EXPECT_EQ(labels(low, lower.front), "pw=1 gw=1, pw=2 gw=1, pw=5 gw=1, pw=7 gw=2, pw=10 gw=2");
  ASSERT_TRUE(lower.fit) << lower.no_fit_because;
  EXPECT_NEAR(lower.fit->base_bytes / kGiB, 69, 2);
  EXPECT_NEAR(lower.fit->slope_bytes / kGiB, 20, 0.5);
  // What lies above the line: pw = 12, and one of the two at 10; pw = 1 by a little.
  EXPECT_EQ(labels(low, lower.fit->above), "pw=1 gw=1, pw=10 gw=1, pw=12 gw=2");
  EXPECT_TRUE(lower.fit->below.empty());
  EXPECT_GT(lower.fit->residuals.back() / kGiB, 55) << "pw = 12 lies far above";

  const TradeTable& none = table(tables, "phase11");
  EXPECT_EQ(none.points.size(), 0u);
  EXPECT_EQ(none.skipped, 6u) << "no peak was published";
  EXPECT_TRUE(trade(none.points, {}).front.empty());
}

TradePoint point(double cost, double peak, double setting = 0) {
  return {"", cost, peak, {}, {}, 1, {{"pw", setting}}};
}

TEST(Trade, TheFrontIsWhatNothingBeats) {
  Random random(4);
  for (int round = 0; round < 200; ++round) {
    std::vector<TradePoint> points;
    const std::size_t n = random.below(12);
    for (std::size_t i = 0; i < n; ++i) {
      points.push_back(point(double(1 + random.below(6)), double(1 + random.below(6))));
    }
    const Trade result = trade(points, {});
    for (std::size_t i = 0; i < n; ++i) {
      bool beaten = false;
      for (const TradePoint& other : points) {
        beaten = beaten ||
                 (other.cost_s <= points[i].cost_s && other.peak_bytes <= points[i].peak_bytes &&
                  (other.cost_s < points[i].cost_s || other.peak_bytes < points[i].peak_bytes));
      }
      const bool on_front =
          std::find(result.front.begin(), result.front.end(), i) != result.front.end();
      EXPECT_EQ(on_front, !beaten);
      EXPECT_EQ(result.ranks[i].dominated_by.has_value(), beaten);
    }
    for (const Exchange& step : result.exchanges) {
      EXPECT_GT(step.bytes, 0);
      EXPECT_GT(step.throughput, 1);
    }
  }
}

TEST(Trade, DominanceIsSureOnlyBeyondTheIntervals) {
  struct Case {
    const char* name;
    TradeBounds cost_a, cost_b;
    bool sure;
  };
  for (const Case& c : std::vector<Case>{{"apart", {9, 10.5}, {10.6, 12}, true},
                                         {"overlapping", {9, 11}, {10.5, 12}, false}}) {
    std::vector<TradePoint> points = {point(10, 100), point(11, 120)};
    points[0].cost_bounds = c.cost_a;
    points[1].cost_bounds = c.cost_b;
    points[0].peak_bounds = {95, 130};
    points[1].peak_bounds = {115, 131};
    points[0].n = points[1].n = 10;
    const Trade result = trade(points, {});
    ASSERT_EQ(result.ranks[1].dominated_by, 0u) << c.name;
    EXPECT_EQ(result.ranks[1].beyond_intervals, c.sure) << c.name;
    EXPECT_TRUE(result.warnings.empty());
  }
  EXPECT_EQ(trade(std::vector<TradePoint>{point(1, 1)}, {}).warnings.size(), 1u);
}

TEST(Trade, TheFitIsTheLineOfTheNearerHalf) {
  std::vector<TradePoint> points;
  for (int x = 1; x <= 10; ++x)
    points.push_back(point(1, (x <= 7 ? 50 + 10 * x : 200 + 30 * x), x));
  const Trade result = trade(points, {"pw", {}});
  ASSERT_TRUE(result.fit);
  EXPECT_NEAR(result.fit->base_bytes, 50, 1e-6);
  EXPECT_NEAR(result.fit->slope_bytes, 10, 1e-6);
  EXPECT_EQ(result.fit->above, (std::vector<std::size_t>{7, 8, 9}));
  EXPECT_NEAR(result.fit->residual_bytes, 0, 1e-6);
  EXPECT_NEAR(result.fit->residuals[9], 350, 1e-6);
  points.resize(3);
  EXPECT_FALSE(trade(points, {"pw", {}}).fit);
  EXPECT_EQ(trade(points, {"gw", {}}).no_fit_because, "'' has no setting 'gw'");
  std::vector<TradePoint> many;
  for (int x = 0; x < 20'000; ++x) many.push_back(point(1, 1000 + x % 100, x % 100));
  EXPECT_NEAR(trade(many, {"pw", {}}).fit->slope_bytes, 1, 1e-9);
}

TEST(Trade, ABudgetThatNothingFits) {
  const std::vector<TradePoint> points = {point(2, 100, 1), point(1, 200, 2)};
  const Trade result = trade(points, {"pw", 50});
  ASSERT_TRUE(result.budget);
  EXPECT_FALSE(result.budget->fits || result.budget->largest);
  EXPECT_EQ(result.budget->next, 0u);
}

TEST(TradeCsv, UnitsQuotesCommentsAndGroups) {
  const auto tables = parse_trade_csv(
      "\xef\xbb\xbf# origin\r\n\r\ngroup, pw ,ms_per_item,peak_mib,note\r\n"
      "\"a, b\",1,250,8,\"say \"\"x\"\"\"\r\nc,2,1e3, 16 ,\r\n\"a, b\",3,,16,\r\n",
      "t.csv", {"ms_per_item", "peak_mib", {"pw"}, "group"});
  ASSERT_TRUE(tables) << tables.error().to_text();
  ASSERT_EQ(tables->size(), 2u);
  EXPECT_EQ(tables->at(0).group, "a, b");
  ASSERT_EQ(tables->at(0).points.size(), 1u);
  EXPECT_EQ(tables->at(0).skipped, 1u);
  EXPECT_EQ(tables->at(0).points[0].cost_s, 0.25);
  EXPECT_EQ(tables->at(0).points[0].peak_bytes, 8.0 * 1024 * 1024);
  EXPECT_EQ(tables->at(1).points[0].label, "pw=2");
}

TEST(TradeCsv, ErrorsNameTheirPlace) {
  struct Case {
    const char* text;
    const char* expected;  // the first line of the error
  };
  for (const Case& c : std::vector<Case>{
           {"", "t.csv: no header line"},
           {"# only\n", "t.csv: no header line"},
           {"pw,s,peak_gib\n", "t.csv: no rows behind the header"},
           {"pw,s,peek_gib\n1,2,3\n", "t.csv:1:1: no column 'peak_gib'"},
           {"pw,s,peak_gib\n1,x,3\n", "t.csv:2:3: 'x' is no number"},
           {"pw,s,peak_gib\n\n1,2,nan\n", "t.csv:3:5: 'nan' is no number"},
           {"pw,s,peak_gib\n,2,3\n", "t.csv:2:1: '' is no number"},
           {"pw,s,peak_gib\n1,-2,3\n", "t.csv:2:3: '-2' is not above zero"},
           {"pw,s,peak_gib\n1,2,1e308\n", "t.csv:2:5: '1e308' is not above zero"},
           {"pw,s,peak_gib\n1,2\n", "t.csv:2:1: 2 cells where the header has 3"},
           {"pw,s,peak_gib\n1,\"2,3\n", "t.csv:2:3: a quote that is not closed on its line"},
           {"pw,s,peak_gib\n1,\"2\"3,4\n", "t.csv:2:6: text behind a closing quote"},
       }) {
    const auto tables = parse_trade_csv(c.text, "t.csv", {"s", "peak_gib", {"pw"}, ""});
    ASSERT_FALSE(tables) << c.text;
    const std::string text = tables.error().to_text();
    EXPECT_EQ(text.substr(0, text.find('\n')), c.expected);
  }
  std::string wide(5000, ',');
  EXPECT_FALSE(parse_trade_csv(wide, "t.csv", {"s", "peak_gib", {"pw"}, ""}));
}

}  // namespace
}  // namespace assay::attribution
