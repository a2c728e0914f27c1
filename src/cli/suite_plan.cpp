// SPDX-License-Identifier: Apache-2.0
#include "cli/suite_plan.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/system.hpp"
#include "base/text.hpp"
#include "cli/interrupt.hpp"
#include "cli/plan_options.hpp"
#include "cli/report_record.hpp"
#include "cli/run_session.hpp"
#include "cli/shared_flags.hpp"
#include "experiment/experiment.hpp"
#include "experiment/forecast.hpp"
#include "model/words.hpp"
#include "suite/adapter.hpp"
#include "suite/list.hpp"

namespace assay::cli {
namespace {

constexpr std::size_t kShownUnits = 40;
constexpr double kUnitTimeout = 600;  // s; a unit that hangs must not hold up the others for ever

Result<void> read_rules(const std::string& file, SuitePlan& suite) {
  auto text = System::real().read_file(file);
  if (!text) return fail(text.error());
  suite.adapter = "toml";
  suite.rules = std::move(*text);
  suite.rules_name = file;
  return {};
}

// Words that stand behind the verb, or behind `--`.
Result<std::vector<std::string>> words_of(const Arguments& arguments) {
  const std::vector<std::string> behind(arguments.positionals.begin() + 1,
                                        arguments.positionals.end());
  if (!behind.empty() && !arguments.trailing.empty())
    return fail("the suite is given twice: as a word and behind --", {},
                fmt::format("assay suite {} -- CMD ARGS", arguments.positionals.front()));
  if (behind.empty()) return arguments.trailing;
  std::vector<std::string> all;
  for (const std::string& command : behind) {
    auto words = split_command(command);
    if (!words) return fail(words.error());
    all.insert(all.end(), words->begin(), words->end());
  }
  return all;
}

void print_suite_dry_run(const Plan& plan, Terminal& terminal) {
  const SuitePlan& suite = *plan.suite;
  std::string text = fmt::format(
      "{} of {}, {}, {}; nothing is run.\n", to_word(plan.kind),
      counted(suite.units.size(), "unit"), listed_benchmarks(suite),
      suite.isolation == Isolation::suite ? "all in one process" : "each in a process of its own");
  for (std::size_t u = 0; u < std::min(suite.units.size(), kShownUnits); ++u)
    text += fmt::format(
        "  {}{}\n", printable(suite.units[u].name),
        suite.units[u].ids.empty() ? "" : "  " + counted(suite.units[u].ids.size(), "benchmark"));
  if (suite.units.size() > kShownUnits)
    text += fmt::format("  and {} more\n", suite.units.size() - kShownUnits);
  if (const auto cost = experiment::forecast(plan); cost.most_runs > 0)
    text += cost.likely_runs == cost.most_runs
                ? fmt::format("runs: {}\n", cost.most_runs)
                : fmt::format("runs: about {}, at most {}\n", cost.likely_runs, cost.most_runs);
  if (plan.time_budget_s > 0)
    text += fmt::format("cut at {}\n", format_duration(plan.time_budget_s));
  terminal.print(text);
}

// An option that one verb has and another does not.
bool has_option(const Arguments& arguments, std::string_view name) {
  return find_flag(arguments.spec(), name) != nullptr && arguments.has(name);
}

}  // namespace

std::string listed_benchmarks(const SuitePlan& suite) {
  std::size_t ids = 0;
  for (const SuiteUnit& unit : suite.units) ids += unit.ids.size();
  return ids > 0 || suite.units.empty() ? counted(ids, "benchmark")
                                        : "whose benchmarks are known when they have run";
}

std::vector<Flag> suite_shared_flags() {
  std::vector<Flag> flags = {
      {.name = "adapter",
       .value = "NAME|FILE",
       .help = "the benchmark tool, or a TOML file that describes it",
       .details = "Without it the command tells: 'pytest ...' is pytest, 'go test ...' is go, and "
                  "what looks like nothing else is a Google Benchmark binary. 'assay suite list "
                  "--adapters' lists them; docs/manual/suite.md shows a file.",
       .group = "Suite",
       .complete = Complete::file,
       .common = true},
      {.name = "only",
       .value = "PATTERN",
       .help = "run these benchmarks or units only; '*' stands for any characters",
       .details = "A pattern matches a whole name, or all of it in front of a '/': BM_Sort matches "
                  "BM_Sort/8 and not BM_SortAll.",
       .group = "Suite",
       .repeatable = true,
       .common = true},
      {.name = "unit-by",
       .value = "WHAT",
       .help = "gbench: a unit is a family, a binary or an id",
       .details = "What is run alone. A family is the part of the names in front of the first '/'; "
                  "of several binaries each one is a unit.",
       .group = "Suite",
       .choices = {"family", "binary", "id"}},
      {.name = "isolation",
       .value = "HOW",
       .help = "a process for each unit, or one for the whole suite",
       .fallback = "unit",
       .group = "Suite",
       .choices = {"unit", "suite"},
       .common = true},
      {.name = "memory-budget",
       .value = "SIZE",
       .help = "what one process may take; units above it are marked",
       .group = "Suite",
       .common = true},
      time_budget_flag("1h"),
      {.name = "name", .value = "TEXT", .help = "a name for the record", .group = "Reporting"},
      dry_run_flag()};
  for (Flag& flag : run_flags())
    if (flag.name != "exact" && flag.name != "shell" && flag.name != "line-buffered")
      flags.push_back(flag);
  return join_flags({flags, report_file_flags(), {strict_flag()}});
}

std::vector<Flag> suite_revision_flags() {
  return {{.name = "baseline-rev",
           .value = "REV",
           .help = "git revision of the suite to take as the baseline",
           .group = "Sides"},
          {.name = "candidate-rev",
           .value = "REV",
           .help = "git revision of the suite to take as the candidate",
           .group = "Sides",
           .repeatable = true},
          {.name = "build",
           .value = "CMD",
           .help = "shell command that builds a revision",
           .group = "Sides",
           .complete = Complete::command}};
}

Result<SuitePlan> suite_of(const std::vector<std::string>& argv, const Arguments& arguments) {
  SuitePlan suite;
  const std::string asked = arguments.value("adapter").value_or("");
  if (asked.ends_with(".toml")) {
    if (auto read = read_rules(asked, suite); !read) return fail(read.error());
  } else {
    suite.adapter = asked.empty() ? std::string(suite::guess_adapter(argv)) : asked;
  }
  suite.unit_by = arguments.value("unit-by").value_or("");
  suite.only = arguments.values("only");
  suite.isolation = arguments.value("isolation") == "suite" ? Isolation::suite : Isolation::unit;
  const auto budget = arguments.bytes("memory-budget");
  if (!budget) return fail(budget.error());
  suite.memory_budget = *budget;
  if (has_option(arguments, "control")) suite.controls = arguments.values("control");
  // A slip in the rules is told now.
  if (const auto adapter = suite::make_adapter(suite); !adapter) return fail(adapter.error());
  return suite;
}

Result<Subject> suite_subject(const Arguments& arguments) {
  auto words = words_of(arguments);
  if (!words) return fail(words.error());
  if (words->empty() && arguments.value("adapter").value_or("").ends_with(".toml")) {
    const auto suite = suite_of({}, arguments);
    if (!suite) return fail(suite.error());
    auto command = suite::command_of_rules(*suite);
    if (!command) return fail(command.error());
    words = std::move(*command);
  }
  if (words->empty())
    return fail("no suite was given", {},
                fmt::format("assay suite {} ./benchmarks, or assay suite {} -- CMD ARGS",
                            arguments.positionals.front(), arguments.positionals.front()));
  return subject_of(*words, arguments);
}

Result<Subject> suite_subject(const std::string& command, const Arguments& arguments) {
  return subject_of(command, arguments);
}

Result<Plan> suite_plan(PlanKind kind, std::vector<Subject> arms, const Arguments& arguments,
                        Terminal& terminal) {
  Plan plan;
  plan.kind = kind;
  plan.name = arguments.value("name").value_or("");
  auto suite = suite_of(arms.front().argv, arguments);
  if (!suite) return fail(suite.error());
  const auto budget = arguments.duration("time-budget");
  if (!budget) return fail(budget.error());
  auto options = run_options_of(arguments);
  if (!options) return fail(options.error());
  auto metrics = metrics_of(arguments, {"wall", "cpu", "peak_mem"}, {});
  if (!metrics) return fail(metrics.error());
  const auto seed = seed_of(arguments);
  if (!seed) return fail(seed.error());
  plan.time_budget_s = budget->value_or(plan.time_budget_s);
  plan.run = *options;
  if (!arguments.has("timeout") && suite->isolation == Isolation::unit)
    plan.run.timeout_s = kUnitTimeout;
  plan.metrics = std::move(*metrics);
  plan.seed = *seed;
  plan.arms = std::move(arms);
  plan.suite = std::move(*suite);
  plan.id_for_order = plan.name + '\n' + plan.arms.front().label;
  if (plan.arms.front().build) return plan;
  const auto listed = suite::list_units(plan.arms.front(), *plan.suite, &watch_interrupts());
  if (!listed) return fail(listed.error());
  if (!*listed) return fail("interrupted while listing the suite", {}, "nothing was measured");
  for (const std::string& doubt : **listed) terminal.warn(doubt);
  return plan;
}

Result<int> run_suite_plan(Plan plan, const Arguments& arguments, Terminal& terminal) {
  if (auto valid = experiment::check_plan(plan); !valid) return fail(valid.error());
  if (!arguments.has("dry-run")) return run_and_report(std::move(plan), arguments, terminal);
  note_dry_run(arguments, terminal);
  print_suite_dry_run(plan, terminal);
  return kFine;
}

}  // namespace assay::cli
