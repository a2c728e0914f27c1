// SPDX-License-Identifier: Apache-2.0
#include "prover/engine/buffer.hpp"

#include <gtest/gtest.h>

#include "prover/engine/resident.hpp"

namespace prover {
namespace {

TEST(Buffer, HoldsItsMarkUntilItIsFreed) {
  auto buffer = Buffer::allocate(5 * 4096 + 100, "a test");
  ASSERT_TRUE(buffer);
  EXPECT_EQ(buffer->bytes().size(), 5u * 4096 + 100);
  EXPECT_FALSE(buffer->holds(7)) << "zeroed, not marked";
  buffer->fill(7);
  EXPECT_TRUE(buffer->holds(7));
  EXPECT_FALSE(buffer->holds(8));
  buffer->bytes()[4 * 4096] = std::byte{0xff};
  EXPECT_FALSE(buffer->holds(7));
  Buffer moved = std::move(*buffer);
  EXPECT_TRUE(buffer->bytes().empty());  // NOLINT(bugprone-use-after-move): that is the point
  moved.free();
  EXPECT_TRUE(moved.bytes().empty());
}

TEST(Buffer, OfNothingIsEmpty) {
  auto buffer = Buffer::allocate(0, "nothing");
  ASSERT_TRUE(buffer);
  EXPECT_TRUE(buffer->bytes().empty());
  buffer->fill(1);
  EXPECT_TRUE(buffer->holds(2)) << "there is no page that could differ";
}

TEST(Buffer, WhatTheSystemRefusesIsOutOfMemory) {
  const auto buffer = Buffer::allocate(std::uint64_t{1} << 60, "a, b, c");
  ASSERT_FALSE(buffer);
  EXPECT_EQ(buffer.error().kind, ErrorKind::out_of_memory);
  EXPECT_NE(buffer.error().what.find("for a, b, c: Cannot allocate memory"), std::string::npos)
      << buffer.error().what;
}

TEST(Resident, SeesMemoryThatIsTouchedAndNamesItsMethod) {
  ResidentMemory resident;
  const std::uint64_t before = resident.sample();
  ASSERT_GT(before, 0u);
  auto buffer = Buffer::allocate(32u << 20, "a test");
  ASSERT_TRUE(buffer);
  buffer->fill(1);
  EXPECT_GE(resident.sample(), before + (30u << 20));
  buffer->free();
  EXPECT_LE(resident.sample(), before + (8u << 20)) << "the memory is the system's again";
  const PeakMemory peak = resident.peak();
  EXPECT_GE(peak.bytes, before + (30u << 20));
  EXPECT_EQ(peak.samples, 3u);
  EXPECT_NE(peak.method.find("VmHWM, and 3 samples of /proc/self/statm"), std::string::npos);
}

}  // namespace
}  // namespace prover
