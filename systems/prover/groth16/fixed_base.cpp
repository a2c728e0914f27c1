// SPDX-License-Identifier: Apache-2.0
#include "prover/groth16/fixed_base.hpp"

#include "prover/base/parallel.hpp"

namespace prover::groth16 {

// All places go from one value to the next together, so that they share inversions.
template <class Group>
FixedBase<Group>::FixedBase(const Point& base) : table_(kPlaces * kValues * Point::kBytes) {
  auto power = curve::Jacobian<typename Group::Coordinate>::from(base);
  std::vector<std::byte> steps(kPlaces * Point::kBytes);
  for (std::size_t place = 0; place < kPlaces; ++place) {
    power.affine().store(steps.data() + place * Point::kBytes);
    for (int i = 0; i < 8; ++i) power = power.doubled();
  }
  const msm::AddPairs add = msm::add_pairs<Group>(field::current_isa());
  std::vector<std::uint32_t> from(kPlaces), to(kPlaces);
  for (std::uint32_t value = 1; value < kValues; ++value) {
    for (std::uint32_t place = 0; place < kPlaces; ++place) {
      to[place] = static_cast<std::uint32_t>(place * kValues + value);
      from[place] = to[place] - 1;
    }
    add({table_.data(), from.data()}, {steps.data(), nullptr}, table_.data(), to.data(), kPlaces);
  }
}

template <class Group>
template <class Fr>
void FixedBase<Group>::multiply(std::span<const Fr> scalars, std::span<std::byte> out,
                                unsigned threads) const {
  const msm::AddPairs add = msm::add_pairs<Group>(field::current_isa());
  parallel_ranges(threads, scalars.size(), 2048, [&](std::size_t begin, std::size_t end) {
    const std::size_t count = end - begin;
    std::byte* const sums = out.data() + begin * Point::kBytes;
    std::vector<typename Fr::Plain> plain(count);
    for (std::size_t i = 0; i < count; ++i) plain[i] = scalars[begin + i].plain();
    std::vector<std::uint32_t> index(count);
    std::fill(sums, sums + count * Point::kBytes, std::byte{0});
    for (std::size_t place = 0; place < kPlaces; ++place) {
      for (std::size_t i = 0; i < count; ++i)
        index[i] = static_cast<std::uint32_t>(place * kValues +
                                              (plain[i][place / 8] >> (place % 8 * 8) & 0xff));
      add({sums, nullptr}, {table_.data(), index.data()}, sums, nullptr, count);
    }
  });
}

template class FixedBase<curve::Bn254::G1>;
template class FixedBase<curve::Bn254::G2>;
template class FixedBase<curve::Bls12_381::G1>;
template class FixedBase<curve::Bls12_381::G2>;
#define PROVER_INSTANTIATE(C, G)                                                               \
  template void FixedBase<C::G>::multiply<C::Fr>(std::span<const C::Fr>, std::span<std::byte>, \
                                                 unsigned) const;
PROVER_INSTANTIATE(curve::Bn254, G1)
PROVER_INSTANTIATE(curve::Bn254, G2)
PROVER_INSTANTIATE(curve::Bls12_381, G1)
PROVER_INSTANTIATE(curve::Bls12_381, G2)
#undef PROVER_INSTANTIATE

}  // namespace prover::groth16
