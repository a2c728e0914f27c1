// SPDX-License-Identifier: Apache-2.0
#include "beacon/transition/shuffle.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "beacon/base/random.hpp"

namespace beacon::transition {
namespace {

TEST(Shuffle, ListAndSingleIndicesAgree) {
  Random random(1);
  for (const std::size_t count : {1, 2, 3, 5, 100, 255, 256, 257, 511, 513, 1500})
    for (const unsigned rounds : {0u, 1u, 10u, 90u}) {
      const Root seed = random.bytes<32>();
      std::vector<Index> list(count);
      for (Index& value : list) value = static_cast<Index>(random.next());
      const std::vector<Index> before = list;
      shuffle_list(list, seed, rounds);
      for (std::size_t i = 0; i < count; ++i)
        ASSERT_EQ(list[i], before[compute_shuffled_index(i, count, seed, rounds)])
            << i << " of " << count << ", " << rounds << " rounds";
    }
}

TEST(Shuffle, EveryIndexOnceAndBySeed) {
  std::vector<Index> one(1000);
  std::iota(one.begin(), one.end(), 0u);
  std::vector<Index> other = one, sorted = one;
  shuffle_list(one, Root{1}, 90);
  shuffle_list(other, Root{2}, 90);
  EXPECT_NE(one, other);
  std::sort(one.begin(), one.end());
  EXPECT_EQ(one, sorted);
}

TEST(Shuffle, NothingToShuffle) {
  std::vector<Index> none;
  shuffle_list(none, Root{}, 90);
  EXPECT_TRUE(none.empty());
}

}  // namespace
}  // namespace beacon::transition
