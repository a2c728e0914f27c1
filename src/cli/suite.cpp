// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "cli/commands.hpp"
#include "cli/shared_flags.hpp"
#include "cli/suite_plan.hpp"

namespace assay::cli {
namespace {

struct SuiteVerb {
  std::string_view name;
  std::vector<std::string_view> options;  // beside the shared ones
  Result<int> (*run)(const Arguments&, Terminal&);
};

std::vector<std::string_view> names_of(const std::vector<Flag>& flags) {
  std::vector<std::string_view> names;
  for (const Flag& flag : flags) names.push_back(flag.name);
  return names;
}

const std::array<SuiteVerb, 4>& suite_verbs() {
  static const std::array<SuiteVerb, 4> kVerbs = {
      {{"run", {"rounds"}, suite_run},
       {"compare", names_of(suite_compare_flags()), suite_compare},
       {"audit", names_of(suite_audit_flags()), suite_audit},
       {"list", {"adapters"}, suite_list}}};
  return kVerbs;
}

// What -h shows of the many options that four verbs have.
constexpr std::string_view kCommonOfSuite[] = {"adapter", "only", "control", "time-budget", "json"};

// An option that two verbs have is declared by both, and stands here once.
std::vector<Flag> all_suite_flags() {
  std::vector<Flag> all;
  for (const Flag& flag : join_flags(
           {suite_run_flags(), suite_compare_flags(), suite_audit_flags(), suite_shared_flags()}))
    if (std::ranges::find(all, flag.name, &Flag::name) == all.end()) all.push_back(flag);
  for (Flag& flag : all)
    flag.common = std::ranges::find(kCommonOfSuite, flag.name) != std::end(kCommonOfSuite);
  // Flags of one group stand together, in the order in which the groups came up.
  std::vector<std::string_view> groups;
  for (const Flag& flag : suite_shared_flags())
    if (std::ranges::find(groups, flag.group) == groups.end()) groups.push_back(flag.group);
  std::ranges::stable_sort(all, {}, [&](const Flag& flag) {
    return std::ranges::find(groups, flag.group) - groups.begin();
  });
  return all;
}

}  // namespace

const CommandSpec& suite_spec() {
  static const CommandSpec kSpec = {
      .name = "suite",
      .summary = "Run, compare or audit a whole benchmark suite",
      .usage = {"suite run [options] -- CMD ARGS...", "suite compare [options] A B",
                "suite audit [options] -- CMD ARGS...", "suite list [options] -- CMD ARGS..."},
      .details =
          "A suite is what a benchmark tool runs: units (files, binaries, families) with "
          "benchmarks "
          "in them. run measures every unit in rounds, in random order, each in a process of its "
          "own, and tells which benchmarks failed or went missing, whatever the exit status. "
          "compare judges all benchmarks of two builds together. audit asks whether numbers depend "
          "on what ran before them: victims, polluters, the mechanism, and memory that piles up. "
          "list prints the units.",
      .positionals = {{.name = "VERB",
                       .help = "run, compare, audit or list",
                       .at_least = 1,
                       .at_most = 1,
                       .choices = {"run", "compare", "audit", "list"}},
                      {.name = "CMD",
                       .help = "the suite, as one word; for compare two",
                       .at_most = Positional::kAny,
                       .complete = Complete::command}},
      .takes_trailing = true,
      .examples = {{"assay suite run ./benchmarks", "A Google Benchmark binary, unit by unit"},
                   {"assay suite run --only 'BM_Sort*' --rounds 12 -- ./benchmarks "
                    "--benchmark_min_time=0.1",
                    "Some of it, more often"},
                   {"assay suite run --isolation suite ./benchmarks",
                    "As the tool itself runs it: all in one process"},
                   {"assay suite list --adapter suite.toml", "The units of any other suite"}},
      .flags = all_suite_flags()};
  return kSpec;
}

Result<int> run_suite(const Arguments& arguments, Terminal& terminal) {
  const std::string& name = arguments.positionals.front();
  const SuiteVerb& verb = *std::ranges::find(suite_verbs(), name, &SuiteVerb::name);
  const std::vector<Flag> shared = suite_shared_flags();
  for (const Flag& flag : arguments.spec().flags)
    if (arguments.has(flag.name) &&
        std::ranges::find(shared, flag.name, &Flag::name) == shared.end() &&
        std::ranges::find(verb.options, flag.name) == verb.options.end())
      return fail(fmt::format("--{} is not an option of suite {}", flag.name, name), {},
                  "'assay suite -h' lists the options");
  return verb.run(arguments, terminal);
}

}  // namespace assay::cli
