// SPDX-License-Identifier: Apache-2.0
#include "verdict/sweep.hpp"

#include <fmt/format.h>

#include "base/text.hpp"
#include "cli/commands.hpp"
#include "cli/design_options.hpp"
#include "cli/plan_options.hpp"
#include "cli/sweep_levels.hpp"

namespace assay::cli {
namespace {

constexpr std::size_t kMostParameters = 2;

Result<std::vector<Parameter>> parameters_of(const Arguments& arguments) {
  std::vector<Parameter> parameters;
  std::size_t cells = 1;
  for (const std::string& text : arguments.values("param")) {
    auto parameter = parse_parameter(text);
    if (!parameter) return fail(parameter.error());
    for (const Parameter& other : parameters)
      if (other.name == parameter->name)
        return fail(fmt::format("--param {} is given twice", other.name), {},
                    fmt::format("all its levels in one: {}=1,2,4", other.name));
    cells *= parameter->levels.size();
    parameters.push_back(std::move(*parameter));
  }
  if (parameters.empty())
    return fail("no parameter was given", {}, "assay sweep --param cap=1,2,4 -- CMD --cap={cap}");
  if (parameters.size() > kMostParameters)
    return fail(fmt::format("{} parameters, at most {} can be swept together", parameters.size(),
                            kMostParameters),
                {}, "changes that are on or off: 'assay ablate' takes ten of them");
  if (cells > kMostCells)
    return fail(
        fmt::format("{} combinations of levels, at most {} can be told apart", cells, kMostCells),
        {}, "take fewer levels, such as 1..64*2");
  return parameters;
}

// Everything of one arm that may have placeholders, filled in.
class Template {
 public:
  Template(const Subject& subject, std::vector<std::pair<std::string, std::string>> env)
      : subject_(subject) {
    subject_.env = std::move(env);
  }

  Subject fill(const Values& values) {
    const auto in = [&](const std::string& text) { return fill_in(text, values, used_); };
    Subject arm = subject_;
    arm.label.clear();
    for (const auto& [name, value] : values)
      arm.label += fmt::format("{}{}={}", arm.label.empty() ? "" : " ", name, value);
    for (std::string& word : arm.argv) word = in(word);
    for (auto& [name, value] : arm.env) value = in(value);
    for (std::string* text : {&arm.input, &arm.setup, &arm.prepare, &arm.conclude, &arm.cleanup})
      *text = in(*text);
    if (arm.build) arm.build->command = in(arm.build->command);
    return arm;
  }

  bool uses(const std::string& name) const { return used_.contains(name); }

 private:
  Subject subject_;
  std::map<std::string, std::size_t> used_;
};

// The command as it was typed, with its placeholders, and the revision that it is built from.
Result<Subject> subject_with_build(const Arguments& arguments) {
  auto subject = only_subject(arguments);
  if (!subject) return fail(subject.error());
  if (!arguments.has("build") && !arguments.has("rev")) return subject;
  auto build = build_of(arguments);
  if (!build) return fail(build.error());
  subject->build = std::move(*build);
  return subject;
}

Result<void> make_arms(const Arguments& arguments, Plan& plan) {
  auto subject = subject_with_build(arguments);
  if (!subject) return fail(subject.error());
  auto env = arguments.assignments("env");
  if (!env) return fail(env.error());
  plan.id_for_order = subject->label;
  Template text(*subject, std::move(*env));
  const auto& parameters = plan.design->parameters;
  const std::size_t inner = parameters.size() == 2 ? parameters[1].levels.size() : 1;
  for (const std::string& level : parameters[0].levels)
    for (std::size_t other = 0; other < inner; ++other) {
      Values values = {{parameters[0].name, level}};
      if (parameters.size() == 2)
        values.emplace_back(parameters[1].name, parameters[1].levels[other]);
      plan.arms.push_back(text.fill(values));
    }
  for (const Parameter& parameter : parameters)
    if (!text.uses(parameter.name))
      return fail(
          fmt::format("nothing uses the parameter '{0}': {{{0}}} is missing", parameter.name), {},
          fmt::format("write {{{0}}} where its value belongs: in the command, in --env, "
                      "--build, --input or a hook, such as -- CMD --{0}={{{0}}}",
                      parameter.name));
  return {};
}

Result<void> apply_budget(const Arguments& arguments, Design& design) {
  const auto budget = arguments.bytes("memory-budget");
  if (!budget) return fail(budget.error());
  if (!*budget) return {};
  if (design.parameters.size() != 1)
    return fail("--memory-budget goes with one parameter", {},
                "sweep the parameter that takes the memory alone");
  for (const std::string& level : design.parameters[0].levels)
    if (!parse_number(level))
      return fail(fmt::format("--memory-budget needs levels that are numbers, and '{}' is none",
                              printable(level)));
  design.memory_budget = *budget;
  return {};
}

Result<Plan> plan_of(const Arguments& arguments) {
  auto plan = design_plan(PlanKind::sweep, arguments);
  if (!plan) return fail(plan.error());
  const auto rounds = arguments.uint("rounds", verdict::kMinSweepRounds, verdict::kMaxSweepRounds);
  if (!rounds) return fail(rounds.error());
  plan->runs = static_cast<std::uint32_t>(rounds->value_or(verdict::kSweepRounds));
  auto parameters = parameters_of(arguments);
  if (!parameters) return fail(parameters.error());
  const auto timeout = build_timeout_of(arguments);
  if (!timeout) return fail(timeout.error());
  plan->design = Design{.parameters = std::move(*parameters), .build_timeout_s = *timeout};
  if (auto done = apply_budget(arguments, *plan->design); !done) return fail(done.error());
  if (auto done = make_arms(arguments, *plan); !done) return fail(done.error());
  return plan;
}

}  // namespace

Result<int> run_sweep(const Arguments& arguments, Terminal& terminal) {
  auto plan = plan_of(arguments);
  if (!plan) return fail(plan.error());
  warn_of_unexpanded(arguments, terminal);
  return run_or_dry_run(std::move(*plan), arguments, terminal);
}

}  // namespace assay::cli
