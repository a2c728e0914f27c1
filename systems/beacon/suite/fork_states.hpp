// SPDX-License-Identifier: Apache-2.0
// States of the forks beside Altair, as far as a suite that only holds them needs them: what they
// share with Altair's state, and what they have of their own. Each has caches of its own, as a
// client that keeps them by fork has.
#pragma once

#include <memory>

#include "beacon/transition/cached_state.hpp"

namespace beacon::suite {

using transition::CachedState;

// phase0 keeps who attested as attestations, two epochs of them.
struct PendingAttestation {
  ssz::Bits aggregation_bits;
  spec::AttestationData data;
  std::uint64_t inclusion_delay = 0;
  std::uint64_t proposer_index = 0;
};

struct Phase0State {
  CachedState common;  // without participation and inactivity scores
  std::vector<PendingAttestation> previous_epoch_attestations;
  std::vector<PendingAttestation> current_epoch_attestations;
};

struct BellatrixState {
  CachedState common;
  std::vector<std::uint8_t> latest_execution_payload_header;  // SSZ bytes
};

struct CapellaState {
  BellatrixState bellatrix;
  std::uint64_t next_withdrawal_index = 0;
  std::uint64_t next_withdrawal_validator_index = 0;
  std::vector<std::array<Root, 2>> historical_summaries;
};

struct ForkStates {
  Phase0State phase0;
  BellatrixState bellatrix;
  CapellaState capella;
};

// Of the same chain as the Altair state, whose caches must be there.
std::shared_ptr<const ForkStates> make_fork_states(const CachedState& altair);

// What the upgrade to Altair does with phase0's attestations: flags of the previous epoch.
std::vector<std::uint8_t> translate_participation(const Phase0State& state);

}  // namespace beacon::suite
