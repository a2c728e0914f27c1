// SPDX-License-Identifier: Apache-2.0
// Input: a table as CSV. What parses makes points whose trade can be computed: a front that nothing
// dominates, and an owner for every dominated point.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "attribution/trade.hpp"
#include "attribution/trade_csv.hpp"
#include "base/check.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace assay::attribution;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto tables =
      parse_trade_csv(text, "input", {"s_per_proof", "peak_rss_gib", {"pw", "gw"}, "table"});
  if (!tables) {
    ASSAY_CHECK(!tables.error().what.empty() && !tables.error().where.empty(),
                "an error says what and where");
    return 0;
  }
  for (const TradeTable& table : *tables) {
    if (table.points.size() > 40) continue;  // cubic in the points
    const Trade result = trade(table.points, {"pw", 400.0 * 1024 * 1024 * 1024});
    std::size_t dominated = 0;
    for (const TradeRank& rank : result.ranks) {
      if (!rank.dominated_by) continue;
      ++dominated;
      ASSAY_CHECK(!result.ranks[*rank.dominated_by].dominated_by, "the front dominates");
    }
    ASSAY_CHECK(dominated + result.front.size() == table.points.size(), "on the front or beaten");
  }
  return 0;
}
