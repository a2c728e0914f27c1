// SPDX-License-Identifier: Apache-2.0
#include "prover/circuit/constraint_system.hpp"

#include <unistd.h>

#include "prover/circuit/dense.hpp"
#include "prover/circuit/test_support.hpp"

namespace prover::circuit {
namespace {

using F = field::Bn254Fr;

F number(std::uint64_t word) { return F::from_word(word); }

static_assert(ConstraintSystem<R1csRecorder<F>>);
static_assert(ConstraintSystem<WitnessOnly<F>>);
static_assert(ConstraintSystem<Counter<F>>);

TEST(LinearCombination, KeepsEachWireOnceInOrder) {
  const Variable one = Variable::one(), x{3}, y{Variable::kPrivate + 2}, z{Variable::kPrivate};
  LinearCombination<F> sum, other;
  sum.add(y, number(5)).add(x).add(z, number(2)).add(y, number(6)).add_constant(number(9));
  other.add(z).subtract(x).add(Variable{7}, number(4));
  sum.add(other, number(10));
  const struct {
    Variable variable;
    F coefficient;
  } expected[] = {
      {one, number(9)}, {x, -number(9)}, {{7}, number(40)}, {z, number(12)}, {y, number(11)}};
  ASSERT_EQ(sum.terms().size(), std::size(expected));
  for (std::size_t i = 0; i < std::size(expected); ++i) {
    EXPECT_EQ(sum.terms()[i].variable, expected[i].variable) << i;
    EXPECT_EQ(sum.terms()[i].coefficient, expected[i].coefficient) << i;
  }
  sum.clear();
  EXPECT_TRUE(sum.terms().empty());
}

TEST(Recorder, PutsPublicsFirstAndDropsZeros) {
  R1csRecorder<F> recorder;
  const Variable a = recorder.allocate(number(3)), b = recorder.allocate(number(4)),
                 product = recorder.allocate_public(number(12));
  recorder.enforce(
      a, [&](auto& sum) { sum.add(b).add(a).subtract(a); }, product);
  EXPECT_EQ(recorder.witness(), (std::vector{F::one(), number(12), number(3), number(4)}));
  EXPECT_EQ(recorder.row(Matrix::b, 0).size(), 1u) << "a cancelled out";
  EXPECT_EQ(wire_of(product, recorder.publics()), 1u);
  EXPECT_EQ(wire_of(b, recorder.publics()), 3u);
  expect_tight(recorder, 10);
}

TEST(Recorder, AcceptsEveryWayToWriteASum) {
  R1csRecorder<F> recorder;
  const Variable x = recorder.allocate(number(2));
  LinearCombination<F> sum;
  sum.add(x, number(3)).add_constant(-number(6));
  recorder.enforce(sum, x, Zero());
  recorder.enforce_zero(sum);
  recorder.enforce_zero([&](auto& s) { s.add(x).add_constant(-number(2)); });
  EXPECT_EQ(recorder.constraints(), 3u);
  EXPECT_EQ(recorder.coefficients().size(), 4u) << "3, -6, 1, -2";
  expect_tight(recorder, 10);
}

template <class T>
class Dense : public testing::Test {};
TYPED_TEST_SUITE(Dense, Fields);

TYPED_TEST(Dense, HasAsManyConstraintsAsAsked) {
  for (const std::uint32_t steps : {1u, 2u, 100u}) {
    const auto build = [&](auto& cs) { dense(cs, steps, TypeParam::from_word(123)); };
    R1csRecorder<TypeParam> recorder;
    build(recorder);
    EXPECT_EQ(recorder.constraints(), steps);
    EXPECT_EQ(recorder.wires(), steps + 2);
    EXPECT_EQ(recorder.publics(), 1u);
    expect_tight(recorder, 1000);
    expect_agreement(recorder, build);
  }
  R1csRecorder<TypeParam> recorder;
  dense(recorder, 1, TypeParam::from_word(3));
  EXPECT_EQ(recorder.witness()[1], TypeParam::from_word(9 + 3 + 7));
}

}  // namespace
}  // namespace prover::circuit
