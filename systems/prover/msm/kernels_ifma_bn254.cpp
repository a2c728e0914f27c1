// SPDX-License-Identifier: Apache-2.0
#include "prover/msm/kernels_ifma_templates.hpp"

#if defined(__x86_64__)

namespace prover::msm {

template void add_pairs_ifma<curve::Bn254::G1>(Operands, Operands, std::byte*, const std::uint32_t*,
                                               std::size_t);
template void add_pairs_ifma<curve::Bn254::G2>(Operands, Operands, std::byte*, const std::uint32_t*,
                                               std::size_t);
template std::size_t first_off_curve_ifma<curve::Bn254::G1>(const std::byte*, std::size_t);
template std::size_t first_off_curve_ifma<curve::Bn254::G2>(const std::byte*, std::size_t);

}  // namespace prover::msm

#endif
