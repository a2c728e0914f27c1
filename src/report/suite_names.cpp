// SPDX-License-Identifier: Apache-2.0
#include "report/suite_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <set>

#include "report/plain.hpp"

namespace assay::report {
namespace {

constexpr std::size_t kWidest = 96;

bool tells_how(std::string_view segment) {
  static constexpr std::array kWords = {"manual_time", "real_time", "process_time"};
  static constexpr std::array kCounts = {
      "iterations:", "repeats:", "min_time:", "min_warmup_time:"};
  return std::ranges::find(kWords, segment) != kWords.end() ||
         std::ranges::any_of(kCounts, [&](const char* c) { return segment.starts_with(c); });
}

std::string_view without_tail(std::string_view id) {
  for (;;) {
    const std::size_t slash = id.rfind('/');
    if (slash == std::string_view::npos || slash == 0 || !tells_how(id.substr(slash + 1)))
      return id;
    id = id.substr(0, slash);
  }
}

}  // namespace

SuiteNames::SuiteNames(const std::optional<SuitePlan>& suite) {
  if (!suite) return;
  std::set<std::string, std::less<>> ids;
  std::map<std::string_view, int> times;
  for (const SuiteUnit& unit : suite->units) {
    units_.push_back(plain(unit.name));
    for (const std::string& id : unit.ids)
      if (const auto [at, fresh] = ids.insert(id); fresh) ++times[without_tail(*at)];
  }
  for (const std::string& id : ids) {
    const std::string_view name = without_tail(id);
    if (name != id && times[name] == 1) short_.emplace(id, name);
  }
}

std::string SuiteNames::unit(std::uint32_t unit) const {
  return unit < units_.size() ? units_[unit] : fmt::format("unit {}", unit);
}

std::string SuiteNames::whole(std::string_view id) const {
  const auto at = short_.find(id);
  return plain(at == short_.end() ? id : at->second);
}

std::string SuiteNames::benchmark(std::string_view id) const { return cut(whole(id)); }

std::string SuiteNames::cut(std::string_view printable) { return fit(printable, kWidest); }

}  // namespace assay::report
