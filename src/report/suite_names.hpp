// SPDX-License-Identifier: Apache-2.0
// What a table calls the units and benchmarks of a suite. A benchmark loses what Google Benchmark
// writes behind its name about how it measures (iterations, repeats, times, the clock), as long as
// no two become the same. All are printable.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/suite.hpp"

namespace assay::report {

class SuiteNames {
 public:
  explicit SuiteNames(const std::optional<SuitePlan>& suite);
  std::string unit(std::uint32_t unit) const;  // "unit 7" when there is none of this number
  // In sentences and lists: as it is, however long.
  std::string whole(std::string_view id) const;
  // At most 48 columns wide, as `unit`s are in tables.
  std::string benchmark(std::string_view id) const;
  static std::string cut(std::string_view printable);  // to that width

 private:
  std::vector<std::string> units_;
  std::map<std::string, std::string, std::less<>> short_;  // by id, where they differ
};

}  // namespace assay::report
