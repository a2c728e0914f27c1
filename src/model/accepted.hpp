// SPDX-License-Identifier: Apache-2.0
// A regression that somebody accepted, with its size and its price.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace assay {

struct Accepted {
  std::string record = {};     // id of the record that showed it
  std::string commit = {};     // in full; empty when the sides are commands
  std::string benchmark = {};  // history::benchmark_key of the record's plan
  std::string what = {};       // for people: the commit's subject, the candidate's label
  std::string metric = {};     // that decided
  double ratio = 1;            // of the metric, behind / in front; worse as the metric says
  std::optional<double> memory_ratio = {};  // of the peak memory
  std::string reason = {};
  std::int64_t at_ms = 0;  // Unix time, milliseconds

  bool operator==(const Accepted&) const = default;
};

}  // namespace assay
