// SPDX-License-Identifier: Apache-2.0
// Eight lanes against GMP and against the portable fields, on edge values above all: a carry that
// is lost shows only there.
#include "prover/field/ifma.hpp"

#include <gmpxx.h>
#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "prover/field/ifma_batch.hpp"
#include "prover/field/ifma_rows.hpp"

#if defined(__x86_64__)

namespace prover::field {
namespace {

// Eight numbers in limbs of 52 bits, limb by limb, as they lie in vectors.
struct alignas(64) Eight {
  std::uint64_t l[16][8] = {};
};

template <class P>
struct Calls {
  using V = VectorField<P>;
  using Element = typename V::Element;
  static constexpr int L = V::kLimbs;

  PROVER_IFMA_INLINE static Element load(const Eight& a) {
    Element e;
    for (int i = 0; i < L; ++i) e.l[i] = _mm512_load_si512(a.l[i]);
    return e;
  }
  PROVER_IFMA_INLINE static void store(const Element& e, Eight& a) {
    for (int i = 0; i < L; ++i) _mm512_store_si512(a.l[i], e.l[i]);
  }
  PROVER_TARGET_IFMA static void mul(const Eight& a, const Eight& b, Eight& c) {
    store(V::mul(load(a), load(b)), c);
  }
  PROVER_TARGET_IFMA static void sqr(const Eight& a, const Eight&, Eight& c) {
    store(V::sqr(load(a)), c);
  }
  PROVER_TARGET_IFMA static void sum_of_squares(const Eight& a, const Eight& b, Eight& c) {
    typename V::Wide t = V::squares(load(a), load(b));
    store(V::reduce(t), c);
  }
  PROVER_TARGET_IFMA static void reduce(const Eight& columns, Eight& c) {
    typename V::Wide t;
    for (int i = 0; i < 2 * L; ++i) t.c[i] = _mm512_load_si512(columns.l[i]);
    store(V::reduce(t), c);
  }
  template <int Below>
  PROVER_TARGET_IFMA static void canonical(const Eight& a, Eight& c) {
    store(V::template canonical<Below>(load(a)), c);
  }
  PROVER_TARGET_IFMA static void carried(const Eight& a, Eight& c) {
    store(V::carried(load(a)), c);
  }
  PROVER_TARGET_IFMA static unsigned is_negative(const Eight& a) { return V::is_negative(load(a)); }
  template <int S>
  PROVER_TARGET_IFMA static void unpack(const std::byte* elements, Eight& c) {
    typename V::Words words;
    load_rows<V::kWords>(rows_together(elements, 8 * P::kLimbs), 0, words.w);
    store(V::template unpack<S>(words), c);
  }
  PROVER_TARGET_IFMA static void pack(const Eight& a, std::byte* elements) {
    store_rows<V::kWords>(V::pack(load(a)).w, rows_together(elements, 8 * P::kLimbs), 8);
  }
};

mpz_class power(unsigned bits) { return mpz_class(1) << bits; }

mpz_class word(std::uint64_t value) {
  mpz_class z;
  mpz_import(z.get_mpz_t(), 1, -1, 8, 0, 0, &value);
  return z;
}

template <class P>
class IfmaTest : public testing::Test {
 protected:
  static constexpr int kLimbs = Calls<P>::L;
  static constexpr unsigned kBits = 52 * kLimbs;
  static constexpr std::uint64_t kMask = Calls<P>::V::kMask;

  void SetUp() override {
    if (!has_ifma()) GTEST_SKIP() << "this processor has no AVX-512 IFMA";
    mpz_import(p.get_mpz_t(), P::kLimbs, -1, 8, 0, 0, P::kModulus.data());
  }

  mpz_class p;
  std::mt19937_64 random{1};

  static mpz_class value(const Eight& a, int lane, int limbs = kLimbs) {
    mpz_class z;
    for (int i = limbs; i-- > 0;) z = z * power(52) + static_cast<signed long>(a.l[i][lane]);
    return z;
  }
  static void set(Eight& a, int lane, mpz_class z) {
    for (int i = 0; i < kLimbs; ++i) {
      const mpz_class limb = z % power(52);
      a.l[i][lane] = limb.get_ui();
      z /= power(52);
    }
    ASSERT_EQ(z, 0);
  }
  // Limbs of all ones, alone and together, and residues next to the multiples of p.
  std::vector<mpz_class> edges() {
    std::vector<mpz_class> all = {0, 1, 2, power(kBits) - 1};
    for (int i = 0; i < kLimbs; ++i) {
      all.push_back((power(52) - 1) << (52 * i));
      all.push_back(power(52 * static_cast<unsigned>(i)));
      all.push_back((power(kBits) - 1) >> (52 * i));
    }
    for (int k = 1; k <= 2; ++k)
      for (int d = -2; d <= 2; ++d) all.push_back(k * p + d);
    all.push_back(power(128 * P::kLimbs) % p);  // R^2
    all.push_back(p + power(128 * P::kLimbs) % p);
    // The limb m of reduction is 0, or all ones, at the last step.
    all.push_back(power(52 * (kLimbs - 1)) * 5);
    return all;
  }
  mpz_class anything(unsigned bits) {
    mpz_class z;
    for (unsigned i = 0; i < bits; i += 32) z = (z << 32) + static_cast<unsigned>(random());
    return z % power(bits);
  }
  // What mul promises: the residue, and how far it goes.
  void expect_reduced(const mpz_class& product, const Eight& c, int lane) {
    const mpz_class got = value(c, lane);
    mpz_class residue = (got * power(kBits) - product) % p;
    ASSERT_EQ(residue, 0) << product;
    ASSERT_GE(got, 0);
    ASSERT_LT(8 * (got - product / power(kBits) - 1), (8 + Calls<P>::V::kExcess) * p) << product;
    for (int i = 0; i + 1 < kLimbs; ++i) ASSERT_LE(c.l[i][lane], kMask);
  }
  template <class Function, class Expected>
  void check(const std::vector<mpz_class>& left, const std::vector<mpz_class>& right,
             Function function, Expected expected) {
    for (std::size_t i = 0; i < left.size(); i += 8) {
      Eight a, b, c;
      for (std::size_t k = 0; k < 8; ++k) {
        set(a, static_cast<int>(k), left[(i + k) % left.size()]);
        set(b, static_cast<int>(k), right[(i + k) % left.size()]);
      }
      function(a, b, c);
      for (std::size_t k = 0; k < 8; ++k)
        expect_reduced(expected(left[(i + k) % left.size()], right[(i + k) % left.size()]), c,
                       static_cast<int>(k));
      if (testing::Test::HasFatalFailure()) return;
    }
  }
  // Every pair of edges, and random numbers of every length.
  void pairs(std::vector<mpz_class>& left, std::vector<mpz_class>& right) {
    const auto all = edges();
    for (const auto& a : all)
      for (const auto& b : all) {
        left.push_back(a);
        right.push_back(b);
      }
    for (unsigned i = 0; i < 4000; ++i) {
      left.push_back(anything(1 + i % kBits));
      right.push_back(anything(kBits - i / kBits));
    }
  }
};

using AllParams =
    testing::Types<Bn254FqParams, Bn254FrParams, Bls12_381FqParams, Bls12_381FrParams>;
TYPED_TEST_SUITE(IfmaTest, AllParams);

TYPED_TEST(IfmaTest, products_agree_with_gmp) {
  std::vector<mpz_class> left, right;
  this->pairs(left, right);
  this->check(left, right, Calls<TypeParam>::mul,
              [](const mpz_class& a, const mpz_class& b) -> mpz_class { return a * b; });
}

TYPED_TEST(IfmaTest, squares_agree_with_gmp) {
  std::vector<mpz_class> left, right;
  this->pairs(left, right);
  this->check(left, right, Calls<TypeParam>::sqr,
              [](const mpz_class& a, const mpz_class&) -> mpz_class { return a * a; });
  for (auto* side : {&left, &right})
    for (auto& number : *side) number >>= 1;  // so that the sum has room
  this->check(left, right, Calls<TypeParam>::sum_of_squares,
              [](const mpz_class& a, const mpz_class& b) -> mpz_class { return a * a + b * b; });
}

// Columns as large as they may become, and negative ones.
TYPED_TEST(IfmaTest, reduces_columns_of_either_sign) {
  constexpr int L = TestFixture::kLimbs;
  for (int round = 0; round < 2000; ++round) {
    Eight columns, c;
    for (int lane = 0; lane < 8; ++lane) {
      for (int i = 0; i < 2 * L - 1; ++i) {
        const auto bits = static_cast<std::int64_t>(this->random()) >> (6 + round % 8);
        columns.l[i][lane] =
            static_cast<std::uint64_t>(round % 3 == 0 ? (bits >> 63) & bits : bits);
      }
      // The sum is positive and below 2^(104 L - 8).
      columns.l[2 * L - 1][lane] = (this->random() >> 20) + (std::uint64_t{1} << 12);
    }
    Calls<TypeParam>::reduce(columns, c);
    for (int lane = 0; lane < 8; ++lane) {
      this->expect_reduced(this->value(columns, lane, 2 * L), c, lane);
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

TYPED_TEST(IfmaTest, canonical_at_every_edge) {
  constexpr int L = TestFixture::kLimbs;
  using Call = Calls<TypeParam>;
  std::vector<mpz_class> values;
  for (int k = -2; k <= 4; ++k)
    for (int d = -2; d <= 2; ++d) values.push_back(k * this->p + d);
  for (unsigned i = 0; i < TestFixture::kBits - 8; i += 3) {
    values.push_back(power(i) % (2 * this->p));
    values.push_back(-(power(i) % (2 * this->p)));
  }
  for (const int below : {0, 1, 2}) {
    Eight a, c;
    int lane = 0;
    std::vector<mpz_class> expected;
    for (const mpz_class& number : values) {
      if (number < -below * this->p || number >= (4 - below) * this->p) continue;
      // Raw limbs: each carries something of the next, either way.
      mpz_class rest = number;
      for (int i = 0; i < L; ++i) {
        const std::int64_t noise = static_cast<std::int64_t>(this->random()) >> 10;
        mpz_class digit;
        mpz_fdiv_r_2exp(digit.get_mpz_t(), rest.get_mpz_t(), 52);
        if (i == L - 1) digit = rest;
        const std::int64_t limb =
            digit.get_si() + (i == L - 1 ? 0 : (noise >> 52) * (std::int64_t{1} << 52));
        a.l[i][lane] = static_cast<std::uint64_t>(limb);
        rest = (rest - limb) / power(52);
      }
      ASSERT_EQ(this->value(a, lane), number);
      expected.push_back(number);
      if (++lane < 8) continue;
      if (below == 0) Call::template canonical<0>(a, c);
      if (below == 1) Call::template canonical<1>(a, c);
      if (below == 2) Call::template canonical<2>(a, c);
      const unsigned negative = Call::is_negative(a);
      for (lane = 0; lane < 8; ++lane) {
        mpz_class residue;
        const mpz_class& was = expected[expected.size() - 8 + static_cast<std::size_t>(lane)];
        mpz_mod(residue.get_mpz_t(), was.get_mpz_t(), this->p.get_mpz_t());
        ASSERT_EQ(this->value(c, lane), residue) << was << " in " << below;
        ASSERT_EQ((negative >> lane & 1) != 0, was < 0);
        for (int i = 0; i < L; ++i) ASSERT_LE(c.l[i][lane], TestFixture::kMask);
      }
      lane = 0;
    }
    ASSERT_GT(expected.size(), 100u);
  }
}

TYPED_TEST(IfmaTest, words_to_limbs_and_back) {
  using Call = Calls<TypeParam>;
  constexpr std::size_t N = TypeParam::kLimbs;
  for (int round = 0; round < 200; ++round) {
    std::byte bytes[8 * 8 * N + 1], back[8 * 8 * N + 1];
    mpz_class expected[8];
    for (std::size_t lane = 0; lane < 8; ++lane) {
      Limbs<N> limbs;
      for (std::uint64_t& limb : limbs) limb = round % 3 == 0 ? ~std::uint64_t{0} : this->random();
      if (round % 3 != 1) limbs[round % N] = this->random() % 3 - 1;
      limbs[N - 1] &= TypeParam::kModulus[N - 1];
      store_limbs<N>(bytes + 1 + lane * 8 * N, limbs);
      for (std::size_t i = N; i-- > 0;) expected[lane] = (expected[lane] << 64) + word(limbs[i]);
    }
    Eight plain, half, shifted;
    Call::template unpack<0>(bytes + 1, plain);
    Call::template unpack<Call::V::kHalf>(bytes + 1, half);
    Call::template unpack<Call::V::kShift>(bytes + 1, shifted);
    for (int lane = 0; lane < 8; ++lane) {
      ASSERT_EQ(this->value(plain, lane), expected[lane]);
      ASSERT_EQ(this->value(half, lane), expected[lane] << Call::V::kHalf);
      ASSERT_EQ(this->value(shifted, lane), expected[lane] << Call::V::kShift);
      for (const Eight* e : {&plain, &half, &shifted})
        for (int i = 0; i < Call::L; ++i) ASSERT_LE(e->l[i][lane], Call::V::kMask);
    }
    Call::pack(plain, back + 1);
    ASSERT_EQ(std::memcmp(bytes + 1, back + 1, 8 * 8 * N), 0);
  }
}

// Elements in memory, of all counts, against the portable field.
TYPED_TEST(IfmaTest, many_products_agree_with_the_portable_field) {
  using F = Field<TypeParam>;
  constexpr std::size_t kCount = 100'003;
  const std::size_t edges = F::kLimbs + 6;
  const auto element = [&](std::size_t i) {
    typename F::Plain limbs{};
    if (i < 2 * F::kLimbs + 6) {
      if (i < 3) return F::from_word(i);
      if (i < 6) return -F::from_word(i - 2);
      limbs.fill(i < edges ? 0 : ~std::uint64_t{0});
      limbs[i % F::kLimbs] = ~std::uint64_t{0};
    } else {
      for (std::uint64_t& limb : limbs) limb = this->random();
    }
    limbs.back() %= F::kModulus.back();
    return F::from_montgomery(limbs);
  };
  std::vector<F> a, b;
  for (std::size_t i = 0; i < kCount; ++i) {
    a.push_back(element(i / 20 < 20 ? i / 20 : i));
    b.push_back(element(i / 20 < 20 ? i % 20 : i));
  }
  std::vector<std::byte> x(kCount * F::kBytes + 3), y(kCount * F::kBytes + 1);
  for (std::size_t i = 0; i < kCount; ++i) {
    a[i].store(x.data() + 3 + i * F::kBytes);
    b[i].store(y.data() + 1 + i * F::kBytes);
  }
  std::vector<std::byte> z((kCount + 1) * F::kBytes, std::byte{7});
  multiply_ifma<TypeParam>(z.data(), x.data() + 3, y.data() + 1, kCount);
  for (std::size_t i = 0; i < kCount; ++i)
    ASSERT_EQ(F::load(z.data() + i * F::kBytes), a[i] * b[i]) << i;
  for (std::size_t i = 0; i < F::kBytes; ++i)
    ASSERT_EQ(z[kCount * F::kBytes + i], std::byte{7}) << "written behind the end";
  for (std::size_t count = 0; count < 20; ++count) {  // in place
    auto left = x;
    multiply_ifma<TypeParam>(left.data() + 3, left.data() + 3, y.data() + 1, count);
    for (std::size_t i = 0; i < 20; ++i)
      ASSERT_EQ(F::load(left.data() + 3 + i * F::kBytes), i < count ? a[i] * b[i] : a[i]) << i;
  }
}

template <int W>
PROVER_TARGET_IFMA void copy_rows(const Rows& from, std::size_t offset, const RowsOut& to,
                                  std::uint64_t* columns, std::size_t count) {
  __m512i c[W];
  load_rows<W>(from, offset, c);
  for (int i = 0; i < W; ++i) _mm512_storeu_si512(columns + 8 * i, c[i]);
  store_rows<W>(c, to, count);
}

template <int W>
void check_rows() {
  constexpr std::size_t kOffset = 24, kWidth = 8 * W + kOffset + 5;
  std::mt19937_64 random(W);
  std::vector<std::byte> from(8 * kWidth);
  for (std::byte& byte : from) byte = static_cast<std::byte>(random());
  for (std::size_t count = 0; count <= 8; ++count) {
    std::vector<std::byte> to(8 * kWidth);
    Rows rows;
    RowsOut out;
    for (std::size_t i = 0; i < 8; ++i) {
      rows.at[i] = from.data() + (i * 3 % 8) * kWidth;
      out.at[i] = to.data() + (i * 5 % 8) * kWidth;
    }
    std::uint64_t columns[8 * W];
    copy_rows<W>(rows, kOffset, out, columns, count);
    for (std::size_t i = 0; i < 8; ++i) {
      for (std::size_t w = 0; w < W; ++w)
        ASSERT_EQ(std::memcmp(&columns[8 * w + i], rows.at[i] + kOffset + 8 * w, 8), 0);
      const std::vector<std::byte> nothing(8 * W);
      const std::byte* expected = i < count ? rows.at[i] + kOffset : nothing.data();
      ASSERT_EQ(std::memcmp(out.at[i], expected, 8 * W), 0) << W << " " << count << " " << i;
    }
  }
}

TEST(IfmaRows, go_to_columns_and_back) {
  if (!has_ifma()) GTEST_SKIP() << "this processor has no AVX-512 IFMA";
  check_rows<4>();
  check_rows<6>();
  check_rows<8>();
  check_rows<12>();
  check_rows<16>();
  check_rows<24>();
}

}  // namespace
}  // namespace prover::field

#endif
