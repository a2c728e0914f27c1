// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "cli/commands.hpp"
#include "cli/suite_plan.hpp"

namespace assay::cli {
namespace {

struct SuiteVerb {
  std::string_view name;
  Result<int> (*run)(const Arguments&, Terminal&);
};

constexpr std::array<SuiteVerb, 4> kSuiteVerbs = {
    {{"run", suite_run}, {"compare", suite_compare}, {"audit", suite_audit}, {"list", suite_list}}};

}  // namespace

Result<int> run_suite(const Arguments& arguments, Terminal& terminal) {
  const std::string& name = arguments.positionals.front();
  const SuiteVerb& verb = *std::ranges::find(kSuiteVerbs, name, &SuiteVerb::name);
  const std::vector<Flag> own = suite_verb_flags(name), shared = suite_shared_flags();
  for (const Flag& flag : arguments.spec().flags)
    if (arguments.has(flag.name) &&
        std::ranges::find(shared, flag.name, &Flag::name) == shared.end() &&
        std::ranges::find(own, flag.name, &Flag::name) == own.end())
      return fail(fmt::format("--{} is not an option of suite {}", flag.name, name), {},
                  fmt::format("'assay suite {} -h' lists the options", name));
  return verb.run(arguments, terminal);
}

}  // namespace assay::cli
