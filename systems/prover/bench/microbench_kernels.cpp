// SPDX-License-Identifier: Apache-2.0
#include "prover/bench/microbench_kernels.hpp"

#include <dlfcn.h>

#include "prover/base/result.hpp"
#include "prover/field/ifma.hpp"
#include "prover/field/params.hpp"

namespace prover::bench {
namespace {

#if defined(__x86_64__)
// Four chains, so that no product waits for another.
template <class P>
PROVER_TARGET_IFMA void chains(std::size_t rounds) {
  using V = field::VectorField<P>;
  typename V::Element a[4], b = V::broadcast(V::kQuotient);
  for (auto& chain : a) chain = b;
  for (std::size_t i = 0; i < rounds; ++i)
    for (auto& chain : a) chain = V::mul(chain, b);
  for (auto& chain : a) asm volatile("" : : "r"(&chain) : "memory");
}
#endif

}  // namespace

void ifma_products([[maybe_unused]] WhichField which, [[maybe_unused]] std::size_t rounds) {
#if defined(__x86_64__)
  switch (which) {
    case WhichField::bn254_q:
      return chains<field::Bn254FqParams>(rounds);
    case WhichField::bn254_r:
      return chains<field::Bn254FrParams>(rounds);
    case WhichField::bls12_381_q:
      return chains<field::Bls12_381FqParams>(rounds);
    case WhichField::bls12_381_r:
      return chains<field::Bls12_381FrParams>(rounds);
  }
#endif
}

Gmp::Gmp() : library_(::dlopen("libgmp.so.10", RTLD_NOW | RTLD_LOCAL)) {
  if (library_ == nullptr) return;
  multiply_ = reinterpret_cast<Multiply>(::dlsym(library_, "__gmpn_mul_n"));
  divide_ = reinterpret_cast<Divide>(::dlsym(library_, "__gmpn_tdiv_qr"));
}

Gmp::~Gmp() {
  if (library_ != nullptr) ::dlclose(library_);
}

void Gmp::product(std::uint64_t* r, const std::uint64_t* a, const std::uint64_t* b,
                  std::span<const std::uint64_t> m) const {
  constexpr std::size_t kMostLimbs = 6;
  PROVER_CHECK(m.size() <= kMostLimbs, "numbers of at most 6 limbs");
  std::uint64_t wide[2 * kMostLimbs], quotient[kMostLimbs + 1];
  const long limbs = static_cast<long>(m.size());
  multiply_(wide, a, b, limbs);
  divide_(quotient, r, 0, wide, 2 * limbs, m.data(), limbs);
}

}  // namespace prover::bench
