// SPDX-License-Identifier: Apache-2.0
// What `assay trade` compares: rows of a table, or the sides of stored records.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "attribution/trade_csv.hpp"
#include "base/result.hpp"
#include "cli/flags.hpp"
#include "model/record.hpp"

namespace assay::cli {

// The columns that the options name; what they leave out is read off the table's header. Errors: a
// column that is needed and cannot be told, with the columns that there are.
Result<attribution::TradeColumns> trade_columns(const Arguments& arguments, std::string_view text,
                                                const std::string& name);

// One point for every arm of the record that has runs with wall time and peak memory: medians, and
// their 99 % intervals where there are enough runs. A setting is an environment variable or an
// option of the arm's command, when its value is a number.
std::vector<attribution::TradePoint> points_of(const Record& record,
                                               const std::vector<std::string>& settings);

}  // namespace assay::cli
