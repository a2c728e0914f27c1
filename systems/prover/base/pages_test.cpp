// SPDX-License-Identifier: Apache-2.0
#include "prover/base/pages.hpp"

#include <gtest/gtest.h>

#include <numeric>

namespace prover {
namespace {

TEST(Pages, large_arrays_are_mapped_and_go_back) {
  const std::uint64_t before = mapped_bytes();
  {
    Pages<std::uint64_t> small(100, 7);
    EXPECT_EQ(mapped_bytes(), before);
    Pages<std::uint64_t> large(100000);
    EXPECT_EQ(mapped_bytes(), before + 800000);
    EXPECT_EQ(std::accumulate(large.begin(), large.end(), 0u), 0u);
    large = Pages<std::uint64_t>();
    EXPECT_EQ(mapped_bytes(), before);
  }
  EXPECT_EQ(mapped_bytes(), before);
}

TEST(Pages, they_grow_and_move_like_any_vector) {
  const std::uint64_t before = mapped_bytes();
  {
    Pages<std::uint32_t> values;
    for (std::uint32_t i = 0; i < 100000; ++i) values.push_back(i);
    const Pages<std::uint32_t> moved = std::move(values);
    for (std::uint32_t i = 0; i < 100000; ++i) ASSERT_EQ(moved[i], i);
    EXPECT_EQ(mapped_bytes(), before + 4 * moved.capacity());
  }
  EXPECT_EQ(mapped_bytes(), before);
}

TEST(Pages, what_the_system_refuses_throws) {
  Pages<char> values;
  EXPECT_THROW(values.reserve(std::size_t{1} << 60), std::bad_alloc);
  EXPECT_TRUE(values.empty());
}

}  // namespace
}  // namespace prover
