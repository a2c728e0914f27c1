// SPDX-License-Identifier: Apache-2.0
#include "beacon/transition/block.hpp"

#include <algorithm>

#include "beacon/hash/sha256.hpp"
#include "beacon/transition/epoch.hpp"
#include "beacon/transition/validators.hpp"

namespace beacon::transition {
namespace {

void process_slot(BeaconState& state) {
  const Spec& spec = *state.spec;
  const std::uint64_t place = state.slot % spec.slots_per_historical_root;
  const Root root = root_of(state);
  state.state_roots[place] = root;
  if (state.latest_block_header.state_root == Root{}) state.latest_block_header.state_root = root;
  state.block_roots[place] = root_of(state.latest_block_header, spec);
}

Status process_block_header(CachedState& cached, const spec::Block& block) {
  BeaconState& state = cached.state;
  const Spec& spec = cached.spec();
  const std::string where = "block of slot " + std::to_string(block.slot);
  if (block.slot != state.slot)
    return fail("the state is of slot " + std::to_string(state.slot), where);
  if (block.slot <= state.latest_block_header.slot)
    return fail(
        "not later than the block of slot " + std::to_string(state.latest_block_header.slot),
        where);
  if (block.proposer_index != cached.proposer())
    return fail("its proposer is " + std::to_string(block.proposer_index) + ", and validator " +
                    std::to_string(cached.proposer()) + " was to propose",
                where);
  if (block.parent_root != root_of(state.latest_block_header, spec))
    return fail("its parent is not the latest block", where);
  if (state.validators[block.proposer_index].slashed) return fail("its proposer is slashed", where);
  state.latest_block_header = {block.slot, block.proposer_index, block.parent_root, Root{},
                               root_of(block.body, spec)};
  return {};
}

void process_randao(BeaconState& state, const spec::BlockBody& body) {
  const Root reveal = hash::sha256(body.randao_reveal);
  Root& mix = state.randao_mixes[state.current_epoch() % state.spec->epochs_per_historical_vector];
  for (std::size_t i = 0; i < mix.size(); ++i) mix[i] ^= reveal[i];
}

void process_eth1_data(BeaconState& state, const spec::BlockBody& body) {
  state.eth1_data_votes.push_back(body.eth1_data);
  const auto votes = static_cast<std::uint64_t>(
      std::count(state.eth1_data_votes.begin(), state.eth1_data_votes.end(), body.eth1_data));
  if (votes * 2 > state.spec->eth1_votes_limit()) state.eth1_data = body.eth1_data;
}

}  // namespace

Status process_slots(CachedState& cached, Slot slot) {
  BeaconState& state = cached.state;
  if (slot <= state.slot)
    return fail("the state is of slot " + std::to_string(state.slot) + " already",
                "slot " + std::to_string(slot));
  const Spec& spec = cached.spec();
  while (state.slot < slot) {
    process_slot(state);
    const bool ends = (state.slot + 1) % spec.slots_per_epoch == 0;
    if (ends) {
      if (auto done = process_epoch(cached); !done) return done;
    }
    ++state.slot;
    if (ends) {
      auto caches = rotate_caches(state, *cached.caches);
      if (!caches) return fail(caches.error());
      cached.caches = *std::move(caches);
    }
  }
  return {};
}

Status process_sync_aggregate(CachedState& cached, const spec::SyncAggregate& aggregate) {
  BeaconState& state = cached.state;
  const Spec& spec = cached.spec();
  const Caches& caches = *cached.caches;
  const std::uint64_t increments = caches.total_active_balance / spec.effective_balance_increment;
  const Gwei most = caches.base_reward_per_increment * increments * spec::kSyncRewardWeight /
                    spec::kWeightDenominator / spec.slots_per_epoch;
  const Gwei participant = most / spec.sync_committee_size;
  const Gwei proposer =
      participant * spec::kProposerWeight / (spec::kWeightDenominator - spec::kProposerWeight);
  for (std::size_t i = 0; i < caches.sync_committee.size(); ++i) {
    if (aggregate.sync_committee_bits.test(i)) {
      increase_balance(state, caches.sync_committee[i], participant);
      increase_balance(state, cached.proposer(), proposer);
    } else {
      decrease_balance(state, caches.sync_committee[i], participant);
    }
  }
  return {};
}

Status process_block(CachedState& cached, const spec::Block& block) {
  if (auto done = process_block_header(cached, block); !done) return done;
  process_randao(cached.state, block.body);
  process_eth1_data(cached.state, block.body);
  if (auto done = process_operations(cached, block.body); !done) return done;
  return process_sync_aggregate(cached, block.body.sync_aggregate);
}

Status apply_block(CachedState& cached, const spec::SignedBlock& block) {
  const spec::Block& message = block.message;
  if (auto done = process_slots(cached, message.slot); !done) return done;
  if (auto done = process_block(cached, message); !done) return done;
  const Root root = root_of(cached.state);
  if (root != message.state_root)
    return fail("the state's root is " + to_hex(root) + ", and the block says " +
                    to_hex(message.state_root),
                "block of slot " + std::to_string(message.slot));
  return {};
}

}  // namespace beacon::transition
