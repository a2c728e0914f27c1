// SPDX-License-Identifier: Apache-2.0
// What the report of a sweep says, decided once for text, JSON and page.
#pragma once

#include <string>
#include <vector>

#include "model/record.hpp"
#include "report/estimates.hpp"
#include "report/plot.hpp"

namespace assay::report {

struct SweepRow {
  std::uint32_t arm = 0;
  std::string label = {};   // "4", with two parameters "cap=4 threads=2"
  std::string median = {};  // "2.31 s"
  std::string change = {};  // against the first
  std::string bounds = {};  // "[+5.0, +7.2]"
  std::string memory = {};  // "41.0 MiB"
  std::string memory_change = {};
  std::string note = {};  // "on the front", "the knee", "exited with status 3"
  Tone tone = Tone::neutral;
};

struct SweepView {
  std::string title;                   // of a page
  std::vector<std::string> sentences;  // the answer, one for each parameter
  std::vector<std::string> broken;     // what failed
  std::vector<SweepRow> rows;
  std::string reference;             // "cap=1": what the changes are against
  std::optional<IntervalPlot> plot;  // one parameter
  std::optional<LinePlot> lines;     // two
  std::vector<std::string> remarks;  // interaction, front, knee, memory line, what to do next
  std::string runs;                  // "24 rounds of 3 levels"
  std::string reproduce;             // empty when unknown
};

SweepView view_sweep(const Record& record, const Conclusion& conclusion);

}  // namespace assay::report
