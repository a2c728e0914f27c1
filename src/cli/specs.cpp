// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <array>

#include "base/text.hpp"
#include "cli/commands.hpp"

namespace assay::cli {

std::span<const CommandSpec* const> all_specs() {
  static const std::array kSpecs = {
      &compare_spec(),   &measure_spec(),    &explain_spec(), &trade_spec(),  &trace_spec(),
      &calibrate_spec(), &doctor_spec(),     &list_spec(),    &show_spec(),   &resume_spec(),
      &rejudge_spec(),   &export_spec(),     &rm_spec(),      &gc_spec(),     &simulate_spec(),
      &judge_spec(),     &completion_spec(), &help_spec(),    &version_spec()};
  return kSpecs;
}

const CommandSpec* find_spec(std::string_view name) {
  for (const CommandSpec* spec : all_specs())
    if (spec->name == name) return spec;
  return nullptr;
}

Error unknown_command(std::string_view name) {
  std::vector<std::string> names;
  for (const CommandSpec* spec : all_specs()) names.emplace_back(spec->name);
  Error error{fmt::format("'{}' is not a command of assay", printable(name)), {}, {}};
  if (const auto near = nearest(name, names))
    error.hint = fmt::format("did you mean '{}'?", *near);
  else
    error.hint = "'assay help' lists the commands; to compare two programs: assay compare A B";
  return error;
}

}  // namespace assay::cli
