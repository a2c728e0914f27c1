// SPDX-License-Identifier: Apache-2.0
#include "prover/ntt/kernels.hpp"

#include "prover/field/mul_x86_64.hpp"
#include "prover/field/params.hpp"
#include "prover/ntt/kernels_ifma.hpp"
#include "prover/ntt/scalar_kernels.hpp"

namespace prover::ntt {

template <class Params>
const Kernels& kernels(field::Isa isa) {
#if defined(__x86_64__)
  if (isa >= field::Isa::ifma) return kernels_ifma<Params>();
  if (isa >= field::Isa::adx) return ScalarKernels<field::Field<Params, field::AdxMul>>::kTable;
#endif
  return ScalarKernels<field::Field<Params>>::kTable;
}

template const Kernels& kernels<field::Bn254FrParams>(field::Isa isa);
template const Kernels& kernels<field::Bls12_381FrParams>(field::Isa isa);

}  // namespace prover::ntt
