// SPDX-License-Identifier: Apache-2.0
// The rows of `assay suite`, of all verbs together for parsing and of each alone for its help.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "cli/commands.hpp"
#include "cli/shared_flags.hpp"
#include "cli/suite_plan.hpp"
#include "suite/adapter.hpp"

namespace assay::cli {
namespace {

// What -h shows of the many options that four verbs have.
constexpr std::string_view kCommonOfSuite[] = {"adapter", "only", "time-budget", "json"};

// The options of run and list lie in one list.
bool is_of_list(const Flag& flag) { return flag.name == "adapters"; }

// "gbench, chainsafe, ...": what the option's help says is what there is.
const Flag& adapter_flag() {
  static const std::string kHelp = [] {
    std::string names;
    for (const suite::AdapterName& one : suite::adapter_names())
      names += fmt::format("{}{}", names.empty() ? "" : ", ", one.name);
    return fmt::format("the benchmark tool: {}, or a TOML file", names);
  }();
  static const Flag kFlag = [] {
    Flag flag = suite_shared_flags().front();
    flag.help = kHelp;
    return flag;
  }();
  return kFlag;
}

// Flags of one group stand together, in the order in which the groups come up in the shared ones.
// An option that two verbs have is declared by both, and stands here once.
std::vector<Flag> in_order(const std::vector<Flag>& flags) {
  std::vector<Flag> all;
  for (const Flag& flag : flags)
    if (std::ranges::find(all, flag.name, &Flag::name) == all.end())
      all.push_back(flag.name == "adapter" ? adapter_flag() : flag);
  std::vector<std::string_view> groups;
  for (const Flag& flag : suite_shared_flags())
    if (std::ranges::find(groups, flag.group) == groups.end()) groups.push_back(flag.group);
  std::ranges::stable_sort(all, {}, [&](const Flag& flag) {
    return std::ranges::find(groups, flag.group) - groups.begin();
  });
  return all;
}

std::vector<Flag> with_common(std::vector<Flag> flags, std::span<const std::string_view> common) {
  for (Flag& flag : flags) flag.common = std::ranges::find(common, flag.name) != common.end();
  return flags;
}

// The rows of one verb: "audit: runs of ..." needs no "audit: " there. A listing runs nothing, so
// what is about runs stays away from its help.
std::vector<Flag> flags_of_verb(std::string_view verb, std::span<const std::string_view> common) {
  std::vector<Flag> flags = in_order(join_flags({suite_verb_flags(verb), suite_shared_flags()}));
  if (verb == "list")
    std::erase_if(flags,
                  [](const Flag& flag) { return flag.group != "Suite" && flag.name != "json"; });
  for (Flag& flag : flags)
    for (const std::string_view front : {"run: ", "compare: ", "audit: ", "list: "})
      if (flag.help.starts_with(front)) flag.help.remove_prefix(front.size());
  return with_common(std::move(flags), common);
}

constexpr std::string_view kRunCommon[] = {"adapter",     "only",          "rounds",  "isolation",
                                           "time-budget", "memory-budget", "dry-run", "json"};
constexpr std::string_view kCompareCommon[] = {"adapter",     "only", "tolerance", "control",
                                               "time-budget", "json", "strict"};
constexpr std::string_view kAuditCommon[] = {"adapter", "only", "repeats", "time-budget",
                                             "dry-run", "json", "strict"};
constexpr std::string_view kListCommon[] = {"adapter", "only", "unit-by", "adapters", "json"};

Positional command_positional(std::string_view help) {
  return {.name = "CMD", .help = help, .at_most = Positional::kAny, .complete = Complete::command};
}

std::array<CommandSpec, 4> make_verbs() {
  return {
      {{.name = "suite run",
        .summary = "Measure every benchmark of a suite, unit by unit",
        .usage = {"suite run [options] CMD", "suite run [options] -- CMD ARGS..."},
        .details =
            "Runs every unit (a file, a binary, a family of benchmarks) in rounds, in random "
            "order, each in a process of its own, and tells which benchmarks failed or went "
            "missing, whatever the exit status was.\n"
            "Exit status: 0 all came out, 2 wrong usage or bad input, 3 a benchmark failed or went "
            "missing, 130 interrupted.",
        .positionals = {command_positional("the suite, as one word; or behind --")},
        .examples = {{"assay suite run ./benchmarks", "A Google Benchmark binary, unit by unit"},
                     {"assay suite run --only 'BM_Sort*' --rounds 12 -- ./benchmarks "
                      "--benchmark_min_time=0.1",
                      "Some of it, more often"},
                     {"assay suite run --isolation suite ./benchmarks",
                      "As the tool itself runs it: all in one process"}},
        .flags = flags_of_verb("run", kRunCommon)},
       {.name = "suite compare",
        .summary = "Judge all benchmarks of two builds of a suite together",
        .usage = {"suite compare [options] A B",
                  "suite compare --baseline-rev REV --candidate-rev REV [options] -- CMD ARGS..."},
        .details =
            "Runs the units of both builds in turn and judges every benchmark. The 1 % of false "
            "claims is shared among all of them.\n"
            "Exit status: 0 nothing is slower (UNDECIDED too), 1 a benchmark is slower, 2 wrong "
            "usage or bad input, 3 a benchmark could not be compared, went missing or failed, or a "
            "control moved, 4 with --strict when one is UNDECIDED, 130 interrupted.",
        .positionals = {command_positional(
            "two suites, each quoted as one word; A is the baseline")},
        .examples = {{"assay suite compare ./old ./new", "Two builds of a Google Benchmark binary"},
                     {"assay suite compare './old --benchmark_min_time=0.1' './new "
                      "--benchmark_min_time=0.1'",
                      "With options of the suite: each side is one word"},
                     {"assay suite compare --baseline-rev main --candidate-rev HEAD --build 'make "
                      "bench' -- ./bench",
                      "Two revisions"}},
        .flags = flags_of_verb("compare", kCompareCommon)},
       {.name = "suite audit",
        .summary = "Find benchmarks whose numbers depend on what ran before them",
        .usage = {"suite audit [options] CMD", "suite audit [options] -- CMD ARGS..."},
        .details =
            "Compares every benchmark alone with itself behind the others, and searches for who "
            "does it: victims, polluters, the mechanism, and memory that piles up. What it costs "
            "is said before the first run; --time-budget ends it with what is known by then.\n"
            "Exit status: 0 nothing was found, or no verdict (with --strict that is 4), 1 a "
            "victim, "
            "another workload behind others, a benchmark that did not come out, a crossed memory "
            "budget, or one that moved since the baseline, 2 wrong usage or bad input, 3 it could "
            "not be measured, 130 interrupted.",
        .positionals = {command_positional("the suite, as one word; or behind --")},
        .examples = {{"assay suite audit ./benchmarks", "Does the order of the benchmarks matter?"},
                     {"assay suite audit --only 'BM_Sort*' --repeats 6 --time-budget 10m -- "
                      "./benchmarks --benchmark_min_time=0.1",
                      "Some of it, sharper, and not for ever"},
                     {"assay suite audit --baseline ./old ./new",
                      "What came in since the older build?"}},
        .flags = flags_of_verb("audit", kAuditCommon)},
       {.name = "suite list",
        .summary = "Print the units of a suite, without running them",
        .usage = {"suite list [options] CMD", "suite list [options] -- CMD ARGS...",
                  "suite list --adapters"},
        .details = "Exit status: 0 listed, 2 wrong usage, or the suite cannot be listed.",
        .positionals = {command_positional("the suite, as one word; or behind --")},
        .examples = {{"assay suite list ./benchmarks", "The units of a Google Benchmark binary"},
                     {"assay suite list --adapters", "Which benchmark tools are known?"},
                     {"assay suite list --adapter suite.toml", "The units of any other suite"}},
        .flags = flags_of_verb("list", kListCommon)}}};
}

}  // namespace

std::vector<Flag> suite_verb_flags(std::string_view verb) {
  if (verb == "compare") return suite_compare_flags();
  if (verb == "audit") return suite_audit_flags();
  std::vector<Flag> flags = suite_run_flags();
  std::erase_if(flags, [&](const Flag& flag) { return is_of_list(flag) != (verb == "list"); });
  return flags;
}

const CommandSpec* suite_verb_spec(std::string_view verb) {
  static const std::array<CommandSpec, 4> kVerbs = make_verbs();
  for (const CommandSpec& spec : kVerbs)
    if (spec.name.substr(spec.name.find(' ') + 1) == verb) return &spec;
  return nullptr;
}

const CommandSpec& suite_spec() {
  static const CommandSpec kSpec = {
      .name = "suite",
      .summary = "Run, compare or audit a whole benchmark suite",
      .usage = {"suite run [options] -- CMD ARGS...", "suite compare [options] A B",
                "suite audit [options] -- CMD ARGS...", "suite list [options] -- CMD ARGS..."},
      .details =
          "A suite is what a benchmark tool runs: units (files, binaries, families) with "
          "benchmarks in them. run measures every unit in rounds, in random order, each in a "
          "process of its own, and tells which benchmarks failed or went missing, whatever the "
          "exit status. compare judges all benchmarks of two builds together. audit asks whether "
          "numbers depend on what ran before them: victims, polluters, the mechanism, and memory "
          "that piles up. list prints the units. 'assay suite audit --help' explains one verb, "
          "with its options and exit statuses.",
      .positionals = {{.name = "VERB",
                       .help = "run, compare, audit or list",
                       .at_least = 1,
                       .at_most = 1,
                       .choices = {"run", "compare", "audit", "list"}},
                      command_positional("the suite, as one word; for compare two")},
      .takes_trailing = true,
      .examples = {{"assay suite run ./benchmarks", "A Google Benchmark binary, unit by unit"},
                   {"assay suite compare ./old ./new", "Two builds of it"},
                   {"assay suite audit ./benchmarks", "Does the order of the benchmarks matter?"},
                   {"assay suite list --adapter suite.toml", "The units of any other suite"}},
      .flags = with_common(in_order(join_flags({suite_run_flags(), suite_compare_flags(),
                                                suite_audit_flags(), suite_shared_flags()})),
                           kCommonOfSuite),
      .of_verb = suite_verb_spec};
  return kSpec;
}

}  // namespace assay::cli
