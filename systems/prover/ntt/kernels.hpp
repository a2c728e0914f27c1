// SPDX-License-Identifier: Apache-2.0
// The inner loops of transforms, one table per field of scalars and instruction set; all tables
// give the same bits. Elements are the 32 bytes that Field::store writes, at any alignment.
//
// A transform of N = 2^n elements has n layers. Seen from the side of the values in natural order,
// layer d cuts the vector into 2^d sub-blocks; the two halves of a sub-block meet in butterflies,
// all with the same twiddle, twiddles[s] for sub-block s, whatever d is: the root of unity of order
// N to the power of s with its n - 1 bits reversed.
#pragma once

#include <cstddef>
#include <cstdint>

#include "prover/field/isa.hpp"

namespace prover::ntt {

inline constexpr std::size_t kElementBytes = 32;
inline constexpr unsigned kTileLog = 14;
// At most this many elements in a tile: half a megabyte, which stays in the cache of a core.
inline constexpr std::size_t kTileElements = std::size_t{1} << kTileLog;
inline constexpr std::size_t kScratchBytes = 2 * kElementBytes * kTileElements;

// 2^log_rows rows of `columns` elements; element (i, j) is the (i stride + j)-th behind `data`.
// log_rows >= 1. columns is 1 (and stride too, then), or a power of two from 8 on.
struct Tile {
  std::byte* data;
  std::size_t stride;
  unsigned log_rows;
  std::size_t columns;
};

// Goes through all log_rows layers of a tile, column by column. The tile's rows are sub-block
// `block` of their own layer, so that the layer which cuts them into 2^k has the twiddles from
// block 2^k on: k = 0 is the two halves of the tile with twiddles[block]. twiddles[0] is 1.
//   descend  from k = 0 on:                (x, y) -> (x + t y, x - t y)
//   ascend   down to k = 0:                (x, y) -> (x + y, (x - y) t)
// `scratch` is kScratchBytes at a multiple of 64, of this call alone.
using Layers = void (*)(const Tile& tile, std::size_t block, const std::byte* twiddles,
                        std::byte* scratch);

struct Kernels {
  Layers descend;
  Layers ascend;
  // values[i] *= twiddles[i] factor
  void (*shift)(std::byte* values, const std::byte* twiddles, const std::byte* factor,
                std::size_t count);
  // a[i] = a[i] b[i] - c[i]
  void (*multiply_subtract)(std::byte* a, const std::byte* b, const std::byte* c,
                            std::size_t count);
  // Montgomery forms to integers below r, and back.
  void (*to_plain)(std::byte* values, std::size_t count);
  void (*from_plain)(std::byte* values, std::size_t count);
};

// Params: field::Bn254FrParams, field::Bls12_381FrParams. `isa` <= best_isa().
template <class Params>
const Kernels& kernels(field::Isa isa);

}  // namespace prover::ntt
