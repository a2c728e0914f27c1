// SPDX-License-Identifier: Apache-2.0
// Who comes and goes at an epoch's end, who pays for having been slashed, what balances count, and
// what is reset.
#include <algorithm>

#include "beacon/transition/epoch.hpp"
#include "beacon/transition/validators.hpp"

namespace beacon::transition {

void process_registry_updates(CachedState& cached) {
  BeaconState& state = cached.state;
  const Spec& spec = cached.spec();
  const Epoch current = state.current_epoch();
  std::vector<Index> leaving, waiting;
  for (std::size_t i = 0; i < state.validators.size(); ++i) {
    spec::Validator& validator = state.validators[i];
    if (validator.activation_eligibility_epoch == spec::kFarFutureEpoch &&
        validator.effective_balance == spec.max_effective_balance)
      validator.activation_eligibility_epoch = current + 1;
    if (validator.is_active(current) && validator.effective_balance <= spec.ejection_balance &&
        validator.exit_epoch == spec::kFarFutureEpoch)
      leaving.push_back(static_cast<Index>(i));
    if (validator.activation_eligibility_epoch <= state.finalized_checkpoint.epoch &&
        validator.activation_epoch == spec::kFarFutureEpoch)
      waiting.push_back(static_cast<Index>(i));
  }
  if (!leaving.empty()) {
    ExitQueue queue(cached);
    for (const Index index : leaving) queue.join(state, index);
  }
  std::stable_sort(waiting.begin(), waiting.end(), [&](Index a, Index b) {
    return state.validators[a].activation_eligibility_epoch <
           state.validators[b].activation_eligibility_epoch;
  });
  waiting.resize(std::min<std::size_t>(waiting.size(), churn_limit(cached)));
  for (const Index index : waiting)
    state.validators[index].activation_epoch = activation_exit_epoch(spec, current);
}

void process_slashings(CachedState& cached) {
  BeaconState& state = cached.state;
  const Spec& spec = cached.spec();
  const Gwei total = cached.caches->total_active_balance;
  Gwei slashed = 0;
  for (const Gwei amount : state.slashings) slashed += amount;
  const Gwei adjusted = std::min(slashed * spec.proportional_slashing_multiplier, total);
  const Epoch due = state.current_epoch() + spec.epochs_per_slashings_vector / 2;
  for (std::size_t i = 0; i < state.validators.size(); ++i) {
    const spec::Validator& validator = state.validators[i];
    if (!validator.slashed || validator.withdrawable_epoch != due) continue;
    const std::uint64_t increments = cached.caches->effective_increments[i];
    decrease_balance(state, i, increments * adjusted / total * spec.effective_balance_increment);
  }
}

void process_effective_balance_updates(CachedState& cached) {
  BeaconState& state = cached.state;
  const Spec& spec = cached.spec();
  const Gwei step = spec.effective_balance_increment / spec.hysteresis_quotient;
  const Gwei down = step * spec.hysteresis_downward_multiplier;
  const Gwei up = step * spec.hysteresis_upward_multiplier;
  for (std::size_t i = 0; i < state.validators.size(); ++i) {
    const Gwei balance = state.balances[i];
    Gwei& effective = state.validators[i].effective_balance;
    if (balance + down < effective || effective + up < balance)
      effective = std::min(balance - balance % spec.effective_balance_increment,
                           spec.max_effective_balance);
  }
}

void process_epoch_resets(CachedState& cached) {
  BeaconState& state = cached.state;
  const Spec& spec = cached.spec();
  const Epoch current = state.current_epoch(), next = current + 1;
  if (next % spec.epochs_per_eth1_voting_period == 0) state.eth1_data_votes.clear();
  state.slashings[next % spec.epochs_per_slashings_vector] = 0;
  const std::uint64_t mixes = spec.epochs_per_historical_vector;
  state.randao_mixes[next % mixes] = state.randao_mixes[current % mixes];
  if (next % (spec.slots_per_historical_root / spec.slots_per_epoch) == 0)
    state.historical_roots.push_back(
        root_of(spec::HistoricalBatch{state.block_roots, state.state_roots}, spec));
  std::swap(state.previous_epoch_participation, state.current_epoch_participation);
  state.current_epoch_participation.assign(state.validators.size(), 0);
}

}  // namespace beacon::transition
