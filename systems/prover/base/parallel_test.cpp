// SPDX-License-Identifier: Apache-2.0
#include "prover/base/parallel.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <stdexcept>
#include <vector>

namespace prover {
namespace {

TEST(Parallel, calls_each_task_once) {
  for (const unsigned threads : {0u, 1u, 2u, 7u}) {
    for (const std::size_t count : {0u, 1u, 5u, 1000u}) {
      std::vector<std::atomic<int>> calls(count);
      parallel(threads, count, [&](std::size_t i) { ++calls[i]; });
      for (const auto& n : calls) EXPECT_EQ(n, 1);
    }
  }
}

TEST(Parallel, ranges_cover_everything_once) {
  std::vector<std::atomic<int>> calls(1003);
  parallel_ranges(3, calls.size(), 100, [&](std::size_t begin, std::size_t end) {
    EXPECT_LE(end - begin, 100u);
    for (std::size_t i = begin; i < end; ++i) ++calls[i];
  });
  for (const auto& n : calls) EXPECT_EQ(n, 1);
}

TEST(Parallel, finds_the_first_of_many) {
  for (const std::size_t size : {0u, 1u, 1000u}) {
    for (const std::size_t step : {1u, 7u, 999u, 5000u}) {
      for (const std::size_t from : {0u, 1u, 99u, 100u, 998u, 999u, 4000u}) {
        const auto is_hit = [&](std::size_t i) { return i >= from && (i - from) % step == 0; };
        const std::size_t found = parallel_find(3, size, 100, [&](std::size_t i, std::size_t end) {
          while (i < end && !is_hit(i)) ++i;
          return i;
        });
        EXPECT_EQ(found, std::min(from, size)) << size << ", from " << from << " by " << step;
      }
    }
  }
}

TEST(Parallel, what_a_task_throws_arrives) {
  EXPECT_THROW(parallel(2, 100,
                        [](std::size_t i) {
                          if (i == 50) throw std::runtime_error("50");
                        }),
               std::runtime_error);
}

TEST(Parallel, there_is_a_processor) { EXPECT_GE(available_threads(), 1u); }

}  // namespace
}  // namespace prover
