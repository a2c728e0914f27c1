// SPDX-License-Identifier: Apache-2.0
// Command-line options to parts of a Plan, shared by compare, measure and calibrate.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "cli/flags.hpp"
#include "model/plan.hpp"

namespace assay::cli {

// One command line as a subject, split as a shell splits words or given to /bin/sh with --shell,
// with the shared options --input, --setup, --prepare, --conclude, --cleanup. Errors name the
// quote.
Result<Subject> subject_of(const std::string& command, const Arguments& arguments);
// The same of words behind `--`.
Result<Subject> subject_of(const std::vector<std::string>& words, const Arguments& arguments);
// measure and calibrate: the one command, as one word or behind `--`.
Result<Subject> only_subject(const Arguments& arguments);

// The words behind `--`, once for --baseline-rev and for each --candidate-rev in order, to be built
// by --build. `is_alone`: no command is given elsewhere. Errors (with `example`): one of the
// options without the other, no such command, a revision that is not there.
Result<std::vector<Subject>> subjects_of_revisions(const Arguments& arguments, bool is_alone,
                                                   const std::string& example);

// --timeout, --cooldown, --ignore-exit, --line-buffered, --isolate, --pin, --exact.
Result<RunOptions> run_options_of(const Arguments& arguments);

// The built-in metrics that the kind shows, then the user's --metric; `gates` gate, by name. With
// --exact the instructions take the place of the times. Errors: an unknown gate (with the nearest
// name).
Result<std::vector<Metric>> metrics_of(const Arguments& arguments,
                                       const std::vector<std::string>& built_in,
                                       const std::vector<std::string>& gates);

// --events, --rules, --events-format, --log; nothing without --events. Errors: a rules file that
// cannot be read or does not parse, an option that needs --events.
Result<std::optional<EventsPlan>> events_of(const Arguments& arguments);

// "'$' is given to the program as it stands" for what a shell would expand; empty when there is
// none.
std::string unexpanded(const std::string& command, const Arguments& arguments);

// --seed or a drawn one.
Result<std::uint64_t> seed_of(const Arguments& arguments);

// An absolute path; empty stays empty.
std::string absolute(const std::string& path);

}  // namespace assay::cli
