// SPDX-License-Identifier: Apache-2.0
// What `assay simulate compare` and the simulations of the other experiments share: options, rates
// with their intervals, tables as Markdown, and how far the work has come.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.hpp"
#include "base/result.hpp"
#include "cli/flags.hpp"
#include "cli/terminal.hpp"
#include "experiment/noise_models.hpp"
#include "experiment/simulate.hpp"

namespace assay::cli {

// --reps, --seed, --threads.
Result<experiment::SimulateOptions> simulate_options(const Arguments& arguments);

// A share in percent: "98.2", and with its 95 % interval "98.2 [97.9, 98.5]"; `of` >= 1.
std::string percent_cell(std::uint64_t count, std::uint64_t of, int decimals = 1);
std::string rate_cell(std::uint64_t count, std::uint64_t of, int decimals);
// NAME, NAME_lo95 and NAME_hi95 as fractions.
void set_rate(Json& json, const std::string& name, std::uint64_t count, std::uint64_t of);

// A table whose widths are known before its first row is.
class MarkdownTable {
 public:
  struct Column {
    std::string head = {};
    bool left = false;
    std::size_t width = 0;  // at least; the head's width counts too
  };
  explicit MarkdownTable(std::vector<Column> columns);
  std::string head() const;
  std::string line(const std::vector<std::string>& cells) const;  // one a column

 private:
  std::vector<Column> columns_;
};

// "- ln1: independent lognormal runs of 1 %" for each, once.
std::string noise_list(const std::vector<experiment::NoiseModel>& noises);

// Says now and then how far the simulation has come.
class Meter {
 public:
  Meter(Terminal& terminal, std::size_t rows, std::uint64_t repetitions);
  // what = of the row, such as "gates on ln3 at 1".
  void tell(std::string_view what, std::size_t row, std::uint64_t done);

 private:
  Terminal& terminal_;
  std::size_t rows_;
  std::uint64_t repetitions_;
  std::chrono::steady_clock::time_point start_, last_;
};

// `assay simulate sweep|timeline|ablate|bisect`; arguments.positionals[0] is the kind.
Result<int> run_simulate_design(const Arguments& arguments, Terminal& terminal);

}  // namespace assay::cli
