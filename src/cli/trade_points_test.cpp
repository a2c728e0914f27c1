// SPDX-License-Identifier: Apache-2.0
#include "cli/trade_points.hpp"

#include <gtest/gtest.h>

#include "cli/commands.hpp"
#include "cli/parse.hpp"

namespace assay::cli {
namespace {

constexpr std::string_view kTable = "# a comment\ntable,pw,gw,s_per_proof,peak_gib\nx,1,2,3,4\n";

Result<attribution::TradeColumns> columns_by(const std::vector<std::string>& words,
                                             std::string_view table = kTable) {
  return trade_columns(parse(trade_spec(), words).value(), table, "t.csv");
}

TEST(TradeColumns, TellsWhatIsNotNamed) {
  const auto columns = columns_by({"--by", "table", "t.csv"}).value();
  EXPECT_EQ(columns.cost, "s_per_proof");
  EXPECT_EQ(columns.peak, "peak_gib");
  EXPECT_EQ(columns.group, "table");
  EXPECT_EQ(columns.settings, (std::vector<std::string>{"pw", "gw"}));
  EXPECT_EQ(columns_by({"--where", "table=x", "--setting", "gw", "t.csv"})->settings,
            std::vector<std::string>{"gw"});
}

TEST(TradeColumns, AsksForWhatCannotBeTold) {
  EXPECT_EQ(columns_by({"t.csv"}, "pw,a_gib,b_gib,s_per_x\n").error().to_text(),
            "t.csv: more than one column is the peak memory?\n"
            "  name it with --memory; columns: pw, a_gib, b_gib, s_per_x");
  EXPECT_EQ(columns_by({"t.csv"}, "s_per_x,a_gib\n").error().to_text(),
            "t.csv: which columns are the settings?\n"
            "  name them with --setting; columns: s_per_x, a_gib");
  EXPECT_FALSE(columns_by({"t.csv"}, "").has_value());
}

Record record_of(std::uint32_t runs) {
  Record record;
  record.plan.metrics = {{.name = "wall", .unit = "s"}, {.name = "peak_mem", .unit = "B"}};
  record.plan.arms = {{.label = "old", .argv = {"p", "--pw", "4"}, .env = {{"GW", "1"}}},
                      {.label = "new", .argv = {"p", "--pw=8"}, .env = {{"GW", "many"}}}};
  for (std::uint32_t run = 0; run < runs; ++run)
    for (std::uint32_t arm = 0; arm < 2; ++arm)
      record.entries.push_back(
          Trial{.arm = arm, .block = run + 1, .values = {2.0 + arm + 0.01 * run, 1e6 * (2 - arm)}});
  return record;
}

TEST(PointsOf, MediansIntervalsAndSettings) {
  const auto points = points_of(record_of(9), {"pw", "GW"});
  ASSERT_EQ(points.size(), 2U);
  EXPECT_EQ(points[0].label, "pw=4 GW=1");
  EXPECT_DOUBLE_EQ(points[0].cost_s, 2.04);
  EXPECT_DOUBLE_EQ(points[1].peak_bytes, 1e6);
  EXPECT_EQ(points[0].n, 9U);
  ASSERT_TRUE(points[0].cost_bounds.has_value());
  EXPECT_DOUBLE_EQ(points[0].cost_bounds->lo, 2.0);
  EXPECT_DOUBLE_EQ(points[0].cost_bounds->hi, 2.08);
  EXPECT_EQ(attribution::setting_of(points[0], "pw"), 4.0);
  EXPECT_EQ(attribution::setting_of(points[1], "pw"), 8.0);
  EXPECT_EQ(attribution::setting_of(points[0], "GW"), 1.0);
  EXPECT_FALSE(attribution::setting_of(points[1], "GW").has_value());
}

TEST(PointsOf, FewRunsHaveNoInterval) {
  EXPECT_FALSE(points_of(record_of(3), {})[0].cost_bounds.has_value());
  EXPECT_TRUE(points_of(record_of(0), {}).empty());
}

}  // namespace
}  // namespace assay::cli
