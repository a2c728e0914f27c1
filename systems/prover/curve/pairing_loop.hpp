// SPDX-License-Identifier: Apache-2.0
// How pairing.hpp computes.
#pragma once

#include "prover/curve/pairing.hpp"

namespace prover::curve {

// The digits -1, 0, 1 of a number without two neighbours that are not 0, the lowest first.
struct SignedDigits {
  std::array<std::int8_t, 68> digit{};
  std::size_t count = 0;  // the last one is 1

  explicit constexpr SignedDigits(field::Wide number) {
    for (; number != 0; number >>= 1) {
      int d = 0;
      if ((number & 1) != 0) d = (number & 3) == 3 ? -1 : 1;
      digit[count++] = static_cast<std::int8_t>(d);
      if (d == 1) number -= 1;
      if (d == -1) number += 1;
    }
  }
};

template <class C>
struct PairingLoop {
  using Parameters = PairingParameters<C>;
  using Fq = typename C::Fq;
  using Fq2 = typename C::Fq2;
  using T = Gt<C>;
  using Line = typename PreparedG2<C>::Line;

  static constexpr bool kBn = C::kId == CurveId::bn254;
  static constexpr SignedDigits kLoop{kBn ? field::Wide{6} * Parameters::kX + 2
                                          : field::Wide{Parameters::kX}};
  static constexpr SignedDigits kXDigits{Parameters::kX};

  // A point of the twist, (x / z, y / z).
  struct Homogeneous {
    Fq2 x, y, z;
  };

  // p = 2 p; the tangent.
  static Line double_step(Homogeneous& p) {
    const Fq2 a = (p.x * p.y).halved(), b = p.y.squared(), c = p.z.squared();
    const Fq2 e = C::G2::b() * (c.doubled() + c), f = e.doubled() + e;
    const Fq2 g = (b + f).halved(), h = (p.y + p.z).squared() - b - c;
    const Fq2 j = p.x.squared(), ee = e.squared();
    p = {a * (b - f), g.squared() - ee.doubled() - ee, b * h};
    return {-h, j.doubled() + j, e - b};
  }

  // p = p + q; the line through both.
  static Line add_step(Homogeneous& p, const Affine<Fq2>& q) {
    const Fq2 theta = p.y - q.y * p.z, lambda = p.x - q.x * p.z;
    const Fq2 d = lambda.squared(), e = lambda * d;
    const Fq2 g = p.x * d, h = e + p.z * theta.squared() - g.doubled();
    p = {lambda * h, theta * (g - h) - e * p.y, p.z * e};
    return {lambda, -theta, theta * q.x - lambda * q.y};
  }

  // The q-power Frobenius of the curve, on the twist of BN254.
  static Affine<Fq2> frobenius(const Affine<Fq2>& q) {
    const auto& power = T::frobenius_powers();
    return {q.x.conjugate() * power[2], q.y.conjugate() * power[3]};
  }

  static std::vector<Line> lines(const Affine<Fq2>& q) {
    std::vector<Line> all;
    if (q.is_infinity()) return all;
    all.reserve(2 * kLoop.count);
    Homogeneous p{q.x, q.y, Fq2::one()};
    for (std::size_t i = kLoop.count - 1; i-- > 0;) {
      all.push_back(double_step(p));
      if (kLoop.digit[i] != 0) all.push_back(add_step(p, kLoop.digit[i] > 0 ? q : -q));
    }
    if constexpr (kBn) {
      const Affine<Fq2> q1 = frobenius(q), q2 = frobenius(q1);
      all.push_back(add_step(p, q1));
      all.push_back(add_step(p, -q2));
    }
    return all;
  }

  // Untwisting multiplies x and y by powers of w: those of BN254's twist give 1, w and w^3 for y, x
  // and the constant; those of the other, after a factor that the final exponent kills, w^3, w^2,
  // 1.
  static T times_line(const T& f, const Line& line, const Affine<Fq>& p) {
    if constexpr (kBn) return f.times_034(line.at_y * p.y, line.at_x * p.x, line.constant);
    return f.times_014(line.constant, line.at_x * p.x, line.at_y * p.y);
  }

  static T miller(std::span<const PairingTerm<C>> terms) {
    T f = T::one();
    std::size_t next = 0;
    const auto lines = [&] {
      for (const PairingTerm<C>& term : terms) {
        if (term.p.is_infinity() || term.q->lines.empty()) continue;
        f = times_line(f, term.q->lines[next], term.p);
      }
      ++next;
    };
    for (std::size_t i = kLoop.count - 1; i-- > 0;) {
      f = f.squared();
      lines();
      if (kLoop.digit[i] != 0) lines();
    }
    if constexpr (kBn) {
      lines();
      lines();
      return f;
    }
    return f.conjugate();  // the parameter is negative
  }

  // f^kX, in the cyclotomic subgroup, where the inverse is the conjugate.
  static T power_of_x(const T& f) {
    const T inverse = f.conjugate();
    T power = f;
    for (std::size_t i = kXDigits.count - 1; i-- > 0;) {
      power = power.cyclotomic_squared();
      if (kXDigits.digit[i] > 0) power *= f;
      if (kXDigits.digit[i] < 0) power *= inverse;
    }
    return power;
  }

  // The digits of the exponent in base q are polynomials of z: 12 z^3 + 12 z^2 + 6 z + 1,
  // 12 z^3 + 6 z^2 + 4 z, 12 z^3 + 6 z^2 + 6 z, 12 z^3 + 6 z^2 + 4 z - 1.
  // Ref: Fuentes-Castaneda, Knapp, Rodriguez-Henriquez, Faster hashing to G2 (2011).
  static T hard_part_bn(const T& f) {
    const T z2 = power_of_x(f).cyclotomic_squared(), z4 = z2.cyclotomic_squared(), z6 = z2 * z4;
    const T zz6 = power_of_x(z6);
    const T zzz12 = power_of_x(zz6.cyclotomic_squared());
    const T common = zzz12 * zz6;
    const T one = common * z4, two = common * z6;
    const T zero = two * zz6 * f, three = one * f.conjugate();
    return zero * one.frobenius() * two.frobenius().frobenius() *
           three.frobenius().frobenius().frobenius();
  }

  // 3 (q^4 - q^2 + 1) / r = (x - 1)^2 (x + q) (x^2 + q^2 - 1) + 3.
  // Ref: Hayashida, Hayasaka, Teruya, Efficient final exponentiation via cyclotomic structure for
  // pairings over families of elliptic curves (2020).
  static T hard_part_bls(const T& f) {
    const auto power = [](const T& a) { return power_of_x(a).conjugate(); };
    const auto less_one = [&](const T& a) { return power(a) * a.conjugate(); };
    const T a = less_one(less_one(f));
    const T b = power(a) * a.frobenius();
    const T c = power(power(b)) * b.frobenius().frobenius() * b.conjugate();
    return c * f.cyclotomic_squared() * f;
  }

  static T final_exponentiation(const T& f) {
    const T easy = f.conjugate() * f.inverse();  // f^(q^6 - 1)
    const T cyclotomic = easy.frobenius().frobenius() * easy;
    if constexpr (kBn) return hard_part_bn(cyclotomic);
    return hard_part_bls(cyclotomic);
  }
};

}  // namespace prover::curve
