// SPDX-License-Identifier: Apache-2.0
// Arrays whose memory comes straight from the system when they are large: freed, it is the system's
// again at once, which malloc does not promise, so that what a budget counts as given back is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <vector>

namespace prover {

// Zeroed private memory, page-aligned. Throws std::bad_alloc.
void* map_pages(std::size_t bytes);
void unmap_pages(void* data, std::size_t bytes) noexcept;
// Bytes that map_pages gave out and that have not come back, of the whole process.
std::uint64_t mapped_bytes();

template <class T>
struct PageAllocator {
  using value_type = T;
  static constexpr std::size_t kLeast = std::size_t{1} << 16;  // bytes; less comes from malloc

  PageAllocator() = default;
  template <class U>
  PageAllocator(const PageAllocator<U>&) {}
  template <class U>
  bool operator==(const PageAllocator<U>&) const {
    return true;
  }

  T* allocate(std::size_t count) {
    if (count > SIZE_MAX / sizeof(T)) throw std::bad_array_new_length();
    const std::size_t bytes = count * sizeof(T);
    return static_cast<T*>(bytes < kLeast ? ::operator new(bytes) : map_pages(bytes));
  }
  void deallocate(T* data, std::size_t count) noexcept {
    const std::size_t bytes = count * sizeof(T);
    if (bytes < kLeast)
      ::operator delete(data);
    else
      unmap_pages(data, bytes);
  }
};

template <class T>
using Pages = std::vector<T, PageAllocator<T>>;

}  // namespace prover
