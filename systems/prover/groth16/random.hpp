// SPDX-License-Identifier: Apache-2.0
// Secret scalars.
#pragma once

#include <bit>
#include <span>

#include "prover/base/result.hpp"
#include "prover/field/field.hpp"

namespace prover::groth16 {

// Fills with bytes of getrandom(). Errors: the system has none to give.
Result<void> random_bytes(std::span<std::byte> bytes);

// Uniform in the field, by rejection: no bias from a remainder.
template <class Fr>
Result<Fr> random_scalar() {
  constexpr std::uint64_t top = Fr::kModulus.back();
  constexpr std::uint64_t mask = ~std::uint64_t{0} >> std::countl_zero(top);
  for (;;) {
    typename Fr::Plain integer;
    if (auto done = random_bytes(std::as_writable_bytes(std::span(integer))); !done)
      return fail(done.error());
    integer.back() &= mask;
    if (field::less(integer, Fr::kModulus)) return Fr::from_plain(integer);
  }
}

}  // namespace prover::groth16
