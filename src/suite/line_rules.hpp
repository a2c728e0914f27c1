// SPDX-License-Identifier: Apache-2.0
// Measurements from lines of text, by patterns with named groups.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "suite/adapter.hpp"
#include "suite/toml_rules.hpp"

namespace assay::suite {

// The groups: id (needed), value, iterations, setup_s, warmup_s, total_s, gc_s, memory_before,
// memory_after, failed and skipped (the benchmark is that when the group matched something),
// message; every other group is a fact. Several lines of one id are its repetitions, in order.
class LineRules {
 public:
  // Errors: a pattern that RE2 does not take, or that has no group id; with the place in `file`.
  static Result<std::unique_ptr<LineRules>> make(const std::vector<LineRule>& rules,
                                                 const std::string& text, const std::string& file);
  virtual ~LineRules() = default;
  virtual Reading read(std::string_view text) const = 0;
};

}  // namespace assay::suite
