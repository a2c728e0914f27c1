// SPDX-License-Identifier: Apache-2.0
// What is measured: a named, directed quantity in a base unit (s, B, 1).
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace assay {

enum class Better { lower, higher };

// Where a value comes from.
//   builtin   measured by assay itself: wall, cpu, user, sys, peak_mem, tree_mem, cgroup_mem,
//   faults,
//             instructions, ...
//   output    found in the program's output by `source` ("re:...", "json:/p99" or "assay:" lines)
enum class MetricOrigin { builtin, output };

struct Metric {
  std::string name = {};  // unique in a plan: letters, digits, _ . -
  std::string unit = {};  // "s", "B", "1" or free text such as "req/s"
  Better better = Better::lower;
  bool gating = false;
  MetricOrigin origin = MetricOrigin::builtin;
  std::string source = {};  // for output metrics, the rule as the user wrote it, a unit in brackets
                            // in front: "[ms]re:..."
  std::string method = {};  // how it was obtained, for the report: "largest process (wait4)"

  bool operator==(const Metric&) const = default;
};

}  // namespace assay
