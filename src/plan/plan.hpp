// SPDX-License-Identifier: Apache-2.0
// Experiments that have a name, from `assay.toml` or any other file of plans:
//
//   [compare.encode]
//   baseline = "./encode -6 in.bin"     # a command as it stands on the command line
//   candidate = "./encode -7 in.bin"    # or candidates = ["...", "..."]
//   tolerance = "2%"                    # every option of `assay compare`, without its dashes
//   gate = ["wall", "cpu"]
//
//   [compare.release]
//   baseline-rev = "main"
//   candidate-rev = "HEAD"
//   build = "make -j4"
//   command = "./bench --all"
//
//   [sweep.cap]
//   command = "./encode --cap {cap}"    # of every other command: the one command that it runs
//   param = ["cap=1,2,4"]
//
// A plan says nothing that the command line could not say: it becomes options and commands, and
// those take the command line's way.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace assay::plan {

// How an option is written in a plan.
//   flag    true or false
//   text    one string
//   number  one string or number: tolerance = "2%" or 0.02, seed = 7
//   list    several strings or numbers, or one: gate = ["wall", "cpu"], gate = "wall"
enum class OptionKind { flag, text, number, list };

struct OptionRule {
  std::string name;  // without dashes: "max-runs"
  OptionKind kind = OptionKind::text;
};

// The commands of a table.
//   sides     compare: `baseline` and `candidate` or `candidates`; or revisions and one `command`
//   word      measure, calibrate: one `command`, which is one word of the command line
//   trailing  sweep and the like: one `command`, which stands behind `--`
enum class TableShape { sides, word, trailing };

// What the tables [COMMAND.NAME] of one command may have.
struct TableRules {
  std::string command;  // "sweep"
  TableShape shape = TableShape::trailing;
  std::string positional;  // trailing: key of what stands in front of `--` ("range"); empty = none
  std::vector<OptionRule> options;
};

struct Option {
  std::string name;
  std::vector<std::string>
      values;         // none for a flag, which is then on; else one use of the option each
  std::string where;  // "file:line:column" of the key, for errors found later

  bool operator==(const Option&) const = default;
};

struct NamedPlan {
  std::string command;  // "compare"
  std::string name;
  std::string where;                  // "file:line:column" of the table
  std::vector<Option> options;        // in the order of the file; a flag that is false is left out
  std::vector<std::string> commands;  // positional words: whole commands, the baseline first
  std::vector<std::string> trailing;  // the words behind `--`: with revisions, and shape trailing

  bool operator==(const NamedPlan&) const = default;
};

// The file's experiments in its order. Errors point at the place (file:line:column, the line, a
// caret) and name what would be right: not TOML, an unknown table or key, a wrong type, a command
// that is missing, empty or has an unbalanced quote, both commands and revisions. Commands are
// checked but not split; with `shell = true` they are not checked either, and `trailing` is the one
// word that the shell gets.
Result<std::vector<NamedPlan>> parse_plans(std::string_view toml, const std::string& file,
                                           std::span<const TableRules> tables);

// The same of a file on disk. Errors: not readable, not a file, longer than 1 MiB.
Result<std::vector<NamedPlan>> load_plans(const std::string& path,
                                          std::span<const TableRules> tables);

// The comparison called `name`; the error names the nearest one or all there are.
Result<NamedPlan> select_plan(std::span<const NamedPlan> plans, const std::string& name,
                              const std::string& file);

// The experiments called `names`, or all of them when there are none, in the order of the file. A
// name may have its command in front: "sweep.cap". Errors: an unknown name (with the nearest one),
// a name that two commands have.
Result<std::vector<NamedPlan>> select_plans(std::span<const NamedPlan> plans,
                                            std::span<const std::string> names,
                                            const std::string& file);

// The nearest `assay.toml` from the folder `cwd` upward; nothing when there is none.
std::optional<std::string> find_plan_file(const std::string& cwd);

// A plan's options as words of a command line: {"--tolerance=2%", "--gate=wall", "--strict"}.
std::vector<std::string> option_words(const NamedPlan& plan);

}  // namespace assay::plan
