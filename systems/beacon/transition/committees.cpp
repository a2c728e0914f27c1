// SPDX-License-Identifier: Apache-2.0
#include "beacon/transition/committees.hpp"

#include <algorithm>

#include "beacon/hash/sha256.hpp"

namespace beacon::transition {
namespace {

Bytes<8> bytes_of(std::uint64_t value) {
  Bytes<8> bytes;
  store(std::span(bytes), value);
  return bytes;
}

// Candidates are drawn in the order of a shuffle; each is taken with probability effective balance
// over its maximum. `take` says whether one more is wanted.
template <class Take>
void draw_by_balance(const BeaconState& state, std::span<const Index> active, const Root& seed,
                     Take&& take) {
  const Spec& spec = *state.spec;
  Root random{};
  for (std::uint64_t i = 0;; ++i) {
    if (i % 32 == 0) random = hash::sha256({seed, bytes_of(i / 32)});
    const Index candidate = active[compute_shuffled_index(i % active.size(), active.size(), seed,
                                                          spec.shuffle_round_count)];
    const Gwei balance = state.validators[candidate].effective_balance;
    if (balance * 255 < spec.max_effective_balance * random[i % 32]) continue;
    if (!take(candidate)) return;
  }
}

}  // namespace

std::span<const Index> Shuffling::committee(const Spec& spec, Slot slot,
                                            std::uint64_t index) const {
  BEACON_CHECK(index < committees_per_slot && spec.epoch_of(slot) == epoch, "such a committee");
  const std::uint64_t count = committees_per_slot * spec.slots_per_epoch;
  const std::uint64_t number = slot % spec.slots_per_epoch * committees_per_slot + index;
  const std::uint64_t from = shuffled.size() * number / count;
  const std::uint64_t to = shuffled.size() * (number + 1) / count;
  return std::span(shuffled).subspan(from, to - from);
}

std::vector<Index> active_indices(const BeaconState& state, Epoch epoch) {
  std::vector<Index> active;
  active.reserve(state.validators.size());
  for (std::size_t i = 0; i < state.validators.size(); ++i)
    if (state.validators[i].is_active(epoch)) active.push_back(static_cast<Index>(i));
  return active;
}

Root seed_of(const BeaconState& state, Epoch epoch, const spec::Domain& domain) {
  const Spec& spec = *state.spec;
  const std::uint64_t length = spec.epochs_per_historical_vector;
  const Root& mix = state.randao_mixes[(epoch + length - spec.min_seed_lookahead - 1) % length];
  return hash::sha256({domain, bytes_of(epoch), mix});
}

Result<Shuffling> make_shuffling(const BeaconState& state, Epoch epoch) {
  const Spec& spec = *state.spec;
  Shuffling made;
  made.epoch = epoch;
  made.active = active_indices(state, epoch);
  if (made.active.empty())
    return fail("no validator is active in epoch " + std::to_string(epoch), "validators");
  made.shuffled = made.active;
  shuffle_list(made.shuffled, seed_of(state, epoch, spec::kDomainBeaconAttester),
               spec.shuffle_round_count);
  made.committees_per_slot = std::clamp<std::uint64_t>(
      made.active.size() / spec.slots_per_epoch / spec.target_committee_size, 1,
      spec.max_committees_per_slot);
  return made;
}

std::vector<Index> make_proposers(const BeaconState& state, const Shuffling& current) {
  const Spec& spec = *state.spec;
  const Root epoch_seed = seed_of(state, current.epoch, spec::kDomainBeaconProposer);
  std::vector<Index> proposers;
  for (std::uint64_t i = 0; i < spec.slots_per_epoch; ++i) {
    const Root seed = hash::sha256({epoch_seed, bytes_of(spec.first_slot(current.epoch) + i)});
    draw_by_balance(state, current.active, seed, [&](Index candidate) {
      proposers.push_back(candidate);
      return false;
    });
  }
  return proposers;
}

std::vector<Index> next_sync_committee_indices(const BeaconState& state,
                                               std::span<const Index> active) {
  const Spec& spec = *state.spec;
  const Root seed = seed_of(state, state.current_epoch() + 1, spec::kDomainSyncCommittee);
  std::vector<Index> members;
  draw_by_balance(state, active, seed, [&](Index candidate) {
    members.push_back(candidate);
    return members.size() < spec.sync_committee_size;
  });
  return members;
}

}  // namespace beacon::transition
