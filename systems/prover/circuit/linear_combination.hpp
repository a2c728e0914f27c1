// SPDX-License-Identifier: Apache-2.0
// Wires and sums of wires, the words in which circuits are written.
#pragma once

#include <algorithm>
#include <boost/container/small_vector.hpp>
#include <compare>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

namespace prover::circuit {

// A wire while its circuit is being written: publics and privates are counted apart, so that they
// may be allocated in any order. In files the publics come first; see wire_of().
struct Variable {
  static constexpr std::uint32_t kPrivate = std::uint32_t{1} << 31;

  std::uint32_t id = 0;  // public i: i; private i: kPrivate + i

  // The constant 1, public 0.
  static constexpr Variable one() { return {}; }
  constexpr bool is_private() const { return (id & kPrivate) != 0; }
  constexpr std::uint32_t index() const { return id & ~kPrivate; }
  constexpr auto operator<=>(const Variable&) const = default;
};

// The number of the wire in a file: 1, then `publics` publics, then the privates.
constexpr std::uint32_t wire_of(Variable variable, std::uint32_t publics) {
  return variable.is_private() ? publics + 1 + variable.index() : variable.index();
}

// A sum of wires times coefficients. Each wire is there once, in ascending order; a coefficient may
// have become zero. So many terms as kInline lie inside it; more, or with 0 all, lie elsewhere.
template <class F, std::size_t kInline = 0>
class LinearCombination {
 public:
  using Fr = F;
  struct Term {
    Variable variable;
    F coefficient;
  };

  LinearCombination& add(Variable variable, const F& coefficient = F::one()) {
    if (terms_.empty() || terms_.back().variable < variable) {
      terms_.push_back({variable, coefficient});
      return *this;
    }
    const auto at =
        std::lower_bound(terms_.begin(), terms_.end(), variable,
                         [](const Term& term, Variable wanted) { return term.variable < wanted; });
    if (at->variable == variable)
      at->coefficient += coefficient;
    else
      terms_.insert(at, {variable, coefficient});
    return *this;
  }
  LinearCombination& subtract(Variable variable) { return add(variable, -F::one()); }
  LinearCombination& add_constant(const F& value) { return add(Variable::one(), value); }

  // Adds scale x other.
  LinearCombination& add(const LinearCombination& other, const F& scale = F::one()) {
    Terms sum;
    sum.reserve(terms_.size() + other.terms_.size());
    auto mine = terms_.begin();
    for (const Term& term : other.terms_) {
      while (mine != terms_.end() && mine->variable < term.variable) sum.push_back(*mine++);
      sum.push_back({term.variable, term.coefficient * scale});
      if (mine != terms_.end() && mine->variable == term.variable)
        sum.back().coefficient += (mine++)->coefficient;
    }
    sum.insert(sum.end(), mine, terms_.end());
    terms_ = std::move(sum);
    return *this;
  }

  void clear() { terms_.clear(); }  // keeps its memory
  std::span<const Term> terms() const { return {terms_.data(), terms_.size()}; }

 private:
  using Terms =
      std::conditional_t<kInline == 0, std::vector<Term>,
                         boost::container::small_vector<Term, std::max(kInline, std::size_t{1})>>;
  Terms terms_;
};

// For constraint systems that only want the values: nothing is summed.
template <class F>
class NoCombination {
 public:
  using Fr = F;
  NoCombination& add(Variable, const F& = F::one()) { return *this; }
  NoCombination& subtract(Variable) { return *this; }
  NoCombination& add_constant(const F&) { return *this; }
  NoCombination& add(const NoCombination&, const F& = F::one()) { return *this; }
  void clear() {}
};

}  // namespace prover::circuit
