// SPDX-License-Identifier: Apache-2.0
// GMP's integers, the other opinion of the tests.
#pragma once

#include <gmp.h>

#include "prover/field/limbs.hpp"

namespace prover::field {

class Mpz {
 public:
  Mpz() { mpz_init(value_); }
  template <std::size_t N>
  explicit Mpz(const Limbs<N>& limbs) : Mpz() {
    mpz_import(value_, N, -1, 8, 0, 0, limbs.data());
  }
  Mpz(const Mpz& other) : Mpz() { mpz_set(value_, other.value_); }
  Mpz& operator=(const Mpz&) = delete;
  ~Mpz() { mpz_clear(value_); }
  mpz_ptr get() { return value_; }
  mpz_srcptr get() const { return value_; }
  bool operator==(const Mpz& other) const { return mpz_cmp(value_, other.value_) == 0; }

 private:
  mpz_t value_;
};

}  // namespace prover::field
