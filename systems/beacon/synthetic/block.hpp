// SPDX-License-Identifier: Apache-2.0
// Blocks and attestations that a seed decides, valid but for their signatures, which are random
// bytes.
#pragma once

#include "beacon/base/random.hpp"
#include "beacon/transition/block.hpp"

namespace beacon::synthetic {

// An attestation of a committee to what the state remembers, for inclusion at the state's slot:
// about `share` percent of the members, at least one.
spec::Attestation make_attestation(const transition::CachedState& cached, spec::Slot slot,
                                   std::uint64_t index, unsigned share, Random& random);

struct BlockRequest {
  std::uint64_t skipped_slots = 0;  // between the state and the block
  unsigned attesting_percent = 90;
  unsigned sync_percent = 90;
  bool slashings_and_exits = false;  // where validators are there for it
};

// A block of the state's own slot, which has none yet; the state is then behind the block. Errors:
// the slot's proposer is slashed.
Result<spec::SignedBlock> propose(transition::CachedState& cached, const BlockRequest& request,
                                  Random& random);

// A block upon the state, some slots later; the state goes on to what is behind the block.
Result<spec::SignedBlock> extend(transition::CachedState& cached, const BlockRequest& request,
                                 Random& random);

}  // namespace beacon::synthetic
