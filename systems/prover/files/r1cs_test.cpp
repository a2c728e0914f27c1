// SPDX-License-Identifier: Apache-2.0
#include "prover/files/r1cs.hpp"

#include <array>

#include "prover/files/testing.hpp"
#include "prover/files/values.hpp"

namespace prover::files {
namespace {

const char* const kCircuits[] = {"r1cs/bn128.r1cs", "r1cs/bls12381.r1cs",
                                 "r1cs/bn128_unused_inputs.r1cs"};
// Places in the first two: circom writes the constraints first.
constexpr std::size_t kConstraints = 24, kHeader = 468, kCounts = kHeader + 36, kLabels = 544;

Result<R1cs> parse(const Edit& edit) { return R1cs::parse(edit.bytes(), "c"); }

// What reading all of it says.
std::string read(const Edit& edit) {
  const Result<R1cs> circuit = parse(edit);
  if (!circuit) return said(circuit);
  return said(each_constraint(*circuit, [](const R1csConstraint&) {}));
}

TEST(R1cs, ReadsWhatCircomWrites) {
  for (const char* const name : {kCircuits[0], kCircuits[1]}) {
    const Result<R1csFile> file = R1csFile::open(corpus(name));
    ASSERT_EQ(said(file), "fine");
    const R1cs& circuit = file->circuit();
    EXPECT_EQ(circuit.curve, name == kCircuits[0] ? CurveId::bn254 : CurveId::bls12_381);
    EXPECT_EQ(circuit.counts.wires, 6U);
    EXPECT_EQ(circuit.counts.public_outputs, 2U);
    EXPECT_EQ(circuit.counts.public_inputs, 1U);
    EXPECT_EQ(circuit.counts.private_inputs, 1U);
    EXPECT_EQ(circuit.counts.labels, 6U);
    EXPECT_EQ(circuit.counts.publics(), 3U);
    EXPECT_EQ(circuit.wire_labels.size(), 48U);
    std::vector<std::array<std::uint32_t, 3>> sizes;
    ASSERT_TRUE(each_constraint(circuit, [&](const R1csConstraint& it) {
      sizes.push_back({it.a.size(), it.b.size(), it.c.size()});
    }));
    ASSERT_EQ(sizes.size(), 3U);
    EXPECT_EQ(sizes[0], (std::array<std::uint32_t, 3>{1, 1, 2}));
  }
}

// circom's optimiser takes private inputs out and leaves them in the header's count.
TEST(R1cs, HasInputsThatAreNoWires) {
  const Edit file = Edit::of(kCircuits[2]);
  const Result<R1cs> circuit = parse(file);
  ASSERT_EQ(said(circuit), "fine");
  EXPECT_GT(circuit->counts.private_inputs, circuit->counts.wires);
  EXPECT_EQ(read(file), "fine");
}

TEST(R1cs, RefusesCustomGates) {
  Edit file = Edit::of("r1cs/bn128_custom_gates.r1cs");
  const Result<R1cs> circuit = parse(file);
  EXPECT_EQ(said(circuit),
            "c: section 5 (uses of custom gates), offset 302: the circuit uses custom gates (1 "
            "times), which Groth16 has not");
  EXPECT_EQ(read(file.u32(302, 0)), "fine");
  EXPECT_EQ(said(parse(Edit::of(kCircuits[0]).add_section(5, "abc"))),
            "c: section 5 (uses of custom gates), offset 604: the section has 3 bytes, too few "
            "for its count");
}

TEST(R1cs, TakesSectionsInAnyOrderAndNoLabels) {
  const Edit file = Edit::of(kCircuits[0]);
  const Result<R1cs> circuit = parse(file);
  ASSERT_TRUE(circuit);
  EXPECT_EQ(read(rearranged(file, circuit->sections)), "fine");
  EXPECT_EQ(read(rearranged(file, circuit->sections, 3)), "fine");
  EXPECT_EQ(read(rearranged(file, circuit->sections, 2)), "c: section 2 (constraints) is missing");
}

TEST(R1cs, ComesBackFromTheWriter) {
  Folder folder;
  for (const char* const name : kCircuits) {
    SCOPED_TRACE(name);
    const Result<R1csFile> file = R1csFile::open(corpus(name));
    ASSERT_TRUE(file);
    const R1cs& circuit = file->circuit();
    Result<R1csWriter> out = R1csWriter::create(folder / "c", circuit.curve);
    ASSERT_TRUE(out);
    ASSERT_TRUE(each_constraint(circuit, [&](const R1csConstraint& it) {
      std::array<std::vector<R1csTerm>, 3> parts;
      const R1csTerms* const terms[] = {&it.a, &it.b, &it.c};
      for (std::size_t part = 0; part < 3; ++part)
        for (std::uint32_t i = 0; i < terms[part]->size(); ++i)
          parts[part].push_back((*terms[part])[i]);
      ASSERT_TRUE(out->constraint(parts[0], parts[1], parts[2]));
    }));
    ASSERT_TRUE(out->finish(circuit.counts));
    const Result<R1csFile> again = R1csFile::open(folder / "c");
    ASSERT_EQ(said(again), "fine");
    EXPECT_TRUE(same(again->circuit().constraint_bytes, circuit.constraint_bytes));
    EXPECT_EQ(again->circuit().constraints, circuit.constraints);
    EXPECT_EQ(again->circuit().counts.labels, circuit.counts.labels);
    // Where circom numbers labels as wires, not a byte differs.
    if (name != kCircuits[2]) {
      EXPECT_EQ(read_text(folder / "c"), read_text(corpus(name)));
    }
  }
}

TEST(R1cs, RefusesEveryCutAndNoByteMakesItCrash) {
  const Edit file = Edit::of(kCircuits[0]);
  for (std::size_t size = 0; size < file.text().size(); ++size)
    ASSERT_NE(read(Edit(file.text().substr(0, size))), "fine") << size;
  EXPECT_NE(read(Edit(file.text() + "x")), "fine");
  for (std::size_t at = 0; at < file.text().size(); ++at)
    for (const int change : {1, 2, 0x10, 0x40, 0x80, 0xff}) {
      Edit wrong = file;
      wrong.text()[at] = static_cast<char>(wrong.text()[at] ^ change);
      // A value or a count of inputs may be another one.
      const bool harmless = at >= kConstraints && (at < kHeader - 12 || at >= kLabels - 40);
      const std::string answer = read(wrong);
      ASSERT_TRUE(harmless || answer != "fine") << "byte " << at << " by " << change;
    }
}

TEST(R1cs, NamesWhatIsWrong) {
  const auto file = [] { return Edit::of(kCircuits[0]); };
  Edit at_r = file();
  std::memcpy(at_r.text().data() + kConstraints + 8, bytes_of(kBn254R).data(), 32);
  const struct {
    Edit edit;
    std::string said;
  } cases[] = {
      {file(), "fine"},
      {file().u32(kHeader, 0xffffffff),
       "c: section 1 (header), offset 468: the field's prime does not fit into the section"},
      {file().u32(kCounts, 3),
       "c: section 1 (header), offset 504: 3 wires cannot hold 2 public outputs, 1 public inputs "
       "and the constant 1"},
      {file().u32(kCounts + 4, 0xffffffff),
       "c: section 1 (header), offset 504: 6 wires cannot hold 4294967295 public outputs, 1 "
       "public inputs and the constant 1"},
      {file().u32(kCounts, 7),
       "c: section 3 (wire labels), offset 544: the section has 48 bytes where 56 belong: 7 "
       "wires' labels of 8 bytes"},
      {file().u32(kCounts + 24, 0xffffffff),
       "c: section 2 (constraints), offset 24: the section has 432 bytes, and 4294967295 "
       "constraints take 51539607540 at least"},
      {file().u32(kCounts + 24, 4),
       "c: section 2 (constraints), offset 456: constraint 3, A: the section ends where a number "
       "of terms belongs"},
      {file().u32(kCounts + 24, 0),
       "c: section 2 (constraints), offset 24: 432 bytes follow the last of 0 constraints"},
      {file().u32(kConstraints, 0xffffffff),
       "c: section 2 (constraints), offset 24: constraint 0, A: 4294967295 terms of 36 bytes, and "
       "428 bytes are left"},
      {file().u32(kConstraints + 4, 6),
       "c: section 2 (constraints), offset 28: constraint 0, A: term 0 is of wire 6 where there "
       "are 6"},
      {at_r,
       "c: section 2 (constraints), offset 32: constraint 0, A: the value of term 0 is not below "
       "the field's prime"},
  };
  for (const auto& it : cases) EXPECT_EQ(read(it.edit), it.said);
}

// Somebody writes into the file after a constraint was checked: its terms stay what they were.
TEST(R1csReader, GivesCopies) {
  std::string text = read_text(corpus("r1cs/bn128.r1cs"));
  const Result<R1cs> circuit = R1cs::parse(std::as_bytes(std::span(text)), "c.r1cs");
  ASSERT_TRUE(circuit);
  R1csReader reader(*circuit);
  R1csConstraint constraint;
  ASSERT_TRUE(*reader.next(constraint));
  ASSERT_GT(constraint.a.size(), 0u);
  const std::uint32_t wire = constraint.a[0].wire;
  text.assign(text.size(), '\xff');
  EXPECT_EQ(constraint.a[0].wire, wire);
}

}  // namespace
}  // namespace prover::files
