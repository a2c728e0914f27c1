// SPDX-License-Identifier: Apache-2.0
// What the report of a `bisect` says, decided once: text, JSON and the page are made from this.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/record.hpp"
#include "report/plot.hpp"
#include "report/view.hpp"

namespace assay::report {

// A ratio with its bounds, as the metric is read (turned back where more is better).
struct RatioText {
  std::optional<double> ratio = {}, lo = {}, hi = {};
  std::string change = {};    // "+6.1 %"
  std::string interval = {};  // "[+5.2, +7.0]"; may be empty
};

struct CommitRow {
  std::uint32_t commit = 0;
  std::string name, subject;  // printable
  std::uint32_t runs = 0;
  std::string median;  // "20.4 ms"; empty without runs
  std::string change;  // against the good end
  double probability = 0;
  std::string state;     // "good end", "bad end", "culprit", "does not build"; several by commas
  bool suspect = false;  // in the set of a culprit
  std::size_t gap = 0;   // commits left out in front of this row
};

struct CulpritView {
  Culprit culprit;
  std::string name, subject;
  double probability = 0;  // of the whole set
  RatioText effect;
  std::optional<bool> confirmed = {};  // nothing: not compared
  std::optional<bool> given_back = {};
  std::vector<std::string> sentences;
};

struct BisectView {
  std::string id;
  std::optional<Failure> failure;
  bool reproduced = false;
  std::vector<std::vector<std::string>> paragraphs;  // sentences, the answer first
  RatioText ends;
  std::vector<CulpritView> culprits;
  std::vector<CommitRow> rows;      // near the culprits, and the ends
  std::vector<CommitRow> all_rows;  // and everything else that was run or could not be
  std::vector<std::string> broken;
  std::vector<std::string> next;  // what remains open, and what to do
  std::optional<IntervalPlot> levels;
  std::optional<BarPlot> posterior;
  std::vector<Warning> warnings;
  std::string reproduce;  // the command
};

BisectView view_bisect(const Record& record, const Conclusion& conclusion);

// "97 %", "above 99.9 %".
std::string probability_text(double probability);

}  // namespace assay::report
