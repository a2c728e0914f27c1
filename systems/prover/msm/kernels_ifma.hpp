// SPDX-License-Identifier: Apache-2.0
// The kernels of kernels.hpp for processors with AVX-512 IFMA: call them only where
// field::has_ifma() holds.
#pragma once

#include "prover/msm/kernels.hpp"

#if defined(__x86_64__)

namespace prover::msm {

// Group: as in kernels.hpp.
template <class Group>
void add_pairs_ifma(Operands left, Operands right, std::byte* out, const std::uint32_t* to,
                    std::size_t count);
template <class Group>
std::size_t first_off_curve_ifma(const std::byte* points, std::size_t count);

}  // namespace prover::msm

#endif
