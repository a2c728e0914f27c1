// SPDX-License-Identifier: Apache-2.0
#include "prover/groth16/quotient.hpp"

#include <algorithm>
#include <cstring>

#include "prover/base/parallel.hpp"
#include "prover/curve/groups.hpp"
#include "prover/field/isa.hpp"
#include "prover/field/mul_x86_64.hpp"
#include "prover/ntt/domain.hpp"

namespace prover::groth16 {
namespace {

using msm::Scalar;

// Adds what belongs to rows [first, last) of one matrix. Entries may come in any order, so every
// task reads them all and leaves the others': a few bytes each. False when an entry is bad.
template <class F, class Fr>
bool evaluate_part(const files::Zkey& key, std::span<const Scalar> witness, std::uint32_t matrix,
                   std::uint32_t first, std::uint32_t last, std::span<Fr> sums) {
  for (std::uint32_t i = 0; i < key.coefficients.size(); ++i) {
    const files::Coefficient entry = key.coefficients[i];
    if (entry.matrix > 1 || entry.row >= key.domain_size || entry.wire >= key.wires) return false;
    if (entry.matrix != matrix || entry.row < first || entry.row >= last) continue;
    const F value = F::load(entry.value);
    if (!value.is_reduced()) return false;
    // The value is stored times R^2, so its product with a plain integer is in Montgomery form.
    const F term = value * F::from_montgomery(witness[entry.wire]);
    const F sum = F::from_montgomery(sums[entry.row].montgomery()) + term;
    sums[entry.row] = Fr::from_montgomery(sum.montgomery());
  }
  return true;
}

template <class F, class Fr>
bool evaluate_all(const files::Zkey& key, std::span<const Scalar> witness, std::span<Fr> a,
                  std::span<Fr> b, unsigned threads) {
  const std::uint32_t parts = std::max(1u, (threads + 1) / 2);
  std::vector<char> good(2 * parts);
  parallel(threads, good.size(), [&](std::size_t task) {
    const std::uint32_t matrix = task % 2, part = static_cast<std::uint32_t>(task / 2);
    const auto edge = [&](std::uint64_t i) {
      return static_cast<std::uint32_t>(key.domain_size * i / parts);
    };
    good[task] =
        evaluate_part<F>(key, witness, matrix, edge(part), edge(part + 1), matrix == 0 ? a : b);
  });
  return std::find(good.begin(), good.end(), 0) == good.end();
}

}  // namespace

template <class Fr>
Result<void> evaluate_rows(const files::Zkey& key, std::span<const Scalar> witness, std::span<Fr> a,
                           std::span<Fr> b, unsigned threads) {
  bool good = false;
#if defined(__x86_64__)
  if (field::current_isa() >= field::Isa::adx)
    good =
        evaluate_all<field::Field<typename Fr::Params, field::AdxMul>>(key, witness, a, b, threads);
  else
#endif
    good = evaluate_all<Fr>(key, witness, a, b, threads);
  if (good) return {};
  auto reason = files::check_coefficients(key);
  PROVER_CHECK(!reason, "a coefficient is bad and the check did not find it");
  return reason;
}

template <class C>
Result<std::vector<Scalar>> quotient(const files::Zkey& key, std::span<const Scalar> witness,
                                     unsigned threads, Stages& stages) {
  using Fr = typename C::Fr;
  const auto domain = ntt::Domain<Fr>::create(key.domain_log2);
  if (!domain) return fail(domain.error());
  std::vector<Fr> a(key.domain_size), b(key.domain_size), c(key.domain_size);
  {
    const Stages::Scope stage(stages, "coefficients");
    if (auto done = evaluate_rows<Fr>(key, witness, a, b, threads); !done)
      return fail(done.error());
    parallel_ranges(threads, c.size(), std::size_t{1} << 12, [&](std::size_t i, std::size_t end) {
      for (; i < end; ++i) c[i] = a[i] * b[i];
    });
  }
  const struct {
    const char* name;
    std::vector<Fr>& values;
  } transforms[] = {{"ntt_a", a}, {"ntt_b", b}, {"ntt_c", c}};
  for (const auto& [name, values] : transforms) {
    const Stages::Scope stage(stages, name);
    domain->inverse(values, threads);
    domain->shift_to_coset(values, threads);
    domain->forward(values, threads);
  }
  const Stages::Scope stage(stages, "quotient");
  ntt::multiply_subtract<Fr>(a, b, c, threads);
  ntt::to_plain<Fr>(a, threads);
  std::vector<Scalar> scalars(a.size());
  std::memcpy(scalars.data(), a.data(), a.size() * sizeof(Scalar));
  return scalars;
}

#define PROVER_INSTANTIATE(C)                                                                   \
  template Result<void> evaluate_rows<C::Fr>(const files::Zkey&, std::span<const Scalar>,       \
                                             std::span<C::Fr>, std::span<C::Fr>, unsigned);     \
  template Result<std::vector<Scalar>> quotient<C>(const files::Zkey&, std::span<const Scalar>, \
                                                   unsigned, Stages&);
PROVER_INSTANTIATE(curve::Bn254)
PROVER_INSTANTIATE(curve::Bls12_381)
#undef PROVER_INSTANTIATE

}  // namespace prover::groth16
