// SPDX-License-Identifier: Apache-2.0
// Many products at once, for code that is compiled for any processor: call it only where
// has_ifma() (isa.hpp) holds.
#pragma once

#include "prover/field/params.hpp"

#if defined(__x86_64__)

namespace prover::field {

// out[i] = a[i] b[i] for i < count: elements as Field stores them, at any alignment. `out` may be
// `a` or `b`. P: the Params of one of the four fields.
template <class P>
void multiply_ifma(std::byte* out, const std::byte* a, const std::byte* b, std::size_t count);

extern template void multiply_ifma<Bn254FqParams>(std::byte*, const std::byte*, const std::byte*,
                                                  std::size_t);
extern template void multiply_ifma<Bn254FrParams>(std::byte*, const std::byte*, const std::byte*,
                                                  std::size_t);
extern template void multiply_ifma<Bls12_381FqParams>(std::byte*, const std::byte*,
                                                      const std::byte*, std::size_t);
extern template void multiply_ifma<Bls12_381FrParams>(std::byte*, const std::byte*,
                                                      const std::byte*, std::size_t);

}  // namespace prover::field

#endif
