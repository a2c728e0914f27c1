// SPDX-License-Identifier: Apache-2.0
#include "beacon/transition/epoch_facts.hpp"

namespace beacon::transition {

EpochFacts find_epoch_facts(const CachedState& cached) {
  const BeaconState& state = cached.state;
  const Caches& caches = *cached.caches;
  const Epoch previous = state.previous_epoch(), current = state.current_epoch();
  EpochFacts facts;
  facts.total_active_increments =
      caches.total_active_balance / cached.spec().effective_balance_increment;
  facts.status.resize(state.validators.size());
  for (std::size_t i = 0; i < state.validators.size(); ++i) {
    const spec::Validator& validator = state.validators[i];
    const std::uint64_t increments = caches.effective_increments[i];
    const bool was_active = validator.is_active(previous);
    std::uint8_t status = 0;
    if (was_active || (validator.slashed && previous + 1 < validator.withdrawable_epoch))
      status |= kEligible;
    if (was_active && !validator.slashed) {
      const std::uint8_t flags = state.previous_epoch_participation[i] & 7;
      status |= flags;
      for (unsigned flag = 0; flag < 3; ++flag)
        if ((flags >> flag) & 1) facts.previous_increments[flag] += increments;
    }
    if (!validator.slashed && validator.is_active(current) &&
        ((state.current_epoch_participation[i] >> spec::kTimelyTarget) & 1))
      facts.current_target_increments += increments;
    facts.status[i] = status;
  }
  return facts;
}

}  // namespace beacon::transition
