// SPDX-License-Identifier: Apache-2.0
// `timeline`: Every commit of a range or list in randomised rounds: each against its parent and the
// first, where the metric and the memory changed, and what undid it.
#pragma once

#include "experiment/experiment.hpp"
#include "experiment/rounds.hpp"

namespace assay::experiment {

inline constexpr std::uint32_t kTimelineRounds = 12;
inline constexpr std::size_t kMostTimelineCommits = 128;

class Timeline final : public Experiment {
 public:
  explicit Timeline(Plan plan);
  Step next(std::span<const Entry> entries, std::size_t jobs_in_flight) override;
  Progress progress() const override;

 private:
  Plan plan_;
  Rounds rounds_;
};

// What complete rounds say of the commits, in order; those that dropped out are left out, and the
// commit behind them is set against the nearest one in front that runs. A step is undone by the
// first later step of the same size in the other direction, within the tolerance; else by the one
// behind which the metric is what it was before.
TimelineFinding analyse_commits(const Plan& plan, const Rounds& rounds);

}  // namespace assay::experiment
