// SPDX-License-Identifier: Apache-2.0
// What a command is: a row with its words, its positionals and its options. Parsing, help, shell
// completion and the tests that everything is documented are read from the rows alone.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "prover/base/result.hpp"

namespace prover::cli {

// What a shell offers for a word.
enum class Offer { nothing, file };

struct Option {
  std::string_view name;               // without dashes
  char short_name = 0;                 // or none
  std::string_view value = {};         // placeholder, e.g. "N"; empty: a switch
  std::string_view help = {};          // one line, no full stop
  std::string_view fallback = {};      // the default as a user would write it; empty: none
  std::string_view group = "Options";  // heading in the help
  Offer offer = Offer::nothing;
  std::vector<std::string_view> choices = {};  // the only values; empty: any
};

struct Positional {
  std::string_view name;  // "KEY.zkey"
  std::string_view help;
  Offer offer = Offer::file;
  std::vector<std::string_view> choices = {};
};

struct Example {
  std::string_view command;
  std::string_view explanation;
};

class Arguments;

struct Command {
  std::string_view name;                // "prove", "circuit dense"
  std::string_view summary;             // one line, no full stop
  std::string_view details;             // paragraphs for --help, one a line; may be empty
  std::vector<Positional> positionals;  // all are needed
  std::vector<Option> options;          // without --help
  std::vector<Example> examples;
  Result<int> (*run)(const Arguments& arguments);

  const Option* find(std::string_view option) const;
  // "prover prove KEY.zkey ... [OPTIONS]"
  std::string usage() const;
};

enum class Help { none, brief, full };

// A parsed command line. Asking for an option that the command does not have is a bug of ours.
class Arguments {
 public:
  explicit Arguments(const Command& command) : command_(&command) {}

  std::vector<std::string> positionals;  // as many as the command has
  Help help = Help::none;

  const Command& command() const { return *command_; }
  void add(std::string_view option, std::string value);

  bool has(std::string_view option) const;  // given, not by default
  // The last one given counts; without any, the default; nothing when there is none.
  std::optional<std::string> value(std::string_view option) const;
  // In the order of the command line; without the default.
  std::vector<std::string> values(std::string_view option) const;
  // value() as a whole number; the error names the option.
  Result<std::optional<std::uint64_t>> count(std::string_view option, std::uint64_t low,
                                             std::uint64_t high) const;

 private:
  const Command* command_;
  std::map<std::string, std::vector<std::string>, std::less<>> given_;
};

// All commands in the order of the overview. Those of two words have their first in common with
// others: "circuit" and "bench".
std::span<const Command> commands();

// The command that `words` begin with, and how many of them name it. An error says what there is;
// of "circuit" alone, and of "circuit --help", it is the list of its commands.
struct Found {
  const Command* command;
  std::size_t words;
};
Result<Found> find_command(std::span<const std::string> words);
// Second words of the commands that begin with `first`; empty when it is a command or none.
std::vector<std::string> subcommands(std::string_view first);
// First words, each once.
std::vector<std::string> first_words();

}  // namespace prover::cli
