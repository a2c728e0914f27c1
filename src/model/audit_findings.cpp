// SPDX-License-Identifier: Apache-2.0
#include "model/audit_findings.hpp"

#include <fmt/format.h>

#include <cmath>

namespace assay {

std::string factor_text(double factor) {
  if (!(factor > 0) || !std::isfinite(factor)) return fmt::format("{:.3g}", factor);
  const double size = std::floor(std::log10(factor));
  if (size < 3 && size >= -4) return fmt::format("{:.3g}", factor);
  const double step = std::pow(10.0, size - 2);
  return fmt::format("{:.{}f}", std::round(factor / step) * step,
                     size < 0 ? static_cast<int>(2 - size) : 0);
}

}  // namespace assay
