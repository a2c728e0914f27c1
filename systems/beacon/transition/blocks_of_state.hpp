// SPDX-License-Identifier: Apache-2.0
// The block roots that a state remembers.
#pragma once

#include "beacon/spec/state.hpp"

namespace beacon::transition {

// Errors: the slot is not before the state's, or further back than the state remembers.
Result<Root> block_root_at(const spec::BeaconState& state, spec::Slot slot);

// Of the epoch's first slot.
Result<Root> block_root_of_epoch(const spec::BeaconState& state, spec::Epoch epoch);

}  // namespace beacon::transition
