// SPDX-License-Identifier: Apache-2.0
// A case as a TOML file that people edit by hand:
//
//   question = "Why does a proof take 12 ms longer since Monday?"
//   opened = "2026-11-30"
//   gap-record = "k3v9x2ab"      # or gap = "12 ms"; gap-part, gap-removes as part, removes below
//   metric = "cpu"               # that times are read from; else the first that gates
//
//   [[hypothesis]]
//   id = "spill"
//   mechanism = "every partition spills its inline buffer"
//   predict = "2-5 ms x 10 partitions"
//   test = "assay compare './run --no-spill' './run'"
//   price = "about 30 runs, 1 minute"
//
//   [[record]]
//   id = "ab12cd34"
//   for = "spill"                # without it: a fact
//   removes = true               # the candidate takes the cause away
//   part = "pin+presize"
//   note = "..."
//
//   [[round]]
//   date = "2026-11-30 10:42"
//   text = "cap=2 instead of 4"
//   record = "q7w8e9r0"
//   result = "EQUIVALENT"
#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"
#include "cases/case.hpp"

namespace assay::cases {

// Errors point at the place (file:line:column, the line, a caret): not TOML, an unknown key with
// the nearest one, a wrong type, something that is missing, given twice or empty, a size that is
// none, `for` that names no hypothesis.
Result<Case> parse_case(std::string_view toml, const std::string& file, const std::string& name);

// The whole file; parse_case gives the same case back.
std::string to_toml(const Case& made);

// A table to put behind a file, which keeps what stands in it as it is.
std::string to_toml(const Hypothesis& hypothesis);
std::string to_toml(const Evidence& evidence);
std::string to_toml(const Round& round);

// Whether `name` can name a case (or a hypothesis, which may have '+' in it): letters, digits and
// _ . -, not beginning with a dot or a dash, 64 at most.
bool is_case_name(std::string_view name);
bool is_hypothesis_name(std::string_view name);

}  // namespace assay::cases
