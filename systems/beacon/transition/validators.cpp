// SPDX-License-Identifier: Apache-2.0
#include "beacon/transition/validators.hpp"

#include <algorithm>

namespace beacon::transition {

void increase_balance(BeaconState& state, std::uint64_t index, Gwei delta) {
  state.balances[index] += delta;
}

void decrease_balance(BeaconState& state, std::uint64_t index, Gwei delta) {
  state.balances[index] -= std::min(delta, state.balances[index]);
}

Epoch activation_exit_epoch(const Spec& spec, Epoch epoch) {
  return epoch + 1 + spec.max_seed_lookahead;
}

std::uint64_t churn_limit(const CachedState& cached) {
  const Spec& spec = cached.spec();
  return std::max(spec.min_per_epoch_churn_limit,
                  cached.caches->current->active.size() / spec.churn_limit_quotient);
}

ExitQueue::ExitQueue(const CachedState& cached)
    : epoch_(activation_exit_epoch(cached.spec(), cached.state.current_epoch())),
      limit_(churn_limit(cached)) {
  for (const spec::Validator& validator : cached.state.validators)
    if (validator.exit_epoch != spec::kFarFutureEpoch)
      epoch_ = std::max(epoch_, validator.exit_epoch);
  for (const spec::Validator& validator : cached.state.validators)
    if (validator.exit_epoch == epoch_) ++joined_;
}

void ExitQueue::join(BeaconState& state, std::uint64_t index) {
  spec::Validator& validator = state.validators[index];
  if (validator.exit_epoch != spec::kFarFutureEpoch) return;
  if (joined_ >= limit_) {
    ++epoch_;
    joined_ = 0;
  }
  ++joined_;
  validator.exit_epoch = epoch_;
  validator.withdrawable_epoch = epoch_ + state.spec->min_validator_withdrawability_delay;
}

bool is_slashable(const spec::Validator& validator, Epoch epoch) {
  return !validator.slashed && validator.activation_epoch <= epoch &&
         epoch < validator.withdrawable_epoch;
}

void slash_validator(CachedState& cached, std::uint64_t index) {
  BeaconState& state = cached.state;
  const Spec& spec = cached.spec();
  const Epoch epoch = state.current_epoch();
  ExitQueue(cached).join(state, index);
  spec::Validator& validator = state.validators[index];
  const Gwei effective = validator.effective_balance;
  validator.slashed = true;
  validator.withdrawable_epoch =
      std::max(validator.withdrawable_epoch, epoch + spec.epochs_per_slashings_vector);
  state.slashings[epoch % spec.epochs_per_slashings_vector] += effective;
  decrease_balance(state, index, effective / spec.min_slashing_penalty_quotient);
  // The proposer of the block is the whistleblower too, so it gets both parts.
  increase_balance(state, cached.proposer(), effective / spec.whistleblower_reward_quotient);
}

}  // namespace beacon::transition
