// SPDX-License-Identifier: Apache-2.0
#include "beacon/transition/shuffle.hpp"

#include <algorithm>

#include "beacon/hash/sha256.hpp"

namespace beacon::transition {
namespace {

std::uint64_t pivot_of(const Root& seed, unsigned round, std::uint64_t count) {
  const auto number = static_cast<std::uint8_t>(round);
  return load<std::uint64_t>(hash::sha256({seed, View(&number, 1)})) % count;
}

// 256 decisions of a round: those of the positions from 256 * block on.
Root decisions(const Root& seed, unsigned round, std::uint32_t block) {
  Bytes<37> message;
  std::copy(seed.begin(), seed.end(), message.begin());
  message[32] = static_cast<std::uint8_t>(round);
  store(std::span(message).subspan(33), block);
  return hash::sha256(message);
}

bool decided(const Root& block, std::uint64_t position) {
  return ((block[position % 256 / 8] >> (position % 8)) & 1) != 0;
}

// Swaps the pairs i + j = sum, from <= i < j, that the round decides to. Positions are the larger
// of a pair, so they go down from sum - from, block by block.
void swap_pairs(std::vector<Index>& list, const std::vector<Root>& blocks, std::uint64_t from,
                std::uint64_t sum) {
  std::uint64_t j = sum - from;
  for (std::uint64_t i = from; i < j; ++i, --j)
    if (decided(blocks[j / 256], j)) std::swap(list[i], list[j]);
}

}  // namespace

std::uint64_t compute_shuffled_index(std::uint64_t index, std::uint64_t count, const Root& seed,
                                     unsigned rounds) {
  BEACON_CHECK(index < count, "the index is one of the list");
  for (unsigned round = 0; round < rounds; ++round) {
    const std::uint64_t flip = (pivot_of(seed, round, count) + count - index) % count;
    const std::uint64_t position = std::max(index, flip);
    const Root block = decisions(seed, round, static_cast<std::uint32_t>(position / 256));
    if (decided(block, position)) index = flip;
  }
  return index;
}

void shuffle_list(std::vector<Index>& list, const Root& seed, unsigned rounds) {
  const std::uint64_t count = list.size();
  if (count < 2) return;
  std::vector<Root> blocks((count + 255) / 256);
  // A round is its own inverse on pairs of places, so the last round comes first.
  for (unsigned round = rounds; round-- > 0;) {
    for (std::size_t block = 0; block < blocks.size(); ++block)
      blocks[block] = decisions(seed, round, static_cast<std::uint32_t>(block));
    // The partner of i is pivot - i, or pivot + count - i above the pivot.
    const std::uint64_t pivot = pivot_of(seed, round, count);
    swap_pairs(list, blocks, 0, pivot);
    if (pivot + 1 < count) swap_pairs(list, blocks, pivot + 1, pivot + count);
  }
}

}  // namespace beacon::transition
