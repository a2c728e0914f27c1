// SPDX-License-Identifier: Apache-2.0
#include "cli/named_plan.hpp"

#include <algorithm>
#include <filesystem>
#include <vector>

#include "cli/plan_tables.hpp"
#include "plan/plan.hpp"

namespace assay::cli {
namespace {

// What could be a name: one word without anything that only a command has.
bool may_be_name(const Arguments& arguments) {
  if (arguments.positionals.size() != 1 || !arguments.trailing.empty()) return false;
  return arguments.positionals[0].find_first_of(" \t/'\"") == std::string::npos;
}

}  // namespace

Result<Arguments> with_named_plan(const Arguments& arguments) {
  if (!may_be_name(arguments)) return arguments;
  std::error_code ignored;
  const auto file = plan::find_plan_file(std::filesystem::current_path(ignored).string());
  if (!file)
    return fail("'" + arguments.positionals[0] +
                    "' alone is no comparison, and there is no assay.toml here or above that could "
                    "name one",
                {}, "assay compare './old' './new', or describe the comparison in assay.toml");
  const auto plans = plan::load_plans(*file, plan_tables());
  if (!plans) return fail(plans.error());
  const auto chosen = plan::select_plan(*plans, arguments.positionals[0], *file);
  if (!chosen) return fail(chosen.error());

  Arguments merged = arguments;
  merged.positionals = chosen->commands;
  merged.trailing = chosen->trailing;
  if (!arguments.has("name")) merged.add("name", chosen->name);
  // Commands of the file are relative to the file, wherever one stands.
  const std::string folder = std::filesystem::path(*file).parent_path().string();
  const auto in_file = [&](std::string_view name) {
    return std::any_of(chosen->options.begin(), chosen->options.end(),
                       [&](const plan::Option& option) { return option.name == name; });
  };
  for (const char* side : {"cwd-a", "cwd-b"})
    if (!arguments.has(side) && !in_file(side)) merged.add(side, folder);
  for (const plan::Option& option : chosen->options) {
    if (arguments.has(option.name)) continue;  // the command line wins
    if (option.values.empty()) merged.add(option.name, "");
    for (const std::string& value : option.values) merged.add(option.name, value);
  }
  return merged;
}

}  // namespace assay::cli
