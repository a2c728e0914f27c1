// SPDX-License-Identifier: Apache-2.0
#include "experiment/blocks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text.hpp"

namespace assay::experiment {
namespace {

double to_seconds(std::chrono::nanoseconds time) {
  return std::chrono::duration<double>(time).count();
}

std::string describe_failure(const Trial& trial, const Plan& plan) {
  const Exit& exit = trial.exit;
  switch (exit.how) {
    case Ending::exited:
      return fmt::format("exited with status {}", exit.code);
    case Ending::signalled:
      return fmt::format("was killed by signal {}", exit.code);
    case Ending::timed_out:
      return "timed out after " + format_seconds(plan.run.timeout_s > 0
                                                     ? plan.run.timeout_s
                                                     : to_seconds(trial.duration));
    case Ending::not_started:
      return "could not be started";
  }
  return {};
}

// What the program said last on stderr.
std::string last_words(const Trial& trial) {
  constexpr std::size_t kWidth = 160;
  const auto lines = split_lines(trial.output.stderr_tail);
  for (auto line = lines.rbegin(); line != lines.rend(); ++line)
    if (!line->empty()) return ": " + shorten(printable(*line), kWidth);
  return {};
}

}  // namespace

bool is_stopped(std::span<const Entry> entries) {
  return !entries.empty() && std::holds_alternative<Stop>(entries.back());
}

bool has_failed(const Trial& trial, const Plan& plan) {
  if (trial.exit.how != Ending::exited) return true;
  return trial.exit.code != 0 && !plan.run.ignore_exit;
}

std::string arm_letter(std::uint32_t arm, const Plan& plan) {
  if (plan.control == arm) return "A'";
  return arm < 26 ? std::string(1, static_cast<char>('A' + arm)) : fmt::format("arm {}", arm + 1);
}

Blocks::Blocks(const Plan& plan, Schedule schedule, OnFailure on_failure)
    : plan_(plan), schedule_(std::move(schedule)), on_failure_(on_failure) {
  open_block(0);
  if (runs_.empty()) open_block(1);
}

void Blocks::open_block(std::uint32_t block) {
  block_ = block;
  runs_ = schedule_(block);
  placed_.assign(runs_.size(), nullptr);
  placed_at_.assign(runs_.size(), 0);
  missing_ = 0;
  for (const Run& run : runs_) missing_ += is_broken(run.arm) ? 0 : 1;
  open_seconds_ = 0;
}

bool Blocks::is_broken(std::uint32_t arm) const {
  return std::ranges::find(broken_, arm, &BrokenArm::arm) != broken_.end();
}

// What the arm already gave in the open block counts no more.
void Blocks::break_arm(std::uint32_t arm, bool built, std::string why) {
  if (is_broken(arm)) return;
  for (std::size_t slot = 0; slot < runs_.size(); ++slot) {
    if (runs_[slot].arm != arm) continue;
    if (placed_[slot] == nullptr) --missing_;
    placed_[slot] = nullptr;
  }
  broken_.push_back({arm, built, std::move(why)});
}

void Blocks::take(const Build& build) {
  const double seconds = to_seconds(build.duration);
  seconds_ += seconds;
  if (!build.cached) {
    ++builds_;
    build_seconds_ += seconds;
  }
  if (!build.ok && on_failure_ == OnFailure::drop_arm)
    break_arm(build.arm, false, build.reason.empty() ? "does not build" : build.reason);
}

void Blocks::take(const Trial& trial) {
  const double seconds = to_seconds(trial.duration);
  seconds_ += seconds;
  trial_seconds_ += seconds;
  open_seconds_ += seconds;
  ++runs_done_;
  if (!has_failed(trial, plan_)) {
    longest_run_ = std::max(longest_run_, seconds);
  } else if (on_failure_ == OnFailure::drop_arm) {
    break_arm(trial.arm, true, describe_failure(trial, plan_) + last_words(trial));
  } else {
    failure_ = Failure{
        trials_read_, trial.exit.how == Ending::timed_out ? Reason::timed_out : Reason::run_failed,
        fmt::format("{} {} ({}) {}", trial.warmup ? "warm-up run" : "run", runs_done_,
                    arm_letter(trial.arm, plan_), describe_failure(trial, plan_))};
    done_ = true;
  }
}

// Ends the open block once nothing of it is missing, and those behind it that have nothing to run.
// False when the experiment has its answer.
bool Blocks::end_full_blocks(const OnBlock& on_block) {
  while (missing_ == 0 && !runs_.empty()) {
    const std::uint32_t block = block_;
    std::vector<const Trial*> trials = std::move(placed_);
    std::erase(trials, nullptr);
    if (block > 0) blocks_seconds_ += open_seconds_;
    block_ = block + 1;
    runs_.clear();
    placed_.clear();
    if (!on_block(block, trials)) return false;
    open_block(block + 1);
  }
  return true;
}

void Blocks::read(std::span<const Entry> entries, const OnBlock& on_block) {
  // Entries may have moved in memory since the last call: find the trials of the open block again.
  for (std::size_t slot = 0; slot < placed_.size(); ++slot)
    if (placed_[slot] != nullptr) placed_[slot] = &std::get<Trial>(entries[placed_at_[slot]]);

  for (; entries_read_ < entries.size() && !done_; ++entries_read_) {
    const Entry& entry = entries[entries_read_];
    if (const auto* build = std::get_if<Build>(&entry)) take(*build);
    if (const auto* trial = std::get_if<Trial>(&entry)) {
      take(*trial);
      ++trials_read_;
      if (failure_) break;
      if (!is_broken(trial->arm) && !place(*trial)) break;
    }
    done_ = !end_full_blocks(on_block);
  }
}

// False when the trial is none that the open block waits for.
bool Blocks::place(const Trial& trial) {
  const bool fits = trial.block == block_ && trial.slot < runs_.size() &&
                    runs_[trial.slot].arm == trial.arm && placed_[trial.slot] == nullptr;
  if (!fits) {
    failure_ = Failure{
        trials_read_ - 1, Reason::run_failed,
        fmt::format("run {} does not belong to this plan: the record is damaged", runs_done_)};
    done_ = true;
    return false;
  }
  placed_[trial.slot] = &trial;
  placed_at_[trial.slot] = entries_read_;
  --missing_;
  return true;
}

std::optional<double> Blocks::mean_run() const {
  if (runs_done_ == 0) return std::nullopt;
  return std::max(1e-9, (seconds_ - build_seconds_) / static_cast<double>(runs_done_));
}

double Blocks::hang_limit() const {
  return longest_run_ > 0 ? std::max(10 * longest_run_, longest_run_ + 5) : 0;
}

Job Blocks::missing() const {
  Job job;
  for (std::size_t slot = 0; slot < runs_.size(); ++slot)
    if (placed_[slot] == nullptr && !is_broken(runs_[slot].arm)) job.runs.push_back(runs_[slot]);
  return job;
}

std::optional<double> Blocks::block_seconds() const {
  if (blocks_done() > 0) return blocks_seconds_ / blocks_done();
  if (runs_done_ == 0) return std::nullopt;
  const bool is_open = block_ > 0 && !runs_.empty();
  const std::size_t size = is_open ? runs_.size() : schedule_(std::max(1u, block_)).size();
  return trial_seconds_ / runs_done_ * static_cast<double>(size);
}

}  // namespace assay::experiment
