// SPDX-License-Identifier: Apache-2.0
#include "prover/base/allocator.hpp"

#include <malloc.h>

namespace prover {
namespace {

constexpr int kMapped = 128 << 10;   // bytes of a block that is mapped on its own
constexpr int kTrimmed = 256 << 10;  // free bytes at the heap's end that are given back
constexpr int kArenas = 4;

}  // namespace

void return_freed_memory() {
#ifdef __GLIBC__
  mallopt(M_MMAP_THRESHOLD, kMapped);
  mallopt(M_TRIM_THRESHOLD, kTrimmed);
  mallopt(M_ARENA_MAX, kArenas);
#endif
}

}  // namespace prover
