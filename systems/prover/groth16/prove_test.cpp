// SPDX-License-Identifier: Apache-2.0
// Keys, proofs and refusals, on both curves and every instruction set.
#include "prover/groth16/prove.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <set>

#include "prover/field/isa.hpp"
#include "prover/groth16/proof.hpp"
#include "prover/groth16/testing.hpp"
#include "prover/groth16/verify.hpp"

namespace prover::groth16 {
namespace {

template <class C>
class ProveTest : public testing::Test {
 protected:
  static Result<Proven> prove_files(const std::string& zkey, const std::string& wtns,
                                    unsigned threads = 2) {
    const auto key = files::ZkeyFile::open(zkey);
    if (!key) return fail(key.error());
    const auto witness = files::WtnsFile::open(wtns);
    if (!witness) return fail(witness.error());
    return prove(key->key(), zkey, witness->witness(), wtns,
                 {.threads = threads, .release = &key->file()});
  }
  static Result<Proven> prove_files(const Circuit<C>& circuit, unsigned threads = 2) {
    return prove_files(circuit.zkey, circuit.wtns, threads);
  }
  static bool verifies(const Circuit<C>& circuit, const Proven& proven) {
    const auto key = files::ZkeyFile::open(circuit.zkey);
    std::vector<msm::Scalar> inputs;
    for (const files::Integer& value : proven.publics)
      inputs.push_back({value[0], value[1], value[2], value[3]});
    return verify(verifying_key<C>(key->key()), std::span<const msm::Scalar>(inputs),
                  from_text<C>(proven.proof))
        .valid;
  }
  // Overwrites bytes of a file at `offset`.
  static void patch(const std::string& path, std::uint64_t offset, std::string_view bytes) {
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(static_cast<std::streamoff>(offset));
    file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    ASSERT_TRUE(file.good());
  }
  // The offset of the i-th point of a section.
  static std::uint64_t offset_of(const std::string& zkey, files::Bytes files::Zkey::*section,
                                 std::size_t i, std::size_t bytes) {
    const auto key = files::ZkeyFile::open(zkey);
    return static_cast<std::uint64_t>((key->key().*section).data() - key->file().bytes().data()) +
           i * bytes;
  }
};

using Curves = testing::Types<curve::Bn254, curve::Bls12_381>;
TYPED_TEST_SUITE(ProveTest, Curves);

TYPED_TEST(ProveTest, proofs_verify_on_every_instruction_set) {
  const Folder folder;
  const Circuit<TypeParam> circuit(folder, 100);
  for (const field::Isa isa : {field::Isa::portable, field::Isa::adx, field::Isa::ifma}) {
    if (isa > field::best_isa()) continue;
    field::use_isa(isa);
    for (const unsigned threads : {1u, 3u}) {
      const auto proven = this->prove_files(circuit, threads);
      ASSERT_TRUE(proven) << field::isa_name(isa) << ": " << proven.error().to_text();
      EXPECT_TRUE(this->verifies(circuit, *proven));
    }
  }
  field::use_isa(field::best_isa());
}

TYPED_TEST(ProveTest, smallest_circuits) {
  for (const std::uint32_t steps : {1u, 2u, 3u, 7u}) {
    const Folder folder;
    const Circuit<TypeParam> circuit(folder, steps);
    const auto proven = this->prove_files(circuit);
    ASSERT_TRUE(proven) << steps << ": " << proven.error().to_text();
    EXPECT_TRUE(this->verifies(circuit, *proven));
  }
}

TYPED_TEST(ProveTest, publics_are_output_and_input) {
  const Folder folder;
  const Circuit<TypeParam> circuit(folder, 4);
  const auto proven = this->prove_files(circuit);
  ASSERT_TRUE(proven) << proven.error().to_text();
  ASSERT_EQ(proven->publics.size(), 2u);
  for (std::size_t i = 0; i < 2; ++i) {
    const auto plain = circuit.values[i + 1].plain();
    EXPECT_TRUE(std::equal(plain.begin(), plain.end(), proven->publics[i].begin()));
  }
}

// Blinding is fresh: two proofs of one statement have nothing in common.
TYPED_TEST(ProveTest, no_two_proofs_are_alike) {
  const Folder folder;
  const Circuit<TypeParam> circuit(folder, 4);
  const auto first = this->prove_files(circuit), second = this->prove_files(circuit);
  ASSERT_TRUE(first && second);
  EXPECT_FALSE(first->proof.a == second->proof.a);
  EXPECT_FALSE(first->proof.b == second->proof.b);
  EXPECT_FALSE(first->proof.c == second->proof.c);
  EXPECT_EQ(first->publics, second->publics);
}

TYPED_TEST(ProveTest, stages_are_told_in_order) {
  const Folder folder;
  const Circuit<TypeParam> circuit(folder, 4);
  const auto proven = this->prove_files(circuit);
  ASSERT_TRUE(proven);
  std::vector<std::string> names;
  for (const StageTime& stage : proven->stages) {
    names.push_back(stage.name);
    EXPECT_GE(stage.wall_s, 0);
    EXPECT_GE(stage.cpu_s, 0);
  }
  EXPECT_EQ(names, (std::vector<std::string>{"read", "digits", "msm_a", "msm_b1", "msm_b2", "msm_c",
                                             "coefficients", "ntt_a", "ntt_b", "ntt_c", "quotient",
                                             "digits_h", "msm_h", "assemble", "verify"}));
}

TYPED_TEST(ProveTest, a_false_witness_is_refused_whatever_wire_lies) {
  const Folder folder;
  Circuit<TypeParam> circuit(folder, 6);
  for (std::size_t wire = 1; wire < circuit.values.size(); ++wire) {
    const auto truth = circuit.values[wire];
    circuit.values[wire] = truth + decltype(truth)::from_word(3);
    circuit.write_values();
    const auto proven = this->prove_files(circuit);
    ASSERT_FALSE(proven) << "wire " << wire;
    EXPECT_EQ(proven.error().kind, ErrorKind::self_check);
    EXPECT_EQ(proven.error().where, circuit.wtns);
    EXPECT_EQ(proven.error().what,
              "the finished proof does not verify: the pairing equation does not hold");
    circuit.values[wire] = truth;
  }
}

TYPED_TEST(ProveTest, a_witness_of_another_circuit) {
  const Folder folder, other;
  const Circuit<TypeParam> circuit(folder, 4), longer(other, 5);
  const auto proven = this->prove_files(circuit.zkey, longer.wtns);
  ASSERT_FALSE(proven);
  EXPECT_EQ(proven.error().where, longer.wtns);
  EXPECT_EQ(proven.error().what, "the witness has 12 wires, the key " + circuit.zkey + " has 10");
}

TYPED_TEST(ProveTest, a_point_off_the_curve_is_named) {
  using Zkey = files::Zkey;
  const struct {
    files::Bytes Zkey::*section;
    const char* name;
    std::size_t g1s;  // size of a point, in points of G1
  } sections[] = {{&Zkey::a, "section 5 (a)", 1},   {&Zkey::b1, "section 6 (b1)", 1},
                  {&Zkey::b2, "section 7 (b2)", 2}, {&Zkey::c, "section 8 (c)", 1},
                  {&Zkey::h, "section 9 (h)", 1},   {&Zkey::ic, "section 3 (ic)", 1}};
  for (const auto& [section, name, g1s] : sections) {
    const Folder folder;
    const Circuit<TypeParam> circuit(folder, 8);
    const auto offset = this->offset_of(circuit.zkey, section, 2, g1s * G1Point<TypeParam>::kBytes);
    this->patch(circuit.zkey, offset, "x");
    const auto proven = this->prove_files(circuit);
    ASSERT_FALSE(proven) << name;
    EXPECT_EQ(proven.error().where,
              circuit.zkey + ": " + name + ", offset " + std::to_string(offset));
    EXPECT_EQ(proven.error().what, "point 2 is not on the curve");
    EXPECT_EQ(proven.error().kind, ErrorKind::usage);
  }
}

TYPED_TEST(ProveTest, a_coefficient_not_below_the_prime_is_named) {
  const Folder folder;
  const Circuit<TypeParam> circuit(folder, 8);
  const auto key = files::ZkeyFile::open(circuit.zkey);
  const auto offset =
      static_cast<std::uint64_t>(key->key().coefficients[5].value - key->file().bytes().data());
  this->patch(circuit.zkey, offset, std::string(32, '\xff'));
  const auto proven = this->prove_files(circuit);
  ASSERT_FALSE(proven);
  EXPECT_NE(proven.error().where.find("section 4 (coefficients), offset "), std::string::npos)
      << proven.error().where;
}

// Keys are the same for a seed, and not without one.
TYPED_TEST(ProveTest, setup_is_reproducible_with_a_seed_only) {
  const Folder folder;
  const Circuit<TypeParam> circuit(folder, 3);
  const auto bytes = [](const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
  };
  const auto file = files::R1csFile::open(circuit.r1cs);
  ASSERT_TRUE(setup(file->circuit(), circuit.r1cs, folder / "again", {.seed = 1, .progress = {}}));
  EXPECT_EQ(bytes(circuit.zkey), bytes(folder / "again"));
  ASSERT_TRUE(
      setup(file->circuit(), circuit.r1cs, folder / "secret", {.seed = {}, .progress = {}}));
  EXPECT_NE(bytes(circuit.zkey), bytes(folder / "secret"));
  const auto proven = this->prove_files(folder / "secret", circuit.wtns);
  EXPECT_TRUE(proven) << proven.error().to_text();
  EXPECT_TRUE(files::ZkeyFile::open(folder / "secret")->key().insecure());
}

TYPED_TEST(ProveTest, setup_stops_when_told_and_leaves_no_key) {
  const Folder folder;
  const Circuit<TypeParam> circuit(folder, 3);
  const auto file = files::R1csFile::open(circuit.r1cs);
  const auto done = setup(file->circuit(), circuit.r1cs, folder / "stopped",
                          {.seed = 1, .progress = [](double) { return false; }});
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().kind, ErrorKind::cancelled);
  EXPECT_FALSE(std::filesystem::exists(folder / "stopped"));
}

TEST(Prove, curves_must_agree) {
  const Folder folder, other;
  const Circuit<curve::Bn254> bn254(folder, 3);
  const Circuit<curve::Bls12_381> bls12_381(other, 3);
  const auto key = files::ZkeyFile::open(bn254.zkey);
  const auto witness = files::WtnsFile::open(bls12_381.wtns);
  const auto proven = prove(key->key(), "k", witness->witness(), "w", {});
  ASSERT_FALSE(proven);
  EXPECT_EQ(proven.error().what, "the witness is one of bls12-381, the key k is one of bn254");
}

}  // namespace
}  // namespace prover::groth16
