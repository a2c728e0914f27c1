// SPDX-License-Identifier: Apache-2.0
#include "experiment/ablate_design.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>
#include <string>
#include <string_view>

#include "base/check.hpp"

namespace assay::experiment {
namespace {

constexpr std::uint32_t kLeastRuns = 24;  // 18 saw 1 % more wrong names at k = 5 and two sigma
constexpr std::uint32_t kLeastPerChange = 3;
constexpr std::uint32_t kControls = 2;  // all off, all on

struct Fraction {
  unsigned base = 0;                              // changes that are varied freely
  std::vector<std::string_view> generators = {};  // of each further change, letters of the others
};

Fraction fraction_of(unsigned changes) {
  switch (changes) {
    case 5:
      return {4, {"ABCD"}};
    case 6:
      return {5, {"ABCDE"}};
    case 7:
      return {6, {"ABCDEF"}};
    case 8:
      return {6, {"ABCD", "ABEF"}};
    case 9:
      return {7, {"ACDFG", "BCEFG"}};
    case 10:
      return {7, {"ABCG", "BCDE", "ACDF"}};
    default:
      return {changes, {}};
  }
}

std::uint32_t mask_of(std::string_view letters) {
  std::uint32_t mask = 0;
  for (const char letter : letters) mask |= 1u << (letter - 'A');
  return mask;
}

}  // namespace

std::size_t round_size(unsigned changes) { return std::size_t{1} << fraction_of(changes).base; }

std::vector<std::uint32_t> design_round(unsigned changes, std::uint32_t round) {
  ASSAY_CHECK(changes >= 2 && changes <= 10, "2 to 10 changes");
  const Fraction fraction = fraction_of(changes);
  std::vector<std::uint32_t> configurations;
  for (std::uint32_t base = 0; base < (1u << fraction.base); ++base) {
    std::uint32_t mask = base;
    for (std::size_t g = 0; g < fraction.generators.size(); ++g) {
      // In signs: the product of the others, on = +; turned around in every 2nd, 4th, .. round.
      const std::uint32_t off = ~base & mask_of(fraction.generators[g]);
      const bool plus = std::popcount(off) % 2 == 0;
      const bool turned = ((round - 1) >> g & 1) != 0;
      if (plus != turned) mask |= 1u << (fraction.base + g);
    }
    configurations.push_back(mask);
  }
  return configurations;
}

std::uint32_t least_runs(unsigned changes) {
  return std::max(kLeastRuns, kLeastPerChange * changes);
}

std::uint32_t fixed_runs(unsigned changes) {
  const auto round = static_cast<std::uint32_t>(round_size(changes)) + kControls;
  return std::max(round, (least_runs(changes) + round - 1) / round * round);
}

std::uint32_t most_runs(unsigned changes, bool adaptive) {
  return (adaptive ? 2 : 4) * std::max(36u, fixed_runs(changes));
}

std::vector<std::uint32_t> build_groups(const Plan& plan) {
  std::vector<std::uint32_t> groups;
  std::map<std::string, std::uint32_t> known;
  for (const Subject& arm : plan.arms) {
    std::string key;
    if (arm.build) {
      const BuildSpec& build = *arm.build;
      key = build.commit + '\n' + build.revision + '\n' + build.command;
      for (const TreeStep& step : build.steps)
        key += fmt::format("\n{}{}", static_cast<int>(step.kind), step.data);
    }
    groups.push_back(known.emplace(key, static_cast<std::uint32_t>(known.size())).first->second);
  }
  return groups;
}

bool builds_differ(const std::vector<std::uint32_t>& groups) {
  return std::ranges::any_of(groups, [&](std::uint32_t g) { return g != groups.front(); });
}

bool covers(const FailureRule& rule, std::uint32_t configuration) {
  return (configuration & rule.on) == rule.on && (configuration & rule.off) == 0;
}

std::vector<FailureRule> failure_rules(std::span<const std::uint32_t> failed,
                                       std::span<const std::uint32_t> good, unsigned changes) {
  std::vector<FailureRule> candidates;
  for (unsigned i = 0; i < changes; ++i) {
    candidates.push_back({1u << i, 0});
    candidates.push_back({0, 1u << i});
  }
  for (unsigned i = 0; i < changes; ++i)
    for (unsigned j = i + 1; j < changes; ++j) {
      candidates.push_back({1u << i, 1u << j});
      candidates.push_back({1u << j, 1u << i});
      candidates.push_back({1u << i | 1u << j, 0});
      candidates.push_back({0, 1u << i | 1u << j});
    }
  std::vector<FailureRule> rules;
  std::vector<std::uint32_t> open(failed.begin(), failed.end());
  for (;;) {
    const FailureRule* best = nullptr;
    std::ptrdiff_t most = 1;  // one failure alone is no rule
    for (const FailureRule& rule : candidates) {
      const auto fits = [&](std::uint32_t mask) { return covers(rule, mask); };
      if (std::ranges::any_of(good, fits)) continue;
      const auto count = std::ranges::count_if(open, fits);
      if (count > most) {
        most = count;
        best = &rule;
      }
    }
    if (best == nullptr) return rules;
    std::erase_if(open, [&](std::uint32_t mask) { return covers(*best, mask); });
    rules.push_back(*best);
  }
}

}  // namespace assay::experiment
