// SPDX-License-Identifier: Apache-2.0
// Reads entries into blocks: which run of the block at hand is still missing, what has been
// measured, what failed, and how much machine time it took. Every experiment that works in blocks
// stands on it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/job.hpp"
#include "model/record.hpp"

namespace assay::experiment {

class Blocks {
 public:
  // The runs of block number `block`, in order; block 0 comes first and may be empty. Asked when
  // the block before has been read, so that it may depend on what was measured there.
  using Schedule = std::function<std::vector<Run>(std::uint32_t block)>;

  // What a run that failed, or a build, means: the end, or the end of that arm alone.
  enum class OnFailure { end, drop_arm };

  Blocks(const Plan& plan, Schedule schedule, OnFailure on_failure = OnFailure::end);

  // Takes the entries that it has not seen. Calls `on_block(block, trials)` after the last run of
  // every block (0 = warm-up), trials in slot order; when that returns false nothing more is read
  // (the experiment has its answer). A run that failed ends the reading too. With drop_arm its arm
  // is broken instead: the block goes on without the arm's runs, and `trials` has none of them.
  using OnBlock = std::function<bool(std::uint32_t block, std::span<const Trial* const> trials)>;
  void read(std::span<const Entry> entries, const OnBlock& on_block);

  // The runs of the current block that have no trial yet, in order.
  Job missing() const;

  std::uint32_t blocks_done() const { return block_ == 0 ? 0 : block_ - 1; }
  bool in_warmup() const { return block_ == 0; }
  std::uint32_t runs_done() const { return runs_done_; }
  double seconds_used() const { return seconds_; }  // trials and builds, warm-up included
  // Mean length of a block: of the complete ones, or predicted from the runs so far; nothing before
  // the first run.
  std::optional<double> block_seconds() const;

  // Index among the trials, and a clause such as "run 5 (B) exited with status 2"; nothing if none
  // failed.
  struct Failure {
    std::size_t trial = 0;
    Reason reason = Reason::run_failed;
    std::string text;
  };
  const std::optional<Failure>& failure() const { return failure_; }

  // drop_arm: the arms that gave up, in the order in which they did.
  std::span<const BrokenArm> broken() const { return broken_; }
  bool is_broken(std::uint32_t arm) const;
  // What builds cost, and the longest run that ended well, seconds.
  std::uint32_t builds() const { return builds_; }  // that were made, not found in the store
  double build_seconds() const { return build_seconds_; }
  double longest_run() const { return longest_run_; }
  // Means, seconds: of a run with its hooks, of a build that was made; nothing, 0 before the first.
  std::optional<double> mean_run() const;
  double mean_build() const { return builds_ > 0 ? build_seconds_ / builds_ : 0; }
  // Seconds after which a run is taken to hang: ten times the longest, and 5 s more at least; 0 =
  // no run has ended well yet, so nobody knows.
  double hang_limit() const;

 private:
  void take(const Trial& trial);
  void take(const Build& build);
  void break_arm(std::uint32_t arm, bool built, std::string why);
  bool place(const Trial& trial);
  bool end_full_blocks(const OnBlock& on_block);
  void open_block(std::uint32_t block);

  const Plan& plan_;
  Schedule schedule_;
  std::uint32_t block_ = 0;
  std::vector<Run> runs_;             // of the current block
  std::vector<const Trial*> placed_;  // by slot; null = missing
  std::vector<std::size_t>
      placed_at_;  // index into the entries, since spans may move between calls
  std::size_t missing_ = 0;
  std::size_t entries_read_ = 0;
  std::size_t trials_read_ = 0;
  std::uint32_t runs_done_ = 0;
  double seconds_ = 0;
  double trial_seconds_ = 0;   // trials only
  double blocks_seconds_ = 0;  // complete blocks only
  double open_seconds_ = 0;    // the current block
  bool done_ = false;
  std::optional<Failure> failure_;
  OnFailure on_failure_;
  std::vector<BrokenArm> broken_;
  std::uint32_t builds_ = 0;
  double build_seconds_ = 0, longest_run_ = 0;
};

// Whether the asking was ended from outside: a Stop counts only while it is the last entry.
bool is_stopped(std::span<const Entry> entries);

// Whether a run cannot be used (rule.md section 1): a signal, a time-out, a start that failed, or
// an exit status other than 0 unless the plan accepts those.
bool has_failed(const Trial& trial, const Plan& plan);

// "A", "B", ... for arm 0, 1, ...; "A'" for the control arm.
std::string arm_letter(std::uint32_t arm, const Plan& plan);

}  // namespace assay::experiment
