// SPDX-License-Identifier: Apache-2.0
// Every option of `prover bench batch`, once: from this table come the command line, the help, the
// effective settings that the reports, the timeline and the trace echo, and the check that the
// documentation names them all.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "prover/bench/batch.hpp"

namespace prover::bench {

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
};

std::span<const Setting> settings();

// Sets one option; the error says which.
Result<void> apply(const Setting& setting, BatchOptions& options, const std::string& text);

// (name with underscores, value in force) of every setting, in the table's order.
std::vector<std::pair<std::string, std::string>> effective_settings(const BatchOptions& options);

}  // namespace prover::bench
