// SPDX-License-Identifier: Apache-2.0
// Keeps the constraints of a circuit and the values of its wires: for files, for checks, and to be
// multiplied with other witnesses later. A term takes 8 bytes: equal coefficients, of which
// circuits have few, are kept once.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <unordered_map>

#include "prover/base/result.hpp"
#include "prover/circuit/constraint_system.hpp"
#include "prover/field/params.hpp"
#include "prover/files/r1cs.hpp"
#include "prover/files/wtns.hpp"

namespace prover::circuit {

template <class F>
constexpr CurveId curve_of() {
  return F::kModulus == kBn254R ? CurveId::bn254 : CurveId::bls12_381;
}

// The witness file of what was allocated.
template <class F>
Result<void> write_witness(const std::string& path, const WitnessOnly<F>& values) {
  std::vector<typename F::Plain> plain;
  plain.reserve(values.publics().size() + values.privates().size());
  for (const auto* const part : {&values.publics(), &values.privates()})
    for (const F& value : *part) plain.push_back(value.plain());
  return files::write_wtns(path, curve_of<F>(), std::as_bytes(std::span(plain)));
}

enum class Matrix { a, b, c };

template <class F>
class R1csRecorder : public Enforcing<R1csRecorder<F>, LinearCombination<F>> {
 public:
  using Lc = LinearCombination<F>;
  struct Entry {
    Variable variable;
    std::uint32_t coefficient;  // its number in coefficients()
  };

  Variable allocate(const F& value) { return values_.allocate(value); }
  Variable allocate_public(const F& value) { return values_.allocate_public(value); }
  void constraint(const Lc& a, const Lc& b, const Lc& c) {
    for (const Lc* const sum : {&a, &b, &c}) {
      for (const auto& term : sum->terms())
        if (!term.coefficient.is_zero())
          entries_.push_back({term.variable, number_of(term.coefficient)});
      ends_.push_back(entries_.size());
    }
  }

  std::uint32_t publics() const {  // without the constant 1
    return static_cast<std::uint32_t>(values_.publics().size() - 1);
  }
  std::uint32_t wires() const {
    return static_cast<std::uint32_t>(values_.publics().size() + values_.privates().size());
  }
  std::uint32_t constraints() const { return static_cast<std::uint32_t>(ends_.size() / 3); }
  std::uint64_t terms() const { return entries_.size(); }

  // Row `row` < constraints() of a matrix: no zero coefficients, each wire once, ascending.
  std::span<const Entry> row(Matrix matrix, std::uint32_t row) const {
    const std::size_t i = std::size_t{row} * 3 + static_cast<std::size_t>(matrix);
    const std::size_t begin = i == 0 ? 0 : ends_[i - 1];
    return std::span(entries_).subspan(begin, ends_[i] - begin);
  }
  const std::vector<F>& coefficients() const { return coefficients_; }

  // The values in the order of files.
  std::vector<F> witness() const {
    std::vector<F> all = values_.publics();
    all.insert(all.end(), values_.privates().begin(), values_.privates().end());
    return all;
  }

  // The first constraint that `witness` (in the order of files, wires() of them) fails.
  std::optional<std::uint32_t> first_unsatisfied(const std::vector<F>& witness) const {
    for (std::uint32_t i = 0; i < constraints(); ++i)
      if (dot(Matrix::a, i, witness) * dot(Matrix::b, i, witness) != dot(Matrix::c, i, witness))
        return i;
    return std::nullopt;
  }

  // All publics are written as public outputs. Stops with ErrorKind::cancelled when `go_on` says
  // no.
  Result<void> write_r1cs(
      const std::string& path, const std::function<bool()>& go_on = [] { return true; }) const;
  Result<void> write_wtns(const std::string& path) const;

 private:
  struct Hash {
    std::size_t operator()(const typename F::Plain& limbs) const {
      return static_cast<std::size_t>((limbs[0] ^ limbs[1]) * 0x9e3779b97f4a7c15u ^ limbs[2]);
    }
  };

  std::uint32_t number_of(const F& coefficient) {
    if (!coefficients_.empty() && coefficients_[last_] == coefficient) return last_;
    const auto next = static_cast<std::uint32_t>(coefficients_.size());
    const auto [at, is_new] = numbers_.try_emplace(coefficient.montgomery(), next);
    if (is_new) coefficients_.push_back(coefficient);
    return last_ = at->second;
  }

  F dot(Matrix matrix, std::uint32_t i, const std::vector<F>& witness) const {
    F sum;
    for (const Entry& entry : row(matrix, i))
      sum += coefficients_[entry.coefficient] * witness[wire_of(entry.variable, publics())];
    return sum;
  }

  WitnessOnly<F> values_;
  std::vector<Entry> entries_;
  std::vector<std::size_t> ends_;  // of A, B and C of each constraint, in entries_
  std::vector<F> coefficients_;
  std::unordered_map<typename F::Plain, std::uint32_t, Hash> numbers_;
  std::uint32_t last_ = 0;
};

template <class F>
Result<void> R1csRecorder<F>::write_r1cs(const std::string& path,
                                         const std::function<bool()>& go_on) const {
  auto writer = files::R1csWriter::create(path, curve_of<F>());
  if (!writer) return fail(writer.error());
  std::vector<typename F::Plain> plain;
  plain.reserve(coefficients_.size());
  for (const F& coefficient : coefficients_) plain.push_back(coefficient.plain());
  std::array<std::vector<files::R1csTerm>, 3> sums;
  for (std::uint32_t i = 0; i < constraints(); ++i) {
    if (i % 4096 == 0 && !go_on()) return fail(ErrorKind::cancelled, "stopped", path);
    for (const Matrix matrix : {Matrix::a, Matrix::b, Matrix::c}) {
      auto& sum = sums[static_cast<std::size_t>(matrix)];
      sum.clear();
      for (const Entry& entry : row(matrix, i))
        sum.push_back({wire_of(entry.variable, publics()),
                       std::as_bytes(std::span(plain[entry.coefficient])).data()});
    }
    if (auto done = writer->constraint(sums[0], sums[1], sums[2]); !done) return done;
  }
  return writer->finish({.wires = wires(), .public_outputs = publics()});
}

template <class F>
Result<void> R1csRecorder<F>::write_wtns(const std::string& path) const {
  return write_witness(path, values_);
}

}  // namespace prover::circuit
