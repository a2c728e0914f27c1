// SPDX-License-Identifier: Apache-2.0
// Any bytes as what a benchmark tool lists and prints, and as the file that describes a suite.
// Whatever comes: every listed benchmark is accounted for, and every one has a place among the
// units that were run.
//   byte 0   the tool; then, with zero bytes between: listing, stdout, file of results
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "base/check.hpp"
#include "suite/adapter.hpp"
#include "suite/ids.hpp"
#include "suite/reconcile.hpp"
#include "suite/toml_rules.hpp"

namespace {

using namespace assay;
using namespace assay::suite;

constexpr std::array<const char*, 6> kTools = {"gbench", "chainsafe", "catch2",
                                               "go",     "pytest",    "toml"};
constexpr const char* kRules =
    "list = ['{command}', 'list']\nrun = ['{command}', '{units}']\nreorders = true\n[[line]]\n"
    "pattern = '^(?P<id>\\S+) +(?P<value>[0-9.e+-]+) us(?: (?P<entries>\\S+))?'\nunit = 'us'\n";

std::vector<std::string> parts_of(std::string_view text) {
  std::vector<std::string> parts;
  for (int i = 0; i < 3; ++i) {
    const std::size_t end = std::min(text.find('\0'), text.size());
    parts.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

void check_accounts(const SuitePlan& plan, const std::vector<std::uint32_t>& units,
                    const std::vector<Measurement>& measured) {
  std::size_t listed = 0;
  for (const SuiteUnit& unit : plan.units) listed += unit.ids.size();
  for (const Measurement& one : measured)
    ASSAY_CHECK(one.position < units.size(), "a benchmark belongs to a unit that was run");
  ASSAY_CHECK(measured.size() >= listed, "every listed benchmark is accounted for");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const auto rules = parse_toml_rules(std::string(text), "fuzz.toml");
  ASSAY_CHECK(rules || !rules.error().what.empty(), "an error says what");
  SuitePlan plan{.adapter = kTools[data[0] % kTools.size()], .rules = kRules};
  const auto adapter = make_adapter(plan);
  ASSAY_CHECK(adapter.has_value(), "a known adapter");
  const Subject subject{.label = "s", .argv = {"./s"}};
  const std::vector<std::string> parts = parts_of(text);
  auto units = (*adapter)->read_listing(subject, std::vector<std::string>{parts[0]});
  if (!units) return 0;
  merge_units(*units);
  plan.units = std::move(*units);
  std::vector<std::uint32_t> all(plan.units.size());
  std::iota(all.begin(), all.end(), 0u);
  for (const Exit& exit : {Exit{}, Exit{Ending::signalled, 11}}) {
    Reading reading =
        (*adapter)->read({.out = parts[1], .err = {}, .results = parts[2], .exit = exit});
    check_accounts(plan, all, reconcile(plan, all, std::move(reading), exit));
  }
  return 0;
}
