// SPDX-License-Identifier: Apache-2.0
// `sweep`: Which value? Every level once a round in random order; flat, trend or step (rule.md
// section 6).
#pragma once

#include "experiment/experiment.hpp"
#include "experiment/rounds.hpp"

namespace assay::experiment {

class Sweep final : public Experiment {
 public:
  explicit Sweep(Plan plan);
  Step next(std::span<const Entry> entries, std::size_t jobs_in_flight) override;
  Progress progress() const override;

 private:
  Plan plan_;
  Rounds rounds_;
};

// What complete rounds say of the plan's parameters. With two parameters each is read from the
// means of its levels over the levels of the other, within rounds, at half the error bound; it is
// FLAT only when it is so at every level of the other. The arms that dropped out are left out: a
// mean takes only those levels of the other parameter at which all of them run.
SweepFinding analyse_rounds(const Plan& plan, const Rounds& rounds);

// A level as a number, when it is one.
std::optional<double> level_number(const std::string& level);

}  // namespace assay::experiment
