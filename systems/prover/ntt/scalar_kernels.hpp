// SPDX-License-Identifier: Apache-2.0
// The table of kernels.hpp for one element at a time. Layers are taken depth first, so that each
// half is done while it lies in the nearest cache that holds it.
#pragma once

#include <cstring>

#include "prover/ntt/kernels.hpp"

namespace prover::ntt {

// F: a field whose multiplication this processor has.
template <class F>
struct ScalarKernels {
  static_assert(F::kBytes == kElementBytes);
  static constexpr std::size_t kBytes = kElementBytes;

  // `size` elements lie together; `block` is their sub-block.
  static void descend_rows(std::byte* data, std::size_t size, unsigned layers, std::size_t block,
                           const std::byte* twiddles) {
    const std::size_t half = size / 2;
    std::byte* x = data;
    std::byte* y = data + half * kBytes;
    std::byte* const end = y;
    if (block == 0) {
      for (; x != end; x += kBytes, y += kBytes) {
        const F a = F::load(x), b = F::load(y);
        (a + b).store(x);
        (a - b).store(y);
      }
    } else {
      const F twiddle = F::load(twiddles + block * kBytes);
      for (; x != end; x += kBytes, y += kBytes) {
        const F a = F::load(x), b = F::load(y) * twiddle;
        (a + b).store(x);
        (a - b).store(y);
      }
    }
    if (layers == 1) return;
    descend_rows(data, half, layers - 1, 2 * block, twiddles);
    descend_rows(data + half * kBytes, half, layers - 1, 2 * block + 1, twiddles);
  }

  static void ascend_rows(std::byte* data, std::size_t size, unsigned layers, std::size_t block,
                          const std::byte* twiddles) {
    const std::size_t half = size / 2;
    if (layers > 1) {
      ascend_rows(data, half, layers - 1, 2 * block, twiddles);
      ascend_rows(data + half * kBytes, half, layers - 1, 2 * block + 1, twiddles);
    }
    std::byte* x = data;
    std::byte* y = data + half * kBytes;
    std::byte* const end = y;
    if (block == 0) {
      for (; x != end; x += kBytes, y += kBytes) {
        const F a = F::load(x), b = F::load(y);
        (a + b).store(x);
        (a - b).store(y);
      }
    } else {
      const F twiddle = F::load(twiddles + block * kBytes);
      for (; x != end; x += kBytes, y += kBytes) {
        const F a = F::load(x), b = F::load(y);
        (a + b).store(x);
        ((a - b) * twiddle).store(y);
      }
    }
  }

  // Rows that lie a power of two apart would share few lines of the cache: they are brought
  // together first.
  template <class Work>
  static void on_rows_together(const Tile& tile, std::byte* scratch, const Work& work) {
    const std::size_t rows = std::size_t{1} << tile.log_rows, size = rows * tile.columns;
    if (tile.stride == tile.columns) return work(tile.data, size);
    const std::size_t row_bytes = tile.columns * kBytes;
    for (std::size_t i = 0; i < rows; ++i)
      std::memcpy(scratch + i * row_bytes, tile.data + i * tile.stride * kBytes, row_bytes);
    work(scratch, size);
    for (std::size_t i = 0; i < rows; ++i)
      std::memcpy(tile.data + i * tile.stride * kBytes, scratch + i * row_bytes, row_bytes);
  }

  static void descend(const Tile& tile, std::size_t block, const std::byte* twiddles,
                      std::byte* scratch) {
    on_rows_together(tile, scratch, [&](std::byte* data, std::size_t size) {
      descend_rows(data, size, tile.log_rows, block, twiddles);
    });
  }
  static void ascend(const Tile& tile, std::size_t block, const std::byte* twiddles,
                     std::byte* scratch) {
    on_rows_together(tile, scratch, [&](std::byte* data, std::size_t size) {
      ascend_rows(data, size, tile.log_rows, block, twiddles);
    });
  }

  static void shift(std::byte* values, const std::byte* twiddles, const std::byte* factor,
                    std::size_t count) {
    const F f = F::load(factor);
    for (std::size_t i = 0; i < count; ++i) {
      std::byte* const value = values + i * kBytes;
      (F::load(value) * (F::load(twiddles + i * kBytes) * f)).store(value);
    }
  }

  static void multiply_subtract(std::byte* a, const std::byte* b, const std::byte* c,
                                std::size_t count) {
    for (std::size_t i = 0; i < count * kBytes; i += kBytes)
      (F::load(a + i) * F::load(b + i) - F::load(c + i)).store(a + i);
  }

  static void to_plain(std::byte* values, std::size_t count) {
    for (std::size_t i = 0; i < count * kBytes; i += kBytes)
      field::store_limbs<F::kLimbs>(values + i, F::load(values + i).plain());
  }
  static void from_plain(std::byte* values, std::size_t count) {
    for (std::size_t i = 0; i < count * kBytes; i += kBytes)
      F::from_plain(field::load_limbs<F::kLimbs>(values + i)).store(values + i);
  }

  static constexpr Kernels kTable{descend, ascend, shift, multiply_subtract, to_plain, from_plain};
};

}  // namespace prover::ntt
