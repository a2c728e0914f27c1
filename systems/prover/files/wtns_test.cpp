// SPDX-License-Identifier: Apache-2.0
#include "prover/files/wtns.hpp"

#include "prover/files/testing.hpp"
#include "prover/files/values.hpp"

namespace prover::files {
namespace {

const char* const kWitnesses[] = {"wtns/bn128.wtns", "wtns/bls12381.wtns"};
// Places in these files.
constexpr std::size_t kHeader = 24, kCount = kHeader + 36, kValues = 76;

Result<Wtns> parse(const Edit& edit) { return Wtns::parse(edit.bytes(), "w"); }

TEST(Wtns, ReadsWhatCircomWrites) {
  for (const char* const name : kWitnesses) {
    const Result<WtnsFile> file = WtnsFile::open(corpus(name));
    ASSERT_EQ(said(file), "fine");
    const Wtns& witness = file->witness();
    EXPECT_EQ(curve_name(witness.curve),
              std::string_view(name) == kWitnesses[0] ? "bn254" : "bls12-381");
    ASSERT_EQ(witness.count, 6U);
    // 1, c = (5 * 11 + 3) * 5, d = 58^2 - 7 * 11, a, b, t.
    const std::uint64_t expected[] = {1, 290, 3287, 5, 11, 58};
    for (std::uint32_t wire = 0; wire < 6; ++wire)
      EXPECT_EQ(load_u64(witness.value(wire)), expected[wire]);
    EXPECT_EQ(said(check_values(witness)), "fine");
  }
}

TEST(Wtns, ComesBackFromTheWriter) {
  Folder folder;
  for (const char* const name : kWitnesses) {
    const Result<WtnsFile> file = WtnsFile::open(corpus(name));
    ASSERT_TRUE(file);
    ASSERT_TRUE(write_wtns(folder / "w", file->witness().curve, file->witness().values));
    EXPECT_EQ(read_text(folder / "w"), read_text(corpus(name)));
  }
}

TEST(Wtns, TakesSectionsInAnyOrder) {
  const Edit file = Edit::of(kWitnesses[0]);
  const Result<Wtns> witness = parse(file);
  ASSERT_TRUE(witness);
  const Edit other = rearranged(file, witness->sections);
  const Result<Wtns> again = parse(other);
  ASSERT_EQ(said(again), "fine");
  EXPECT_TRUE(same(witness->values, again->values));
}

TEST(Wtns, RefusesEveryCutAndEveryWrongByteOfTheStructure) {
  const Edit file = Edit::of(kWitnesses[0]);
  for (std::size_t size = 0; size < file.text().size(); ++size)
    ASSERT_FALSE(parse(Edit(file.text().substr(0, size)))) << size;
  EXPECT_FALSE(parse(Edit(file.text() + "x")));
  for (std::size_t at = 0; at < kValues; ++at)
    for (int change = 1; change < 256; ++change) {
      Edit wrong = file;
      wrong.text()[at] = static_cast<char>(wrong.text()[at] ^ change);
      const Result<Wtns> read = parse(wrong);
      ASSERT_FALSE(read) << "byte " << at << " changed by " << change;
      ASSERT_FALSE(read.error().hint.empty());
    }
}

TEST(Wtns, NamesWhatIsWrong) {
  const auto file = [] { return Edit::of(kWitnesses[0]); };
  Edit goldilocks = file();
  goldilocks.fill(kHeader + 4, 32, 0).u64(kHeader + 4, 0xffffffff00000001);
  const struct {
    Edit edit;
    std::string said;
  } cases[] = {
      {file().u32(kHeader, 33),
       "w: section 1 (header), offset 28: the field has a prime of 259 bits in 33 bytes, which is "
       "that of no curve known here"},
      {file().u32(kHeader, 37),
       "w: section 1 (header), offset 24: the field's prime does not fit into the section"},
      {goldilocks,
       "w: section 1 (header), offset 28: the field has a prime of 64 bits in 32 bytes, which is "
       "that of no curve known here"},
      {file().u32(kCount, 0),
       "w: section 1 (header), offset 60: the witness has no values, not even the constant 1"},
      {file().u32(kCount, 0xffffffff),
       "w: section 2 (values), offset 76: the section has 192 bytes where 137438953440 belong: "
       "4294967295 values of 32 bytes"},
  };
  for (const auto& it : cases) EXPECT_EQ(said(parse(it.edit)), it.said);
  EXPECT_EQ(parse(goldilocks).error().hint,
            "compile the circuit with circom --prime bn128 (254 bits) or --prime bls12381 (255 "
            "bits)");
}

TEST(Wtns, ChecksValues) {
  const auto file = [] { return Edit::of(kWitnesses[0]); };
  Edit at_r = file();
  std::memcpy(at_r.text().data() + kValues + 3 * 32, bytes_of(kBn254R).data(), 32);
  Edit below_r = at_r;
  below_r.text()[kValues + 3 * 32] = 0;
  const struct {
    Edit edit;
    std::string said;
  } cases[] = {
      {below_r, "fine"},
      {at_r,
       "w: section 2 (values), offset 172: the value of wire 3 is not below the field's "
       "prime"},
      {file().fill(kValues + 5 * 32, 32, '\xff'),
       "w: section 2 (values), offset 236: the value of wire 5 is not below the field's prime"},
      {file().u32(kValues, 2),
       "w: section 2 (values), offset 76: the value of wire 0, the constant, is not 1"},
      {file().fill(kValues + 31, 1, 1),
       "w: section 2 (values), offset 76: the value of wire 0, the constant, is not 1"},
  };
  for (const auto& it : cases) {
    const Result<Wtns> witness = parse(it.edit);
    ASSERT_TRUE(witness);
    EXPECT_EQ(said(check_values(*witness)), it.said);
    EXPECT_EQ(said(check_values(*witness, 1, 3)), "fine");
  }
}

}  // namespace
}  // namespace prover::files
