// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "beacon/base/random.hpp"
#include "beacon/hash/merkle.hpp"
#include "beacon/hash/sha256.hpp"

namespace beacon::hash {
namespace {

View view(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

TEST(Sha256, PublishedDigests) {  // FIPS 180-4's examples
  EXPECT_EQ(to_hex(sha256(view("abc"))),
            "0xba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(to_hex(sha256(view(""))),
            "0xe3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

TEST(Sha256, PiecesAndPairs) {
  Random random(3);
  const Root left = random.bytes<32>(), right = random.bytes<32>();
  Bytes<64> both;
  std::copy(left.begin(), left.end(), both.begin());
  std::copy(right.begin(), right.end(), both.begin() + 32);
  EXPECT_EQ(sha256({left, right}), sha256(both));
  Root out = left;
  hash_pair(out, right, out);
  EXPECT_EQ(out, sha256(both));
}

// The tree with all of its leaves.
Root full_tree(std::vector<Root> leaves, unsigned depth) {
  leaves.resize(std::size_t{1} << depth);
  for (unsigned level = 0; level < depth; ++level) {
    for (std::size_t i = 0; i < leaves.size() / 2; ++i)
      leaves[i] = sha256({leaves[2 * i], leaves[2 * i + 1]});
    leaves.resize(leaves.size() / 2);
  }
  return leaves[0];
}

TEST(Merkle, AsWithAllLeaves) {
  Random random(5);
  for (unsigned depth = 0; depth <= 6; ++depth)
    for (std::size_t count = 0; count <= std::size_t{1} << depth; ++count) {
      std::vector<Root> leaves(count);
      for (Root& leaf : leaves) leaf = random.bytes<32>();
      const Root expected = full_tree(leaves, depth);
      EXPECT_EQ(merkleize(leaves, depth), expected) << count << " in " << depth;
    }
}

TEST(Merkle, Depths) {
  const std::pair<std::uint64_t, unsigned> table[] = {
      {0, 0}, {1, 0}, {2, 1}, {3, 2}, {4, 2}, {5, 3}, {std::uint64_t{1} << 40, 40}};
  for (const auto& [leaves, depth] : table) EXPECT_EQ(depth_of(leaves), depth) << leaves;
}

}  // namespace
}  // namespace beacon::hash
