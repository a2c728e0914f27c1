// SPDX-License-Identifier: Apache-2.0
// For the tests of circuits.
#pragma once

#include <gtest/gtest.h>

#include <random>

#include "prover/circuit/r1cs_recorder.hpp"

namespace prover::circuit {

using Fields = testing::Types<field::Bn254Fr, field::Bls12_381Fr>;

// The circuit holds for its own witness, and for none in which one wire has another value: wires
// from `first` on are tried, `tries` of them at random (all when there are fewer).
template <class F>
void expect_tight(const R1csRecorder<F>& recorder, std::size_t tries, std::size_t first = 1) {
  std::vector<F> witness = recorder.witness();
  ASSERT_EQ(recorder.first_unsatisfied(witness), std::nullopt);
  std::mt19937_64 random(5);
  const std::size_t count = witness.size() - first;
  for (std::size_t i = 0; i < std::min(count, tries); ++i) {
    const std::size_t wire = first + (tries < count ? random() % count : i);
    const F kept = witness[wire];
    // A bit becomes the other bit, so that it is not only found for being none.
    if (kept.is_zero() || kept == F::one())
      witness[wire] = F::one() - kept;
    else
      witness[wire] += F::from_word(1 + random());
    EXPECT_NE(recorder.first_unsatisfied(witness), std::nullopt) << "wire " << wire;
    witness[wire] = kept;
  }
}

// The same circuit says the same of its size and its values to every constraint system.
template <class F, class Build>
void expect_agreement(const R1csRecorder<F>& recorder, const Build& build) {
  Counter<F> counter;
  build(counter);
  EXPECT_EQ(counter.constraints(), recorder.constraints());
  EXPECT_EQ(counter.wires(), recorder.wires());
  EXPECT_EQ(counter.publics(), recorder.publics());
  WitnessOnly<F> values;
  build(values);
  std::vector<F> all = values.publics();
  all.insert(all.end(), values.privates().begin(), values.privates().end());
  EXPECT_EQ(all, recorder.witness());
}

}  // namespace prover::circuit
