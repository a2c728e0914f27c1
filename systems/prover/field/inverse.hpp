// SPDX-License-Identifier: Apache-2.0
// Inversion modulo an odd number by division steps: 62 of them at a time are decided on the low
// words of f and g alone, gathered in a 2 x 2 matrix, and then applied to the full numbers and to
// the cofactors d, e. Numbers are signed, in limbs of 62 bits. Variable time.
// Ref: Bernstein, Yang, Fast constant-time gcd computation and modular inversion (2019).
#pragma once

#include <bit>

#include "prover/field/limbs.hpp"

namespace prover::field {
namespace inversion {

__extension__ using SignedWide = __int128;
constexpr std::uint64_t kMask62 = ~std::uint64_t{0} >> 2;

template <std::size_t L>
using Signed62 = std::array<std::int64_t, L>;

// 2^-62 (u v; q r) takes (f, g) 62 steps on.
struct Steps {
  std::int64_t u, v, q, r;
};

// `eta` is minus the difference of the steps' counts (delta of the paper).
inline Steps steps_of(std::int64_t& eta, std::uint64_t f, std::uint64_t g) {
  std::uint64_t u = 1, v = 0, q = 0, r = 1;
  for (int left = 62;;) {
    const int zeros = std::countr_zero(g | (~std::uint64_t{0} << left));
    g >>= zeros;
    u <<= zeros;
    v <<= zeros;
    eta -= zeros;
    left -= zeros;
    if (left == 0) break;
    std::uint64_t cancel = 0;  // the multiple of f that makes low bits of g vanish
    if (eta < 0) {
      eta = -eta;
      std::uint64_t old = f;
      f = g, g = ~old + 1;
      old = u;
      u = q, q = ~old + 1;
      old = v;
      v = r, r = ~old + 1;
      const int limit = static_cast<int>(eta) + 1 > left ? left : static_cast<int>(eta) + 1;
      cancel = (f * g * (f * f - 2)) & (~std::uint64_t{0} >> (64 - limit)) & 63;
    } else {
      const int limit = static_cast<int>(eta) + 1 > left ? left : static_cast<int>(eta) + 1;
      const std::uint64_t inverse = f + (((f + 1) & 4) << 1);  // of f mod 16
      cancel = ((~inverse + 1) * g) & (~std::uint64_t{0} >> (64 - limit)) & 15;
    }
    g += f * cancel;
    q += u * cancel;
    r += v * cancel;
  }
  return {static_cast<std::int64_t>(u), static_cast<std::int64_t>(v), static_cast<std::int64_t>(q),
          static_cast<std::int64_t>(r)};
}

// (a, b) <- (u a + v b, q a + r b) / 2^62, exactly.
template <std::size_t L>
void apply(const Steps& s, Signed62<L>& a, Signed62<L>& b) {
  SignedWide x = static_cast<SignedWide>(s.u) * a[0] + static_cast<SignedWide>(s.v) * b[0];
  SignedWide y = static_cast<SignedWide>(s.q) * a[0] + static_cast<SignedWide>(s.r) * b[0];
  x >>= 62;
  y >>= 62;
  for (std::size_t i = 1; i < L; ++i) {
    x += static_cast<SignedWide>(s.u) * a[i] + static_cast<SignedWide>(s.v) * b[i];
    y += static_cast<SignedWide>(s.q) * a[i] + static_cast<SignedWide>(s.r) * b[i];
    a[i - 1] = static_cast<std::int64_t>(static_cast<std::uint64_t>(x) & kMask62);
    b[i - 1] = static_cast<std::int64_t>(static_cast<std::uint64_t>(y) & kMask62);
    x >>= 62;
    y >>= 62;
  }
  a[L - 1] = static_cast<std::int64_t>(x);
  b[L - 1] = static_cast<std::int64_t>(y);
}

// The same modulo p, whose multiples make the division exact; values stay in (-2p, p).
template <std::size_t L>
void apply_modulo(const Steps& s, Signed62<L>& d, Signed62<L>& e, const Signed62<L>& p,
                  std::uint64_t p_inverse) {
  const std::int64_t sd = d[L - 1] >> 63, se = e[L - 1] >> 63;
  std::int64_t md = (s.u & sd) + (s.v & se), me = (s.q & sd) + (s.r & se);
  SignedWide x = static_cast<SignedWide>(s.u) * d[0] + static_cast<SignedWide>(s.v) * e[0];
  SignedWide y = static_cast<SignedWide>(s.q) * d[0] + static_cast<SignedWide>(s.r) * e[0];
  md -= static_cast<std::int64_t>(
      (p_inverse * static_cast<std::uint64_t>(x) + static_cast<std::uint64_t>(md)) & kMask62);
  me -= static_cast<std::int64_t>(
      (p_inverse * static_cast<std::uint64_t>(y) + static_cast<std::uint64_t>(me)) & kMask62);
  x += static_cast<SignedWide>(p[0]) * md;
  y += static_cast<SignedWide>(p[0]) * me;
  x >>= 62;
  y >>= 62;
  for (std::size_t i = 1; i < L; ++i) {
    x += static_cast<SignedWide>(s.u) * d[i] + static_cast<SignedWide>(s.v) * e[i] +
         static_cast<SignedWide>(p[i]) * md;
    y += static_cast<SignedWide>(s.q) * d[i] + static_cast<SignedWide>(s.r) * e[i] +
         static_cast<SignedWide>(p[i]) * me;
    d[i - 1] = static_cast<std::int64_t>(static_cast<std::uint64_t>(x) & kMask62);
    e[i - 1] = static_cast<std::int64_t>(static_cast<std::uint64_t>(y) & kMask62);
    x >>= 62;
    y >>= 62;
  }
  d[L - 1] = static_cast<std::int64_t>(x);
  e[L - 1] = static_cast<std::int64_t>(y);
}

template <std::size_t L, std::size_t N>
Signed62<L> to_signed62(const Limbs<N>& a) {
  Signed62<L> limbs{};
  for (std::size_t i = 0; i < L; ++i)
    limbs[i] =
        static_cast<std::int64_t>(shift_right(a, static_cast<unsigned>(62 * i))[0] & kMask62);
  return limbs;
}

// Carries between limbs, so that all but the last lie in [0, 2^62).
template <std::size_t L>
void carry(Signed62<L>& a) {
  for (std::size_t i = 0; i + 1 < L; ++i) {
    a[i + 1] += a[i] >> 62;
    a[i] &= static_cast<std::int64_t>(kMask62);
  }
}

}  // namespace inversion

// 1 / a mod p; zero for zero. a < p, p odd and below 2^(64 N - 1), gcd(a, p) = 1.
template <std::size_t N>
Limbs<N> modular_inverse(const Limbs<N>& a, const Limbs<N>& p) {
  using namespace inversion;
  constexpr std::size_t L = (64 * N + 1) / 62 + 1;
  const Signed62<L> modulus = to_signed62<L>(p);
  std::uint64_t p_inverse = 1;
  for (int i = 0; i < 6; ++i) p_inverse *= 2 - p[0] * p_inverse;
  Signed62<L> f = modulus, g = to_signed62<L>(a), d{}, e{};
  e[0] = 1;
  std::int64_t eta = -1;
  for (;;) {
    std::int64_t any = 0;
    for (const std::int64_t limb : g) any |= limb;
    if (any == 0) break;
    const auto low = [](const Signed62<L>& x) {
      return static_cast<std::uint64_t>(x[0]) | static_cast<std::uint64_t>(x[1]) << 62;
    };
    const Steps s = steps_of(eta, low(f), low(g));
    apply(s, f, g);
    apply_modulo(s, d, e, modulus, p_inverse);
  }
  // f is +-1 and d = +- 1 / a, in (-2p, p).
  const auto add_modulus_if_negative = [&] {
    if (d[L - 1] >= 0) return;
    for (std::size_t i = 0; i < L; ++i) d[i] += modulus[i];
    carry(d);
  };
  add_modulus_if_negative();
  if (f[L - 1] < 0) {
    for (std::int64_t& limb : d) limb = -limb;
    carry(d);
  }
  add_modulus_if_negative();
  Limbs<N> inverse{};
  for (std::size_t i = L; i-- > 0;) {
    // inverse = inverse * 2^62 + d[i]
    for (std::size_t j = N; j-- > 0;)
      inverse[j] = inverse[j] << 62 | (j > 0 ? inverse[j - 1] >> 2 : 0);
    inverse[0] |= static_cast<std::uint64_t>(d[i]);
  }
  return inverse;
}

}  // namespace prover::field
