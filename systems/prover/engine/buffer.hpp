// SPDX-License-Identifier: Apache-2.0
// Large memory straight from the system: given back at once when freed, which malloc does not
// promise, and refused with an Error, not an exception, when there is none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "prover/base/result.hpp"

namespace prover {

class Buffer {
 public:
  Buffer() = default;
  Buffer(Buffer&& other) noexcept;
  Buffer& operator=(Buffer&& other) noexcept;
  ~Buffer() { free(); }

  // Zeroed, page-aligned, private memory. `what` names it in the error, which is of the kind
  // out_of_memory. No bytes: an empty buffer.
  static Result<Buffer> allocate(std::uint64_t bytes, const std::string& what);

  std::span<std::byte> bytes() const { return {data_, size_}; }
  // Unmaps; the memory is the system's again when this returns.
  void free();

  // Makes every page resident and marks it: the first word of page i becomes mark ^ i.
  void fill(std::uint64_t mark);
  // Whether every page still holds what fill(mark) wrote. False after free, unless nothing was
  // held.
  bool holds(std::uint64_t mark) const;

 private:
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace prover
