// SPDX-License-Identifier: Apache-2.0
// What a record says of one effect: an interval in seconds, bytes or as a fraction, or a shape.
//
// An effect in seconds or bytes is m (exp(r) - 1): r is the record's log ratio with its interval, m
// the baseline's median with a 99 % interval of its own from order statistics (below 8 runs: their
// range). Ends are combined so that the product is never narrower than both allow.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "cases/size.hpp"
#include "model/record.hpp"

namespace assay::cases {

struct Effect {
  double value = 0;  // positive = it costs
  std::optional<double> lo = {}, hi = {};

  bool is_proven() const { return lo && hi && (*lo > 0 || *hi < 0); }
  bool operator==(const Effect&) const = default;
};

// What is asked of a record.
struct Asked {
  Quantity quantity = Quantity::seconds;
  std::string metric = {};  // for times and fractions; empty = the first that gates
  std::string part = {};    // Evidence::part
  std::string name = {};    // of the hypothesis: taken for `part` when the record has it
  bool removes = false;     // the effect counts the other way
};

struct Measured {
  std::string record = {};
  std::string source = {};  // a clause: "compare, wall, 18 + 18 runs"
  Quantity quantity = Quantity::seconds;
  Effect effect = {};
  // Nothing: the interval is one of 99 % by the rule of `compare`, and words may be said. Else a
  // clause that says why there are none.
  std::string no_word = {};
  std::uint32_t runs = 0;                // a side
  std::optional<double> baseline = {};   // median, base units of the metric
  std::optional<double> pair_seconds{};  // machine time of one run of each side
};

// The metric that is asked for: the one that is named, else the first of the quantity's unit that
// gates. Index into Plan::metrics; nothing when there is none.
std::optional<std::uint32_t> metric_for(const Plan& plan, const Asked& asked);

// The Error says, as a clause, why the record has nothing to say of it.
Result<Measured> measure(const Record& record, const Asked& asked);

// How a metric moved over the levels of a parameter.
struct ShapeSeen {
  std::string record = {};
  std::string source = {};  // "sweep of cap over 1, 2, 4; wall, 24 rounds"
  std::string parameter = {};
  Shape shape = Shape::undecided;
  bool rises = false;   // TREND: with the level, numeric levels in ascending order; STEP: upward
  std::string at = {};  // STEP: the level behind it, of the two the larger one
  std::string before = {};           // the level in front of it
  std::optional<double> bound = {};  // FLAT: no level differs from the first by more, a fraction
  std::optional<double> far = {};    // last level / first - 1
  // STEP of one parameter: whether the runs themselves, round by round, fit this step better than a
  // slope, and better than the step that was predicted (signed-rank, one-sided at 1 %): the largest
  // of several contrasts is not yet proven to be the right one.
  bool is_no_slope = false, is_elsewhere = false;
};

Result<ShapeSeen> shape_of(const Record& record, const ShapeClaim& claim);

// The fact that a record is beside the hypotheses, a clause: "SLOWER +6.1 % [+5.2, +7.0], wall".
std::string fact_of(const Record& record, const std::string& metric);

}  // namespace assay::cases
