// SPDX-License-Identifier: Apache-2.0
// States that a seed decides, of any size: what the suite measures on and what tests compare with
// other clients. They are states that a chain could have, but no chain had them: block roots, mixes
// and (unless given) public keys are random bytes.
#pragma once

#include "beacon/spec/state.hpp"

namespace beacon::synthetic {

enum class Kind {
  healthy,  // everybody active since genesis, nearly everybody attests, finality two epochs back
  mixed,    // queued, leaving, slashed and withdrawable validators, half of the flags, any balances
  leak      // mixed, and no finality for twenty epochs
};

Result<Kind> kind_named(std::string_view name);

struct StateRequest {
  const spec::Spec* spec = nullptr;
  std::uint64_t validators = 0;
  spec::Epoch epoch = 10'101;  // the state is of its last slot
  std::uint64_t seed = 1;
  Kind kind = Kind::healthy;
  std::vector<Pubkey> pubkeys = {};  // of the validators; random when empty
};

// Errors: no validators, or more than can be read back; fewer public keys than validators; an epoch
// too early for the kind.
Result<spec::BeaconState> make_state(const StateRequest& request);

}  // namespace beacon::synthetic
