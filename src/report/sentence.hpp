// SPDX-License-Identifier: Apache-2.0
// The sentences under the table. They must be useful even when nothing was decided: what is certain
// by now (the anytime bound), what the other metric says, why it is undecided, what would decide
// it.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "model/plan.hpp"
#include "report/row.hpp"
#include "report/samples.hpp"

namespace assay::report {

// Whom the sentences of one candidate speak about.
struct Teller {
  const Plan& plan;
  std::string baseline, candidate;  // short printable names
  bool several = false;             // several candidates: every clause names the one meant
  EndedBy ended_by = EndedBy::decided;
  Waiting waiting;                      // of the two arms
  std::optional<double> round_seconds;  // one run of every arm
  bool busy_warned = false;             // a warning tells of the busy machine already
};

// About one candidate, from its rows. Never empty.
std::string sentence_of(const Teller& teller, std::span<const Row> rows);

// Why verdicts are withheld, from the rows of the control.
std::string withheld_sentence(std::span<const Row> control);

// How the sampling ended, where that matters: budget, futility, interruption, disk. May be empty.
std::string ending_remark(const Record& record, const Conclusion& conclusion);

}  // namespace assay::report
