// SPDX-License-Identifier: Apache-2.0
// The swap-or-not shuffle: who attests when. One index at a time, as the specification states it,
// and a whole list at once, which needs 1/256 of the hashes. The two agree (a test). Ref:
// consensus-specs, specs/phase0/beacon-chain.md ("compute_shuffled_index"); Hoang, Morris, Rogaway,
// "An enciphering scheme based on a card shuffle", 2012.
#pragma once

#include <vector>

#include "beacon/base/bytes.hpp"

namespace beacon::transition {

using Index = std::uint32_t;  // of a validator: the registry's limit in memory is far below 2^32

// Where `index` of 0 ... count - 1 goes; index < count.
std::uint64_t compute_shuffled_index(std::uint64_t index, std::uint64_t count, const Root& seed,
                                     unsigned rounds);

// `list` with list[compute_shuffled_index(i)] at place i.
void shuffle_list(std::vector<Index>& list, const Root& seed, unsigned rounds);

}  // namespace beacon::transition
