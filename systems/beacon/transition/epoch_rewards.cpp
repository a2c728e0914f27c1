// SPDX-License-Identifier: Apache-2.0
// Rewards and penalties of the previous epoch. What a validator gets for a flag depends only on its
// effective balance in increments, of which there are at most 33 values: they are computed once,
// with the roundings of the specification, and looked up.
#include <algorithm>

#include "beacon/transition/epoch.hpp"

namespace beacon::transition {
namespace {

constexpr std::size_t kIncrementValues = 33;  // 0 ... max_effective_balance in increments

// Of one flag, by effective increments.
struct FlagAmounts {
  std::array<Gwei, kIncrementValues> reward{};
  std::array<Gwei, kIncrementValues> penalty{};
};

FlagAmounts amounts_of_flag(const CachedState& cached, const EpochFacts& facts, unsigned flag,
                            bool leak) {
  const std::uint64_t weight = spec::kFlagWeights[flag];
  const std::uint64_t participating = std::max<std::uint64_t>(facts.previous_increments[flag], 1);
  FlagAmounts amounts;
  for (std::size_t increments = 0; increments < kIncrementValues; ++increments) {
    const Gwei base_reward = increments * cached.caches->base_reward_per_increment;
    if (!leak)
      amounts.reward[increments] = base_reward * weight * participating /
                                   (facts.total_active_increments * spec::kWeightDenominator);
    if (flag != spec::kTimelyHead)
      amounts.penalty[increments] = base_reward * weight / spec::kWeightDenominator;
  }
  return amounts;
}

}  // namespace

void process_rewards_and_penalties(CachedState& cached, const EpochFacts& facts) {
  BeaconState& state = cached.state;
  if (state.current_epoch() == spec::kGenesisEpoch) return;
  const Spec& spec = cached.spec();
  const bool leak = is_in_inactivity_leak(state);
  std::array<FlagAmounts, 3> amounts;
  for (unsigned flag = 0; flag < 3; ++flag)
    amounts[flag] = amounts_of_flag(cached, facts, flag, leak);
  const std::uint64_t quotient = spec.inactivity_score_bias * spec.inactivity_penalty_quotient;
  for (std::size_t i = 0; i < facts.status.size(); ++i) {
    const std::uint8_t status = facts.status[i];
    if (!(status & kEligible)) continue;
    const std::size_t increments = cached.caches->effective_increments[i];
    Gwei balance = state.balances[i];
    // Flag by flag, because a balance does not go below zero in between.
    for (unsigned flag = 0; flag < 3; ++flag) {
      if ((status >> flag) & 1) {
        balance += amounts[flag].reward[increments];
      } else {
        balance -= std::min(amounts[flag].penalty[increments], balance);
      }
    }
    if (!(status & kUnslashedTarget)) {
      const Gwei effective = increments * spec.effective_balance_increment;
      // A product of 128 bits, for scores that no chain reaches and a file may have.
      __extension__ using Wide = unsigned __int128;
      const Wide penalty = Wide{effective} * state.inactivity_scores[i] / quotient;
      balance -= static_cast<Gwei>(std::min(penalty, Wide{balance}));
    }
    state.balances[i] = balance;
  }
}

}  // namespace beacon::transition
