// SPDX-License-Identifier: Apache-2.0
#include "verdict/logs.hpp"

#include <fmt/format.h>

#include <cmath>

#include "base/check.hpp"

namespace assay::verdict {

Result<std::vector<double>> log_matrix(std::span<const double> values, std::size_t columns) {
  ASSAY_CHECK(columns > 0, "a matrix has columns");
  if (values.empty() || values.size() % columns != 0)
    return fail(fmt::format("{} values are not complete rounds of {}", values.size(), columns));
  std::vector<double> logs;
  logs.reserve(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!(values[i] > 0) || !std::isfinite(values[i]))
      return fail("a value that is not positive has no logarithm",
                  fmt::format("round {}, column {}", i / columns + 1, i % columns + 1));
    logs.push_back(std::log(values[i]));
  }
  return logs;
}

}  // namespace assay::verdict
