// SPDX-License-Identifier: Apache-2.0
// What happens to single validators: balances, leaving, being slashed.
#pragma once

#include "beacon/transition/cached_state.hpp"

namespace beacon::transition {

void increase_balance(BeaconState& state, std::uint64_t index, Gwei delta);
void decrease_balance(BeaconState& state, std::uint64_t index, Gwei delta);  // not below zero

// The epoch in which what is decided now takes effect at the earliest.
Epoch activation_exit_epoch(const Spec& spec, Epoch epoch);

// How many validators come, and how many go, in an epoch at most.
std::uint64_t churn_limit(const CachedState& cached);

// The queue of those that leave: one look at all validators, then a number for each that joins.
class ExitQueue {
 public:
  explicit ExitQueue(const CachedState& cached);

  // Gives the validator its place, unless it has one.
  void join(BeaconState& state, std::uint64_t index);

 private:
  Epoch epoch_;
  std::uint64_t joined_ = 0;  // so far, with this epoch
  std::uint64_t limit_;
};

void slash_validator(CachedState& cached, std::uint64_t index);

bool is_slashable(const spec::Validator& validator, Epoch epoch);

}  // namespace beacon::transition
