// SPDX-License-Identifier: Apache-2.0
// Blocks and slots: the state transition whole. verify_signatures is false everywhere: this program
// has no BLS, and its suite measures none.
// Ref: consensus-specs, specs/altair/beacon-chain.md ("Block processing").
#pragma once

#include "beacon/spec/block.hpp"
#include "beacon/transition/attestation.hpp"
#include "beacon/transition/cached_state.hpp"

namespace beacon::transition {

// Root of the state into its history; then, at an epoch's end, process_epoch and new caches; again
// until `slot` is reached. Errors: the slot is not later than the state's.
Status process_slots(CachedState& cached, Slot slot);

// Errors: what the specification asserts does not hold, or a deposit of a new validator, whose
// proof of possession would have to be verified; the state is then of no use.
Status process_block(CachedState& cached, const spec::Block& block);

Status process_sync_aggregate(CachedState& cached, const spec::SyncAggregate& aggregate);
Status process_operations(CachedState& cached, const spec::BlockBody& body);

// Up to the block's slot, the block, and whether its state_root is the state's.
Status apply_block(CachedState& cached, const spec::SignedBlock& block);

}  // namespace beacon::transition
