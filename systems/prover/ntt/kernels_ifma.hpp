// SPDX-License-Identifier: Apache-2.0
// The table of kernels.hpp for processors with AVX-512 IFMA.
#pragma once

#include "prover/field/params.hpp"
#include "prover/ntt/kernels.hpp"

#if defined(__x86_64__)

namespace prover::ntt {

// Params as for `kernels`. Use it only where field::has_ifma() holds.
template <class Params>
const Kernels& kernels_ifma();

template <>
const Kernels& kernels_ifma<field::Bn254FrParams>();
template <>
const Kernels& kernels_ifma<field::Bls12_381FrParams>();

}  // namespace prover::ntt

#endif
