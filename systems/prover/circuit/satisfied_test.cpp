// SPDX-License-Identifier: Apache-2.0
#include "prover/circuit/satisfied.hpp"

#include <unistd.h>

#include "prover/circuit/build.hpp"
#include "prover/circuit/poseidon.hpp"
#include "prover/circuit/test_support.hpp"

namespace prover::circuit {
namespace {

// A folder that is gone after the test.
class Files : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "prover-circuit-XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override {
    for (const char* name : {"c.r1cs", "w.wtns", "v.wtns"}) unlink((folder_ + "/" + name).c_str());
    rmdir(folder_.c_str());
  }
  std::string path(const char* name) const { return folder_ + "/" + name; }

 private:
  std::string folder_;
};

template <class F>
void write_values(const std::string& path, const std::vector<F>& witness) {
  std::vector<typename F::Plain> plain;
  for (const F& value : witness) plain.push_back(value.plain());
  ASSERT_TRUE(files::write_wtns(path, curve_of<F>(), std::as_bytes(std::span(plain))));
}

Result<std::optional<Unsatisfied>> check_files(const std::string& r1cs, const std::string& wtns) {
  const auto circuit = files::R1csFile::open(r1cs);
  if (!circuit) return fail(circuit.error());
  const auto witness = files::WtnsFile::open(wtns);
  if (!witness) return fail(witness.error());
  return first_unsatisfied(circuit->circuit(), witness->witness());
}

TEST_F(Files, HoldWhatWasBuilt) {
  for (const CurveId curve : {CurveId::bn254, CurveId::bls12_381})
    for (const Kind kind : {Kind::dense, Kind::poseidon}) {
      const Request request{.kind = kind, .curve = curve, .constraints = 300};
      const auto size = write_circuit(request, path("c.r1cs"), path("w.wtns"));
      ASSERT_TRUE(size) << size.error().to_text();
      const auto circuit = files::R1csFile::open(path("c.r1cs"));
      ASSERT_TRUE(circuit) << circuit.error().to_text();
      EXPECT_EQ(circuit->circuit().constraints, size->constraints);
      EXPECT_EQ(circuit->circuit().counts.wires, size->wires);
      EXPECT_EQ(circuit->circuit().counts.publics(), size->publics);
      EXPECT_EQ(circuit->circuit().curve, curve);
      const auto found = check_files(path("c.r1cs"), path("w.wtns"));
      ASSERT_TRUE(found) << found.error().to_text();
      EXPECT_FALSE(found->has_value());
      // The witness alone is the same witness.
      ASSERT_TRUE(write_circuit(request, {}, path("v.wtns")));
      const auto with = files::MappedFile::open(path("w.wtns")),
                 alone = files::MappedFile::open(path("v.wtns"));
      EXPECT_TRUE(std::ranges::equal(with->bytes(), alone->bytes()));
    }
}

TEST_F(Files, TellTheConstraintThatFails) {
  using F = field::Bls12_381Fr;
  R1csRecorder<F> cs;
  merkle_path<R1csRecorder<F>>(cs, F::from_word(5), {true, false}, {{F::one(), F::one()}});
  ASSERT_TRUE(cs.write_r1cs(path("c.r1cs")));
  std::mt19937_64 random(9);
  for (int i = 0; i < 30; ++i) {
    std::vector<F> witness = cs.witness();
    witness[1 + random() % (witness.size() - 1)] += F::one();
    write_values(path("w.wtns"), witness);
    const auto found = check_files(path("c.r1cs"), path("w.wtns"));
    ASSERT_TRUE(found) << found.error().to_text();
    ASSERT_TRUE(found->has_value());
    EXPECT_EQ((*found)->constraint, cs.first_unsatisfied(witness));
  }
  std::vector<F> witness = cs.witness();
  witness[2] += F::one();  // the bit of the first level
  write_values(path("w.wtns"), witness);
  EXPECT_EQ((*check_files(path("c.r1cs"), path("w.wtns")))->to_text(),
            "constraint 0 is not satisfied: A (wire 2) x B (wires 0, 2) is not C (0)");
}

TEST_F(Files, OfDifferentCircuitsAreRefused) {
  ASSERT_TRUE(write_circuit({.constraints = 9}, path("c.r1cs"), {}));
  ASSERT_TRUE(write_circuit({.constraints = 8}, {}, path("w.wtns")));
  EXPECT_EQ(check_files(path("c.r1cs"), path("w.wtns")).error().what,
            "the witness has 10 values, the circuit 11 wires");
  ASSERT_TRUE(write_circuit({.curve = CurveId::bls12_381, .constraints = 9}, {}, path("w.wtns")));
  const auto refused = check_files(path("c.r1cs"), path("w.wtns"));
  EXPECT_EQ(refused.error().what, "the witness is over bls12-381, the circuit over bn254");
  EXPECT_EQ(refused.error().kind, ErrorKind::usage);
}

TEST(Unsatisfied, ShowsTheFirstWiresOnly) {
  Unsatisfied found{17, {{{}, {4}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10}}}};
  EXPECT_EQ(found.to_text(),
            "constraint 17 is not satisfied: A (0) x B (wire 4) is not C (wires 1, 2, 3, 4, 5, 6, "
            "7, 8 and 2 more)");
}

}  // namespace
}  // namespace prover::circuit
