// SPDX-License-Identifier: Apache-2.0
// A concluded record as the user asked to see it, and the exit code that it means.
#pragma once

#include <optional>
#include <string>

#include "base/json.hpp"
#include "cli/flags.hpp"
#include "cli/terminal.hpp"
#include "model/record.hpp"
#include "report/options.hpp"

namespace assay::cli {

// Where reports go. "-" is stdout, then without the text; nothing = not wanted.
struct ReportFiles {
  std::optional<std::string> json;
  std::optional<std::string> markdown;
  std::optional<std::string> html;  // of a comparison with --events
  std::string store;                // path; where the traces of the runs lie beside
};

// The terminal's width, colour and character set.
report::TextOptions text_options(const Terminal& terminal);

// The record's report in each form, by the kind of its plan. The record has a conclusion.
report::Text report_text(const Record& record, const report::TextOptions& options);
Json report_json(const Record& record);
std::string report_markdown(const Record& record);

// Before anything is measured: whether the files can be written (they are created, empty) and at
// most one report goes to stdout.
Result<void> check_report_files(const ReportFiles& files);

// Says so where a dry run is asked for a report on stdout: there is none before something ran.
void note_dry_run(const Arguments& arguments, Terminal& terminal);

// Prints and writes the reports. Errors: a file that cannot be written (the text is printed
// before).
Result<void> write_reports(const Record& record, const ReportFiles& files, Terminal& terminal);

// What the conclusion means to a script (docs/design.md): 0, 1, 3, 130, and 4 for UNDECIDED with
// --strict.
int exit_code(const Conclusion& conclusion, bool strict);

}  // namespace assay::cli
