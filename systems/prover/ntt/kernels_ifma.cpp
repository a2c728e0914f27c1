// SPDX-License-Identifier: Apache-2.0
#include "prover/ntt/kernels_ifma.hpp"

#if defined(__x86_64__)

#include "prover/field/mul_x86_64.hpp"
#include "prover/ntt/ifma_layers.hpp"
#include "prover/ntt/scalar_kernels.hpp"

namespace prover::ntt {
namespace {

template <class P>
struct IfmaKernels {
  using Layers = IfmaLayers<P>;
  using V = field::VectorField<P>;
  using Element = typename V::Element;
  using Words = typename V::Words;
  // For what is too small, and for what is left over.
  using One = ScalarKernels<field::Field<P, field::AdxMul>>;
  static constexpr std::size_t kBytes = kElementBytes;
  static constexpr unsigned kMinLogRows = 6;
  static_assert(kTileLog <= 14, "eleven layers is what elements can take");
  static_assert(kScratchBytes >= kTileElements / 8 * sizeof(Element));

  PROVER_TARGET_IFMA static void descend(const Tile& tile, std::size_t block,
                                         const std::byte* twiddles, std::byte* scratch) {
    auto* const v = reinterpret_cast<Element*>(scratch);
    if (tile.columns > 1) {
      load_columns(tile, v);
      Layers::descend_all(v, (tile.columns / 8) << tile.log_rows, tile.log_rows,
                          {twiddles, block, 0});
      store_columns(tile, v);
      return;
    }
    if (tile.log_rows < kMinLogRows) return One::descend(tile, block, twiddles, scratch);
    // Lane k gets the k-th eighth of the tile, once the first three layers are done.
    const std::size_t eighth = std::size_t{1} << (tile.log_rows - 3);
    Element t[7];
    Layers::twiddles_of_eight(twiddles, block, t);
    for (std::size_t i = 0; i < eighth; i += 8) {
      Element eight[8];
      for (std::size_t k = 0; k < 8; ++k)
        eight[k] = Layers::load(tile.data + (k * eighth + i) * kBytes, kBytes);
      Layers::descend_eight(eight, t);
      Layers::transpose(eight);
      for (std::size_t k = 0; k < 8; ++k) v[i + k] = Layers::nearly_reduced(V::carried(eight[k]));
    }
    Layers::descend_all(v, eighth, tile.log_rows - 3, {twiddles, 8 * block, 1});
    for (std::size_t i = 0; i < eighth; ++i)
      Layers::store(v[i], tile.data + i * kBytes, eighth * kBytes);
  }

  PROVER_TARGET_IFMA static void ascend(const Tile& tile, std::size_t block,
                                        const std::byte* twiddles, std::byte* scratch) {
    auto* const v = reinterpret_cast<Element*>(scratch);
    if (tile.columns > 1) {
      load_columns(tile, v);
      Layers::ascend_all(v, (tile.columns / 8) << tile.log_rows, tile.log_rows,
                         {twiddles, block, 0});
      store_columns(tile, v);
      return;
    }
    if (tile.log_rows < kMinLogRows) return One::ascend(tile, block, twiddles, scratch);
    const std::size_t eighth = std::size_t{1} << (tile.log_rows - 3);
    for (std::size_t i = 0; i < eighth; ++i)
      v[i] = Layers::load(tile.data + i * kBytes, eighth * kBytes);
    Layers::ascend_all(v, eighth, tile.log_rows - 3, {twiddles, 8 * block, 1});
    Element t[7];
    Layers::twiddles_of_eight(twiddles, block, t);
    for (std::size_t i = 0; i < eighth; i += 8) {
      Element eight[8];
      for (std::size_t k = 0; k < 8; ++k) eight[k] = v[i + k];
      Layers::transpose(eight);
      Layers::ascend_eight(eight, t);
      for (std::size_t k = 0; k < 8; ++k)
        Layers::store(eight[k], tile.data + (k * eighth + i) * kBytes, kBytes);
    }
  }

  PROVER_IFMA_INLINE static void load_columns(const Tile& tile, Element* v) {
    const std::size_t rows = std::size_t{1} << tile.log_rows;
    for (std::size_t i = 0; i < rows; ++i)
      for (std::size_t j = 0; j < tile.columns; j += 8)
        *v++ = Layers::load(tile.data + (i * tile.stride + j) * kBytes, kBytes);
  }
  PROVER_IFMA_INLINE static void store_columns(const Tile& tile, const Element* v) {
    const std::size_t rows = std::size_t{1} << tile.log_rows;
    for (std::size_t i = 0; i < rows; ++i)
      for (std::size_t j = 0; j < tile.columns; j += 8)
        Layers::store(*v++, tile.data + (i * tile.stride + j) * kBytes, kBytes);
  }

  PROVER_IFMA_INLINE static Words load_words(const std::byte* eight) {
    Words w;
    field::load_rows<4>(field::rows_together(eight, kBytes), 0, w.w);
    return w;
  }
  PROVER_IFMA_INLINE static void store_words(const Words& w, std::byte* eight) {
    field::store_rows<4>(w.w, field::rows_together(eight, kBytes), 8);
  }

  PROVER_TARGET_IFMA static void shift(std::byte* values, const std::byte* twiddles,
                                       const std::byte* factor, std::size_t count) {
    const Element f = Layers::broadcast_twiddle(factor);
    std::size_t i = 0;
    for (; i + 8 <= count; i += 8) {
      const Words t = load_words(twiddles + i * kBytes), a = load_words(values + i * kBytes);
      const Element both = V::mul(V::template unpack<V::kShift>(t), f);
      const Element product = V::mul(V::template unpack<0>(a), both);
      store_words(V::pack(V::template canonical<0>(product)), values + i * kBytes);
    }
    One::shift(values + i * kBytes, twiddles + i * kBytes, factor, count - i);
  }

  PROVER_TARGET_IFMA static void multiply_subtract(std::byte* a, const std::byte* b,
                                                   const std::byte* c, std::size_t count) {
    std::size_t i = 0;
    for (; i + 8 <= count; i += 8) {
      const Words x = load_words(a + i * kBytes), y = load_words(b + i * kBytes);
      const Element product = V::mul(V::template unpack<V::kShift>(x), V::template unpack<0>(y));
      const Element z = V::template unpack<0>(load_words(c + i * kBytes));
      store_words(V::pack(V::template canonical<1>(V::sub(product, z))), a + i * kBytes);
    }
    One::multiply_subtract(a + i * kBytes, b + i * kBytes, c + i * kBytes, count - i);
  }

  // values[i] *= factor / 2^260
  PROVER_IFMA_INLINE static std::size_t multiply_by(std::byte* values, const Element& factor,
                                                    std::size_t count) {
    std::size_t i = 0;
    for (; i + 8 <= count; i += 8) {
      const Element a = V::template unpack<0>(load_words(values + i * kBytes));
      store_words(V::pack(V::template canonical<0>(V::mul(a, factor))), values + i * kBytes);
    }
    return i;
  }
  PROVER_TARGET_IFMA static void to_plain(std::byte* values, std::size_t count) {
    constexpr auto factor = V::constant(field::power_of_two(P::kModulus, V::kShift));
    const std::size_t done = multiply_by(values, V::broadcast(factor), count);
    One::to_plain(values + done * kBytes, count - done);
  }
  PROVER_TARGET_IFMA static void from_plain(std::byte* values, std::size_t count) {
    constexpr auto factor = V::constant(field::power_of_two(P::kModulus, 512 + V::kShift));
    const std::size_t done = multiply_by(values, V::broadcast(factor), count);
    One::from_plain(values + done * kBytes, count - done);
  }

  static constexpr Kernels kTable{descend, ascend, shift, multiply_subtract, to_plain, from_plain};
};

}  // namespace

template <>
const Kernels& kernels_ifma<field::Bn254FrParams>() {
  return IfmaKernels<field::Bn254FrParams>::kTable;
}
template <>
const Kernels& kernels_ifma<field::Bls12_381FrParams>() {
  return IfmaKernels<field::Bls12_381FrParams>::kTable;
}

}  // namespace prover::ntt

#endif
