// SPDX-License-Identifier: Apache-2.0
#include "prover/files/zkey.hpp"

#include "prover/files/testing.hpp"
#include "prover/files/values.hpp"

namespace prover::files {
namespace {

const char* const kKeys[] = {"zkey/bn128.zkey", "zkey/bn128_uncontributed.zkey",
                             "zkey/bls12381.zkey"};

// Places in zkey/bn128.zkey.
constexpr std::size_t kProtocol = 24, kHeader = 40, kCounts = kHeader + 4 + 32 + 4 + 32,
                      kCoefficients = 980;

Result<Zkey> parse(const Edit& edit) { return Zkey::parse(edit.bytes(), "k"); }

bool same_key(const Zkey& a, const Zkey& b) {
  const Bytes Zkey::*const parts[] = {&Zkey::alpha1, &Zkey::beta1,  &Zkey::beta2, &Zkey::gamma2,
                                      &Zkey::delta1, &Zkey::delta2, &Zkey::ic,    &Zkey::a,
                                      &Zkey::b1,     &Zkey::b2,     &Zkey::c,     &Zkey::h};
  for (const auto part : parts)
    if (!same(a.*part, b.*part)) return false;
  return a.curve == b.curve && a.wires == b.wires && a.publics == b.publics &&
         a.domain_size == b.domain_size && same(a.coefficients.records(), b.coefficients.records());
}

TEST(Zkey, ReadsWhatSnarkjsWrites) {
  for (const char* const name : kKeys) {
    SCOPED_TRACE(name);
    const Result<ZkeyFile> file = ZkeyFile::open(corpus(name));
    ASSERT_EQ(said(file), "fine");
    const Zkey& key = file->key();
    const bool is_bn = std::string_view(name).find("bn128") != std::string_view::npos;
    EXPECT_EQ(key.curve, is_bn ? CurveId::bn254 : CurveId::bls12_381);
    EXPECT_EQ(key.wires, 6U);
    EXPECT_EQ(key.publics, 3U);
    EXPECT_EQ(key.domain_size, 8U);
    EXPECT_EQ(key.domain_log2, 3U);
    EXPECT_EQ(key.coefficients.size(), 10U);
    EXPECT_EQ(key.h.size(), 8 * (is_bn ? 64U : 96U));
    EXPECT_EQ(key.c.size(), 2 * (is_bn ? 64U : 96U));
    EXPECT_EQ(key.b2.size(), 6 * (is_bn ? 128U : 192U));
    EXPECT_EQ(key.delta2.size(), is_bn ? 128U : 192U);
    EXPECT_EQ(said(check_coefficients(key)), "fine");
    // The last rows hold the public wires, in A.
    const Coefficient last = key.coefficients[9];
    EXPECT_EQ(last.matrix, 0U);
    EXPECT_EQ(last.row, 6U);
    EXPECT_EQ(last.wire, 3U);
    EXPECT_EQ(key.insecure(), std::string_view(name).find("uncontributed") != std::string::npos);
  }
}

TEST(Zkey, TakesSectionsInAnyOrder) {
  for (const char* const name : kKeys) {
    const Edit file = Edit::of(name);
    const Result<Zkey> key = parse(file);
    ASSERT_TRUE(key);
    const Edit other = rearranged(file, key->sections);
    const Result<Zkey> again = parse(other);
    ASSERT_EQ(said(again), "fine");
    EXPECT_TRUE(same_key(*key, *again));
  }
}

TEST(Zkey, NeedsEverySectionButTheContributions) {
  const Edit file = Edit::of("zkey/bn128.zkey");
  const Result<Zkey> key = parse(file);
  ASSERT_TRUE(key);
  for (const Section& section : key->sections.all()) {
    const Edit less = rearranged(file, key->sections, section.id);
    const std::string missing = "k: section " + std::to_string(section.id) + " (" +
                                std::string(key->sections.name_of(section.id)) + ") is missing";
    EXPECT_EQ(said(parse(less)), section.id == 10 ? "fine" : missing);
  }
}

TEST(Zkey, RefusesEveryCut) {
  for (const char* const name : kKeys) {
    const std::string text = Edit::of(name).text();
    for (std::size_t size = 0; size < text.size(); ++size) {
      // On the heap, so that the sanitizer sees a read beyond the end.
      const Edit cut(text.substr(0, size));
      ASSERT_FALSE(parse(cut)) << name << " cut to " << size;
    }
    EXPECT_FALSE(parse(Edit(text + "x")));
  }
}

// The structure is redundant enough that no wrong byte in it goes unseen.
TEST(Zkey, RefusesEveryWrongByteOfTheStructure) {
  const Edit file = Edit::of("zkey/bn128.zkey");
  const Result<Zkey> key = parse(file);
  ASSERT_TRUE(key);
  std::vector<std::size_t> places;
  const auto add = [&places](std::size_t first, std::size_t size) {
    for (std::size_t i = 0; i < size; ++i) places.push_back(first + i);
  };
  add(0, 12);
  for (const Section& section : key->sections.all())
    if (section.id != 10) add(section.offset - 12, 12);
  add(kProtocol, 4);
  add(kHeader, 4 + 32 + 4 + 32 + 12);
  add(kCoefficients, 4);
  for (const std::size_t at : places)
    for (int change = 1; change < 256; ++change) {
      Edit wrong = file;
      wrong.text()[at] = static_cast<char>(wrong.text()[at] ^ change);
      const Result<Zkey> read = parse(wrong);
      ASSERT_FALSE(read) << "byte " << at << " changed by " << change;
      ASSERT_FALSE(read.error().what.empty());
      ASSERT_FALSE(read.error().hint.empty()) << read.error().what;
    }
}

TEST(Zkey, NamesWhatIsWrong) {
  const auto file = [] { return Edit::of("zkey/bn128.zkey"); };
  const struct {
    Edit edit;
    std::string said;
  } cases[] = {
      {file().u32(kProtocol, 2),
       "k: section 1 (protocol), offset 24: the key is for protocol 2 (plonk), not for 1 "
       "(groth16)"},
      {file().u32(kProtocol, 10),
       "k: section 1 (protocol), offset 24: the key is for protocol 10 (fflonk), not for 1 "
       "(groth16)"},
      {file().u32(kProtocol, 3),
       "k: section 1 (protocol), offset 24: the key is for protocol 3, not for 1 (groth16)"},
      {file().u32(kHeader, 0xffffffff),
       "k: section 2 (header), offset 40: the prime q does not fit into the section"},
      {file().u32(kHeader + 36, 0x7fffffff),
       "k: section 2 (header), offset 76: the prime r does not fit into the section"},
      {file().fill(kHeader + 4, 31, '\xff').fill(kHeader + 35, 1, 0),
       "k: section 2 (header), offset 40: its primes q of 248 bits in 32 bytes and r of 254 bits "
       "in 32 bytes belong to no curve known here"},
      {file().u32(kCounts, 3),
       "k: section 2 (header), offset 112: 3 wires cannot hold 3 public ones and the constant 1"},
      {file().u32(kCounts + 4, 0xffffffff),
       "k: section 2 (header), offset 112: 6 wires cannot hold 4294967295 public ones and the "
       "constant 1"},
      {file().u32(kCounts + 8, 0),
       "k: section 2 (header), offset 120: a domain of 0 is no power of two from 2 on"},
      {file().u32(kCounts + 8, 1),
       "k: section 2 (header), offset 120: a domain of 1 is no power of two from 2 on"},
      {file().u32(kCounts + 8, 12),
       "k: section 2 (header), offset 120: a domain of 12 is no power of two from 2 on"},
      {file().u32(kCounts + 8, 1U << 28),
       "k: section 2 (header), offset 120: a domain of 2^28 is more than the 2^27 possible on "
       "bn254"},
      {file().u32(kCounts + 8, 2),
       "k: section 2 (header), offset 120: a domain of 2 has no room for the rows of 3 public "
       "wires"},
      {file().u32(kCounts + 8, 16),
       "k: section 9 (h), offset 3148: the section has 512 bytes where 1024 belong: 16 points of "
       "64 bytes, one a row of the domain"},
      {file().u32(kCounts, 0xffffffff),
       "k: section 5 (a), offset 1436: the section has 384 bytes where 274877906880 belong: "
       "4294967295 points of 64 bytes, one a wire"},
      {file().u32(kCounts + 4, 2),
       "k: section 3 (ic), offset 712: the section has 256 bytes where 192 belong: 3 points of 64 "
       "bytes, one more than publics"},
      {file().u32(kCoefficients, 0xffffffff),
       "k: section 4 (coefficients), offset 980: the section has 444 bytes where 188978560984 "
       "belong: 4294967295 coefficients of 44 bytes"},
  };
  for (const auto& it : cases) EXPECT_EQ(said(parse(it.edit)), it.said);
}

TEST(Zkey, RefusesTheCurvesMixed) {
  Edit mixed = Edit::of("zkey/bn128.zkey");
  const Bytes r = bytes_of(kBls12_381R);
  std::memcpy(mixed.text().data() + kHeader + 40, r.data(), r.size());
  EXPECT_EQ(said(parse(mixed)),
            "k: section 2 (header), offset 40: its primes q of 254 bits in 32 bytes and r of 255 "
            "bits in 32 bytes belong to no curve known here");
  Edit large = Edit::of("zkey/bls12381.zkey");
  large.u32(kHeader + 4 + 48 + 4 + 32 + 8, 1U << 29);
  EXPECT_EQ(said(parse(large)),
            "k: section 2 (header), offset 136: a domain of 2^29 is more than the 2^28 possible "
            "on bls12-381");
}

TEST(Zkey, ChecksCoefficients) {
  const auto file = [] { return Edit::of("zkey/bn128.zkey"); };
  // Coefficient 2 of 44 bytes, after the count.
  constexpr std::size_t at = kCoefficients + 4 + 2 * 44;
  Edit at_r = file();
  std::memcpy(at_r.text().data() + at + 12, bytes_of(kBn254R).data(), 32);
  const struct {
    Edit edit;
    std::string said;
  } cases[] = {
      {file(), "fine"},
      {file().u32(at, 2), "1072: coefficient 2 is in matrix 2; 0 is A and 1 is B"},
      {file().u32(at + 4, 8), "1076: coefficient 2 is in row 8 of a domain of 8"},
      {file().u32(at + 8, 6), "1080: coefficient 2 is of wire 6 where there are 6"},
      {file().fill(at + 12, 32, '\xff'),
       "1084: coefficient 2 has a value that is not below the field's prime"},
      {at_r, "1084: coefficient 2 has a value that is not below the field's prime"},
      {file().u32(at + 44, 0xffffffff),
       "1116: coefficient 3 is in matrix 4294967295; 0 is A and "
       "1 is B"},
  };
  for (const auto& it : cases) {
    const Result<Zkey> key = parse(it.edit);
    ASSERT_EQ(said(key), "fine");
    const bool fine = it.said == "fine";
    EXPECT_EQ(said(check_coefficients(*key)),
              fine ? it.said : "k: section 4 (coefficients), offset " + it.said);
    EXPECT_EQ(said(check_coefficients(*key, 4, 10)), "fine");
  }
}

TEST(Zkey, KnowsInsecureKeys) {
  Edit file = Edit::of("zkey/bn128.zkey");
  EXPECT_FALSE(parse(file)->insecure());
  file.add_section(1000, "made with\x1b[31m a known trapdoor");
  const Result<Zkey> key = parse(file);
  ASSERT_TRUE(key);
  EXPECT_TRUE(key->insecure());
  EXPECT_EQ(key->insecure_note, "made with\\x1b[31m a known trapdoor");
  const Edit fresh = Edit::of("zkey/bn128_uncontributed.zkey");
  EXPECT_EQ(parse(fresh)->insecure_note, "nobody has contributed to this key (delta equals gamma)");
}

Result<void> copy(const Zkey& key, ZkeyWriter& out) {
  const std::pair<ZkeySection, Bytes> parts[] = {
      {ZkeySection::h, key.h},   {ZkeySection::ic, key.ic}, {ZkeySection::a, key.a},
      {ZkeySection::b1, key.b1}, {ZkeySection::b2, key.b2}, {ZkeySection::c, key.c}};
  for (const auto& [section, bytes] : parts) {
    if (Result<void> done = out.begin(section); !done) return done;
    if (Result<void> done = out.write(bytes.first(bytes.size() / 2)); !done) return done;
    if (Result<void> done = out.write(bytes.subspan(bytes.size() / 2)); !done) return done;
    if (Result<void> done = out.end(); !done) return done;
  }
  if (Result<void> done = out.begin(ZkeySection::coefficients); !done) return done;
  for (std::uint32_t i = 0; i < key.coefficients.size(); ++i)
    if (Result<void> done = out.write(key.coefficients[i]); !done) return done;
  return out.end();
}

ZkeyHeader header_of(const Zkey& key) {
  return {key.curve, key.wires, key.publics, key.domain_size, key.alpha1,
          key.beta1, key.beta2, key.gamma2,  key.delta1,      key.delta2};
}

TEST(ZkeyWriter, WritesWhatTheReaderReads) {
  Folder folder;
  for (const char* const name : kKeys) {
    SCOPED_TRACE(name);
    const Result<ZkeyFile> file = ZkeyFile::open(corpus(name));
    ASSERT_TRUE(file);
    const std::string path = folder / "k.zkey";
    {
      Result<ZkeyWriter> out = ZkeyWriter::create(path, header_of(file->key()), "made for a test");
      ASSERT_EQ(said(out), "fine");
      ASSERT_EQ(said(copy(file->key(), *out)), "fine");
      ASSERT_EQ(said(out->finish()), "fine");
    }
    const Result<ZkeyFile> again = ZkeyFile::open(path);
    ASSERT_EQ(said(again), "fine");
    EXPECT_TRUE(same_key(file->key(), again->key()));
    EXPECT_EQ(again->key().insecure_note, "made for a test");
    const Section* const ceremony = again->key().sections.find(10);
    ASSERT_NE(ceremony, nullptr);
    EXPECT_EQ(ceremony->bytes.size(), 68U);
  }
}

TEST(ZkeyWriter, LeavesNothingWhenItIsNotFinished) {
  Folder folder;
  const Result<ZkeyFile> file = ZkeyFile::open(corpus(kKeys[0]));
  ASSERT_TRUE(file);
  {
    Result<ZkeyWriter> out = ZkeyWriter::create(folder / "k", header_of(file->key()), {});
    ASSERT_TRUE(out);
    ASSERT_TRUE(copy(file->key(), *out));
  }
  EXPECT_EQ(folder.size(), 0U);
}

TEST(ZkeyWriterDeathTest, SeesSectionsThatDoNotFit) {
  Folder folder;
  const Result<ZkeyFile> file = ZkeyFile::open(corpus(kKeys[0]));
  ASSERT_TRUE(file);
  const Zkey& key = file->key();
  const auto with_ic = [&](Bytes ic) {
    Result<ZkeyWriter> out = ZkeyWriter::create(folder / "k", header_of(key), {});
    if (out && out->begin(ZkeySection::ic) && out->write(ic)) (void)out->end();
  };
  EXPECT_DEATH(with_ic(key.ic.first(192)), "as many points as the header says");
}

}  // namespace
}  // namespace prover::files
