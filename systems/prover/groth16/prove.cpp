// SPDX-License-Identifier: Apache-2.0
#include "prover/groth16/prove.hpp"

#include <fmt/format.h>

#include <cstring>

#include "prover/base/parallel.hpp"
#include "prover/base/text.hpp"
#include "prover/groth16/proof.hpp"
#include "prover/groth16/quotient.hpp"
#include "prover/groth16/random.hpp"
#include "prover/groth16/verify.hpp"
#include "prover/msm/msm.hpp"

namespace prover::groth16 {
namespace {

using files::ZkeySection;
using msm::Digits;
using msm::Scalar;

constexpr const char* kDamaged =
    "the key is damaged, or its maker lies; 'prover check' looks at all of it";

Error off_curve(const files::Zkey& key, ZkeySection section, std::size_t index, std::size_t bytes) {
  return {fmt::format("point {} is not on the curve", index), key.where(section, index * bytes),
          kDamaged, ErrorKind::usage};
}

template <class C>
class Prover {
 public:
  using Fr = typename C::Fr;
  using Sum1 = curve::Jacobian<typename C::Fq>;
  using Sum2 = curve::Jacobian<typename C::Fq2>;

  Prover(const files::Zkey& key, const ProveOptions& options) : key_(key), options_(options) {}

  Result<Proven> run(const files::Wtns& witness) {
    if (auto done = read(witness); !done) return fail(done.error());
    if (auto done = multiply_witness(); !done) return fail(done.error());
    if (auto done = multiply_quotient(); !done) return fail(done.error());
    auto proof = assemble();
    if (!proof) return fail(proof.error());
    if (auto done = check(*proof); !done) return fail(done.error());
    return Proven{to_text(*proof), publics(), stages_.times()};
  }

 private:
  Result<void> read(const files::Wtns& witness) {
    const Stages::Scope stage(stages_, "read");
    witness_.resize(witness.count);
    std::memcpy(witness_.data(), witness.values.data(), witness.values.size());
    files::Wtns copy = witness;  // what is checked is what is used, whoever writes into the file
    copy.values = std::as_bytes(std::span(witness_));
    return files::check_values(copy);
  }

  // One of the sums over the witness, with its points checked on the way.
  template <class Group>
  Result<curve::Jacobian<typename Group::Coordinate>> multiply(const char* name,
                                                               ZkeySection section,
                                                               files::Bytes points,
                                                               std::size_t first,
                                                               const Digits& digits) {
    const Stages::Scope stage(stages_, name);
    if (const auto bad = msm::first_bad_point<Group>(points, options_.threads))
      return fail(
          off_curve(key_, section, *bad, curve::Affine<typename Group::Coordinate>::kBytes));
    const auto sum = msm::multiply<Group>({points, first}, digits, options_.threads);
    release(points);
    return sum;
  }

  void release(files::Bytes part) const {
    if (options_.release != nullptr) options_.release->advise(part, files::Use::done);
  }

  Digits cut(std::span<const Scalar> scalars) const {
    std::size_t large = 0;
    for (const Scalar& scalar : scalars)
      if (scalar[0] > 1 || (scalar[1] | scalar[2] | scalar[3]) != 0) ++large;
    return Digits(scalars, Fr::kModulus, msm::best_window(large, Fr::kModulus, options_.threads),
                  options_.threads);
  }

  Result<void> multiply_witness() {
    const Digits digits = [&] {
      const Stages::Scope stage(stages_, "digits");
      return cut(witness_);
    }();
    using G1 = typename C::G1;
    const std::size_t first_private = std::size_t{key_.publics} + 1;
    auto a = multiply<G1>("msm_a", ZkeySection::a, key_.a, 0, digits);
    if (!a) return fail(a.error());
    auto b1 = multiply<G1>("msm_b1", ZkeySection::b1, key_.b1, 0, digits);
    if (!b1) return fail(b1.error());
    auto b2 = multiply<typename C::G2>("msm_b2", ZkeySection::b2, key_.b2, 0, digits);
    if (!b2) return fail(b2.error());
    auto c = multiply<G1>("msm_c", ZkeySection::c, key_.c, first_private, digits);
    if (!c) return fail(c.error());
    a_ = *a, b1_ = *b1, b2_ = *b2, c_ = *c;
    return {};
  }

  Result<void> multiply_quotient() {
    auto scalars = quotient<C>(key_, witness_, options_.threads, stages_);
    if (!scalars) return fail(scalars.error());
    release(key_.coefficients.records());
    const Digits digits = [&] {
      const Stages::Scope stage(stages_, "digits_h");
      return cut(*scalars);
    }();
    *scalars = {};
    auto h = multiply<typename C::G1>("msm_h", ZkeySection::h, key_.h, 0, digits);
    if (!h) return fail(h.error());
    c_ += *h;
    return {};
  }

  // A point of the header, which must be on the curve.
  template <class Group>
  Result<curve::Affine<typename Group::Coordinate>> header_point(files::Bytes bytes,
                                                                 const char* name) const {
    const auto point = curve::Affine<typename Group::Coordinate>::load(bytes.data());
    if (is_on_curve(point, Group::b())) return point;
    const auto& header = key_.sections;
    return fail(ErrorKind::usage, fmt::format("{} is not on the curve", name),
                header.where(static_cast<std::uint32_t>(ZkeySection::header)), kDamaged);
  }

  Result<Proof<C>> assemble() {
    const Stages::Scope stage(stages_, "assemble");
    using G1 = typename C::G1;
    using G2 = typename C::G2;
    const auto alpha1 = header_point<G1>(key_.alpha1, "alpha1");
    const auto beta1 = header_point<G1>(key_.beta1, "beta1");
    const auto delta1 = header_point<G1>(key_.delta1, "delta1");
    const auto beta2 = header_point<G2>(key_.beta2, "beta2");
    const auto delta2 = header_point<G2>(key_.delta2, "delta2");
    const auto gamma2 = header_point<G2>(key_.gamma2, "gamma2");  // the check at the end uses it
    for (const auto* point : {&alpha1, &beta1, &delta1})
      if (!*point) return fail(point->error());
    for (const auto* point : {&beta2, &delta2, &gamma2})
      if (!*point) return fail(point->error());
    auto r = random_scalar<Fr>();
    if (!r) return fail(r.error());
    auto s = random_scalar<Fr>();
    if (!s) return fail(s.error());
    const Sum1 delta = Sum1::from(*delta1);
    const Sum1 a = a_ + *alpha1 + delta.times(r->plain());
    const Sum1 b1 = b1_ + *beta1 + delta.times(s->plain());
    const Sum2 b = b2_ + *beta2 + Sum2::from(*delta2).times(s->plain());
    const Sum1 c = c_ + a.times(s->plain()) + b1.times(r->plain()) - delta.times((*r * *s).plain());
    explicit_bzero(&*r, sizeof *r);
    explicit_bzero(&*s, sizeof *s);
    return Proof<C>{a.affine(), b.affine(), c.affine()};
  }

  std::vector<files::Integer> publics() const {
    std::vector<files::Integer> values;
    for (std::size_t wire = 1; wire <= key_.publics; ++wire) {
      const Scalar& value = witness_[wire];
      values.push_back({value[0], value[1], value[2], value[3], 0, 0});
    }
    return values;
  }

  Result<void> check(const Proof<C>& proof) {
    const Stages::Scope stage(stages_, "verify");
    const std::span<const Scalar> inputs(witness_.data() + 1, key_.publics);
    if (const auto bad = msm::first_bad_point<typename C::G1>(key_.ic, options_.threads))
      return fail(off_curve(key_, ZkeySection::ic, *bad, G1Point<C>::kBytes));
    const Verdict verdict = verify(verifying_key<C>(key_), inputs, proof);
    if (verdict.valid) return {};
    return fail(ErrorKind::self_check, "the finished proof does not verify: " + verdict.reason, "",
                "the witness does not satisfy the circuit, or the key is damaged or of an older "
                "version of it: --check-witness CIRCUIT.r1cs tells which");
  }

  const files::Zkey& key_;
  const ProveOptions options_;
  Stages stages_;
  std::vector<Scalar> witness_;
  Sum1 a_, b1_, c_;
  Sum2 b2_;
};

}  // namespace

Result<Proven> prove(const files::Zkey& key, const std::string& key_path,
                     const files::Wtns& witness, const std::string& witness_path,
                     const ProveOptions& options) {
  if (key.curve != witness.curve)
    return fail(ErrorKind::usage,
                fmt::format("the witness is one of {}, the key {} is one of {}",
                            curve_name(witness.curve), printable(key_path), curve_name(key.curve)),
                printable(witness_path), "both must come from one circuit");
  if (key.wires != witness.count)
    return fail(ErrorKind::usage,
                fmt::format("the witness has {} wires, the key {} has {}", witness.count,
                            printable(key_path), key.wires),
                printable(witness_path),
                "it is the witness of another circuit, or the key is an older one");
  if (key.wires >= msm::kNegate)
    return fail(ErrorKind::usage, fmt::format("{} wires are more than 2^31", key.wires),
                printable(key_path), "split the circuit");
  auto proven = key.curve == CurveId::bn254 ? Prover<curve::Bn254>(key, options).run(witness)
                                            : Prover<curve::Bls12_381>(key, options).run(witness);
  if (!proven && proven.error().where.empty()) {
    Error error = proven.error();
    error.where = printable(witness_path);
    return fail(std::move(error));
  }
  return proven;
}

}  // namespace prover::groth16
