// SPDX-License-Identifier: Apache-2.0
#include "beacon/transition/blocks_of_state.hpp"

namespace beacon::transition {

Result<Root> block_root_at(const spec::BeaconState& state, spec::Slot slot) {
  const std::uint64_t length = state.spec->slots_per_historical_root;
  if (slot >= state.slot || state.slot > slot + length)
    return fail("the state of slot " + std::to_string(state.slot) +
                    " remembers no block root of slot " + std::to_string(slot),
                "block_roots");
  return state.block_roots[slot % length];
}

Result<Root> block_root_of_epoch(const spec::BeaconState& state, spec::Epoch epoch) {
  return block_root_at(state, state.spec->first_slot(epoch));
}

}  // namespace beacon::transition
