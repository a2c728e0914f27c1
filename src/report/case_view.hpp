// SPDX-License-Identifier: Apache-2.0
// The sentences and cells of a case's report, so that text, Markdown and page say the same.
#pragma once

#include <string>
#include <vector>

#include "report/case.hpp"
#include "report/plot.hpp"

namespace assay::report {

// One line of the table; all printable.
struct CaseRow {
  std::string id, predicted, measured, share, word, reason;
  Tone tone = Tone::neutral;
};
// Hypotheses in order, then a line "unexplained" for each remainder.
std::vector<CaseRow> case_rows(const CaseView& view);

// "gap  +12.0 ms [+11.1, +13.2]" without the first word, a sentence each.
std::vector<std::string> gap_lines(const CaseView& view);
// What every open hypothesis needs: "early: assay compare ... (about 30 + 30 runs, 1 min)".
struct NextStep {
  std::string id, command, price;
};
std::vector<NextStep> next_steps(const CaseView& view);
std::vector<std::string> fact_lines(const CaseView& view);
std::vector<std::string> note_lines(const CaseView& view);

// "2026-11-30 10:42", "cap=2 instead of 4", "SLOWER +6.1 %", its record.
struct RoundRow {
  std::string number, date, text, result, record;
};
std::vector<RoundRow> round_rows(const CaseView& view);
// What three patches on top of each other ask for; empty before.
std::string round_remark(const CaseView& view);
// How the words and intervals are to be read.
std::string case_legend();

// The gap, what explains it, and the rest, in the first remainder's quantity; nothing to plot
// without a proven effect.
std::optional<IntervalPlot> case_plot(const CaseView& view);

}  // namespace assay::report
