// SPDX-License-Identifier: Apache-2.0
#include "prover/field/ifma_batch.hpp"

#include "prover/field/ifma_rows.hpp"

#if defined(__x86_64__)

namespace prover::field {
namespace {

template <class P>
PROVER_IFMA_INLINE void multiply_eight(const RowsOut& out, const Rows& a, const Rows& b,
                                       std::size_t count) {
  using V = VectorField<P>;
  typename V::Words x, y;
  load_rows<V::kWords>(a, 0, x.w);
  load_rows<V::kWords>(b, 0, y.w);
  const typename V::Element product =
      V::mul(V::template unpack<V::kShift>(x), V::template unpack<0>(y));
  store_rows<V::kWords>(V::pack(V::template canonical<0>(product)).w, out, count);
}

template <class P>
PROVER_TARGET_IFMA void multiply(std::byte* out, const std::byte* a, const std::byte* b,
                                 std::size_t count) {
  constexpr std::size_t kBytes = 8 * P::kLimbs;
  std::size_t i = 0;
  for (; i + 8 <= count; i += 8)
    multiply_eight<P>(rows_together(out + i * kBytes, kBytes),
                      rows_together(a + i * kBytes, kBytes), rows_together(b + i * kBytes, kBytes),
                      8);
  if (i == count) return;
  Rows left, right;
  for (std::size_t j = 0; j < 8; ++j) {  // the last element again, where there are no more
    const std::size_t at = i + j < count ? i + j : count - 1;
    left.at[j] = a + at * kBytes;
    right.at[j] = b + at * kBytes;
  }
  multiply_eight<P>(rows_together(out + i * kBytes, kBytes), left, right, count - i);
}

}  // namespace

template <class P>
void multiply_ifma(std::byte* out, const std::byte* a, const std::byte* b, std::size_t count) {
  multiply<P>(out, a, b, count);
}

template void multiply_ifma<Bn254FqParams>(std::byte*, const std::byte*, const std::byte*,
                                           std::size_t);
template void multiply_ifma<Bn254FrParams>(std::byte*, const std::byte*, const std::byte*,
                                           std::size_t);
template void multiply_ifma<Bls12_381FqParams>(std::byte*, const std::byte*, const std::byte*,
                                               std::size_t);
template void multiply_ifma<Bls12_381FrParams>(std::byte*, const std::byte*, const std::byte*,
                                               std::size_t);

}  // namespace prover::field

#endif
