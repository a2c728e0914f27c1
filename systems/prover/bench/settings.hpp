// SPDX-License-Identifier: Apache-2.0
// Every option of `prover bench batch` and its sisters, once: from this table come the command
// line, the help, the effective settings that the reports, the timeline and the trace echo, and the
// check that the documentation names them all.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "prover/bench/options.hpp"

namespace prover::bench {

// A set of commands.
using Commands = unsigned;
constexpr Commands only(Command command) { return 1u << static_cast<unsigned>(command); }
inline constexpr Commands kThroughEngine = only(Command::batch) | only(Command::single);
inline constexpr Commands kEach = (1u << 5) - 1;

// The work that an option belongs to.
struct Belongs {
  const char* to;  // "--work synthetic"
  bool (*holds)(const LoadOptions& load);
};

struct Setting {
  const char* name;   // without dashes
  char short_name;    // or 0
  const char* value;  // placeholder, e.g. "N"; empty: a flag without a value
  const char* group;  // heading in the help
  const char* help;
  // Error without `where`.
  std::function<Result<void>(BatchOptions& options, const std::string& text)> set;
  // The value in force as text that set() reads; null: where output goes, which is no setting.
  std::function<std::string(const BatchOptions& options)> effective;
  Commands commands = kEach;                   // that have it
  const Belongs* belongs = nullptr;            // null: to any work
  std::vector<std::string_view> choices = {};  // the only values; empty: any

  bool is_of(Command command) const { return (commands & only(command)) != 0; }
  bool applies(const BatchOptions& options) const {
    return is_of(options.command) && (belongs == nullptr || belongs->holds(options.load));
  }
};

// The whole table.
std::span<const Setting> settings();

// Sets one option; the error says which.
Result<void> apply(const Setting& setting, BatchOptions& options, const std::string& text);

// Refuses options that were given and are not of the work that was chosen. `given` tells whether
// one was.
Result<void> check_given(const BatchOptions& options,
                         const std::function<bool(const Setting&)>& given);

// (name with underscores, value in force) of every setting of the command and the work, in the
// table's order.
std::vector<std::pair<std::string, std::string>> effective_settings(const BatchOptions& options);

}  // namespace prover::bench
