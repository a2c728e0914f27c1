// SPDX-License-Identifier: Apache-2.0
// Rows that several commands share, so that one option reads the same everywhere.
#pragma once

#include <initializer_list>
#include <vector>

#include "cli/flags.hpp"

namespace assay::cli {

// How a command is run: --shell, --setup, --prepare, --conclude, --cleanup, --cooldown, --input,
// --timeout, --ignore-exit, --line-buffered, --isolate, --pin, --exact, --no-wait, --seed.
std::vector<Flag> run_flags();
// What is measured: --metric.
Flag metric_flag();
Flag tolerance_flag();
Flag gate_flag();
Flag time_budget_flag(std::string_view fallback);
// Where a report goes: --json FILE, --markdown FILE.
std::vector<Flag> report_file_flags();
Flag strict_flag();
Flag dry_run_flag();
// Where the events of every run are: --events, --rules, --events-format, --log.
std::vector<Flag> events_flags();

// One list out of several.
std::vector<Flag> join_flags(std::initializer_list<std::vector<Flag>> lists);

}  // namespace assay::cli
