// SPDX-License-Identifier: Apache-2.0
#include "beacon/hash/merkle.hpp"

#include <bit>

#include "beacon/hash/sha256.hpp"

namespace beacon::hash {
namespace {

constexpr unsigned kMaxDepth = 64;

std::array<Root, kMaxDepth + 1> make_zero_roots() {
  std::array<Root, kMaxDepth + 1> roots{};
  for (unsigned depth = 1; depth <= kMaxDepth; ++depth)
    hash_pair(roots[depth - 1], roots[depth - 1], roots[depth]);
  return roots;
}

}  // namespace

const Root& zero_root(unsigned depth) {
  static const std::array<Root, kMaxDepth + 1> roots = make_zero_roots();
  BEACON_CHECK(depth <= kMaxDepth, "a tree is at most 64 deep");
  return roots[depth];
}

unsigned depth_of(std::uint64_t leaves) {
  return leaves <= 1 ? 0 : static_cast<unsigned>(std::bit_width(leaves - 1));
}

Root merkleize(std::span<Root> leaves, unsigned depth) {
  BEACON_CHECK(depth >= depth_of(leaves.size()), "the leaves fit into the tree");
  if (leaves.empty()) return zero_root(depth);
  std::size_t count = leaves.size();
  unsigned level = 0;
  for (; count > 1; ++level) {
    const std::size_t pairs = count / 2;
    for (std::size_t i = 0; i < pairs; ++i) hash_pair(leaves[2 * i], leaves[2 * i + 1], leaves[i]);
    if (count % 2 != 0) hash_pair(leaves[count - 1], zero_root(level), leaves[pairs]);
    count = pairs + count % 2;
  }
  Root root = leaves[0];
  for (; level < depth; ++level) hash_pair(root, zero_root(level), root);
  return root;
}

Root mix_in_length(const Root& root, std::uint64_t length) {
  Root leaf{}, out;
  store(std::span(leaf), length);
  hash_pair(root, leaf, out);
  return out;
}

std::vector<Root> leaves_of(View bytes) {
  std::vector<Root> leaves((bytes.size() + 31) / 32);
  if (!bytes.empty()) std::memcpy(leaves.data(), bytes.data(), bytes.size());
  return leaves;
}

}  // namespace beacon::hash
