// SPDX-License-Identifier: Apache-2.0
#include "cli/plan_tables.hpp"

#include <fmt/format.h>

#include <array>

#include "base/check.hpp"
#include "cli/commands.hpp"
#include "cli/parse.hpp"

namespace assay::cli {
namespace {

struct PlanCommand {
  std::string_view name;
  plan::TableShape shape;
  std::string_view positional;  // key of what stands in front of `--`
};

constexpr std::array kPlanCommands = {PlanCommand{"compare", plan::TableShape::sides, ""},
                                      PlanCommand{"sweep", plan::TableShape::trailing, ""},
                                      PlanCommand{"ablate", plan::TableShape::trailing, ""},
                                      PlanCommand{"bisect", plan::TableShape::trailing, ""},
                                      PlanCommand{"timeline", plan::TableShape::trailing, "range"},
                                      PlanCommand{"measure", plan::TableShape::word, ""},
                                      PlanCommand{"calibrate", plan::TableShape::word, ""}};

// Numbers may stand in a plan without quotes.
bool is_numeric(std::string_view name) {
  for (const std::string_view numeric :
       {"tolerance", "time-budget", "max-runs", "seed", "sessions", "timeout", "cooldown", "runs",
        "rounds", "comparisons", "expect", "memory-budget", "build-timeout"})
    if (name == numeric) return true;
  return false;
}

std::vector<plan::OptionRule> rules_of(const CommandSpec& spec) {
  std::vector<plan::OptionRule> rules;
  for (const Flag& flag : spec.flags) {
    if (flag.name == "dry-run") continue;  // of the command line alone
    const bool is_list = flag.repeatable || flag.name == "gate" || flag.name == "commits";
    const auto kind = flag.value.empty()      ? plan::OptionKind::flag
                      : is_list               ? plan::OptionKind::list
                      : is_numeric(flag.name) ? plan::OptionKind::number
                                              : plan::OptionKind::text;
    rules.push_back({std::string(flag.name), kind});
  }
  return rules;
}

}  // namespace

std::vector<plan::TableRules> plan_tables() {
  std::vector<plan::TableRules> tables;
  for (const PlanCommand& command : kPlanCommands)
    if (const CommandSpec* spec = find_spec(command.name))
      tables.push_back({std::string(command.name), command.shape, std::string(command.positional),
                        rules_of(*spec)});
  return tables;
}

Error at_plan(const Error& error, const plan::NamedPlan& plan) {
  const std::string where = error.where.empty() ? "" : error.where + ": ";
  return {fmt::format("{} {}: {}{}", plan.command, plan.name, where, error.what), plan.where,
          error.hint};
}

Result<Arguments> arguments_of(const plan::NamedPlan& plan, const Arguments& globals) {
  const CommandSpec* spec = find_spec(plan.command);
  ASSAY_CHECK(spec != nullptr, "a plan's table is one of a command");
  std::vector<std::string> words;
  for (const plan::Option& option : plan.options) {
    const Flag* flag = find_flag(*spec, option.name);
    std::string joined;
    for (const std::string& value : option.values) {
      if (flag->repeatable) {
        words.push_back(fmt::format("--{}={}", option.name, value));
        continue;
      }
      joined += (joined.empty() ? "" : ",") + value;
    }
    if (!flag->repeatable)
      words.push_back(flag->value.empty() ? fmt::format("--{}", option.name)
                                          : fmt::format("--{}={}", option.name, joined));
  }
  words.insert(words.end(), plan.commands.begin(), plan.commands.end());
  if (!plan.trailing.empty()) {
    words.emplace_back("--");
    words.insert(words.end(), plan.trailing.begin(), plan.trailing.end());
  }
  auto arguments = parse(*spec, words);
  if (!arguments) return fail(at_plan(arguments.error(), plan));
  for (const Flag& flag : global_flags()) {
    if (flag.name == "help" || flag.name == "version") continue;
    if (globals.has(flag.name)) arguments->add(flag.name, globals.value(flag.name).value_or(""));
  }
  if (find_flag(*spec, "name") != nullptr && !arguments->has("name"))
    arguments->add("name", plan.name);
  return arguments;
}

}  // namespace assay::cli
