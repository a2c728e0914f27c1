// SPDX-License-Identifier: Apache-2.0
// Transforms against sums of powers, and against themselves: there and back, on any number of
// threads, with any instructions.
#include "prover/ntt/domain.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>

#include "prover/field/isa.hpp"

namespace prover::ntt {
namespace {

std::size_t reversed(std::size_t i, unsigned bits) {
  std::size_t r = 0;
  for (unsigned k = 0; k < bits; ++k) r |= (i >> k & 1) << (bits - 1 - k);
  return r;
}

// The instructions in use, set back at the end.
class Using {
 public:
  explicit Using(field::Isa isa) : before_(field::current_isa()) { field::use_isa(isa); }
  ~Using() { field::use_isa(before_); }
  Using(const Using&) = delete;
  Using& operator=(const Using&) = delete;

 private:
  field::Isa before_;
};

std::vector<field::Isa> instruction_sets() {
  std::vector<field::Isa> sets;
  for (const field::Isa isa : {field::Isa::portable, field::Isa::adx, field::Isa::ifma})
    if (isa <= field::best_isa()) sets.push_back(isa);
  return sets;
}

template <class Fr>
class DomainTest : public testing::Test {
 protected:
  using Values = std::vector<Fr>;

  static Domain<Fr> domain(unsigned log_size) {
    auto made = Domain<Fr>::create(log_size);
    EXPECT_TRUE(made) << made.error().to_text();
    return *made;
  }
  // Random elements with the edges among them: 0, 1, p - 1, R, and large limbs.
  static Values values(std::size_t count, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    Values all(count);
    typename Fr::Plain limbs;
    for (Fr& value : all) {
      for (std::uint64_t& limb : limbs) limb = random() % 8 == 0 ? ~std::uint64_t{0} : random();
      limbs.back() %= Fr::kModulus.back();
      value = Fr::from_montgomery(limbs);
      switch (random() % 16) {
        case 0:
          value = Fr::zero();
          break;
        case 1:
          value = Fr::one();
          break;
        case 2:
          value = -Fr::one();
          break;
        case 3:
          value = -Fr::from_montgomery(field::from_word<4>(1));
          break;  // p - 1 in memory
        default:
          break;
      }
    }
    return all;
  }
  // f(x), coefficients in natural order.
  static Fr at(const Values& coefficients, const Fr& x) {
    Fr sum = Fr::zero();
    for (std::size_t i = coefficients.size(); i-- > 0;) sum = sum * x + coefficients[i];
    return sum;
  }
  static Values bit_reversed(const Values& values) {
    Values result(values.size());
    const auto bits = static_cast<unsigned>(std::countr_zero(values.size()));
    for (std::size_t i = 0; i < values.size(); ++i) result[reversed(i, bits)] = values[i];
    return result;
  }
};

using Fields = testing::Types<field::Bn254Fr, field::Bls12_381Fr>;
TYPED_TEST_SUITE(DomainTest, Fields);

TYPED_TEST(DomainTest, agrees_with_sums_of_powers) {
  for (const field::Isa isa : instruction_sets()) {
    const Using instructions(isa);
    for (unsigned log_size = 0; log_size <= 6; ++log_size) {
      SCOPED_TRACE(testing::Message() << isa_name(isa) << " 2^" << log_size);
      const auto domain = this->domain(log_size);
      const auto coefficients = this->values(domain.size(), log_size);
      auto transformed = this->bit_reversed(coefficients);
      domain.forward(transformed, 1);
      const TypeParam root = field::root_of_unity<TypeParam>(log_size);
      TypeParam x = TypeParam::one();
      for (std::size_t i = 0; i < domain.size(); ++i, x *= root)
        ASSERT_EQ(transformed[i], this->at(coefficients, x)) << i;
      domain.inverse(transformed, 1);
      auto scaled = this->bit_reversed(coefficients);
      for (TypeParam& value : scaled) value *= TypeParam::from_word(domain.size());
      ASSERT_EQ(transformed, scaled);
    }
  }
}

// Beyond one tile too, where columns are gathered: a few values by Horner's rule.
TYPED_TEST(DomainTest, evaluates_on_the_odd_coset) {
  for (const unsigned log_size : {0u, 1u, 2u, 5u, 11u, 15u}) {
    SCOPED_TRACE(log_size);
    const auto domain = this->domain(log_size);
    const auto coefficients = this->values(domain.size(), log_size);
    auto values = this->bit_reversed(coefficients);
    domain.forward(values, 2);
    domain.inverse(values, 2);
    domain.shift_to_coset(values, 2);
    domain.forward(values, 2);
    const TypeParam odd = field::root_of_unity<TypeParam>(log_size + 1);
    for (std::size_t i = 0; i < domain.size(); i = 3 * i + 1) {
      const auto power = field::from_word<1>(2 * i + 1);
      ASSERT_EQ(values[i], this->at(coefficients, odd.pow(power))) << i;
    }
  }
}

TYPED_TEST(DomainTest, threads_and_instructions_change_no_bit) {
  for (const unsigned log_size : {3u, 10u, 12u, 14u, 16u}) {
    const auto domain = this->domain(log_size);
    const auto original = this->values(domain.size(), log_size);
    const auto transformed = [&](unsigned threads) {
      auto values = original;
      domain.inverse(values, threads);
      auto coefficients = values;
      domain.shift_to_coset(values, threads);
      domain.forward(values, threads);
      values.insert(values.end(), coefficients.begin(), coefficients.end());
      return values;
    };
    std::vector<TypeParam> expected;
    for (const field::Isa isa : instruction_sets()) {
      const Using instructions(isa);
      for (unsigned threads = 1; threads <= (log_size < 16 ? 4u : 2u); ++threads) {
        const auto values = transformed(threads);
        if (expected.empty()) expected = values;
        ASSERT_EQ(values, expected)
            << isa_name(isa) << ' ' << threads << " threads, 2^" << log_size;
      }
    }
    ASSERT_TRUE(std::ranges::all_of(expected, [](const auto& v) { return v.is_reduced(); }));
  }
}

TYPED_TEST(DomainTest, there_and_back) {
  for (unsigned log_size = 0; log_size <= 14; ++log_size) {
    const auto domain = this->domain(log_size);
    const auto original = this->values(domain.size(), 100 + log_size);
    auto values = original;
    domain.inverse(values, 1);
    domain.forward(values, 1);
    const TypeParam size = TypeParam::from_word(domain.size());
    for (std::size_t i = 0; i < values.size(); ++i)
      ASSERT_EQ(values[i], original[i] * size) << "2^" << log_size << ' ' << i;
  }
}

TYPED_TEST(DomainTest, simple_loops) {
  const std::size_t count = 20'003;
  const auto a = this->values(count, 1), b = this->values(count, 2), c = this->values(count, 3);
  for (const field::Isa isa : instruction_sets()) {
    const Using instructions(isa);
    SCOPED_TRACE(isa_name(isa));
    auto quotient = a, plain = a;
    multiply_subtract(std::span(quotient), std::span(b), std::span(c), 2);
    to_plain(std::span(plain), 2);
    for (std::size_t i = 0; i < count; ++i) {
      ASSERT_EQ(quotient[i], a[i] * b[i] - c[i]);
      ASSERT_EQ(plain[i].montgomery(), a[i].plain());
    }
    from_plain(std::span(plain), 2);
    ASSERT_EQ(plain, a);
  }
}

TYPED_TEST(DomainTest, refuses_sizes_without_a_root) {
  const unsigned top = TypeParam::Params::kTwoAdicity;
  for (const unsigned log_size : {top, top + 1, 64u, ~0u}) {
    const auto refused = Domain<TypeParam>::create(log_size);
    ASSERT_FALSE(refused) << log_size;
    EXPECT_NE(refused.error().hint.find(std::to_string(top - 1)), std::string::npos);
  }
}

TYPED_TEST(DomainTest, twiddles_are_shared) {
  const auto first = this->domain(10);
  const auto second = first;
  EXPECT_EQ(first.table_bytes(), 1024u * 32);
  auto a = this->values(1024, 5), b = a;
  first.forward(a, 1);
  second.forward(b, 1);
  EXPECT_EQ(a, b);
}

}  // namespace
}  // namespace prover::ntt
