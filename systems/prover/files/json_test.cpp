// SPDX-License-Identifier: Apache-2.0
#include "prover/files/json.hpp"

#include <random>
#include <regex>

#include "prover/files/output_file.hpp"
#include "prover/files/testing.hpp"

namespace prover::files {
namespace {

constexpr char kBn254Q10[] =
    "21888242871839275222246405745257275088696311157297823662689037894645226208583";
constexpr char kBls12_381Q10[] =
    "40024095552216673934177898257359041565568828199390078853320581361240316504908378"
    "64442687629129015664037894272559787";

Integer integer(std::span<const std::uint64_t> limbs) {
  Integer value{};
  std::copy(limbs.begin(), limbs.end(), value.begin());
  return value;
}

// `text` with the first `from` replaced.
std::string changed(std::string text, std::string_view from, std::string_view to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(Decimal, KnowsPrimesAndEdges) {
  const std::string most =
      "39402006196394479212279040100143613805079739270465446667948293404245721771497210"
      "611414266254884915640806627990306815";
  const struct {
    std::string text;
    Integer value;
  } cases[] = {
      {"0", {}},
      {"1", {1}},
      {"18446744073709551615", {0xffffffffffffffff}},
      {"18446744073709551616", {0, 1}},
      {"10000000000000000000", {10'000'000'000'000'000'000U}},
      {"100000000000000000000000000000000000000", {0x98a224000000000, 0x4b3b4ca85a86c47a}},
      {kBn254Q10, integer(kBn254Q)},
      {kBls12_381Q10, integer(kBls12_381Q)},
      {most, {~0ULL, ~0ULL, ~0ULL, ~0ULL, ~0ULL, ~0ULL}},
  };
  for (const auto& it : cases) {
    EXPECT_EQ(to_decimal(it.value), it.text);
    const Result<Integer> value = parse_decimal(it.text);
    ASSERT_TRUE(value);
    EXPECT_EQ(*value, it.value);
  }
  EXPECT_EQ(*parse_decimal("000000000000000000000000000007"), Integer{7});
  EXPECT_EQ(to_decimal({}), "0");
}

TEST(Decimal, ComesBack) {
  std::mt19937_64 random(20'261'130);
  for (int i = 0; i < 2000; ++i) {
    Integer value{};
    for (std::size_t limb = 0; limb < static_cast<std::size_t>(i % 7); ++limb)
      value[limb] = i % 3 == 0 ? random() & random() & random() : random();
    const Result<Integer> again = parse_decimal(to_decimal(value));
    ASSERT_TRUE(again);
    ASSERT_EQ(*again, value);
  }
}

TEST(Decimal, RefusesTheRest) {
  const struct {
    std::string text;
    const char* what;
  } cases[] = {
      {"", "is no decimal number"},
      {"-1", "is no decimal number"},
      {"+1", "is no decimal number"},
      {" 1", "is no decimal number"},
      {"0x10", "is no decimal number"},
      {"1e3", "is no decimal number"},
      {std::string("1\0", 2), "is no decimal number"},
      {std::string(121, '0'), "has 121 digits, more than the 120 of any coordinate"},
      {std::string(120, '9'), "does not fit into 384 bits"},
      {"39402006196394479212279040100143613805079739270465446667948293404245721771497210"
       "611414266254884915640806627990306816",
       "does not fit into 384 bits"},
  };
  for (const auto& it : cases) {
    const Result<Integer> value = parse_decimal(it.text);
    ASSERT_FALSE(value) << it.text;
    EXPECT_EQ(value.error().what, it.what);
  }
}

// What is read and written again is, byte for byte, what snarkjs wrote.
TEST(Json, WritesAsSnarkjsDoes) {
  for (const char* const name : {"bn128", "bls12381"}) {
    const std::string base = corpus("groth16_json/") + name;
    const Result<ProofText> proof = read_proof(base + "_proof.json");
    ASSERT_EQ(said(proof), "fine");
    EXPECT_EQ(snarkjs_curve_name(proof->curve), name);
    EXPECT_EQ(to_json(*proof), read_text(base + "_proof.json") + "\n");

    const auto publics = read_publics(base + "_public.json", proof->curve);
    ASSERT_EQ(said(publics), "fine");
    EXPECT_EQ(*publics, (std::vector<Integer>{{290}, {3287}, {5}}));
    EXPECT_EQ(to_json(*publics), read_text(base + "_public.json") + "\n");

    const std::string text = read_text(base + "_vkey.json");
    Result<VerificationKeyText> key = read_verification_key(base + "_vkey.json");
    ASSERT_EQ(said(key), "fine");
    EXPECT_EQ(key->ic.size(), 4U);
    EXPECT_FALSE(key->alphabeta);
    const std::size_t from = text.find("vk_alphabeta_12");
    const std::string part = text.substr(from + 16, text.find("IC") - from - 17);
    const std::regex digits("\"([0-9]+)\"");
    std::size_t at = 0;
    key->alphabeta.emplace();
    for (auto it = std::sregex_iterator(part.begin(), part.end(), digits);
         it != std::sregex_iterator() && at < 12; ++it)
      (*key->alphabeta)[at++] = *parse_decimal((*it)[1].str());
    ASSERT_EQ(at, 12U);
    EXPECT_EQ(to_json(*key), text + "\n");
  }
}

TEST(Json, KeepsInfinity) {
  const ProofText proof{CurveId::bls12_381, {}, {}, {{3}, {4}}};
  const std::string text = to_json(proof);
  EXPECT_EQ(text.substr(0, 42), "{\n \"pi_a\": [\n  \"0\",\n  \"1\",\n  \"0\"\n ],\n \"pi_");
  const Result<ProofText> again = parse_proof(text, "f");
  ASSERT_EQ(said(again), "fine");
  EXPECT_EQ(*again, proof);
  EXPECT_EQ(to_json(std::span<const Integer>()), "[]\n");
  EXPECT_TRUE(parse_publics("[]", "f", CurveId::bn254)->empty());
}

TEST(Json, TakesTheCurveFromTheFileOrTheCaller) {
  const std::string text = read_text(corpus("groth16_json/bn128_proof.json"));
  const std::string unnamed = changed(text, ",\n \"curve\": \"bn128\"", "");
  EXPECT_EQ(said(parse_proof(unnamed, "f")), "f: the proof does not name its curve");
  EXPECT_EQ(said(parse_proof(unnamed, "f", CurveId::bn254)), "fine");
  EXPECT_EQ(said(parse_proof(text, "f", CurveId::bls12_381)),
            "f: the proof is one of bn254, not of bls12-381");
  const auto other = parse_proof(text, "f", CurveId::bls12_381, "v.json");
  EXPECT_EQ(said(other),
            "f: the proof is one of bn254, the verification key v.json is one of bls12-381");
  EXPECT_EQ(other.error().hint, "give the proof and the key of the same circuit");
  for (const char* const name : {"bn254", "BN128", "alt_bn128"})
    EXPECT_EQ(said(parse_proof(changed(text, "bn128", name), "f")), "fine");
  EXPECT_EQ(said(parse_proof(changed(text, "bn128", "secp256k1"), "f")),
            "f: curve is 'secp256k1'; bn128 and bls12381 are known");
}

TEST(Json, RefusesProofsWithThePlace) {
  const std::string text = read_text(corpus("groth16_json/bn128_proof.json"));
  const std::string x = std::regex_replace(text, std::regex("[^]*?\"([0-9]+)\"[^]*"), "$1");
  const std::string y_and_1 =
      text.substr(text.find(x) + x.size() + 1, text.find("\"1\"") - text.find(x) - x.size() + 2);
  const struct {
    std::string text;
    std::string said;
  } cases[] = {
      {"", "f: this is no JSON, from byte 1 on"},
      {text.substr(0, 100), "f: this is no JSON, from byte 101 on"},
      {"[]", "f: this is a list of public values (JSON), not a proof"},
      {"[{}]", "f: the file holds no JSON object"},
      {"7", "f: the file holds no JSON object"},
      {"{}", "f: the proof does not name its curve"},
      {"{\"curve\": \"bn128\"}", "f: pi_a is missing"},
      {"{\"curve\": 1}", "f: curve is no text"},
      {changed(text, "groth16", "plonk"), "f: protocol is 'plonk', not 'groth16'"},
      {changed(text, "pi_b", "pi_a"), "f: pi_a is there twice"},
      {changed(text, "\"pi_b\"", "\"pi\\u005fa\" "), "f: pi_a is there twice"},
      {changed(text, x, kBn254Q10), "f: pi_a[0] is not below q, the prime of bn254's coordinates"},
      {changed(text, x, kBls12_381Q10),
       "f: pi_a[0] is not below q, the prime of bn254's coordinates"},
      {changed(text, x, "-1"), "f: pi_a[0] is no decimal number"},
      {changed(text, x, std::string(121, '1')),
       "f: pi_a[0] has 121 digits, more than the 120 of any coordinate"},
      {changed(text, "\"" + x + "\"", "1.5"), "f: pi_a[0] is no decimal number in quotes"},
      {changed(text, "\"" + x + "\",", ""), "f: pi_a has 2 entries where 3 belong"},
      {changed(text, "\"1\"\n ]", "\"2\"\n ]"),
       "f: pi_a is neither an affine point (third coordinate 1) nor 0, 1, 0"},
      {changed(text, "\"1\"\n ]", "\"0\"\n ]"),
       "f: pi_a is neither an affine point (third coordinate 1) nor 0, 1, 0"},
      {changed(text, x + "\"" + y_and_1, "0\", \"0\", \"1\""),
       "f: pi_a is (0, 0), which is not on the curve"},
      {changed(text, "\"1\",\n   \"0\"", "\"1\",\n   \"1\""),
       "f: pi_b is neither an affine point (third coordinate 1) nor 0, 1, 0"},
      {changed(text, "\"1\",\n   \"0\"", "\"1\",\n   null"),
       "f: pi_b[2][1] is no decimal number in quotes"},
      {"{\"a\": " + std::string(9, '[') + std::string(9, ']') + "}",
       "f: the file is nested deeper than 8 levels"},
      {std::string(10'000'000, '['), "f: the file is nested deeper than 8 levels"},
  };
  for (const auto& it : cases) EXPECT_EQ(said(parse_proof(it.text, "f")), it.said);
}

// A file of 16 MiB takes no more than a moment and little memory, however it is made.
TEST(Json, TakesNoTimeForLargeFiles) {
  for (const std::string_view unit : {"[],", "{},", "0,", "\"\",", "{\"a\":0},"}) {
    std::string text = "[";
    while (text.size() + unit.size() < (16U << 20) - 8) text += unit;
    EXPECT_EQ(said(parse_publics(text + "0]", "f", CurveId::bn254)),
              "f: the file holds more than 1000000 values");
    // Just below the limit.
    text = "[";
    for (int i = 0; i < 400'000; ++i) text += unit;
    EXPECT_NE(said(parse_publics(text + "0]", "f", CurveId::bn254)),
              "f: the file holds more than 1000000 values");
  }
  std::string names = "{";
  for (int i = 0; i < 300'000; ++i) names += "\"" + std::to_string(i) + "\":0,";
  EXPECT_EQ(said(parse_proof(names + "\"7\":1}", "f")), "f: 7 is there twice");
}

TEST(Json, RefusesPublicsWithThePlace) {
  const struct {
    std::string text;
    std::string said;
  } cases[] = {
      {"{}", "f: the file holds no JSON list"},
      {"{\"pi_a\": 1}", "f: this is a proof (JSON), not a list of public values"},
      {"[\"1\", 2]", "fine"},
      {"[\"1\", -2]", "f: public value 1 is no decimal number in quotes"},
      {"[\"1\", \"21888242871839275222246405745257275088548364400416034343698204186575808495617\"]",
       "f: public value 1 is not below r, the order of bn254's groups"},
      {"[18446744073709551616]", "f: public value 0 is no decimal number in quotes"},
  };
  for (const auto& it : cases) {
    const auto publics = parse_publics(it.text, "f", CurveId::bn254);
    EXPECT_EQ(said(publics), it.said);
    if (!publics) {
      EXPECT_FALSE(publics.error().hint.empty());
    }
  }
}

TEST(Json, RefusesVerificationKeysWithThePlace) {
  const std::string text = read_text(corpus("groth16_json/bn128_vkey.json"));
  const struct {
    std::string text;
    std::string said;
  } cases[] = {
      {text, "fine"},
      {changed(text, " \"protocol\": \"groth16\",\n", ""), "f: protocol is missing"},
      {changed(text, " \"curve\": \"bn128\",\n", ""), "f: curve is missing"},
      {changed(text, "\"nPublic\": 3", "\"nPublic\": 2"),
       "f: IC has 4 points where nPublic + 1 belong, and nPublic is 2"},
      {changed(text, "\"nPublic\": 3", "\"nPublic\": -1"), "f: nPublic is no whole number"},
      {changed(text, "\"nPublic\": 3", "\"nPublic\": 18446744073709551615"),
       "f: IC has 4 points where nPublic + 1 belong, and nPublic is 18446744073709551615"},
      {changed(text, "\"IC\"", "\"ic\""), "f: IC is missing"},
      {changed(text, "vk_gamma_2", "gamma"), "f: vk_gamma_2 is missing"},
      {changed(text, "\"1\",\n  \"2\"", std::string("\"1\",\n  \"") + kBn254Q10 + "\""),
       "f: vk_alpha_1[1] is not below q, the prime of bn254's coordinates"},
  };
  for (const auto& it : cases) EXPECT_EQ(said(parse_verification_key(it.text, "f")), it.said);
}

TEST(Json, EveryCutIsRefused) {
  for (const char* const name : {"bn128_proof.json", "bls12381_vkey.json"}) {
    const std::string text = read_text(corpus("groth16_json/") + name);
    for (std::size_t size = 0; size + 1 < text.size(); ++size) {
      const std::string cut = text.substr(0, size);
      ASSERT_FALSE(parse_proof(cut, "f")) << size;
      ASSERT_FALSE(parse_verification_key(cut, "f")) << size;
    }
  }
}

TEST(Json, FilesComeBack) {
  Folder folder;
  const Result<ProofText> proof = read_proof(corpus("groth16_json/bls12381_proof.json"));
  ASSERT_TRUE(proof);
  ASSERT_TRUE(write_file(folder / "p", to_json(*proof)));
  EXPECT_EQ(*read_proof(folder / "p"), *proof);
  const std::vector<Integer> publics = {{7}, integer(kBn254Q)};
  ASSERT_TRUE(write_file(folder / "u", to_json(publics)));
  EXPECT_EQ(*read_publics(folder / "u", CurveId::bls12_381), publics);
  const auto key = read_verification_key(corpus("groth16_json/bls12381_vkey.json"));
  ASSERT_TRUE(key);
  ASSERT_TRUE(write_verification_key(folder / "v", *key));
  EXPECT_EQ(read_verification_key(folder / "v")->ic, key->ic);
  EXPECT_EQ(said(read_proof(folder / "none")),
            (folder / "none") + ": the file cannot be opened: No such file or directory");
}

// A parser that stops at a zero byte would take what follows for nothing.
TEST(Publics, WithAByteZeroAreRefused) {
  for (const std::string& text :
       {std::string("[\"1\"]\0garbage", 13), std::string("\0[\"1\"]", 6)}) {
    const auto publics = parse_publics(text, "p.json", CurveId::bn254);
    ASSERT_FALSE(publics);
    EXPECT_NE(publics.error().what.find("is 0"), std::string::npos) << publics.error().what;
  }
}

}  // namespace
}  // namespace prover::files
