// SPDX-License-Identifier: Apache-2.0
// `suite run`: every unit of a suite once a round, in random order (or the whole suite in one
// process), for so many rounds. A unit that crashes, hangs or says nothing is a result; the others
// go on.
#pragma once

#include <map>
#include <span>
#include <vector>

#include "experiment/experiment.hpp"

namespace assay::experiment {

inline constexpr std::uint32_t kSuiteRounds = 6;  // the fewest that give an interval

class SuiteRun final : public Experiment {
 public:
  explicit SuiteRun(Plan plan);
  Step next(std::span<const Entry> entries, std::size_t jobs_in_flight) override;
  Progress progress() const override;

 private:
  void take(const Trial& trial);
  void open_round(std::uint32_t round);
  bool is_given_up(std::uint32_t unit) const;
  Run limited(Run run) const;

  Plan plan_;
  std::size_t entries_read_ = 0;
  std::uint32_t round_ = 0;  // the open one, from 1
  std::vector<Run> runs_;    // of the open round, in order
  std::vector<bool> made_;   // by slot
  std::uint32_t runs_done_ = 0;
  double seconds_ = 0;         // recorded
  double rounds_seconds_ = 0;  // of complete rounds
  struct Unit {
    std::uint32_t runs = 0, failed_first = 0;  // failed in front of the first good one
    bool worked = false;
    double longest = 0;  // of good runs, s
  };
  std::map<std::vector<std::uint32_t>, Unit> units_;  // by what one process runs
};

// Whether the process of a suite's run ended as it should have.
bool process_failed(const Trial& trial, const Plan& plan);

// What trials say of every benchmark and unit; those of arm 0 count.
SuiteRunFinding analyse_suite_run(const Plan& plan, std::span<const Entry> entries,
                                  std::uint32_t rounds);

}  // namespace assay::experiment
