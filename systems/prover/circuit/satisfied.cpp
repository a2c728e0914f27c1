// SPDX-License-Identifier: Apache-2.0
#include "prover/circuit/satisfied.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "prover/field/params.hpp"

namespace prover::circuit {
namespace {

constexpr std::size_t kShownWires = 8;

std::string shown(const std::vector<std::uint32_t>& wires) {
  if (wires.empty()) return "0";
  const std::size_t count = std::min(wires.size(), kShownWires);
  std::string text = fmt::format("wire{} {}", wires.size() == 1 ? "" : "s",
                                 fmt::join(wires.begin(), wires.begin() + count, ", "));
  if (count < wires.size()) text += fmt::format(" and {} more", wires.size() - count);
  return text;
}

// Plain integers are taken for Montgomery forms, which makes every number 1 / R of what it is: a
// dot product 1 / R^2, A x B 1 / R^4, and C is multiplied to match. That saves converting.
template <class F>
F dot(const files::R1csTerms& terms, const files::Wtns& witness) {
  F sum;
  for (std::uint32_t i = 0; i < terms.size(); ++i)
    sum += F::load(terms[i].value) * F::load(witness.value(terms[i].wire));
  return sum;
}

template <class F>
Result<std::optional<Unsatisfied>> search(const files::R1cs& circuit, const files::Wtns& witness) {
  const F per_r2 = F::from_montgomery(field::from_word<F::kLimbs>(1)).squared();
  files::R1csReader reader(circuit);
  files::R1csConstraint constraint;
  for (;;) {
    const auto more = reader.next(constraint);
    if (!more) return fail(more.error());
    if (!*more) return std::optional<Unsatisfied>();
    const F product = dot<F>(constraint.a, witness) * dot<F>(constraint.b, witness);
    if (product == dot<F>(constraint.c, witness) * per_r2) continue;
    Unsatisfied found{constraint.index, {}};
    const files::R1csTerms* const sums[] = {&constraint.a, &constraint.b, &constraint.c};
    for (std::size_t i = 0; i < 3; ++i)
      for (std::uint32_t j = 0; j < sums[i]->size(); ++j)
        found.wires[i].push_back((*sums[i])[j].wire);
    return std::optional(std::move(found));
  }
}

}  // namespace

std::string Unsatisfied::to_text() const {
  return fmt::format("constraint {} is not satisfied: A ({}) x B ({}) is not C ({})", constraint,
                     shown(wires[0]), shown(wires[1]), shown(wires[2]));
}

Result<std::optional<Unsatisfied>> first_unsatisfied(const files::R1cs& circuit,
                                                     const files::Wtns& witness) {
  if (circuit.curve != witness.curve)
    return fail(ErrorKind::usage,
                fmt::format("the witness is over {}, the circuit over {}",
                            curve_name(witness.curve), curve_name(circuit.curve)),
                witness.sections.path(), "give the witness of this circuit");
  if (circuit.counts.wires != witness.count)
    return fail(ErrorKind::usage,
                fmt::format("the witness has {} values, the circuit {} wires", witness.count,
                            circuit.counts.wires),
                witness.sections.path(), "give the witness of this circuit");
  if (auto ok = files::check_values(witness); !ok) return fail(ok.error());
  return circuit.curve == CurveId::bn254 ? search<field::Bn254Fr>(circuit, witness)
                                         : search<field::Bls12_381Fr>(circuit, witness);
}

}  // namespace prover::circuit
