// SPDX-License-Identifier: Apache-2.0
#include "experiment/blocks.hpp"

#include <fmt/format.h>

#include <utility>

#include "base/text.hpp"

namespace assay::experiment {
namespace {

double to_seconds(std::chrono::nanoseconds time) {
  return std::chrono::duration<double>(time).count();
}

std::string describe_failure(const Exit& exit, const Plan& plan) {
  switch (exit.how) {
    case Ending::exited:
      return fmt::format("exited with status {}", exit.code);
    case Ending::signalled:
      return fmt::format("was killed by signal {}", exit.code);
    case Ending::timed_out:
      return "timed out after " + format_seconds(plan.run.timeout_s);
    case Ending::not_started:
      return "could not be started";
  }
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

Blocks::Blocks(const Plan& plan, Schedule schedule) : plan_(plan), schedule_(std::move(schedule)) {
  open_block(0);
  if (runs_.empty()) open_block(1);
}

void Blocks::open_block(std::uint32_t block) {
  block_ = block;
  runs_ = schedule_(block);
  placed_.assign(runs_.size(), nullptr);
  placed_at_.assign(runs_.size(), 0);
  missing_ = runs_.size();
  open_seconds_ = 0;
}

void Blocks::take(const Trial& trial) {
  const double seconds = to_seconds(trial.duration);
  seconds_ += seconds;
  trial_seconds_ += seconds;
  open_seconds_ += seconds;
  ++runs_done_;
  if (has_failed(trial, plan_)) {
    failure_ = Failure{
        trials_read_, trial.exit.how == Ending::timed_out ? Reason::timed_out : Reason::run_failed,
        fmt::format("{} {} ({}) {}", trial.warmup ? "warm-up run" : "run", runs_done_,
                    arm_letter(trial.arm, plan_), describe_failure(trial.exit, plan_))};
    done_ = true;
  }
}

void Blocks::read(std::span<const Entry> entries, const OnBlock& on_block) {
  // Entries may have moved in memory since the last call: find the trials of the open block again.
  for (std::size_t slot = 0; slot < placed_.size(); ++slot)
    if (placed_[slot] != nullptr) placed_[slot] = &std::get<Trial>(entries[placed_at_[slot]]);

  for (; entries_read_ < entries.size() && !done_; ++entries_read_) {
    const Entry& entry = entries[entries_read_];
    if (const auto* build = std::get_if<Build>(&entry)) seconds_ += to_seconds(build->duration);
    const auto* trial = std::get_if<Trial>(&entry);
    if (trial == nullptr) continue;
    take(*trial);
    ++trials_read_;
    if (failure_) break;
    const bool fits = trial->block == block_ && trial->slot < runs_.size() &&
                      runs_[trial->slot].arm == trial->arm && placed_[trial->slot] == nullptr;
    if (!fits) {
      failure_ = Failure{
          trials_read_ - 1, Reason::run_failed,
          fmt::format("run {} does not belong to this plan: the record is damaged", runs_done_)};
      done_ = true;
      break;
    }
    placed_[trial->slot] = trial;
    placed_at_[trial->slot] = entries_read_;
    if (--missing_ > 0) continue;
    const std::uint32_t block = block_;
    const std::vector<const Trial*> trials = std::move(placed_);
    if (block > 0) blocks_seconds_ += open_seconds_;
    open_block(block + 1);
    done_ = !on_block(block, trials);
  }
}

Job Blocks::missing() const {
  Job job;
  for (std::size_t slot = 0; slot < runs_.size(); ++slot)
    if (placed_[slot] == nullptr) job.runs.push_back(runs_[slot]);
  return job;
}

std::optional<double> Blocks::block_seconds() const {
  if (blocks_done() > 0) return blocks_seconds_ / blocks_done();
  if (runs_done_ == 0) return std::nullopt;
  const std::size_t size = block_ == 0 ? schedule_(1).size() : runs_.size();
  return trial_seconds_ / runs_done_ * static_cast<double>(size);
}

}  // namespace assay::experiment
