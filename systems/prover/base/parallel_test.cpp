// SPDX-License-Identifier: Apache-2.0
#include "prover/base/parallel.hpp"

#include <gtest/gtest.h>

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
