// SPDX-License-Identifier: Apache-2.0
// What people write when they predict an effect: a size or a shape.
//
//   2-5 ms x 10 partitions    20 to 50 ms       40..60 MiB     3 to 4 GiB      +3%..+5%
//   0.2 s                     one number leaves a factor of two either way: 0.1 to 0.4 s
//   at least 1 GiB            1 GiB or more
//   falls with cap            rises with cap    step at 4      step at cap=4   flat
//
// A size is signed: positive = it costs (more time, more memory).
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <variant>

namespace assay::cases {

enum class Quantity { seconds, bytes, fraction };  // fraction: of the baseline, 0.03 = +3 %

struct Size {
  Quantity quantity = Quantity::seconds;
  double lo = 0, hi = 0;  // base units, lo <= hi; hi is infinite for "at least"

  bool operator==(const Size&) const = default;
};

enum class ShapeWord { flat, falls, rises, step };

struct ShapeClaim {
  ShapeWord word = ShapeWord::flat;
  std::string parameter = {};  // empty: the only one that was varied
  std::string at = {};         // step: the first level behind it

  bool operator==(const ShapeClaim&) const = default;
};

using Prediction = std::variant<Size, ShapeClaim>;

// Why a text is no prediction: the byte that does not fit, and the way out.
struct Slip {
  std::string what;
  std::size_t offset = 0;
  std::string hint;
};

// What one number stands for: a prediction leaves a factor of two, a gap that was measured does
// not.
enum class OneNumber { either_way, exact };

tl::expected<Size, Slip> parse_size(std::string_view text, OneNumber one = OneNumber::either_way);
tl::expected<Prediction, Slip> parse_prediction(std::string_view text);

// "20.0 to 50.0 ms", "+3.0 to +5.0 %", "1.00 GiB or more"; in one unit, so that ends compare.
std::string to_text(const Size& size);
// "falls with cap", "step at 4".
std::string to_text(const Prediction& prediction);

// One value in the words of its quantity, signed: "+31.0 ms", "-4.00 MiB", "+3.1 %".
std::string signed_text(double value, Quantity quantity);
// The same without a sign for a bound: "31.0 ms".
std::string plain_text(double value, Quantity quantity);

// With its interval, in one unit: "+31.0 ms [+28.1, +33.9]"; no bracket without an end, or where
// the ends are one.
std::string interval_text(double value, std::optional<double> lo, std::optional<double> hi,
                          Quantity quantity);

}  // namespace assay::cases
