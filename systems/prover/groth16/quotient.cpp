// SPDX-License-Identifier: Apache-2.0
#include "prover/groth16/quotient.hpp"

#include <algorithm>

#include "prover/base/parallel.hpp"
#include "prover/curve/groups.hpp"
#include "prover/field/isa.hpp"
#include "prover/field/mul_x86_64.hpp"

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

template <class Fr>
void multiply_rows(std::span<const Fr> a, std::span<const Fr> b, std::span<Fr> c,
                   unsigned threads) {
  parallel_ranges(threads, c.size(), std::size_t{1} << 12, [&](std::size_t i, std::size_t end) {
    for (; i < end; ++i) c[i] = a[i] * b[i];
  });
}

template <class Fr>
Result<std::span<const Scalar>> quotient(const ntt::Domain<Fr>& domain, std::span<Fr> a,
                                         std::span<Fr> b, std::span<Fr> c, unsigned threads,
                                         Stages& stages, const std::stop_token& stop) {
  const struct {
    const char* name;
    std::span<Fr> values;
  } transforms[] = {{"ntt_a", a}, {"ntt_b", b}, {"ntt_c", c}};
  for (const auto& [name, values] : transforms) {
    const Stages::Scope stage(stages, name);
    domain.inverse(values, threads);
    domain.shift_to_coset(values, threads);
    domain.forward(values, threads);
    if (stop.stop_requested()) return fail(ErrorKind::cancelled, "stopped");
  }
  const Stages::Scope stage(stages, "quotient");
  ntt::multiply_subtract<Fr>(a, b, c, threads);
  ntt::to_plain<Fr>(a, threads);
  // An element is its limbs and nothing else, and those are plain now.
  static_assert(sizeof(Fr) == sizeof(Scalar));
  return std::span(&a.front().montgomery(), a.size());
}

#define PROVER_INSTANTIATE(Fr)                                                                  \
  template Result<void> evaluate_rows<Fr>(const files::Zkey&, std::span<const Scalar>,          \
                                          std::span<Fr>, std::span<Fr>, unsigned);              \
  template void multiply_rows<Fr>(std::span<const Fr>, std::span<const Fr>, std::span<Fr>,      \
                                  unsigned);                                                    \
  template Result<std::span<const Scalar>> quotient<Fr>(const ntt::Domain<Fr>&, std::span<Fr>,  \
                                                        std::span<Fr>, std::span<Fr>, unsigned, \
                                                        Stages&, const std::stop_token&);
PROVER_INSTANTIATE(field::Bn254Fr)
PROVER_INSTANTIATE(field::Bls12_381Fr)
#undef PROVER_INSTANTIATE

}  // namespace prover::groth16
