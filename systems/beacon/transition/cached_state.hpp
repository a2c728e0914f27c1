// SPDX-License-Identifier: Apache-2.0
// A state with what is derived from it for the current epoch: shufflings of three epochs,
// proposers, total balance, effective balances as increments, an index of public keys. Deriving it
// costs some hundred times what processing an attestation does, so whoever holds many copies of a
// state shares it: it is never changed, only replaced when the epoch ends.
#pragma once

#include <functional>
#include <memory>
#include <unordered_map>

#include "beacon/transition/committees.hpp"

namespace beacon::transition {

// The first bytes of a public key are as good as random.
struct PubkeyHash {
  std::size_t operator()(const Pubkey& key) const {
    return load<std::size_t>(View(key).subspan(8));
  }
};
using PubkeyIndex = std::unordered_map<Pubkey, Index, PubkeyHash>;

struct Caches {
  std::shared_ptr<const Shuffling> previous, current, next;
  std::shared_ptr<const PubkeyIndex> pubkeys;
  std::vector<Index> proposers;                    // of the current epoch's slots
  std::vector<Index> sync_committee;               // the current one's members
  std::vector<std::uint8_t> effective_increments;  // of every validator
  Gwei total_active_balance = 0;                   // at least one increment
  std::uint64_t base_reward_per_increment = 0;
};

// The sum of public keys on BLS12-381: what a new sync committee needs. This program has no BLS, so
// whoever goes over the end of a sync committee's period brings one.
using AggregatePubkeys = std::function<Result<Pubkey>(std::span<const Pubkey>)>;

struct CachedState {
  BeaconState state;
  std::shared_ptr<const Caches> caches;
  AggregatePubkeys aggregate_pubkeys = {};

  const Spec& spec() const { return *state.spec; }
  Index proposer() const { return caches->proposers[state.slot % spec().slots_per_epoch]; }
};

// Errors: nobody is active; a member of the sync committee is no validator; two validators have one
// key.
Result<std::shared_ptr<const Caches>> derive_caches(const BeaconState& state);
Result<CachedState> derive(BeaconState state);

// The caches of the epoch that the state has just entered, from those of the epoch before.
Result<std::shared_ptr<const Caches>> rotate_caches(const BeaconState& state, const Caches& before);

// A copy that shares the caches.
CachedState clone(const CachedState& from);
// A copy of the caches too: what a copy costs where caches cannot be shared.
CachedState clone_with_caches(const CachedState& from);

}  // namespace beacon::transition
