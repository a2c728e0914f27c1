// SPDX-License-Identifier: Apache-2.0
// Two sides of result files against each other: benchmarks matched by id and metric, and each
// judged as far as its files carry it (verdict/imported.hpp). Nothing is run; pure.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "model/metric.hpp"
#include "results/results.hpp"
#include "verdict/imported.hpp"

namespace assay::verdict {

// One side: the files of one build, in the order in which they were given.
struct ImportedSide {
  std::string name = {};  // as the user wrote it
  std::vector<results::File> files = {};
  std::string build = {};  // which one, where files hold several; empty = the last of each
};

// One metric of one benchmark on both sides.
struct ImportedRow {
  std::string id = {}, other_id = {};  // of baseline and candidate; alike but where each is alone
  Metric metric = {};
  std::optional<double> baseline = {}, candidate = {};  // base unit; of a summary its centre
  std::size_t baseline_processes = 0, candidate_processes = 0;
  std::size_t baseline_values = 0, candidate_values = 0;
  // How far two values of one side typically differ, relative: of processes where there are
  // enough, else of repetitions. Nothing where a value is 0 or below, or below 3 of them.
  std::optional<double> baseline_spread = {}, candidate_spread = {};
  bool summary = false;          // a side is a summary: a number without a word
  std::string trouble = {};      // a side failed or was skipped: why; then no number
  ImportedVerdict verdict = {};  // log units, higher = worse
};

struct ImportedComparison {
  std::vector<ImportedRow> rows = {};  // in the order of the baseline's files
  std::vector<std::string> only_baseline = {}, only_candidate = {};  // "id (metric)"
  bool matched_alone = false;  // each side has one benchmark, and their ids differ
  std::string baseline_build = {}, candidate_build = {};  // that was taken, where there are several
  std::size_t family = 0;  // rows that are judged: each claims at .01 / family
  // The command that would decide; empty when all rows are judged, or 0 on both sides.
  std::string instead = {};
};

// Errors: a build that no file of the side has, with those there are.
Result<ImportedComparison> compare_imported(const ImportedSide& baseline,
                                            const ImportedSide& candidate, double tolerance);

// What gives a verdict where these files cannot: hyperfine's own commands for assay, a suite's
// binaries, or the shape of the command.
std::string command_instead(const ImportedSide& baseline, const ImportedSide& candidate);

}  // namespace assay::verdict
