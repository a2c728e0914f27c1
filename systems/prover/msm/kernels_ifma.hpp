// SPDX-License-Identifier: Apache-2.0
// The AddPairs of kernels.hpp for processors with AVX-512 IFMA: call them only where
// field::has_ifma() holds.
#pragma once

#include "prover/msm/kernels.hpp"

#if defined(__x86_64__)

namespace prover::msm {

void add_pairs_ifma_bn254_g1(Operands left, Operands right, std::byte* out, const std::uint32_t* to,
                             std::size_t count);
void add_pairs_ifma_bn254_g2(Operands left, Operands right, std::byte* out, const std::uint32_t* to,
                             std::size_t count);
void add_pairs_ifma_bls12_381_g1(Operands left, Operands right, std::byte* out,
                                 const std::uint32_t* to, std::size_t count);
void add_pairs_ifma_bls12_381_g2(Operands left, Operands right, std::byte* out,
                                 const std::uint32_t* to, std::size_t count);

}  // namespace prover::msm

#endif
