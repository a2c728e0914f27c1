// SPDX-License-Identifier: Apache-2.0
// Who is active, who attests where and who proposes, of one epoch.
#pragma once

#include "beacon/spec/state.hpp"
#include "beacon/transition/shuffle.hpp"

namespace beacon::transition {

using spec::BeaconState;
using spec::Epoch;
using spec::Gwei;
using spec::Slot;
using spec::Spec;

struct Shuffling {
  Epoch epoch = 0;
  std::vector<Index> active;    // ascending
  std::vector<Index> shuffled;  // the same, in the order of the committees
  std::uint64_t committees_per_slot = 0;

  // The members of a committee of a slot of the epoch; index < committees_per_slot.
  std::span<const Index> committee(const Spec& spec, Slot slot, std::uint64_t index) const;
};

std::vector<Index> active_indices(const BeaconState& state, Epoch epoch);

// hash(domain, epoch, mix): the mix is of an epoch before, so that it is known an epoch ahead.
Root seed_of(const BeaconState& state, Epoch epoch, const spec::Domain& domain);

// Errors: nobody is active in the epoch.
Result<Shuffling> make_shuffling(const BeaconState& state, Epoch epoch);

// Proposers of the slots of the current epoch, whose shuffling is given.
std::vector<Index> make_proposers(const BeaconState& state, const Shuffling& current);

// The next sync committee's members, which may repeat; of epoch current + 1, whose active
// validators are given.
std::vector<Index> next_sync_committee_indices(const BeaconState& state,
                                               std::span<const Index> active);

}  // namespace beacon::transition
