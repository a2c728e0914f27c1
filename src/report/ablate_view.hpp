// SPDX-License-Identifier: Apache-2.0
// What the report of an `ablate` says, decided once: text, JSON and the page are made from this.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/record.hpp"
#include "report/estimates.hpp"
#include "report/plot.hpp"
#include "report/table.hpp"

namespace assay::report {

struct CauseRow {
  std::string name = {};         // "pin", "pin and early", "pin or early"
  std::string change = {};       // "+6.1 %"
  std::string bounds = {};       // "[+5.2, +7.0]"
  std::string probability = {};  // "98.2 %"
  std::string back = {};         // "-5.7 %": what taking it back gives
  std::string note = {};         // "confirmed with 12 + 12 runs", "below the tolerance"
  Tone tone = Tone::neutral;
};

struct AblateView {
  std::string title;                   // of a page
  std::vector<std::string> sentences;  // the answer first
  std::vector<CauseRow> causes;        // named or not, then those that are open
  std::vector<CauseRow> effects;       // classical, for description
  std::size_t effects_left_out = 0;
  std::vector<CauseRow> configurations;  // some of those that ran, against all off
  std::size_t configurations_left_out = 0;
  std::vector<LinePlot> interactions;     // one a pair
  std::optional<IntervalPlot> waterfall;  // taken back one after another
  std::vector<std::string> broken;        // sentences
  std::vector<std::string> next;          // what remains open, and what to do
  std::string runs;                       // what the answer rests on
  std::string reproduce;                  // the command; empty when unknown
};

AblateView view_ablate(const Record& record, const Conclusion& conclusion);

// "pin and early", "pin or early".
std::string cause_name(const Plan& plan, const Term& term);
// Names of the changes of a bit mask.
std::vector<std::string> names_of(const Plan& plan, std::uint32_t mask);

}  // namespace assay::report
