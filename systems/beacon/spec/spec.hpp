// SPDX-License-Identifier: Apache-2.0
// The constants of the consensus specification (Altair), in the two presets that have published
// test vectors and clients: mainnet and minimal. A preset is a value, so one program serves both.
// Ref: consensus-specs, presets/ and configs/ of mainnet and minimal, specs/phase0 and
// specs/altair.
#pragma once

#include <cstdint>
#include <limits>
#include <string_view>

#include "beacon/base/bytes.hpp"

namespace beacon::spec {

using Slot = std::uint64_t;
using Epoch = std::uint64_t;
using ValidatorIndex = std::uint64_t;
using Gwei = std::uint64_t;

constexpr Epoch kGenesisEpoch = 0;
constexpr Epoch kFarFutureEpoch = std::numeric_limits<Epoch>::max();
// What this program reads at most: twice what the suite measures by default.
constexpr std::uint64_t kMostValidators = 500'000;

struct Spec {
  std::string_view name;

  // Time.
  std::uint64_t slots_per_epoch;
  std::uint64_t epochs_per_eth1_voting_period;
  std::uint64_t slots_per_historical_root;
  std::uint64_t epochs_per_sync_committee_period;
  std::uint64_t shard_committee_period;
  // Sizes.
  std::uint64_t epochs_per_historical_vector;
  std::uint64_t epochs_per_slashings_vector;
  std::uint64_t sync_committee_size;
  // Committees.
  std::uint64_t max_committees_per_slot;
  std::uint64_t target_committee_size;
  std::uint8_t shuffle_round_count;
  // The validators' coming and going.
  std::uint64_t min_per_epoch_churn_limit;
  std::uint64_t churn_limit_quotient;
  // Penalties: a later fork changes them.
  std::uint64_t inactivity_penalty_quotient;
  std::uint64_t min_slashing_penalty_quotient;
  std::uint64_t proportional_slashing_multiplier;

  // Of both presets.
  std::uint64_t max_validators_per_committee = 2048;
  std::uint64_t historical_roots_limit = std::uint64_t{1} << 24;
  std::uint64_t validator_registry_limit = std::uint64_t{1} << 40;
  Gwei effective_balance_increment = 1'000'000'000;
  Gwei max_effective_balance = 32'000'000'000;
  Gwei ejection_balance = 16'000'000'000;
  std::uint64_t hysteresis_quotient = 4;
  std::uint64_t hysteresis_downward_multiplier = 1;
  std::uint64_t hysteresis_upward_multiplier = 5;
  std::uint64_t min_attestation_inclusion_delay = 1;
  std::uint64_t min_seed_lookahead = 1;
  std::uint64_t max_seed_lookahead = 4;
  std::uint64_t min_epochs_to_inactivity_penalty = 4;
  std::uint64_t min_validator_withdrawability_delay = 256;
  std::uint64_t base_reward_factor = 64;
  std::uint64_t proposer_reward_quotient = 8;
  std::uint64_t whistleblower_reward_quotient = 512;
  std::uint64_t inactivity_score_bias = 4;
  std::uint64_t inactivity_score_recovery_rate = 16;
  std::uint64_t max_proposer_slashings = 16;
  std::uint64_t max_attester_slashings = 2;
  std::uint64_t max_attestations = 128;
  std::uint64_t max_deposits = 16;
  std::uint64_t max_voluntary_exits = 16;

  Epoch epoch_of(Slot slot) const { return slot / slots_per_epoch; }
  Slot first_slot(Epoch epoch) const { return epoch * slots_per_epoch; }
  std::uint64_t eth1_votes_limit() const { return epochs_per_eth1_voting_period * slots_per_epoch; }
};

const Spec& mainnet();
const Spec& minimal();

// Errors: neither of the two names.
Result<const Spec*> spec_named(std::string_view name);

// What an attester was in time for; a validator's flags of an epoch are a byte.
enum Flag : unsigned { kTimelySource = 0, kTimelyTarget = 1, kTimelyHead = 2 };
constexpr std::array<std::uint64_t, 3> kFlagWeights = {14, 26, 14};
constexpr std::uint64_t kSyncRewardWeight = 2;
constexpr std::uint64_t kProposerWeight = 8;
constexpr std::uint64_t kWeightDenominator = 64;

using Domain = Bytes<4>;
constexpr Domain kDomainBeaconProposer = {0, 0, 0, 0};
constexpr Domain kDomainBeaconAttester = {1, 0, 0, 0};
constexpr Domain kDomainSyncCommittee = {7, 0, 0, 0};

}  // namespace beacon::spec
