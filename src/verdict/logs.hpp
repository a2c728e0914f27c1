// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "base/result.hpp"

namespace assay::verdict {

// Natural logs of a rounds x columns matrix of positive values. Errors name the round and column.
Result<std::vector<double>> log_matrix(std::span<const double> values, std::size_t columns);

}  // namespace assay::verdict
