// SPDX-License-Identifier: Apache-2.0
#include "beacon/transition/epoch.hpp"

#include <algorithm>

#include "beacon/transition/blocks_of_state.hpp"

namespace beacon::transition {

using spec::Checkpoint;

bool is_in_inactivity_leak(const BeaconState& state) {
  return state.previous_epoch() - state.finalized_checkpoint.epoch >
         state.spec->min_epochs_to_inactivity_penalty;
}

Status process_justification_and_finalization(CachedState& cached, const EpochFacts& facts) {
  BeaconState& state = cached.state;
  const Epoch current = state.current_epoch(), previous = state.previous_epoch();
  if (current <= spec::kGenesisEpoch + 1) return {};
  const Checkpoint old_previous = state.previous_justified_checkpoint;
  const Checkpoint old_current = state.current_justified_checkpoint;
  state.previous_justified_checkpoint = old_current;
  std::uint8_t& bits = state.justification_bits.bytes[0];
  bits = static_cast<std::uint8_t>((bits << 1) & 15);

  const std::uint64_t total = facts.total_active_increments;
  const auto justify = [&](std::uint64_t increments, Epoch epoch, unsigned bit) -> Status {
    if (std::max<std::uint64_t>(increments, 1) * 3 < total * 2) return {};
    const auto root = block_root_of_epoch(state, epoch);
    if (!root) return fail(root.error());
    state.current_justified_checkpoint = {epoch, *root};
    bits |= static_cast<std::uint8_t>(1u << bit);
    return {};
  };
  if (auto done = justify(facts.previous_increments[spec::kTimelyTarget], previous, 1); !done)
    return done;
  if (auto done = justify(facts.current_target_increments, current, 0); !done) return done;

  const auto all = [&](unsigned mask) { return (bits & mask) == mask; };
  if (all(0b1110) && old_previous.epoch + 3 == current) state.finalized_checkpoint = old_previous;
  if (all(0b0110) && old_previous.epoch + 2 == current) state.finalized_checkpoint = old_previous;
  if (all(0b0111) && old_current.epoch + 2 == current) state.finalized_checkpoint = old_current;
  if (all(0b0011) && old_current.epoch + 1 == current) state.finalized_checkpoint = old_current;
  return {};
}

void process_inactivity_updates(CachedState& cached, const EpochFacts& facts) {
  BeaconState& state = cached.state;
  if (state.current_epoch() == spec::kGenesisEpoch) return;
  const Spec& spec = cached.spec();
  const bool leak = is_in_inactivity_leak(state);
  for (std::size_t i = 0; i < facts.status.size(); ++i) {
    if (!(facts.status[i] & kEligible)) continue;
    std::uint64_t& score = state.inactivity_scores[i];
    if (facts.status[i] & kUnslashedTarget) {
      score -= std::min<std::uint64_t>(1, score);
    } else {
      score += spec.inactivity_score_bias;
    }
    if (!leak) score -= std::min(spec.inactivity_score_recovery_rate, score);
  }
}

Status process_sync_committee_updates(CachedState& cached) {
  BeaconState& state = cached.state;
  const Epoch next = state.current_epoch() + 1;
  if (next % cached.spec().epochs_per_sync_committee_period != 0) return {};
  if (!cached.aggregate_pubkeys)
    return fail(
        "a new sync committee needs the sum of its public keys on BLS12-381, which this program "
        "does not compute",
        "end of epoch " + std::to_string(state.current_epoch()),
        "start from a state whose sync committee's period does not end");
  spec::SyncCommittee committee;
  for (const Index index : next_sync_committee_indices(state, cached.caches->next->active))
    committee.pubkeys.push_back(state.validators[index].pubkey);
  const auto sum = cached.aggregate_pubkeys(committee.pubkeys);
  if (!sum) return fail(sum.error());
  committee.aggregate_pubkey = *sum;
  state.current_sync_committee = std::move(state.next_sync_committee);
  state.next_sync_committee = std::move(committee);
  return {};
}

Status process_epoch(CachedState& cached) {
  const EpochFacts facts = find_epoch_facts(cached);
  if (auto done = process_justification_and_finalization(cached, facts); !done) return done;
  process_inactivity_updates(cached, facts);
  process_rewards_and_penalties(cached, facts);
  process_registry_updates(cached);
  process_slashings(cached);
  process_effective_balance_updates(cached);
  process_epoch_resets(cached);
  return process_sync_committee_updates(cached);
}

}  // namespace beacon::transition
