// SPDX-License-Identifier: Apache-2.0
// Tables of settings, throughput and peak memory as CSV: a header line, comma-separated cells,
// "quoted" where they hold a comma, lines that begin with # are comments.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "attribution/trade.hpp"
#include "base/result.hpp"

namespace assay::attribution {

struct TradeColumns {
  std::string cost = {};                   // "s_per_proof"; the unit by its ending, else seconds
  std::string peak = {};                   // "peak_rss_gib"; the unit by its ending, else bytes
  std::vector<std::string> settings = {};  // "pw", "gw": numbers; the label is made of them
  std::string group = {};                  // a column of words that tells tables apart; "" = none
};

// Points of one value of the group column; "" without one.
struct TradeTable {
  std::string group = {};
  std::vector<TradePoint> points = {};
  std::uint64_t skipped = 0;  // rows without a cost or without a peak
};

// Tables in the order of their first rows. Units by the ending of a column's name: _s, _ms, _us,
// _ns; _bytes, _kib, _mib, _gib, _tib, _kb, _mb, _gb, _tb; "s_per_..." and "ms_per_..." too.
// Errors, as `name`:line:column: a column that is not there, a cell that is not a number or not
// positive, another number of cells than the header has, an open quote, more than 100,000 rows.
Result<std::vector<TradeTable>> parse_trade_csv(std::string_view text, const std::string& name,
                                                const TradeColumns& columns);

}  // namespace assay::attribution
