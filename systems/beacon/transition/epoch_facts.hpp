// SPDX-License-Identifier: Apache-2.0
// What the steps of an epoch's end all ask of every validator, found in one pass.
#pragma once

#include "beacon/transition/cached_state.hpp"

namespace beacon::transition {

// Of a validator, about the previous epoch.
enum Status8 : std::uint8_t {
  kUnslashedSource = 1,  // took part, in time, and is not slashed: bit = flag of spec::Flag
  kUnslashedTarget = 2,
  kUnslashedHead = 4,
  kEligible = 8  // for rewards and penalties
};

struct EpochFacts {
  std::vector<std::uint8_t> status;
  // Effective balances, in increments, of those that are unslashed and took part; 0 when nobody
  // did.
  std::array<std::uint64_t, 3> previous_increments{};  // by flag
  std::uint64_t current_target_increments = 0;
  std::uint64_t total_active_increments = 0;
};

EpochFacts find_epoch_facts(const CachedState& cached);

}  // namespace beacon::transition
