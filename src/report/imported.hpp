// SPDX-License-Identifier: Apache-2.0
// What result files of other tools hold, and two sides of them against each other.
#pragma once

#include <string>
#include <vector>

#include "base/json.hpp"
#include "model/record.hpp"
#include "report/options.hpp"
#include "results/results.hpp"
#include "verdict/imported_compare.hpp"

namespace assay::report {

struct ImportedSource {
  std::string name = {};  // path, as it was given
  results::File file = {};
};

// A table of what each file holds, then what is doubtful, with how many series it concerns.
Text imported_text(const std::vector<ImportedSource>& sources, const TextOptions& options);
// {"files": [{name, format, version, context, doubts, series: [{id, metric, unit, better, level,
// processes, ...}]}]} behind the head of every document.
Json imported_json(const std::vector<ImportedSource>& sources);

// The files of a record of the kind imported, read again. Errors as results::read.
Result<std::vector<ImportedSource>> sources_of(const Plan& plan);

Text imported_compare_text(const verdict::ImportedComparison& found,
                           const verdict::ImportedSide& baseline,
                           const verdict::ImportedSide& candidate, double tolerance,
                           const TextOptions& options);
Json imported_compare_json(const verdict::ImportedComparison& found,
                           const verdict::ImportedSide& baseline,
                           const verdict::ImportedSide& candidate, double tolerance);
// "SLOWER", "UNDECIDED", ...; empty for a number without a word.
std::string word_of_row(const verdict::ImportedRow& row);

}  // namespace assay::report
