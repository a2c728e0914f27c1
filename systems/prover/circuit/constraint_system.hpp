// SPDX-License-Identifier: Apache-2.0
// What circuits are written against, as bellpepper does it: a circuit is a function over a
// constraint system that allocates wires with their values and enforces A x B = C on sums of them.
// The same function then records the constraints, makes a witness, or only counts.
//
//   template <ConstraintSystem Cs>
//   void square(Cs& cs, typename Cs::Fr x) {
//     const Variable wire = cs.allocate(x), squared = cs.allocate_public(x.squared());
//     cs.enforce(wire, wire, squared);
//   }
#pragma once

#include <concepts>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "prover/circuit/linear_combination.hpp"

namespace prover::circuit {

// An empty sum: A and B of a linear constraint.
struct Zero {};

// Lc: LinearCombination<Fr>, or NoCombination<Fr> where nobody looks at the sums.
template <class Cs>
concept ConstraintSystem = requires(Cs cs, typename Cs::Fr value, typename Cs::Lc lc) {
  { cs.allocate(value) } -> std::same_as<Variable>;
  { cs.allocate_public(value) } -> std::same_as<Variable>;
  cs.enforce(lc, lc, lc);
};

// enforce(A, B, C) in terms of Self::constraint(const Lc&, const Lc&, const Lc&). Each of the three
// is a wire, a sum, Zero or a function that fills an empty sum: [&](auto& sum) { sum.add(x); }. The
// sums that are filled are recycled from constraint to constraint.
template <class Self, class L>
class Enforcing {
 public:
  using Lc = L;
  using Fr = typename L::Fr;

  template <class A, class B, class C>
  void enforce(const A& a, const B& b, const C& c) {
    static_cast<Self*>(this)->constraint(sum_of(a_, a), sum_of(b_, b), sum_of(c_, c));
  }
  // sum = 0
  template <class A>
  void enforce_zero(const A& sum) {
    enforce(Zero(), Zero(), sum);
  }

  // Whether the sums that are filled keep their memory for the next constraint (they do, unless
  // told otherwise); else each takes its own and gives it back.
  void recycle(bool on) { recycles_ = on; }

 private:
  template <class A>
  const Lc& sum_of(Lc& recycled, const A& a) {
    if constexpr (std::is_same_v<A, Lc>) {
      return a;
    } else {
      if (recycles_)
        recycled.clear();
      else
        recycled = Lc();
      if constexpr (std::is_same_v<A, Variable>)
        recycled.add(a);
      else if constexpr (!std::is_same_v<A, Zero>)
        a(recycled);
      return recycled;
    }
  }

  Lc a_, b_, c_;
  bool recycles_ = true;
};

// The values of all wires, and nothing else.
template <class F>
class WitnessOnly : public Enforcing<WitnessOnly<F>, NoCombination<F>> {
 public:
  Variable allocate(const F& value) {
    privates_.push_back(value);
    return {Variable::kPrivate + static_cast<std::uint32_t>(privates_.size() - 1)};
  }
  Variable allocate_public(const F& value) {
    publics_.push_back(value);
    return {static_cast<std::uint32_t>(publics_.size() - 1)};
  }
  void constraint(const NoCombination<F>&, const NoCombination<F>&, const NoCombination<F>&) {}

  // With the constant 1 in front.
  const std::vector<F>& publics() const { return publics_; }
  const std::vector<F>& privates() const { return privates_; }

 private:
  std::vector<F> publics_ = {F::one()}, privates_;
};

// How large a circuit is.
template <class F>
class Counter : public Enforcing<Counter<F>, NoCombination<F>> {
 public:
  Variable allocate(const F&) { return {Variable::kPrivate + privates_++}; }
  Variable allocate_public(const F&) { return {++publics_}; }
  void constraint(const NoCombination<F>&, const NoCombination<F>&, const NoCombination<F>&) {
    ++constraints_;
  }

  std::uint32_t publics() const { return publics_; }  // without the constant 1
  std::uint32_t wires() const { return 1 + publics_ + privates_; }
  std::uint32_t constraints() const { return constraints_; }

 private:
  std::uint32_t publics_ = 0, privates_ = 0, constraints_ = 0;
};

}  // namespace prover::circuit
