// SPDX-License-Identifier: Apache-2.0
// `suite audit`: which benchmarks depend on what ran before them, and on whom?
//   pairs    every unit alone and the whole suite in one process, three times each, in random order
//   orders   the suite reversed, and shuffled: who suffers when the order changes
//   twice    every unit right behind itself
//   search   verified in fresh runs, then who does it (suite_audit_hunt.hpp)
//   memory   with which unit the suite crosses its budget, by halving, where the suite does not
//   tell
// With two arms (revisions) the pairs are made of both, everything else of the last one. A run that
// crashes or says nothing is a result; the others go on.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "experiment/experiment.hpp"
#include "experiment/suite_audit_hunt.hpp"

namespace assay::experiment {

inline constexpr std::uint32_t kAuditRuns = 3;  // of the suite, and of every unit alone

class SuiteAudit final : public Experiment {
 public:
  explicit SuiteAudit(Plan plan);
  Step next(std::span<const Entry> entries, std::size_t jobs_in_flight) override;
  Progress progress() const override;

 private:
  using Units = AuditHunt::Units;
  enum class Phase { pairs, orders, twice, search, memory, over };

  // Reading entries into the open block.
  void read(std::span<const Entry> entries);
  void end_block();
  Job missing() const;

  // What follows.
  void ask(Units units, std::uint32_t arm);
  void open_block();  // in random order, with random padding
  void begin_pairs();
  void end_pairs();
  void begin_orders();
  void end_orders();
  void begin_twice();
  void end_twice();
  void begin_hunt();
  void ask_hunt();
  void begin_memory();
  void ask_memory();
  void end_memory();
  void end(EndedBy why);

  std::uint32_t last_arm() const { return static_cast<std::uint32_t>(plan_.arms.size()) - 1; }
  const SuitePlan& suite() const { return *plan_.suite; }
  bool has_order() const { return suite().joins && suite().units.size() > 1; }
  AuditBase base() const;
  double stage_seconds(const std::string& stage) const;
  std::optional<double> seconds_left() const;
  const char* stage_name() const;

  // The answer.
  Conclusion conclude(std::span<const Entry> entries, bool stopped) const;
  Phase ended_in() const { return phase_ == Phase::over ? ended_in_ : phase_; }
  bool has_all_pairs() const { return ended_in() > Phase::pairs; }
  std::string where_it_ended() const;
  void judge_all(AuditFinding& found) const;
  void judge_moved(AuditFinding& found) const;

  Plan plan_;
  AuditTable table_;
  Phase phase_ = Phase::pairs;
  std::uint32_t block_ = 0;                    // the open one, from 1
  std::vector<Run> runs_;                      // of the open block, in order
  std::vector<std::size_t> asked_as_;          // by slot: index in the order of asking
  std::vector<std::optional<Trial>> answers_;  // by slot
  std::size_t entries_read_ = 0;
  std::uint32_t runs_done_ = 0;
  double seconds_ = 0, longest_ = 0;
  std::vector<AuditCost> costs_;

  std::uint32_t round_ = 0;
  std::vector<AuditReadings> alone_, in_suite_;    // by arm
  std::vector<std::vector<double>> unit_seconds_;  // alone, of the last arm
  std::vector<double> suite_seconds_;              // of the last arm
  std::optional<double> suite_peak_;               // bytes, the last arm's largest
  std::vector<AuditSequence> orders_;              // the own one first
  std::vector<AuditReadings> order_readings_;      // behind others, by order
  std::optional<AuditHunt> hunt_;
  std::uint32_t fits_ = 0, exceeds_ = 0;  // memory: so many units fit the budget, so many do not
  std::optional<std::uint32_t> crosses_at_;
  std::vector<std::string> left_out_;
  std::optional<EndedBy> ended_by_;
  Phase ended_in_ = Phase::pairs;  // once it is over
  std::string failure_;
};

// The findings of an audit that can be read off its trials alone: doubts, missing benchmarks,
// memory, and what moved between two revisions.
void add_what_trials_say(const Plan& plan, const AuditTable& table,
                         std::span<const Trial* const> trials,
                         std::optional<std::uint32_t> crosses_at, AuditFinding& found);

// Benchmarks that measured another workload behind others; `trials`: of one arm, in any order.
std::vector<AuditChanged> changed_behind(const AuditTable& table,
                                         std::span<const Trial* const> trials);
// Those, as findings: without the victims whose mechanism it is, and instead of their doubts.
void add_changed(const AuditTable& table, std::span<const Trial* const> trials,
                 AuditFinding& found);

// Why benchmarks differ between arm 0 and arm 1: those that moved.
std::vector<AuditMoved> moved_between(const AuditTable& table, std::span<const AuditReadings> alone,
                                      std::span<const AuditReadings> in_suite);

}  // namespace assay::experiment
