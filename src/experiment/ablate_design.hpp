// SPDX-License-Identifier: Apache-2.0
// Which configurations of k changes are run. A configuration is a bit mask of what is on.
// Ref: Box, Hunter and Hunter, Statistics for Experimenters, ch. 6 (fractions of resolution V up).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "model/findings.hpp"
#include "model/plan.hpp"

namespace assay::experiment {

// The configurations of one round in which each change and each pair of changes is clear of all
// others: all of them up to four changes, else a fraction. Rounds 1, 2, ... take the fractions of a
// design in turn, so that more rounds see more configurations.
//   k = 5: 16, E=ABCD; 6: 32, F=ABCDE; 7: 64, G=ABCDEF; 8: 64, G=ABCD H=ABEF; 9: 128, H=ACDFG
//   J=BCEFG; 10: 128, H=ABCG J=BCDE K=ACDF
std::vector<std::uint32_t> design_round(unsigned changes, std::uint32_t round);
std::size_t round_size(unsigned changes);

// Runs of a search: in front of which nothing is believed; of the fixed design with its controls,
// at least; and at most unless the plan says otherwise.
std::uint32_t least_runs(unsigned changes);
std::uint32_t fixed_runs(unsigned changes);
std::uint32_t most_runs(unsigned changes, bool adaptive);

// One number an arm: arms of one number are built from the same tree in the same way.
std::vector<std::uint32_t> build_groups(const Plan& plan);
bool builds_differ(const std::vector<std::uint32_t>& groups);

// Whether a rule says that this configuration fails.
bool covers(const FailureRule& rule, std::uint32_t configuration);

// The simplest rules, of one or two changes, that cover configurations which failed and none that
// ran; each covers two or more that no earlier one does. "A without B does not build" is {A, B}.
std::vector<FailureRule> failure_rules(std::span<const std::uint32_t> failed,
                                       std::span<const std::uint32_t> good, unsigned changes);

}  // namespace assay::experiment
