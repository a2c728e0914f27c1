// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <array>

#include "base/check.hpp"
#include "base/text.hpp"
#include "cli/commands.hpp"

namespace assay::cli {

namespace {

struct Command {
  const CommandSpec& (*spec)();
  RunFunction run;
};

// Every command, in the order of the overview: the one place where a new one is added.
constexpr std::array kCommands = {
    Command{compare_spec, run_compare}, Command{measure_spec, run_measure},
    Command{explain_spec, run_explain}, Command{trade_spec, run_trade},
    Command{trace_spec, run_trace},     Command{diverge_spec, run_diverge},
    Command{sweep_spec, run_sweep},     Command{timeline_spec, run_timeline},
    Command{ablate_spec, run_ablate},   Command{bisect_spec, run_bisect},
    Command{suite_spec, run_suite},     Command{import_spec, run_import},
    Command{run_spec, run_run},         Command{accept_spec, run_accept},
    Command{case_spec, run_case},       Command{calibrate_spec, run_calibrate},
    Command{doctor_spec, run_doctor},   Command{list_spec, run_list},
    Command{show_spec, run_show},       Command{resume_spec, run_resume},
    Command{rejudge_spec, run_rejudge}, Command{export_spec, run_export},
    Command{rm_spec, run_rm},           Command{gc_spec, run_gc},
    Command{cache_spec, run_cache},     Command{simulate_spec, run_simulate},
    Command{judge_spec, run_judge},     Command{completion_spec, run_completion},
    Command{help_spec, run_help},       Command{version_spec, run_version},
};

}  // namespace

std::span<const CommandSpec* const> all_specs() {
  static const auto kSpecs = [] {
    std::array<const CommandSpec*, kCommands.size()> specs{};
    for (std::size_t i = 0; i < specs.size(); ++i) specs[i] = &kCommands[i].spec();
    return specs;
  }();
  return kSpecs;
}

RunFunction function_of(const CommandSpec& spec) {
  for (const Command& command : kCommands)
    if (&command.spec() == &spec) return command.run;
  ASSAY_CHECK(false, "a command is one of all_specs()");
  return nullptr;
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
