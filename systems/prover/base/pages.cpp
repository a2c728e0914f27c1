// SPDX-License-Identifier: Apache-2.0
#include "prover/base/pages.hpp"

#include <sys/mman.h>

#include <atomic>

#include "prover/base/result.hpp"

namespace prover {
namespace {

std::atomic<std::uint64_t> mapped{0};

}  // namespace

void* map_pages(std::size_t bytes) {
  void* const data =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (data == MAP_FAILED) throw std::bad_alloc();
  mapped += bytes;
  return data;
}

void unmap_pages(void* data, std::size_t bytes) noexcept {
  PROVER_CHECK(munmap(data, bytes) == 0, "what was mapped can be unmapped");
  mapped -= bytes;
}

std::uint64_t mapped_bytes() { return mapped; }

}  // namespace prover
