// SPDX-License-Identifier: Apache-2.0
#include "cli/design_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/text.hpp"
#include "build/git.hpp"
#include "cli/plan_options.hpp"
#include "cli/report_record.hpp"
#include "cli/run_session.hpp"
#include "cli/shared_flags.hpp"
#include "experiment/experiment.hpp"
#include "experiment/forecast.hpp"
#include "model/words.hpp"

namespace assay::cli {
namespace {

constexpr std::size_t kShownArms = 32;
constexpr std::size_t kShortCommit = 10;

std::string build_text(const BuildSpec& build) {
  std::string text =
      fmt::format("{} ({})", printable(build.revision), build.commit.substr(0, kShortCommit));
  for (const TreeStep& step : build.steps)
    text += fmt::format(", {} {}", to_word(step.kind), printable(step.what));
  if (!build.command.empty()) text += ", build: " + printable(build.command);
  return text;
}

std::string arm_text(const Subject& arm) {
  std::string command;
  for (const auto& [name, value] : arm.env) command += printable(name + "=" + value) + " ";
  command += printable(join_command(arm.argv));
  std::string text = fmt::format("  {}\n    {}\n", printable(arm.label), command);
  if (arm.build) text += "    of " + build_text(*arm.build) + "\n";
  return text;
}

std::string between(std::uint64_t likely, std::uint64_t most) {
  return likely == most ? fmt::format("{}", most)
                        : fmt::format("about {}, at most {}", likely, most);
}

void print_dry_run(const Plan& plan, Terminal& terminal) {
  const auto cost = experiment::forecast(plan);
  // Behind the commits of a bisection stand their reverts, of which few are ever tried.
  const std::size_t arms = plan.kind == PlanKind::bisect ? plan.arms.size() / 2 : plan.arms.size();
  std::string text = fmt::format("{} of {} variant{}; nothing is run.\n", to_word(plan.kind), arms,
                                 arms == 1 ? "" : "s");
  for (std::size_t i = 0; i < std::min(arms, kShownArms); ++i) text += arm_text(plan.arms[i]);
  if (arms > kShownArms) text += fmt::format("  and {} more\n", arms - kShownArms);
  text += fmt::format("runs: {}\n", between(cost.likely_runs, cost.most_runs));
  if (cost.most_builds > 0)
    text += fmt::format("builds: {}, fewer when the store has them already\n",
                        between(cost.likely_builds, cost.most_builds));
  if (plan.time_budget_s > 0)
    text += fmt::format("cut at {} of runs and builds\n", format_duration(plan.time_budget_s));
  terminal.print(text);
}

// The command line again, from its options in the order of their rows. Where reports go and what
// does not change the answer is left out.
std::vector<std::string> asked_words(const Arguments& arguments) {
  static constexpr std::string_view kLeftOut[] = {"seed",   "json",    "markdown", "html",
                                                  "strict", "dry-run", "no-wait"};
  std::vector<std::string> words;
  for (const Flag& flag : arguments.spec().flags) {
    if (!arguments.has(flag.name) || std::ranges::find(kLeftOut, flag.name) != std::end(kLeftOut))
      continue;
    const std::string name = "--" + std::string(flag.name);
    if (flag.value.empty()) words.push_back(name);
    if (!flag.value.empty())
      for (const std::string& value : arguments.values(flag.name))
        words.insert(words.end(), {name, value});
  }
  words.insert(words.end(), arguments.positionals.begin(), arguments.positionals.end());
  if (!arguments.trailing.empty()) words.push_back("--");
  words.insert(words.end(), arguments.trailing.begin(), arguments.trailing.end());
  return words;
}

}  // namespace

std::vector<Flag> design_flags() {
  return join_flags(
      {{{.name = "gate",
         .value = "METRIC",
         .help = "the metric that decides",
         .details =
             "One of them. On a busy machine cpu has less noise than wall; wall sees waiting.",
         .fallback = "wall",
         .group = "Deciding",
         .common = true},
        tolerance_flag(),
        time_budget_flag("1h"),
        metric_flag(),
        {.name = "build",
         .value = "CMD",
         .help = "shell command that builds a revision in its own tree",
         .group = "Revisions",
         .complete = Complete::command},
        {.name = "build-timeout",
         .value = "TIME",
         .help = "give a build up after this time; 0 = no limit",
         .fallback = "30m",
         .group = "Revisions"},
        {.name = "name", .value = "TEXT", .help = "a name for the record", .group = "Reporting"},
        {.name = "html",
         .value = "FILE",
         .help = "write the report as a page",
         .group = "Reporting",
         .complete = Complete::file},
        dry_run_flag()},
       run_flags(),
       report_file_flags(),
       {strict_flag()}});
}

std::string current_folder() {
  std::error_code ignored;
  return std::filesystem::current_path(ignored).string();
}

Result<BuildSpec> build_of(const Arguments& arguments) {
  const std::string revision = arguments.value("rev").value_or("HEAD");
  auto commit = build::resolve_revision(current_folder(), revision);
  if (!commit) return fail(commit.error());
  return BuildSpec{.repository = current_folder(),
                   .revision = revision,
                   .commit = *commit,
                   .command = arguments.value("build").value_or("")};
}

void warn_of_unexpanded(const Arguments& arguments, Terminal& terminal) {
  for (const std::string& command : arguments.positionals)
    if (const std::string doubt = unexpanded(command, arguments); !doubt.empty())
      terminal.warn(doubt);
}

Result<double> build_timeout_of(const Arguments& arguments) {
  const auto timeout = arguments.duration("build-timeout");
  if (!timeout) return fail(timeout.error());
  return timeout->value_or(0);
}

Result<Plan> design_plan(PlanKind kind, const Arguments& arguments) {
  Plan plan;
  plan.kind = kind;
  plan.name = arguments.value("name").value_or("");
  const auto tolerance = arguments.fraction("tolerance");
  if (!tolerance) return fail(tolerance.error());
  const auto budget = arguments.duration("time-budget");
  if (!budget) return fail(budget.error());
  auto options = run_options_of(arguments);
  if (!options) return fail(options.error());
  const auto gates = arguments.list("gate");
  if (gates.size() != 1)
    return fail(fmt::format("--gate names {} metrics, and one decides", gates.size()), {},
                "such as --gate cpu; the others are shown beside it with --metric");
  const bool exact = options->exact && !arguments.has("gate");
  auto metrics = metrics_of(arguments, {"wall", "cpu", "peak_mem"},
                            {exact ? std::string("instructions") : gates.front()});
  if (!metrics) return fail(metrics.error());
  const auto seed = seed_of(arguments);
  if (!seed) return fail(seed.error());
  plan.tolerance = tolerance->value_or(plan.tolerance);
  plan.time_budget_s = budget->value_or(3600);
  plan.run = *options;
  plan.metrics = std::move(*metrics);
  plan.seed = *seed;
  return plan;
}

void warn_of_dirty_tree(const Plan& plan, Terminal& terminal) {
  for (const Subject& subject : plan.arms) {
    if (!subject.build) continue;
    const auto dirty = build::is_dirty(subject.build->repository);
    if (dirty && *dirty)
      terminal.warn("uncommitted changes in " + subject.build->repository +
                    " are not part of any revision");
    return;
  }
}

Result<int> run_or_dry_run(Plan plan, const Arguments& arguments, Terminal& terminal) {
  if (plan.design) plan.design->asked = asked_words(arguments);
  if (auto valid = experiment::check_plan(plan); !valid) return fail(valid.error());
  warn_of_dirty_tree(plan, terminal);
  if (!arguments.has("dry-run")) return run_and_report(std::move(plan), arguments, terminal);
  note_dry_run(arguments, terminal);
  print_dry_run(plan, terminal);
  return kFine;
}

}  // namespace assay::cli
