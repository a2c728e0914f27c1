// SPDX-License-Identifier: Apache-2.0
#include "suite/go_collections.hpp"

#include <gtest/gtest.h>

#include "suite/adapter.hpp"

namespace assay::suite {
namespace {

// As go test of Go 1.19 printed it, with -exec as below; times cut short.
const char* const kTraced =
    "gc 1 @0.003s 3%: 0.01+0.1+0.0 ms clock, 0.0+0/0.1/0.1+0.0 ms cpu, 0->0->0 MB, 4 MB goal, 0 MB "
    "stacks, 0 MB globals, 2 P (forced)\n"
    "goos: linux\npkg: x\n"
    "BenchmarkAlloc-2   \tgc 2 @0.004s 4%: 0.05+0.1+0.0 ms clock, 0.1+0/0.0/0.1+0.0 ms cpu, "
    "0->0->0 "
    "MB, 4 MB goal, 0 MB stacks, 0 MB globals, 2 P (forced)\n"
    "gc 3 @0.018s 1%: 0.5+1.0+0.5 ms clock, 0.0+0/0.1/0.1+0.0 ms cpu, 3->14->10 MB, 4 MB goal, 0 "
    "MB "
    "stacks, 0 MB globals, 2 P\n"
    "     200\t     14503 ns/op\n"
    "gc 4 @0.023s 1%: 0.03+3.7+0.0 ms clock, 0.1+0/0.0/0.1+0.0 ms cpu, 17->17->5 MB, 22 MB goal, 0 "
    "MB stacks, 0 MB globals, 2 P (forced)\n"
    "BenchmarkKeep-2    \tgc 5 @0.027s 1%: 0.1+3.9+0.0 ms clock, 0.1+0/0.1/3.6+0.0 ms cpu, 0->0->7 "
    "MB, 4 MB goal, 0 MB stacks, 0 MB globals, 2 P (forced)\n"
    "     200\t      4155 ns/op\nPASS\nok  \tx\t0.038s\n";

TEST(GoCollections, AreTakenOutAndBelongToBenchmarks) {
  std::map<std::string, GoHeap, std::less<>> heaps;
  EXPECT_EQ(without_collections(kTraced, heaps),
            "goos: linux\npkg: x\nBenchmarkAlloc-2   \t     200\t     14503 ns/op\n"
            "BenchmarkKeep-2    \t     200\t      4155 ns/op\nPASS\nok  \tx\t0.038s\n");
  ASSERT_EQ(heaps.size(), 2u);
  const GoHeap& alloc = heaps["BenchmarkAlloc-2"];
  EXPECT_NEAR(alloc.gc_s, 2e-3, 1e-12) << "forced ones are outside of the timing";
  EXPECT_EQ(alloc.before, 0);
  EXPECT_EQ(alloc.after, 5.0 * (1 << 20));
  const GoHeap& keep = heaps["BenchmarkKeep-2"];
  EXPECT_EQ(keep.gc_s, 0);
  EXPECT_EQ(keep.before, alloc.after);
  EXPECT_FALSE(keep.after) << "nothing collects behind the last one";
}

TEST(GoCollections, LeaveAnyOtherTextAsItIs) {
  for (const char* text :
       {"", "gc 1 @ nothing", "BenchmarkX 1 2 ns/op", "a\n\ngc 1 @1s 2%: x\nb\n"}) {
    std::map<std::string, GoHeap, std::less<>> heaps;
    EXPECT_EQ(without_collections(text, heaps), text);
    EXPECT_TRUE(heaps.empty());
  }
}

TEST(GoCollections, AreReadByTheAdapter) {
  const auto adapter = make_adapter({.adapter = "go"});
  ASSERT_TRUE(adapter);
  const Reading reading = (*adapter)->read({.out = kTraced});
  ASSERT_EQ(reading.measurements.size(), 2u);
  EXPECT_EQ(reading.measurements[0].id, "BenchmarkAlloc-2");
  EXPECT_NEAR(*reading.measurements[0].gc_s, 2e-3, 1e-12);
  EXPECT_EQ(reading.measurements[0].memory_after, 5.0 * (1 << 20));
  EXPECT_EQ(reading.measurements[1].memory_before, 5.0 * (1 << 20));
  EXPECT_TRUE(reading.doubts.empty());
  EXPECT_FALSE((*adapter)->read({.out = "BenchmarkX 1 2 ns/op\n"}).measurements[0].gc_s);
}

}  // namespace
}  // namespace assay::suite
