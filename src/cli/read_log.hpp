// SPDX-License-Identifier: Apache-2.0
// Logs as commands read them: a file, a folder of the emitter's files, or standard input, by the
// rules and the format that the options name. A long read shows how far it is.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/flags.hpp"
#include "cli/terminal.hpp"
#include "trace/events.hpp"
#include "trace/rules.hpp"

namespace assay::cli {

// The rows: --format NAME (the names are those of the importers) and --rules FILE.
Flag format_flag();
Flag rules_flag();

// What --rules (or `option`) names, read; nothing when it is not given. Errors: the system's, those
// of the rules with line, column and caret.
Result<std::optional<trace::Rules>> rules_of(const Arguments& arguments, std::string_view option);

// Refuses an output file that is one of the files read (the same file under any name), and a log
// that is given twice: runs of a side are repetitions, and a copy is none. `inputs` may hold "-".
Result<void> check_output(const std::optional<std::string>& output,
                          const std::vector<std::string>& inputs);
Result<void> check_repeated(const std::vector<std::string>& logs);

// One log. Errors are those of trace::load_trace.
Result<trace::Trace> read_log(const std::string& path, const std::string& format,
                              const std::optional<trace::Rules>& rules, Terminal& terminal);

// The same by rules alone, for a file or standard input, with the lines that each event rule
// matched.
Result<trace::Trace> read_log_by_rules(const std::string& path, const trace::Rules& rules,
                                       std::vector<std::uint64_t>& matches, Terminal& terminal);

}  // namespace assay::cli
