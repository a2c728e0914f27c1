// SPDX-License-Identifier: Apache-2.0
#include "prover/groth16/setup.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <random>

#include "prover/base/parallel.hpp"
#include "prover/base/text.hpp"
#include "prover/files/zkey.hpp"
#include "prover/groth16/fixed_base.hpp"
#include "prover/groth16/proof.hpp"
#include "prover/groth16/random.hpp"

namespace prover::groth16 {
namespace {

using files::ZkeySection;

constexpr std::string_view kNote =
    "made by 'prover setup', whose trapdoor one party knew: INSECURE, for tests and benchmarks "
    "only";

template <class Fr>
struct Trapdoor {
  Fr tau, alpha, beta, gamma, delta;

  static Result<Trapdoor> draw(const std::optional<std::uint64_t>& seed) {
    Trapdoor drawn;
    std::mt19937_64 generator(seed.value_or(0));
    for (Fr* secret : {&drawn.tau, &drawn.alpha, &drawn.beta, &drawn.gamma, &drawn.delta}) {
      if (seed) {
        // Top limb below the modulus' own: an element, and never zero in practice.
        *secret =
            Fr::from_plain({generator(), generator(), generator(), generator() % Fr::kModulus[3]});
        continue;
      }
      auto value = random_scalar<Fr>();
      if (!value) return fail(value.error());
      *secret = *value;
    }
    return drawn;
  }
};

// The Lagrange polynomials of the powers of `root` (N = 2^log_size of them), at x:
// L_i(x) = (x^N - 1) / N * root^i / (x - root^i). x must be none of the powers.
template <class Fr>
std::vector<Fr> lagrange_at(const Fr& x, const Fr& root, unsigned log_size) {
  const std::size_t size = std::size_t{1} << log_size;
  std::vector<Fr> values(size), scratch(size);
  Fr power = Fr::one(), vanishing = x, inverse_size = Fr::one();
  for (unsigned i = 0; i < log_size; ++i) {
    vanishing = vanishing.squared();
    inverse_size = inverse_size.halved();
  }
  vanishing -= Fr::one();
  for (Fr& value : values) {
    value = x - power;
    power *= root;
  }
  field::invert_all(std::span(values), std::span(scratch));
  Fr factor = vanishing * inverse_size;
  for (Fr& value : values) {
    value *= factor;
    factor *= root;
  }
  return values;
}

template <class C>
class Setup {
 public:
  using Fr = typename C::Fr;

  Setup(const files::R1cs& circuit, const SetupOptions& options)
      : circuit_(circuit),
        options_(options),
        wires_(circuit.counts.wires),
        publics_(circuit.counts.publics()),
        log_size_(std::max(1u, static_cast<unsigned>(std::bit_width(rows_needed(circuit) - 1)))) {}

  Result<void> run(const std::string& key_path) {
    auto trapdoor = Trapdoor<Fr>::draw(options_.seed);
    if (!trapdoor) return fail(trapdoor.error());
    secret_ = *trapdoor;
    auto writer = start(key_path);
    if (!writer) return fail(writer.error());
    for (const auto step : {&Setup::write_matrices, &Setup::write_linear, &Setup::write_quotient})
      if (auto done = (this->*step)(*writer); !done) return done;
    return writer->finish();
  }

 private:
  using Writer = files::ZkeyWriter;

  Result<Writer> start(const std::string& key_path) {
    std::array<std::byte, 3 * G1Point<C>::kBytes> g1;
    std::array<std::byte, 3 * G2Point<C>::kBytes> g2;
    g1_.multiply(std::span<const Fr>(std::array{secret_.alpha, secret_.beta, secret_.delta}), g1,
                 1);
    g2_.multiply(std::span<const Fr>(std::array{secret_.beta, secret_.gamma, secret_.delta}), g2,
                 1);
    const auto first = [&](std::size_t i) {
      return std::span<const std::byte>(g1).subspan(i * G1Point<C>::kBytes, G1Point<C>::kBytes);
    };
    const auto second = [&](std::size_t i) {
      return std::span<const std::byte>(g2).subspan(i * G2Point<C>::kBytes, G2Point<C>::kBytes);
    };
    return Writer::create(key_path,
                          {.curve = C::kId,
                           .wires = wires_,
                           .publics = publics_,
                           .domain_size = std::uint32_t{1} << log_size_,
                           .alpha1 = first(0),
                           .beta1 = first(1),
                           .beta2 = second(0),
                           .gamma2 = second(1),
                           .delta1 = first(2),
                           .delta2 = second(2)},
                          kNote);
  }

  // Adds value L_row(tau) to the wire's polynomial, and the entry to the key.
  Result<void> entry(Writer& writer, std::uint32_t matrix, std::uint32_t row, std::uint32_t wire,
                     const Fr& value) {
    (matrix == 0 ? u_ : v_)[wire] += value * lagrange_[row];
    std::array<std::byte, Fr::kBytes> bytes;
    Fr::from_plain(value.montgomery()).store(bytes.data());  // value R^2
    return writer.write(files::Coefficient{matrix, row, wire, bytes.data()});
  }

  // Section 4, and the polynomials of all wires at tau: u of A, v of B, w of C.
  Result<void> write_matrices(Writer& writer) {
    lagrange_ = lagrange_at(secret_.tau, field::root_of_unity<Fr>(log_size_), log_size_);
    u_.resize(wires_), v_.resize(wires_), w_.resize(wires_);
    if (auto done = writer.begin(ZkeySection::coefficients); !done) return done;
    files::R1csReader reader(circuit_);
    files::R1csConstraint constraint;
    for (;;) {
      auto more = reader.next(constraint);
      if (!more) return fail(more.error());
      if (!*more) break;
      if (constraint.index % 65536 == 0 && !go_on(0)) return cancelled();
      const auto value = [](const files::R1csTerm& term) {
        return Fr::from_plain(field::load_limbs<4>(term.value));
      };
      for (const std::uint32_t matrix : {0u, 1u}) {
        const files::R1csTerms& terms = matrix == 0 ? constraint.a : constraint.b;
        for (std::uint32_t i = 0; i < terms.size(); ++i)
          if (auto done = entry(writer, matrix, constraint.index, terms[i].wire, value(terms[i]));
              !done)
            return done;
      }
      for (std::uint32_t i = 0; i < constraint.c.size(); ++i)
        w_[constraint.c[i].wire] += value(constraint.c[i]) * lagrange_[constraint.index];
    }
    for (std::uint32_t wire = 0; wire <= publics_; ++wire)
      if (auto done = entry(writer, 0, circuit_.constraints + wire, wire, Fr::one()); !done)
        return done;
    return writer.end();
  }

  Result<void> write_linear(Writer& writer) {
    if (auto done = points(writer, ZkeySection::a, g1_, std::span<const Fr>(u_)); !done)
      return done;
    if (auto done = points(writer, ZkeySection::b1, g1_, std::span<const Fr>(v_)); !done)
      return done;
    if (auto done = points(writer, ZkeySection::b2, g2_, std::span<const Fr>(v_)); !done)
      return done;
    const Fr by_gamma = secret_.gamma.inverse(), by_delta = secret_.delta.inverse();
    for (std::size_t i = 0; i < wires_; ++i)
      w_[i] = (secret_.beta * u_[i] + secret_.alpha * v_[i] + w_[i]) *
              (i <= publics_ ? by_gamma : by_delta);
    const auto all = std::span<const Fr>(w_);
    if (auto done = points(writer, ZkeySection::ic, g1_, all.first(publics_ + 1)); !done)
      return done;
    return points(writer, ZkeySection::c, g1_, all.subspan(publics_ + 1));
  }

  // The polynomial of degree < N with value 1 at the i-th point of the odd coset and 0 at the
  // others is L_i(x / v), v a root of order 2 N. There the vanishing polynomial is -2.
  Result<void> write_quotient(Writer& writer) {
    const Fr shift = field::root_of_unity<Fr>(log_size_ + 1);
    auto values =
        lagrange_at(secret_.tau * shift.inverse(), field::root_of_unity<Fr>(log_size_), log_size_);
    Fr vanishing = secret_.tau;
    for (unsigned i = 0; i < log_size_; ++i) vanishing = vanishing.squared();
    vanishing -= Fr::one();
    const Fr factor = -(vanishing * secret_.delta.inverse()).halved();
    for (Fr& value : values) value *= factor;
    return points(writer, ZkeySection::h, g1_, std::span<const Fr>(values));
  }

  template <class Group>
  Result<void> points(Writer& writer, ZkeySection section, const FixedBase<Group>& base,
                      std::span<const Fr> scalars) {
    constexpr std::size_t kChunk = std::size_t{1} << 15;
    constexpr std::size_t kBytes = FixedBase<Group>::Point::kBytes;
    if (auto done = writer.begin(section); !done) return done;
    std::vector<std::byte> bytes(std::min(scalars.size(), kChunk) * kBytes);
    for (std::size_t begin = 0; begin < scalars.size(); begin += kChunk) {
      const auto part = scalars.subspan(begin, std::min(kChunk, scalars.size() - begin));
      const auto out = std::span(bytes).first(part.size() * kBytes);
      base.multiply(part, out, options_.threads);
      if (auto done = writer.write(out); !done) return done;
      if (!go_on(static_cast<double>(out.size()))) return cancelled();
    }
    return writer.end();
  }

  // Progress counts bytes of points: an addition in G2 takes about as much longer as it is larger.
  bool go_on(double bytes) {
    done_ += bytes;
    const double rows = static_cast<double>(std::uint64_t{1} << log_size_);
    const double all = 3.0 * wires_ * G1Point<C>::kBytes + 1.0 * wires_ * G2Point<C>::kBytes +
                       rows * G1Point<C>::kBytes;
    return !options_.progress || options_.progress(std::min(done_ / all, 1.0));
  }
  static tl::unexpected<Error> cancelled() {
    return fail(ErrorKind::cancelled, "stopped before the key was finished");
  }

  const files::R1cs& circuit_;
  const SetupOptions& options_;
  const std::uint32_t wires_, publics_;
  const unsigned log_size_;
  const FixedBase<typename C::G1> g1_{C::G1::generator()};
  const FixedBase<typename C::G2> g2_{C::G2::generator()};
  Trapdoor<Fr> secret_;
  std::vector<Fr> lagrange_, u_, v_, w_;
  double done_ = 0;
};

}  // namespace

std::uint64_t rows_needed(const files::R1cs& circuit) {
  return std::uint64_t{circuit.constraints} + circuit.counts.publics() + 1;
}

Result<void> setup(const files::R1cs& circuit, const std::string& circuit_path,
                   const std::string& key_path, const SetupOptions& options) {
  const std::uint64_t rows = rows_needed(circuit);
  const unsigned two_adicity = circuit.curve == CurveId::bn254
                                   ? field::Bn254FrParams::kTwoAdicity
                                   : field::Bls12_381FrParams::kTwoAdicity;
  const unsigned most = std::min(files::kMostDomainLog2, two_adicity - 1);
  if (rows > std::uint64_t{1} << most)
    return fail(ErrorKind::usage,
                fmt::format("the circuit needs {} rows; {} has roots of unity for 2^{}", rows,
                            curve_name(circuit.curve), most),
                printable(circuit_path), "split the circuit");
  return circuit.curve == CurveId::bn254 ? Setup<curve::Bn254>(circuit, options).run(key_path)
                                         : Setup<curve::Bls12_381>(circuit, options).run(key_path);
}

}  // namespace prover::groth16
