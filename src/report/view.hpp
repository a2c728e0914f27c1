// SPDX-License-Identifier: Apache-2.0
// What a comparison's report says, decided once: text, JSON and Markdown are made from this, so
// they cannot disagree. Pure: a record and its conclusion in.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/record.hpp"
#include "report/histogram.hpp"
#include "report/row.hpp"

namespace assay::report {

// One arm. The letters are those of the arms in order, A for the baseline; a control is A'.
struct Side {
  std::uint32_t arm = 0;
  std::string letter;
  std::string label;  // printable, may be long
  std::string
      name;  // for sentences: the label when it is short and unlike the others, or the letter
  std::string command;  // printable, one line
  bool control = false;
};

// One candidate (or the control) against the baseline.
struct Block {
  Side side;
  std::vector<Row> rows;    // metrics in the plan's order
  std::vector<Row> stages;  // with --events: the mean service of a run's spans, stages in order
  std::string sentence;     // whole sentences; empty for a control
  std::string agreement;    // of a control that does not differ: one line that stands for its table
  std::vector<Histogram> histograms;  // one a gating metric that has a shape
};

struct Failure {
  std::string text;          // "run 5 (B) exited with status 2"
  std::optional<Exit> exit;  // nothing when the trial is unknown
  std::optional<std::uint32_t> arm;
  std::string command;  // of the arm, or what builds it; printable, empty when unknown
  bool is_build = false;
  std::vector<std::string> last_lines;  // of stderr, printable, at most 10
  std::string way_out;                  // whole sentences
};

struct CompareView {
  std::string id;
  Plan plan;
  Host host;
  Verdict overall = Verdict::undecided;  // INVALID when withheld
  bool withheld = false, exploratory = false;
  EndedBy ended_by = EndedBy::decided;
  std::vector<Side> sides;
  bool no_look = false;            // no metric has been looked at yet: there is no table to show
  bool show_commands = false;      // some label is too long (or not unique) to stand in a sentence
  std::vector<Block> blocks;       // candidates in order, then the control; empty when FAILED
  std::optional<Failure> failure;  // when FAILED
  std::vector<std::string>
      remarks;                    // sentences about the whole: exploratory, withheld, budget, ...
  std::string sentence;           // everything a reader must know, in one paragraph
  std::vector<Warning> warnings;  // texts printable, duplicates removed
  std::vector<std::string> reproduce;  // words of the command that asks again
};

CompareView view_compare(const Record& record, const Conclusion& conclusion);

// The parts that other reports share.
std::vector<Side> sides_of(const Plan& plan);
std::vector<Warning> printable_warnings(const Conclusion& conclusion);
std::optional<Failure> failure_of(const Record& record, const Conclusion& conclusion);

}  // namespace assay::report
