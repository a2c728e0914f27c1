// SPDX-License-Identifier: Apache-2.0
// The end of an epoch, step by step and whole. The steps that the suite measures take the facts
// that are found before, as clients do. Ref: consensus-specs, specs/altair/beacon-chain.md ("Epoch
// processing"), specs/phase0 for the steps that Altair left as they were.
#pragma once

#include "beacon/transition/epoch_facts.hpp"

namespace beacon::transition {

Status process_justification_and_finalization(CachedState& cached, const EpochFacts& facts);
void process_inactivity_updates(CachedState& cached, const EpochFacts& facts);
void process_rewards_and_penalties(CachedState& cached, const EpochFacts& facts);
void process_registry_updates(CachedState& cached);
void process_slashings(CachedState& cached);
void process_effective_balance_updates(CachedState& cached);
// Votes, slashings, mixes, historical roots and participation: what is reset or passed on.
void process_epoch_resets(CachedState& cached);
// Errors: a period ends and nobody brought BLS (CachedState::aggregate_pubkeys).
Status process_sync_committee_updates(CachedState& cached);

// All of them. The state's slot must be the last of its epoch; the caller goes on to the next slot
// and rotates the caches.
Status process_epoch(CachedState& cached);

bool is_in_inactivity_leak(const BeaconState& state);

}  // namespace beacon::transition
