// SPDX-License-Identifier: Apache-2.0
#include "prover/bench/microbench.hpp"

#include <algorithm>
#include <chrono>
#include <random>

#include "prover/bench/microbench_kernels.hpp"
#include "prover/field/mul_x86_64.hpp"
#include "prover/msm/kernels.hpp"
#include "prover/ntt/domain.hpp"

namespace prover::bench {
namespace {

using field::Isa;

constexpr std::size_t kElements = 64;  // of a field: they stay in the nearest cache
constexpr std::size_t kPoints = 2048, kAdditions = 1024;
constexpr unsigned kTransformLog = 16;
constexpr std::size_t kFigures = 32;  // about, for the progress

void keep(const void* memory) { asm volatile("" : : "r"(memory) : "memory"); }

double seconds_of(const std::function<void(std::size_t)>& work, std::size_t rounds) {
  const auto begin = std::chrono::steady_clock::now();
  work(rounds);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

class Bench {
 public:
  explicit Bench(const MicrobenchOptions& options) : options_(options) {}

  // `work(rounds)` does rounds x `per_round` operations.
  void measure(std::string operation, std::string on, std::string_view by, std::size_t per_round,
               const std::function<void(std::size_t)>& work) {
    if (cancelled_) return;
    std::size_t rounds = 1;
    while (seconds_of(work, rounds) < options_.sample_s && rounds < std::size_t{1} << 40)
      rounds *= 2;
    std::vector<double> samples;
    for (unsigned i = 0; i < options_.samples; ++i)
      samples.push_back(seconds_of(work, rounds) * 1e9 /
                        (static_cast<double>(rounds) * static_cast<double>(per_round)));
    std::ranges::sort(samples);
    figures_.push_back({std::move(operation), std::move(on), std::string(by), samples.front(),
                        samples[samples.size() / 2]});
    const double done = static_cast<double>(figures_.size()) / kFigures;
    cancelled_ = !options_.progress(std::min(done, 1.0));
  }

  bool is_cancelled() const { return cancelled_; }
  std::vector<Figure> take() { return std::move(figures_); }

 private:
  const MicrobenchOptions& options_;
  std::vector<Figure> figures_;
  bool cancelled_ = false;
};

template <class F>
std::vector<F> random_elements(std::size_t count) {
  std::mt19937_64 random(1);
  std::vector<F> elements(count);
  for (F& element : elements) {
    typename F::Plain limbs{};
    for (std::uint64_t& limb : limbs) limb = random();
    limbs.back() >>= 4;  // below every modulus
    element = F::from_montgomery(limbs);
  }
  return elements;
}

template <class F>
void scalar_products(Bench& bench, const std::string& on, Isa isa) {
  std::vector<F> a = random_elements<F>(kElements), b = a;
  bench.measure("product", on, isa_name(isa), kElements, [&](std::size_t rounds) {
    for (std::size_t i = 0; i < rounds; ++i) {
      for (std::size_t j = 0; j < kElements; ++j) a[j] *= b[j];
      keep(a.data());
    }
  });
}

template <class P>
void products(Bench& bench, const std::string& on, WhichField which) {
  using Portable = field::Field<P>;
  const Gmp gmp;
  if (gmp.is_there()) {
    auto numbers = random_elements<Portable>(kElements);
    typename Portable::Plain result{};
    bench.measure("product", on, "gmp", kElements, [&](std::size_t rounds) {
      for (std::size_t i = 0; i < rounds; ++i)
        for (const Portable& number : numbers) {
          gmp.product(result.data(), number.montgomery().data(), number.montgomery().data(),
                      Portable::kModulus);
          keep(result.data());
        }
    });
  }
  scalar_products<Portable>(bench, on, Isa::portable);
#if defined(__x86_64__)
  if (field::has_adx()) scalar_products<field::Field<P, field::AdxMul>>(bench, on, Isa::adx);
#endif
  if (field::has_ifma())
    bench.measure("product", on, isa_name(Isa::ifma), kIfmaProducts,
                  [&](std::size_t rounds) { ifma_products(which, rounds); });
}

std::vector<Isa> available() {
  std::vector<Isa> sets;
  for (const Isa isa : {Isa::portable, Isa::adx, Isa::ifma})
    if (isa <= field::best_isa()) sets.push_back(isa);
  return sets;
}

template <class Group>
void additions(Bench& bench, const std::string& on) {
  using Point = curve::Affine<typename Group::Coordinate>;
  std::vector<std::byte> points(kPoints * Point::kBytes), sums(kAdditions * Point::kBytes);
  auto multiple = curve::Jacobian<typename Group::Coordinate>::from(Group::generator());
  for (std::size_t i = 0; i < kPoints; ++i) {
    multiple.affine().store(points.data() + i * Point::kBytes);
    multiple += Group::generator();
  }
  std::mt19937_64 random(2);
  std::vector<std::uint32_t> left(kAdditions), right(kAdditions);
  for (std::size_t i = 0; i < kAdditions; ++i) {
    left[i] = static_cast<std::uint32_t>(random() % kPoints);
    right[i] = static_cast<std::uint32_t>(random() % kPoints);
  }
  for (const Isa isa : available()) {
    const msm::AddPairs add = msm::add_pairs<Group>(isa);
    bench.measure("bucket addition", on, isa_name(isa), kAdditions, [&](std::size_t rounds) {
      for (std::size_t i = 0; i < rounds; ++i)
        add({points.data(), left.data()}, {points.data(), right.data()}, sums.data(), nullptr,
            kAdditions);
    });
  }
}

template <class Fr>
Result<void> butterflies(Bench& bench, const std::string& on) {
  const auto domain = ntt::Domain<Fr>::create(kTransformLog);
  if (!domain) return fail(domain.error());
  std::vector<Fr> values = random_elements<Fr>(domain->size());
  const Isa before = field::current_isa();
  for (const Isa isa : available()) {
    field::use_isa(isa);
    bench.measure("butterfly", on, isa_name(isa), domain->size() / 2 * kTransformLog,
                  [&](std::size_t rounds) {
                    for (std::size_t i = 0; i < rounds; ++i) domain->forward(values, 1);
                  });
  }
  field::use_isa(before);
  return {};
}

}  // namespace

Result<std::vector<Figure>> microbench(const MicrobenchOptions& options) {
  Bench bench(options);
  products<field::Bn254FqParams>(bench, "bn254 Fq", WhichField::bn254_q);
  products<field::Bn254FrParams>(bench, "bn254 Fr", WhichField::bn254_r);
  products<field::Bls12_381FqParams>(bench, "bls12-381 Fq", WhichField::bls12_381_q);
  products<field::Bls12_381FrParams>(bench, "bls12-381 Fr", WhichField::bls12_381_r);
  additions<curve::Bn254::G1>(bench, "bn254 G1");
  additions<curve::Bn254::G2>(bench, "bn254 G2");
  additions<curve::Bls12_381::G1>(bench, "bls12-381 G1");
  additions<curve::Bls12_381::G2>(bench, "bls12-381 G2");
  if (auto done = butterflies<field::Bn254Fr>(bench, "bn254 Fr"); !done) return fail(done.error());
  if (auto done = butterflies<field::Bls12_381Fr>(bench, "bls12-381 Fr"); !done)
    return fail(done.error());
  if (bench.is_cancelled()) return fail(ErrorKind::cancelled, "stopped");
  return bench.take();
}

}  // namespace prover::bench
