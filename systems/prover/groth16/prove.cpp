// SPDX-License-Identifier: Apache-2.0
#include "prover/groth16/prove.hpp"

#include <fmt/format.h>

#include <cstring>

#include "prover/base/text.hpp"
#include "prover/groth16/quotient.hpp"
#include "prover/groth16/sums.hpp"
#include "prover/groth16/verify.hpp"
#include "prover/msm/msm.hpp"

namespace prover::groth16 {
namespace {

using files::ZkeySection;
using msm::Digits;
using msm::Scalar;

template <class C>
class Prover {
 public:
  using Fr = typename C::Fr;

  Prover(const files::Zkey& key, const ProveOptions& options)
      : key_(key),
        options_(options),
        key_sums_(key, {.threads = options.threads, .release = options.release}) {}

  Result<Proven> run(const files::Wtns& witness) {
    if (auto done = read(witness); !done) return fail(done.error());
    if (auto done = multiply_witness(); !done) return fail(done.error());
    if (auto done = multiply_quotient(); !done) return fail(done.error());
    auto proof = finish();
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

  Digits cut(const char* name, std::span<const Scalar> scalars) {
    const Stages::Scope stage(stages_, name);
    return key_sums_.cut(scalars);
  }

  Result<void> multiply_witness() {
    const Digits digits = cut("digits", witness_);
    auto a = key_sums_.a(digits, stages_);
    if (!a) return fail(a.error());
    auto b1 = key_sums_.b1(digits, stages_);
    if (!b1) return fail(b1.error());
    auto b2 = key_sums_.b2(digits, stages_);
    if (!b2) return fail(b2.error());
    auto c = key_sums_.c(digits, stages_);
    if (!c) return fail(c.error());
    sums_ = {*a, *b1, *c, *b2};
    return {};
  }

  // The digits of the quotient, whose rows are free when they are cut.
  Result<Digits> quotient_digits() {
    const auto domain = ntt::Domain<Fr>::create(key_.domain_log2);
    if (!domain) return fail(domain.error());
    std::vector<Fr> a(key_.domain_size), b(key_.domain_size), c(key_.domain_size);
    {
      const Stages::Scope stage(stages_, "coefficients");
      if (auto done = evaluate_rows<Fr>(key_, witness_, a, b, options_.threads); !done)
        return fail(done.error());
      multiply_rows<Fr>(a, b, c, options_.threads);
    }
    if (options_.release != nullptr)
      options_.release->advise(key_.coefficients.records(), files::Use::done);
    const auto scalars = quotient<Fr>(*domain, a, b, c, options_.threads, stages_);
    if (!scalars) return fail(scalars.error());
    b = std::vector<Fr>(), c = std::vector<Fr>();
    return cut("digits_h", *scalars);
  }

  Result<void> multiply_quotient() {
    const auto digits = quotient_digits();
    if (!digits) return fail(digits.error());
    const auto h = key_sums_.h(*digits, stages_);
    if (!h) return fail(h.error());
    sums_.c += *h;
    return {};
  }

  Result<Proof<C>> finish() {
    const Stages::Scope stage(stages_, "assemble");
    if (auto good = check_header<C>(key_); !good) return fail(good.error());
    return assemble<C>(key_, sums_);
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
  const KeySums<C> key_sums_;
  std::vector<Scalar> witness_;
  Sums<C> sums_;
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
