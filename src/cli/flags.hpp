// SPDX-License-Identifier: Apache-2.0
// The option table. Every option of every command is declared once, as a row; parsing, help, shell
// completion and docs/manual/reference.md are all read from these rows.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace assay::cli {

// What a shell offers after an option or for a positional.
enum class Complete { nothing, file, directory, record, command, name, case_name };

struct Flag {
  std::string_view name = {};      // the long name without dashes
  char short_name = 0;             // 'q' for -q; 0 = none
  std::string_view alias = {};     // a second long name, not shown in help
  std::string_view value = {};     // placeholder ("FILE"); empty = a switch
  std::string_view help = {};      // one line, no full stop
  std::string_view details = {};   // more, for --help and the manual; may be empty
  std::string_view fallback = {};  // the default as a user would write it; empty = none
  std::string_view group = {};     // heading in help; flags of one group stand together
  Complete complete = Complete::nothing;
  std::vector<std::string_view> choices = {};  // the only values allowed; empty = any
  bool repeatable = false;
  // The value may be left out: --json alone is --json -, the standard output. A value is "-" as the
  // next word, or stands behind "=": other words are positionals.
  bool or_stdout = false;
  bool common = false;  // shown with its line by -h; the others only by name
};

struct Positional {
  std::string_view name = {};  // "A", "ID"
  std::string_view help = {};
  std::size_t at_least = 0;
  std::size_t at_most = 0;  // kAny = no limit
  Complete complete = Complete::nothing;
  std::vector<std::string_view> choices = {};
  static constexpr std::size_t kAny = SIZE_MAX;
};

struct Example {
  std::string_view command;
  std::string_view explanation;
};

struct CommandSpec {
  std::string_view name;
  std::string_view summary;             // one line, no full stop
  std::vector<std::string_view> usage;  // behind "assay ": "compare [options] A B [C ...]"
  std::string_view details;             // paragraphs for --help; may be empty
  std::vector<Positional> positionals;
  bool takes_trailing = false;      // accepts words behind `--`
  bool trailing_is_command = true;  // `-- CMD ARGS...`
  std::vector<Example> examples;
  std::vector<Flag> flags;
  // Of a command with verbs that differ: the rows of one, for its help; nothing for no such verb.
  const CommandSpec* (*of_verb)(std::string_view verb) = nullptr;
};

// What help explains: the command, or the verb of it that `words` begin with.
const CommandSpec& spec_to_explain(const CommandSpec& spec, std::span<const std::string> words);

// Options that every command accepts: --store, --colour, --quiet, --help, --version.
std::span<const Flag> global_flags();
const Flag* find_flag(const CommandSpec& spec, std::string_view name);  // global ones included

enum class Help { none, brief, full };

// The parsed command line of one command. Names are the long names of rows; asking for a name that
// the command does not have is a bug of ours. Getters fall back to the row's default; nothing means
// that there is none. Their errors name the option.
class Arguments {
 public:
  explicit Arguments(const CommandSpec& spec) : spec_(&spec) {}

  std::vector<std::string> positionals;
  std::vector<std::string> trailing;  // behind `--`
  Help help = Help::none;
  bool version = false;

  const CommandSpec& spec() const { return *spec_; }
  void add(std::string_view name, std::string value);

  bool has(std::string_view name) const;  // given on the command line, not by default
  std::optional<std::string> value(std::string_view name) const;
  std::vector<std::string> values(std::string_view name) const;

  // Comma-separated items of every use of the option, blanks trimmed, empty ones dropped.
  std::vector<std::string> list(std::string_view name) const;
  Result<std::vector<double>> numbers(std::string_view name) const;  // list() as numbers

  Result<std::optional<double>> duration(std::string_view name) const;  // seconds
  Result<std::optional<double>> fraction(std::string_view name) const;  // "5%" -> 0.05
  Result<std::optional<double>> bytes(std::string_view name) const;
  Result<std::optional<std::uint64_t>> uint(std::string_view name, std::uint64_t lowest,
                                            std::uint64_t highest) const;
  // "NAME=VALUE" pairs in the order given.
  Result<std::vector<std::pair<std::string, std::string>>> assignments(std::string_view name) const;

 private:
  const Flag& row(std::string_view name) const;

  const CommandSpec* spec_;
  std::map<std::string, std::vector<std::string>, std::less<>> given_;
};

}  // namespace assay::cli
