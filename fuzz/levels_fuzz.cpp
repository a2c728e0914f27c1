// SPDX-License-Identifier: Apache-2.0
// Any bytes either are a parameter with levels that all differ, at most as many as a sweep has
// cells, or an error; and filling values into any text ends, and replaces each name it counts.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include "base/check.hpp"
#include "cli/sweep_levels.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  namespace cli = assay::cli;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto parameter = cli::parse_parameter(text);
  if (!parameter) {
    ASSAY_CHECK(!parameter.error().what.empty(), "an error says what is wrong");
    return 0;
  }
  const std::set<std::string> different(parameter->levels.begin(), parameter->levels.end());
  ASSAY_CHECK(parameter->levels.size() >= 2 && parameter->levels.size() <= cli::kMostCells &&
                  different.size() == parameter->levels.size(),
              "two levels and more, none twice");
  std::map<std::string, std::size_t> used;
  const std::string name = parameter->name;
  const std::string filled =
      cli::fill_in("a{" + name + "}b", {{name, parameter->levels.front()}}, used);
  ASSAY_CHECK(filled == "a" + parameter->levels.front() + "b" && used[name] == 1,
              "a placeholder becomes its value");
  return 0;
}
