// SPDX-License-Identifier: Apache-2.0
#include "prover/base/allocator.hpp"

#include <gtest/gtest.h>
#include <malloc.h>

#include <cstddef>
#include <memory>
#include <vector>

#include "prover/base/sanitized.hpp"

namespace prover {
namespace {

// Blocks that are mapped one by one are the system's again when they are freed: glibc counts them.
TEST(Allocator, LargeBlocksAreMappedAndStaySoAfterOneWasFreed) {
#if !defined(__GLIBC__) || defined(PROVER_SANITIZED)
  GTEST_SKIP() << "not glibc's malloc";
#else
  return_freed_memory();
  const auto mapped = [] { return mallinfo2().hblkhd; };
  const std::size_t before = mapped();
  constexpr std::size_t kBytes = 4 << 20;
  for (int i = 0; i < 3; ++i) {
    auto block = std::make_unique<std::vector<std::byte> >(kBytes);
    EXPECT_GE(mapped(), before + kBytes) << "block " << i;
    block.reset();
    EXPECT_EQ(mapped(), before) << "block " << i;
  }
#endif
}

}  // namespace
}  // namespace prover
