// SPDX-License-Identifier: Apache-2.0
// Memory against throughput as text and JSON: the front, what is dominated and by what, what a GiB
// buys, the line of the peak with its residuals, what a budget allows.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "attribution/trade.hpp"
#include "base/json.hpp"
#include "report/options.hpp"

namespace assay::report {

struct TradeView {
  std::string title = {};  // of the table; may be empty
  std::vector<attribution::TradePoint> points = {};
  attribution::Trade trade = {};
  std::uint64_t skipped = 0;  // rows without a cost or a peak
};

std::string trade_text(const TradeView& view, const TextOptions& options);
// "pw=12 is the fastest: 37.7 s an item at 400 GiB; pw=14 and pw=16 take more and are no faster."
std::string sentence_of(const TradeView& view);

// {"schema_version", "kind": "trade", "tables": [{"title", "sentence", "points": [{label, cost_s,
//  cost_lo_s, cost_hi_s, peak_bytes, peak_lo_bytes, peak_hi_bytes, n, settings, on_front,
//  dominated_by, beyond_intervals, residual_bytes}], "exchanges": [{from, to, bytes, throughput,
//  percent_per_gib}], "fit": {setting, base_bytes, slope_bytes, residual_bytes, tolerance_bytes,
//  above, below} | null, "no_fit_because", "budget": {bytes, fits, largest, next} | null,
//  "skipped"}], "warnings"}. Points are named by their labels.
Json trade_json(std::span<const TradeView> views);

}  // namespace assay::report
