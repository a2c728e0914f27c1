// SPDX-License-Identifier: Apache-2.0
// Eight rows of 64-bit words, each anywhere in memory, to and from columns: the i-th column has the
// i-th word of each row, row k in lane k.
#pragma once

#include "prover/field/ifma.hpp"

#if defined(__x86_64__)

namespace prover::field {

template <class Byte>
struct RowsAt {
  Byte* at[8];
};
using Rows = RowsAt<const std::byte>;
using RowsOut = RowsAt<std::byte>;

// The eight rows of `width` bytes that lie one behind the other.
template <class Byte>
PROVER_IFMA_INLINE RowsAt<Byte> rows_together(Byte* first, std::size_t width) {
  RowsAt<Byte> rows;
  PROVER_UNROLL
  for (int i = 0; i < 8; ++i) rows.at[i] = first + static_cast<std::size_t>(i) * width;
  return rows;
}

// Both directions: columns r[0..7] for rows and rows for columns.
PROVER_IFMA_INLINE void transpose(__m512i (&r)[8]) {
  __m512i pairs[8], fours[8];
  PROVER_UNROLL
  for (int i = 0; i < 8; i += 2) {
    pairs[i] = _mm512_unpacklo_epi64(r[i], r[i + 1]);      // words 0, 2, 4, 6 of two rows
    pairs[i + 1] = _mm512_unpackhi_epi64(r[i], r[i + 1]);  // words 1, 3, 5, 7
  }
  PROVER_UNROLL
  for (int i = 0; i < 2; ++i) {
    fours[i] = _mm512_shuffle_i64x2(pairs[i], pairs[i + 2], 0x88);          // words i, i + 4
    fours[i + 2] = _mm512_shuffle_i64x2(pairs[i], pairs[i + 2], 0xdd);      // words i + 2, i + 6
    fours[i + 4] = _mm512_shuffle_i64x2(pairs[i + 4], pairs[i + 6], 0x88);  // of the other rows
    fours[i + 6] = _mm512_shuffle_i64x2(pairs[i + 4], pairs[i + 6], 0xdd);
  }
  PROVER_UNROLL
  for (int i = 0; i < 4; ++i) {
    r[i] = _mm512_shuffle_i64x2(fours[i], fours[i + 4], 0x88);
    r[i + 4] = _mm512_shuffle_i64x2(fours[i], fours[i + 4], 0xdd);
  }
}

PROVER_IFMA_INLINE __m512i load_halves(const std::byte* low, const std::byte* high) {
  return _mm512_inserti64x4(
      _mm512_castsi256_si512(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(low))),
      _mm256_loadu_si256(reinterpret_cast<const __m256i*>(high)), 1);
}

// W columns from byte `offset` of the rows on: W is a multiple of 4, or 6.
template <int W>
PROVER_IFMA_INLINE void load_rows(const Rows& rows, std::size_t offset, __m512i* columns) {
  constexpr int kEights = W == 6 ? 1 : W / 8;
  PROVER_UNROLL
  for (int eight = 0; eight < kEights; ++eight) {
    __m512i r[8];
    PROVER_UNROLL
    for (int i = 0; i < 8; ++i) {
      const std::byte* at = rows.at[i] + offset + 64 * static_cast<std::size_t>(eight);
      r[i] = W == 6 ? _mm512_maskz_loadu_epi64(0x3f, at) : _mm512_loadu_si512(at);
    }
    transpose(r);
    PROVER_UNROLL
    for (int i = 0; i < 8; ++i)
      if (8 * eight + i < W) columns[8 * eight + i] = r[i];
  }
  if constexpr (W % 8 == 4) {
    const std::size_t rest = offset + 64 * static_cast<std::size_t>(kEights);
    __m512i r[4];
    PROVER_UNROLL
    for (int i = 0; i < 4; ++i) {
      const int row = i % 2 + i / 2 * 4;
      r[i] = load_halves(rows.at[row] + rest, rows.at[row + 2] + rest);
    }
    const __m512i even[2] = {_mm512_unpacklo_epi64(r[0], r[1]), _mm512_unpacklo_epi64(r[2], r[3])};
    const __m512i odd[2] = {_mm512_unpackhi_epi64(r[0], r[1]), _mm512_unpackhi_epi64(r[2], r[3])};
    columns[W - 4] = _mm512_shuffle_i64x2(even[0], even[1], 0x88);
    columns[W - 3] = _mm512_shuffle_i64x2(odd[0], odd[1], 0x88);
    columns[W - 2] = _mm512_shuffle_i64x2(even[0], even[1], 0xdd);
    columns[W - 1] = _mm512_shuffle_i64x2(odd[0], odd[1], 0xdd);
  }
}

// The first `count` <= 8 rows; W is a multiple of 4, or 6.
template <int W>
PROVER_IFMA_INLINE void store_rows(const __m512i* columns, const RowsOut& rows, std::size_t count) {
  static_assert(W % 4 == 0 || W == 6);
  constexpr int kEights = W == 6 ? 1 : W / 8;
  PROVER_UNROLL
  for (int eight = 0; eight < kEights; ++eight) {
    __m512i r[8];
    PROVER_UNROLL
    for (int i = 0; i < 8; ++i)
      r[i] = 8 * eight + i < W ? columns[8 * eight + i] : _mm512_setzero_si512();
    transpose(r);
    PROVER_UNROLL
    for (std::size_t i = 0; i < 8; ++i) {
      if (i >= count) break;
      if constexpr (W == 6)
        _mm512_mask_storeu_epi64(rows.at[i], 0x3f, r[i]);
      else
        _mm512_storeu_si512(rows.at[i] + 64 * eight, r[i]);
    }
  }
  if constexpr (W % 8 == 4) {
    const __m512i first = _mm512_set_epi64(11, 10, 3, 2, 9, 8, 1, 0);  // lanes 0 and 1 of both
    const __m512i second = _mm512_set_epi64(15, 14, 7, 6, 13, 12, 5, 4);
    PROVER_UNROLL
    for (std::size_t odd = 0; odd < 2; ++odd) {
      const __m512i* c = columns + W - 4;
      const __m512i low =
          odd ? _mm512_unpackhi_epi64(c[0], c[1]) : _mm512_unpacklo_epi64(c[0], c[1]);
      const __m512i high =
          odd ? _mm512_unpackhi_epi64(c[2], c[3]) : _mm512_unpacklo_epi64(c[2], c[3]);
      const __m512i r[2] = {_mm512_permutex2var_epi64(low, first, high),
                            _mm512_permutex2var_epi64(low, second, high)};
      PROVER_UNROLL
      for (std::size_t i = 0; i < 2; ++i) {
        const std::size_t row = 4 * i + odd;
        if (row < count)
          _mm256_storeu_si256(reinterpret_cast<__m256i*>(rows.at[row] + 8 * (W - 4)),
                              _mm512_castsi512_si256(r[i]));
        if (row + 2 < count)
          _mm256_storeu_si256(reinterpret_cast<__m256i*>(rows.at[row + 2] + 8 * (W - 4)),
                              _mm512_extracti64x4_epi64(r[i], 1));
      }
    }
  }
}

}  // namespace prover::field

#endif
