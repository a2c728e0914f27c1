// SPDX-License-Identifier: Apache-2.0
#include "beacon/spec/spec.hpp"

namespace beacon::spec {

const Spec& mainnet() {
  static constexpr Spec kMainnet = {.name = "mainnet",
                                    .slots_per_epoch = 32,
                                    .epochs_per_eth1_voting_period = 64,
                                    .slots_per_historical_root = 8192,
                                    .epochs_per_sync_committee_period = 256,
                                    .shard_committee_period = 256,
                                    .epochs_per_historical_vector = 65536,
                                    .epochs_per_slashings_vector = 8192,
                                    .sync_committee_size = 512,
                                    .max_committees_per_slot = 64,
                                    .target_committee_size = 128,
                                    .shuffle_round_count = 90,
                                    .min_per_epoch_churn_limit = 4,
                                    .churn_limit_quotient = 65536,
                                    .inactivity_penalty_quotient = 3u << 24,
                                    .min_slashing_penalty_quotient = 64,
                                    .proportional_slashing_multiplier = 2};
  return kMainnet;
}

const Spec& minimal() {
  static constexpr Spec kMinimal = {.name = "minimal",
                                    .slots_per_epoch = 8,
                                    .epochs_per_eth1_voting_period = 4,
                                    .slots_per_historical_root = 64,
                                    .epochs_per_sync_committee_period = 8,
                                    .shard_committee_period = 64,
                                    .epochs_per_historical_vector = 64,
                                    .epochs_per_slashings_vector = 64,
                                    .sync_committee_size = 32,
                                    .max_committees_per_slot = 4,
                                    .target_committee_size = 4,
                                    .shuffle_round_count = 10,
                                    .min_per_epoch_churn_limit = 2,
                                    .churn_limit_quotient = 32,
                                    .inactivity_penalty_quotient = 3u << 24,
                                    .min_slashing_penalty_quotient = 64,
                                    .proportional_slashing_multiplier = 2};
  return kMinimal;
}

Result<const Spec*> spec_named(std::string_view name) {
  if (name == "mainnet") return &mainnet();
  if (name == "minimal") return &minimal();
  return fail("there is no preset '" + std::string(name) + "'", "--preset",
              "mainnet and minimal are known");
}

}  // namespace beacon::spec
