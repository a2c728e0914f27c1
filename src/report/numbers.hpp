// SPDX-License-Identifier: Apache-2.0
// Numbers of explanations: 3 significant digits, except that whole seconds are kept, because parts
// of a makespan are added up. Seconds in, text out; nothing here prints a negative zero.
#pragma once

#include <string>
#include <string_view>

namespace assay::report {

// 2000100 -> "2,000,100"; the value is rounded to a whole number.
std::string grouped(double whole);

// 0.0381 -> "38.1 ms", 125.4 -> "125 s", 2801.3 -> "2,801 s"; from 100,000 s on "27 h 47 min".
std::string seconds_text(double seconds);

// A share as a percentage: 0.969 -> "97 %", 0.034 -> "3.4 %", 0 -> "0 %"; a share that is not 0 but
// too small to show is "0.0 %".
std::string share_text(double share);

// Seconds that are read together, so that they add up: one unit and one number of decimals, such
// that `largest` has 3 significant digits (whole seconds above 999).
struct SecondsScale {
  double unit = 1;  // seconds
  std::string_view name = "s";
  int decimals = 0;
};
SecondsScale scale_for(double largest);

// In a scale, signed: "+281 s", "-0.4 s", "0 s"; and the number alone, for brackets: "+281".
std::string signed_seconds(double seconds, const SecondsScale& scale);
std::string signed_number(double seconds, const SecondsScale& scale);

}  // namespace assay::report
