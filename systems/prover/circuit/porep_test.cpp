// SPDX-License-Identifier: Apache-2.0
#include "prover/circuit/porep.hpp"

#include "prover/circuit/test_support.hpp"

namespace prover::circuit {
namespace {

TEST(Porep, LabelsDependOnTheirParentsAlone) {
  const Labels labels = Labels::of(7, 5), again = Labels::of(7, 5), other = Labels::of(8, 5);
  EXPECT_EQ(labels.labels, again.labels);
  EXPECT_NE(labels.labels, other.labels);
  ASSERT_EQ(labels.labels.size(), 32u);
  for (std::uint32_t j = 1; j < 32; ++j) {
    EXPECT_EQ(labels.parents(j).p, j - 1);
    EXPECT_LT(labels.parents(j).q, j);
  }
  std::vector<bool> seen(32);
  for (std::uint32_t i = 0; i < 200; ++i) {
    ASSERT_GE(labels.challenge(0, i), 1u);
    ASSERT_LT(labels.challenge(0, i), 32u);
    seen[labels.challenge(i, 0)] = true;
  }
  EXPECT_GT(std::count(seen.begin(), seen.end(), true), 25);
}

TEST(MerkleTree, PathsLeadToTheRoot) {
  using F = field::Bn254Fr;
  const MerkleTree<F> tree({F::from_word(1), F::from_word(2), F::from_word(3), F::from_word(4)});
  const F left = poseidon_hash(F::from_word(1), F::from_word(2)),
          right = poseidon_hash(F::from_word(3), F::from_word(4));
  EXPECT_EQ(tree.root(), poseidon_hash(left, right));
  EXPECT_EQ(tree.siblings(2), (std::vector{F::from_word(4), left}));
}

template <class T>
class PorepCircuit : public testing::Test {};
TYPED_TEST_SUITE(PorepCircuit, Fields);

TYPED_TEST(PorepCircuit, HoldsAndIsTight) {
  using F = TypeParam;
  const auto sector = Sector<F>::of(3, 2);
  const auto build = [&](auto& cs) { porep(cs, sector, 1, 1); };
  R1csRecorder<F> cs;
  build(cs);
  EXPECT_EQ(cs.publics(), 5u);
  EXPECT_EQ(cs.witness()[2], sector.data.root());
  EXPECT_EQ(cs.witness()[4], sector.replica.root());
  expect_tight(cs, 20);
  expect_agreement(cs, build);
}

// One key serves all partitions: they have the same constraints.
TYPED_TEST(PorepCircuit, IsOneCircuitForAllPartitions) {
  using F = TypeParam;
  const auto sector = Sector<F>::of(3, 3);
  R1csRecorder<F> first;
  porep(first, sector, 0, 1);
  for (std::uint32_t partition = 1; partition < 3; ++partition) {
    WitnessOnly<F> values;
    porep(values, sector, partition, 1);
    std::vector<F> witness = values.publics();
    witness.insert(witness.end(), values.privates().begin(), values.privates().end());
    ASSERT_EQ(witness.size(), first.wires());
    EXPECT_EQ(first.first_unsatisfied(witness), std::nullopt);
    // Another challenge's answer is none to this one.
    std::swap(witness[5], witness[4]);
    EXPECT_NE(first.first_unsatisfied(witness), std::nullopt);
  }
}

}  // namespace
}  // namespace prover::circuit
