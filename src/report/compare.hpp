// SPDX-License-Identifier: Apache-2.0
// A comparison as text for a terminal, as JSON for programs and as a pull-request comment.
// All three are made from one CompareView; the overloads that take a record build it themselves.
#pragma once

#include <string>

#include "base/json.hpp"
#include "report/options.hpp"
#include "report/view.hpp"

namespace assay::report {

inline constexpr int kSchemaVersion = 1;

// The table, the sentences, the histograms; warnings apart.
Text compare_text(const CompareView& view, const TextOptions& options);

// {"schema_version", "kind", "id", "seed", "name", "plan", "subjects", "host", "warnings":
// [{"kind", "text"}],
//  "verdict", "withheld", "exploratory", "ended_by", "sentence", "failure", "metrics": [...]}
// Members of a metric: name, unit, better, gating, judged, candidate, arm, control, verdict, word,
// ratio, lo99, hi99, lo95, hi95, bound99, runs, all_runs, since_ratio, sign, reason, more, p_seq,
// by_holm, tolerance, baseline_median, candidate_median, method, notes. With --events "stages" has
// the same members for each stage. Ratios are candidate /
// baseline, also where more is better; what is unknown is null. notes are what the table says
// behind the runs ("exact", "does not gate"). verdict and word are null where nothing was judged.
Json compare_json(const CompareView& view);

// GitHub-flavoured Markdown. Everything that comes from commands and programs is escaped.
std::string compare_markdown(const CompareView& view);

Text compare_text(const Record& record, const Conclusion& conclusion, const TextOptions& options);
Json compare_json(const Record& record, const Conclusion& conclusion);
std::string compare_markdown(const Record& record, const Conclusion& conclusion);

// Shared by the JSON writers: schema_version, kind, id, seed, name, plan (without arms and seed),
// subjects, host, warnings.
Json document_head(const std::string& kind, const Record& record,
                   const std::vector<Warning>& warnings);
Json document_head(const std::string& kind, const std::string& id, const Plan& plan,
                   const Host& host, const std::vector<Warning>& warnings);

// Why nothing was concluded: what failed, the command, its last lines and the way out.
std::string failure_text(const Failure& failure, const TextOptions& options);

// "warning: ..." lines.
std::string warning_lines(const std::vector<Warning>& warnings, const TextOptions& options);

}  // namespace assay::report
