// SPDX-License-Identifier: Apache-2.0
// The loops that microbench.cpp times and that need instructions or a library of their own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "prover/field/curve_id.hpp"

namespace prover::bench {

// One of the four fields.
enum class WhichField { bn254_q, bn254_r, bls12_381_q, bls12_381_r };

// Rounds of kIfmaProducts products with AVX-512 IFMA; only where field::has_ifma() holds.
inline constexpr std::size_t kIfmaProducts = 4 * 8;
void ifma_products(WhichField which, std::size_t rounds);

// GMP, when this machine has its library; nothing is linked.
class Gmp {
 public:
  Gmp();
  ~Gmp();
  Gmp(const Gmp&) = delete;
  Gmp& operator=(const Gmp&) = delete;
  bool is_there() const { return multiply_ != nullptr && divide_ != nullptr; }
  // r = a b mod m, all of m.size() limbs, at most 6.
  void product(std::uint64_t* r, const std::uint64_t* a, const std::uint64_t* b,
               std::span<const std::uint64_t> m) const;

 private:
  // mpn_mul_n and mpn_tdiv_qr
  using Multiply = void (*)(std::uint64_t*, const std::uint64_t*, const std::uint64_t*, long);
  using Divide = void (*)(std::uint64_t*, std::uint64_t*, long, const std::uint64_t*, long,
                          const std::uint64_t*, long);
  void* library_ = nullptr;
  Multiply multiply_ = nullptr;
  Divide divide_ = nullptr;
};

}  // namespace prover::bench
