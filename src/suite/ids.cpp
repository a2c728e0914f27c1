// SPDX-License-Identifier: Apache-2.0
#include "suite/ids.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/text.hpp"

namespace assay::suite {

std::size_t make_unique(std::vector<std::string>& names) {
  std::map<std::string, std::size_t> seen;
  std::set<std::string> used(names.begin(), names.end());
  std::size_t renamed = 0;
  for (std::string& name : names) {
    std::size_t& count = seen[name];
    if (++count == 1) continue;
    std::string fresh = fmt::format("{}#{}", name, count);
    while (!used.insert(fresh).second) fresh = fmt::format("{}#{}", name, ++count);
    name = std::move(fresh);
    ++renamed;
  }
  return renamed;
}

std::size_t merge_units(std::vector<SuiteUnit>& units) {
  std::vector<SuiteUnit> merged;
  std::map<std::string, std::size_t> at;
  for (SuiteUnit& unit : units) {
    const auto [place, fresh] = at.try_emplace(unit.name, merged.size());
    if (fresh) {
      merged.push_back(std::move(unit));
      continue;
    }
    std::vector<std::string>& ids = merged[place->second].ids;
    ids.insert(ids.end(), unit.ids.begin(), unit.ids.end());
  }
  units = std::move(merged);
  std::size_t renamed = 0;
  for (SuiteUnit& unit : units) renamed += make_unique(unit.ids);
  return renamed;
}

void keep_matching(std::vector<SuiteUnit>& units, std::span<const std::string> patterns) {
  if (patterns.empty()) return;
  const auto matches = [&](const std::string& text) {
    return std::ranges::any_of(
        patterns, [&](const std::string& pattern) { return matches_pattern(text, pattern); });
  };
  std::erase_if(units, [&](SuiteUnit& unit) {
    if (matches(unit.name)) return false;
    std::erase_if(unit.ids, [&](const std::string& id) { return !matches(id); });
    return unit.ids.empty();
  });
}

std::string escape_pattern(std::string_view text) {
  // ']' and '}' mean nothing without their other half, and POSIX forbids to escape them.
  std::string escaped;
  for (const char c : text) {
    if (std::string_view("\\^$.|?*+()[{").find(c) != std::string_view::npos) escaped += '\\';
    escaped += c;
  }
  return escaped;
}

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  for (std::string_view line : split_lines(text)) {
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (!line.empty()) lines.emplace_back(line);
  }
  return lines;
}

}  // namespace assay::suite
