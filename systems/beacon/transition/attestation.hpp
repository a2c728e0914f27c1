// SPDX-License-Identifier: Apache-2.0
// Attestations: who was in time for what. Signatures are not verified.
#pragma once

#include "beacon/transition/cached_state.hpp"

namespace beacon::transition {

// Sets the flags (bits of spec::Flag) of the members of a committee whose bit is set, and returns
// the sum of weight * effective increments over the flags that were not set before: what the
// proposer's reward is made of. One bit for each member.
std::uint64_t set_status(std::vector<std::uint8_t>& participation, std::span<const Index> committee,
                         const ssz::Bits& bits, std::uint8_t flags,
                         std::span<const std::uint8_t> effective_increments);

// What an attestation included `delay` slots later was in time for. Errors: its source is not the
// justified checkpoint, or a block root is not remembered.
Result<std::uint8_t> timely_flags(const BeaconState& state, const spec::AttestationData& data,
                                  std::uint64_t delay);

// Errors: what the specification asserts does not hold; the state is then unchanged.
Status process_attestation(CachedState& cached, const spec::Attestation& attestation);

}  // namespace beacon::transition
