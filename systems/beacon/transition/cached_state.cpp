// SPDX-License-Identifier: Apache-2.0
#include "beacon/transition/cached_state.hpp"

#include <algorithm>

namespace beacon::transition {
namespace {

Result<std::shared_ptr<const Shuffling>> shared_shuffling(const BeaconState& state, Epoch epoch) {
  auto made = make_shuffling(state, epoch);
  if (!made) return fail(made.error());
  return std::make_shared<const Shuffling>(*std::move(made));
}

Result<std::shared_ptr<const PubkeyIndex>> index_pubkeys(const BeaconState& state) {
  auto index = std::make_shared<PubkeyIndex>();
  index->reserve(state.validators.size());
  for (std::size_t i = 0; i < state.validators.size(); ++i) {
    const auto [found, added] = index->emplace(state.validators[i].pubkey, static_cast<Index>(i));
    if (!added)
      return fail("has the public key of validator " + std::to_string(found->second),
                  "validators[" + std::to_string(i) + "]");
  }
  return index;
}

// Everything that follows from the state, the current shuffling and the index of keys.
Status fill_from_state(const BeaconState& state, Caches& caches) {
  const Spec& spec = *state.spec;
  caches.effective_increments.resize(state.validators.size());
  for (std::size_t i = 0; i < state.validators.size(); ++i)
    caches.effective_increments[i] = static_cast<std::uint8_t>(
        state.validators[i].effective_balance / spec.effective_balance_increment);
  std::uint64_t increments = 0;
  for (const Index index : caches.current->active) increments += caches.effective_increments[index];
  if (increments == 0) return fail("no active validator has an effective balance", "validators");
  caches.total_active_balance = increments * spec.effective_balance_increment;
  caches.base_reward_per_increment = spec.effective_balance_increment * spec.base_reward_factor /
                                     integer_square_root(caches.total_active_balance);
  caches.proposers = make_proposers(state, *caches.current);
  caches.sync_committee.clear();
  for (const Pubkey& key : state.current_sync_committee.pubkeys) {
    const auto found = caches.pubkeys->find(key);
    if (found == caches.pubkeys->end())
      return fail("the public key " + to_hex(key) + " is of no validator",
                  "current_sync_committee");
    caches.sync_committee.push_back(found->second);
  }
  return {};
}

}  // namespace

Result<std::shared_ptr<const Caches>> derive_caches(const BeaconState& state) {
  auto caches = std::make_shared<Caches>();
  auto pubkeys = index_pubkeys(state);
  if (!pubkeys) return fail(pubkeys.error());
  caches->pubkeys = *std::move(pubkeys);
  const Epoch current = state.current_epoch();
  for (const auto& [place, epoch] :
       {std::pair(&Caches::previous, state.previous_epoch()), std::pair(&Caches::current, current),
        std::pair(&Caches::next, current + 1)}) {
    auto made = shared_shuffling(state, epoch);
    if (!made) return fail(made.error());
    (*caches).*place = *std::move(made);
  }
  if (auto done = fill_from_state(state, *caches); !done) return fail(done.error());
  return caches;
}

Result<CachedState> derive(BeaconState state) {
  auto caches = derive_caches(state);
  if (!caches) return fail(caches.error());
  return CachedState{std::move(state), *std::move(caches)};
}

Result<std::shared_ptr<const Caches>> rotate_caches(const BeaconState& state,
                                                    const Caches& before) {
  BEACON_CHECK(before.next->epoch == state.current_epoch(), "the state entered the next epoch");
  auto caches = std::make_shared<Caches>();
  caches->pubkeys = before.pubkeys;
  caches->previous = before.current;
  caches->current = before.next;
  auto next = shared_shuffling(state, state.current_epoch() + 1);
  if (!next) return fail(next.error());
  caches->next = *std::move(next);
  if (auto done = fill_from_state(state, *caches); !done) return fail(done.error());
  return caches;
}

CachedState clone(const CachedState& from) { return from; }

CachedState clone_with_caches(const CachedState& from) {
  CachedState copy = from;
  auto caches = std::make_shared<Caches>(*from.caches);
  caches->previous = std::make_shared<const Shuffling>(*from.caches->previous);
  caches->current = std::make_shared<const Shuffling>(*from.caches->current);
  caches->next = std::make_shared<const Shuffling>(*from.caches->next);
  caches->pubkeys = std::make_shared<const PubkeyIndex>(*from.caches->pubkeys);
  copy.caches = std::move(caches);
  return copy;
}

}  // namespace beacon::transition
