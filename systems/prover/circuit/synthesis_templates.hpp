// SPDX-License-Identifier: Apache-2.0
// Inside this folder: synthesis.hpp for one field. Each field is compiled by itself, because all
// circuits are compiled for each kind of linear combination.
#pragma once

#include "prover/circuit/builder.hpp"
#include "prover/circuit/synthesis.hpp"

namespace prover::circuit {
namespace synthesis_parts {

// Thrown out of a builder, and caught where it was called.
struct Stopped {};

constexpr std::uint32_t kGrain = 1u << 12;  // wires or constraints until a stop is looked for

// The wires: room for the publics, of which the number is known, and then the privates as they
// come.
template <class F>
class Wires {
 public:
  Wires(const Size& size, bool presize, const std::stop_token& stop)
      : publics_(size.publics), stop_(stop) {
    if (presize) values_.reserve(size.wires);
    values_.resize(std::size_t{publics_} + 1);
    values_.front() = F::one().montgomery();
  }

  Variable allocate(const F& value) {
    if (values_.size() % kGrain == 0 && stop_.stop_requested()) throw Stopped();
    values_.push_back(value.montgomery());
    return {Variable::kPrivate + static_cast<std::uint32_t>(values_.size() - publics_ - 2)};
  }
  Variable allocate_public(const F& value) {
    PROVER_CHECK(used_ < publics_, "a circuit has the publics that were counted");
    values_[++used_] = value.montgomery();
    return {used_};
  }
  F operator[](Variable variable) const {
    return F::from_montgomery(values_[wire_of(variable, publics_)]);
  }
  WireValues<F> take() { return std::move(values_); }
  const std::stop_token& stop() const { return stop_; }

 private:
  const std::uint32_t publics_;
  const std::stop_token stop_;
  std::uint32_t used_ = 0;
  WireValues<F> values_;
};

template <class F>
class WitnessBuilder : public Enforcing<WitnessBuilder<F>, NoCombination<F>> {
 public:
  explicit WitnessBuilder(Wires<F>& wires) : wires_(wires) {}
  Variable allocate(const F& value) { return wires_.allocate(value); }
  Variable allocate_public(const F& value) { return wires_.allocate_public(value); }
  void constraint(const NoCombination<F>&, const NoCombination<F>&, const NoCombination<F>&) {}

 private:
  Wires<F>& wires_;
};

template <class F, std::size_t kInline>
class RowBuilder : public Enforcing<RowBuilder<F, kInline>, LinearCombination<F, kInline>> {
 public:
  using Lc = LinearCombination<F, kInline>;

  RowBuilder(Wires<F>& wires, Evaluated<F>& rows) : wires_(wires), rows_(rows) {}
  Variable allocate(const F& value) { return wires_.allocate(value); }
  Variable allocate_public(const F& value) { return wires_.allocate_public(value); }
  void constraint(const Lc& a, const Lc& b, const Lc& c) {
    if (rows_.a.size() % kGrain == 0 && wires_.stop().stop_requested()) throw Stopped();
    rows_.a.push_back(value_of(a));
    rows_.b.push_back(value_of(b));
    rows_.c.push_back(value_of(c));
  }

 private:
  F value_of(const Lc& sum) const {
    F value;
    for (const auto& term : sum.terms()) {
      const F wire = wires_[term.variable];
      if (!wire.is_zero()) value += term.coefficient * wire;
    }
    return value;
  }

  Wires<F>& wires_;
  Evaluated<F>& rows_;
};

template <class F, std::size_t kInline>
void build_with(const Request& request, const SharedSector<F>& sector,
                const SynthesisOptions& options, Wires<F>& wires, Evaluated<F>& rows) {
  RowBuilder<F, kInline> builder(wires, rows);
  builder.recycle(options.recycle);
  build(builder, request, sector.get());
}

}  // namespace synthesis_parts

template <class Fr>
SharedSector<Fr> sector_for(const Request& request) {
  if (request.kind != Kind::porep) return nullptr;
  return std::make_shared<const Sector<Fr>>(sector_of<Fr>(request));
}

template <class Fr>
Result<WireValues<Fr>> build_witness(const Request& request, const Size& size,
                                     const SharedSector<Fr>& sector,
                                     const SynthesisOptions& options, const std::stop_token& stop) {
  using namespace synthesis_parts;
  Wires<Fr> wires(size, options.presize, stop);
  try {
    WitnessBuilder<Fr> builder(wires);
    build(builder, request, sector.get());
  } catch (const Stopped&) {
    return fail(ErrorKind::cancelled, "stopped");
  }
  return wires.take();
}

template <class Fr>
Result<Evaluated<Fr>> build_rows(const Request& request, const Size& size, std::uint64_t domain,
                                 const SharedSector<Fr>& sector, const SynthesisOptions& options,
                                 const std::stop_token& stop) {
  using namespace synthesis_parts;
  Evaluated<Fr> rows;
  if (options.presize)
    for (auto* const vector : {&rows.a, &rows.b, &rows.c}) vector->reserve(domain);
  Wires<Fr> wires(size, options.presize, stop);
  try {
    switch (options.inline_terms) {
      case 1:
        build_with<Fr, 1>(request, sector, options, wires, rows);
        break;
      case 2:
        build_with<Fr, 2>(request, sector, options, wires, rows);
        break;
      case 4:
        build_with<Fr, 4>(request, sector, options, wires, rows);
        break;
      default:
        build_with<Fr, 0>(request, sector, options, wires, rows);
    }
  } catch (const Stopped&) {
    return fail(ErrorKind::cancelled, "stopped");
  }
  rows.witness = wires.take();
  for (std::uint32_t wire = 0; wire <= size.publics; ++wire)
    rows.a.push_back(Fr::from_montgomery(rows.witness[wire]));
  for (auto* const vector : {&rows.a, &rows.b, &rows.c}) vector->resize(domain);
  return rows;
}

}  // namespace prover::circuit

#define PROVER_INSTANTIATE_SYNTHESIS(Fr)                                                          \
  namespace prover::circuit {                                                                     \
  template SharedSector<Fr> sector_for<Fr>(const Request&);                                       \
  template Result<WireValues<Fr>> build_witness<Fr>(const Request&, const Size&,                  \
                                                    const SharedSector<Fr>&,                      \
                                                    const SynthesisOptions&,                      \
                                                    const std::stop_token&);                      \
  template Result<Evaluated<Fr>> build_rows<Fr>(const Request&, const Size&, std::uint64_t,       \
                                                const SharedSector<Fr>&, const SynthesisOptions&, \
                                                const std::stop_token&);                          \
  }
