// SPDX-License-Identifier: Apache-2.0
#include "prover/msm/add_pairs_ifma.hpp"

#if defined(__x86_64__)

#include "prover/msm/kernels_ifma.hpp"

namespace prover::msm {

PROVER_TARGET_IFMA void add_pairs_ifma_bn254_g1(Operands left, Operands right, std::byte* out,
                                                const std::uint32_t* to, std::size_t count) {
  VectorAdder<curve::Bn254::G1>::add_pairs(left, right, out, to, count);
}
PROVER_TARGET_IFMA void add_pairs_ifma_bn254_g2(Operands left, Operands right, std::byte* out,
                                                const std::uint32_t* to, std::size_t count) {
  VectorAdder<curve::Bn254::G2>::add_pairs(left, right, out, to, count);
}

}  // namespace prover::msm

#endif
