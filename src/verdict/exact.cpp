// SPDX-License-Identifier: Apache-2.0
#include "verdict/exact.hpp"

#include <algorithm>
#include <cmath>

#include "base/check.hpp"
#include "stats/ties.hpp"

namespace assay::verdict {
namespace {

bool is_constant(std::span<const double> values) {
  return std::all_of(values.begin(), values.end(), [&](double x) { return x == values.front(); });
}

}  // namespace

std::optional<Decision> exact_verdict(std::span<const double> a, std::span<const double> b,
                                      double tolerance) {
  ASSAY_CHECK(tolerance > 0, "the tolerance is positive");
  if (a.size() < kExactRuns || b.size() < kExactRuns || !is_constant(a) || !is_constant(b))
    return std::nullopt;
  Decision decision;
  decision.reading.runs = static_cast<std::uint32_t>(std::min(a.size(), b.size()));
  const double x = a.front(), y = b.front();
  if (!(x > 0) || !(y > 0) || !std::isfinite(x) || !std::isfinite(y)) {
    decision.verdict = Verdict::invalid;
    decision.reason = Reason::non_positive;
    return decision;
  }
  const double effect = std::log(y) - std::log(x), edge = std::log1p(tolerance) + stats::kTie;
  Reading& reading = decision.reading;
  reading.estimate = reading.lo99 = reading.hi99 = reading.lo95 = reading.hi95 = effect;
  reading.sign = y > x ? Sign::slower : y < x ? Sign::faster : Sign::none;
  reading.more = 0;
  decision.reason = Reason::exact;
  decision.verdict = std::fabs(effect) <= edge ? Verdict::equivalent
                     : effect > 0              ? Verdict::slower
                                               : Verdict::faster;
  return decision;
}

}  // namespace assay::verdict
