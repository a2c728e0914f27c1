// SPDX-License-Identifier: Apache-2.0
// Many arms in rounds: a discarded warm-up of every arm, then R rounds with each arm once in random
// order. `sweep` and `timeline` are two readings of the same measurements. An arm that does not
// build, fails, hangs or gives no value drops out and is a result; the others go on.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "experiment/blocks.hpp"
#include "experiment/experiment.hpp"
#include "model/findings.hpp"

namespace assay::experiment {

class Rounds {
 public:
  // Plan::runs rounds. The plan must outlive it.
  explicit Rounds(const Plan& plan);

  void read(std::span<const Entry> entries);
  Job missing() const { return blocks_.missing(); }
  // Why the asking ended; nothing while it goes on. failure: fewer than two arms still run, or the
  // record is damaged.
  std::optional<EndedBy> ended_by() const { return ended_by_; }
  const Blocks& blocks() const { return blocks_; }
  Progress progress() const;

  std::uint32_t done() const { return done_; }  // complete rounds
  std::vector<std::uint32_t> arms() const;      // those that have not dropped out, ascending
  std::vector<BrokenArm> broken() const;

  // One value a round, log units, higher = worse; `arm` is one of arms().
  std::span<const double> logs(std::uint32_t arm) const { return logs_[arm]; }
  // Peak memory, bytes, one a round; empty when it was not measured in every round.
  std::span<const double> memory(std::uint32_t arm) const;
  // Against `reference`: estimate and interval at 1 - level, medians, memory beside it.
  ArmFinding against(std::uint32_t arm, std::uint32_t reference, double level) const;

 private:
  std::vector<Run> schedule(std::uint32_t block) const;
  bool end_block(std::uint32_t block, std::span<const Trial* const> trials);
  void take(const Trial& trial, bool warmup);
  void break_arm(std::uint32_t arm, const std::string& why);
  bool is_broken(std::uint32_t arm) const;
  bool over_budget() const;

  const Plan& plan_;
  std::uint32_t gate_ = 0;
  std::optional<std::uint32_t> memory_metric_ = {};
  std::uint32_t warmups_ = 0;  // blocks in front of the first round
  std::uint32_t done_ = 0;
  double round_seconds_ = 0;  // of complete rounds
  std::vector<std::vector<double>> logs_, values_, memory_;
  std::vector<BrokenArm> valueless_;  // ran, and gave no value
  std::optional<EndedBy> ended_by_ = {};
  Blocks blocks_;
};

// Signed-rank Hodges-Lehmann of paired differences, interval at 1 - level; {} without any.
Estimate estimate_of(std::span<const double> differences, double level);

// What a reader of rounds over many arms must know: the machine was busy, runs are short, ...
std::vector<Warning> round_warnings(const Plan& plan, std::span<const Entry> entries);

// The conclusion of rounds without what was found in them; overall is failed when nothing can be
// found. `arm` is what an arm is called: "level".
Conclusion round_conclusion(const Plan& plan, const Rounds& rounds, std::span<const Entry> entries,
                            std::string_view arm);

}  // namespace assay::experiment
