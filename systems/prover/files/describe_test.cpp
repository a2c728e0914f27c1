// SPDX-License-Identifier: Apache-2.0
#include "prover/files/describe.hpp"

#include "prover/field/curve_id.hpp"
#include "prover/files/testing.hpp"

namespace prover::files {
namespace {

std::string text_of(const std::string& name) {
  const Result<std::string> text = describe(corpus(name), false);
  return text ? *text : said(text);
}

TEST(Describe, SaysWhatAKeyIs) {
  const std::string text = text_of("zkey/bn128.zkey");
  const std::string path = corpus("zkey/bn128.zkey");
  EXPECT_EQ(text.substr(0, path.size()), path);
  EXPECT_EQ(text.substr(path.size()), R"(: Groth16 proving key on bn254
  curve            bn254
  file             4.04 KiB (4135 bytes)
  wires            6
  public           3
  coefficients     10
  domain           8 (2^3)
  contributions    1
  section                             offset          bytes
        1  protocol                       24              4
        2  header                         40            660
        3  ic                            712            256
        4  coefficients                  980            444
        5  a                            1436            384
        6  b1                           1832            384
        7  b2                           2228            768
        8  c                            3008            128
        9  h                            3148            512
       10  contributions                3672            463
)");
}

TEST(Describe, IsLoudAboutInsecureKeys) {
  Folder folder;
  Edit key = Edit::of("zkey/bls12381.zkey");
  key.add_section(1000, "made by \"setup\"");
  write_text(folder / "k", key.text());
  const std::string text = *describe(folder / "k", false);
  const std::string second = text.substr(text.find('\n') + 1);
  EXPECT_EQ(second.substr(0, second.find('\n')),
            "  INSECURE: made by \"setup\"; proofs can be forged");
  const std::string json = *describe(folder / "k", true);
  EXPECT_NE(json.find("\"insecure\": true, \"insecure_note\": \"made by \\\"setup\\\"\""),
            std::string::npos);
  EXPECT_NE(text_of("zkey/bn128_uncontributed.zkey").find("\n  INSECURE: nobody has contributed"),
            std::string::npos);
}

TEST(Describe, SaysWhatACircuitAndItsKeyWillBe) {
  const std::string text = text_of("r1cs/bn128.r1cs");
  EXPECT_NE(text.find("  constraints      3\n"), std::string::npos);
  EXPECT_NE(text.find("  terms A, B, C    3, 3, 5\n"), std::string::npos);
  EXPECT_NE(text.find("  domain           8 (2^3)\n"), std::string::npos);
  // snarkjs made the key in the corpus of the same circuit.
  const auto size = std::filesystem::file_size(corpus("zkey/bn128_uncontributed.zkey"));
  const std::string json = *describe(corpus("r1cs/bn128.r1cs"), true);
  EXPECT_NE(json.find("\"key_bytes_estimate\": " + std::to_string(size) + ","), std::string::npos);
}

TEST(Describe, SaysWhatTheRestIs) {
  const struct {
    const char* name;
    const char* first;
    const char* json;
  } cases[] = {
      {"wtns/bls12381.wtns", "witness in the scalar field of bls12-381",
       "\"curve\": \"bls12-381\", \"file_bytes\": 268, \"wires\": 6, \"sections\": [{\"id\": 1, "
       "\"name\": \"header\", \"offset\": 24, \"bytes\": 40}, {\"id\": 2, \"name\": \"values\", "
       "\"offset\": 76, \"bytes\": 192}]}\n"},
      {"groth16_json/bn128_proof.json", "Groth16 proof on bn254",
       "\"curve\": \"bn254\", \"file_bytes\": 806}\n"},
      {"groth16_json/bn128_public.json", "public values of a proof",
       "\"file_bytes\": 25, \"publics\": 3, \"fits_bn254\": true, \"fits_bls12_381\": true}\n"},
      {"groth16_json/bls12381_vkey.json", "Groth16 verification key on bls12-381",
       "\"curve\": \"bls12-381\", \"file_bytes\": 4139, \"publics\": 3}\n"},
  };
  for (const auto& it : cases) {
    const std::string text = text_of(it.name);
    EXPECT_EQ(text.substr(0, text.find('\n')), corpus(it.name) + ": " + it.first);
    const std::string json = *describe(corpus(it.name), true);
    EXPECT_EQ(json.substr(json.size() - std::min(json.size(), std::strlen(it.json))), it.json);
    EXPECT_EQ(json.substr(0, 30), "{\"schema_version\": 1, \"kind\": ");
  }
}

TEST(Describe, SaysWhichCurvesPublicValuesFit) {
  EXPECT_NE(text_of("groth16_json/bn128_public.json").find("  values fit       both curves\n"),
            std::string::npos);
  Folder folder;
  // r of bn254
  write_text(folder / "p",
             "[\"21888242871839275222246405745257275088548364400416034343698204186575808495617\"]");
  EXPECT_NE(describe(folder / "p", false)->find("  values fit       bls12-381 only\n"),
            std::string::npos);
  EXPECT_NE(describe(folder / "p", true)->find("\"fits_bn254\": false, \"fits_bls12_381\": true}"),
            std::string::npos);
}

TEST(Describe, SaysInsecureOnce) {
  Folder folder;
  Edit key = Edit::of("zkey/bn128.zkey");
  key.add_section(1000, "made by a test, known to one: INSECURE, for tests only");
  write_text(folder / "k", key.text());
  EXPECT_NE(describe(folder / "k", false)
                ->find("  INSECURE: made by a test, known to one: for tests only; proofs can be "
                       "forged\n"),
            std::string::npos);
}

TEST(Describe, SaysWhatPowersOfTauAre) {
  Folder folder;
  Edit header;
  header.add_u32(32);
  for (const std::uint64_t limb : kBn254Q) header.add_u64(limb);
  header.add_u32(14).add_u32(28);
  write_text(
      folder / "p",
      empty_container("ptau", 1).add_section(1, header.text()).add_section(2, "points").text());
  EXPECT_EQ(*describe(folder / "p", false),
            (folder / "p") + R"(: powers of tau of snarkjs (.ptau) on bn254
  curve            bn254
  file             86 B
  power            14: circuits of up to 2^14 rows
  ceremony's power 28
  section                             offset          bytes
        1  header                         24             44
        2  tau g1                         80              6
)");
  EXPECT_NE(describe(folder / "p", true)
                ->find("\"kind\": \"powers_of_tau\", \"file\": \"" + (folder / "p") +
                       "\", \"curve\": \"bn254\", \"file_bytes\": 86, \"power\": 14, "
                       "\"ceremony_power\": 28, \"sections\": ["),
            std::string::npos);
  // Every cut of it is still named.
  const std::string whole = read_text(folder / "p");
  for (std::size_t size = 4; size < whole.size(); ++size) {
    write_text(folder / "cut", whole.substr(0, size));
    EXPECT_EQ(describe(folder / "cut", false)->substr((folder / "cut").size()),
              ": powers of tau of snarkjs (.ptau), damaged or cut short\n"
              "  file             " +
                  std::to_string(size) + " B\n");
  }
}

TEST(Describe, RefusesTheRest) {
  Folder folder;
  write_text(folder / "a",
             "\x7f"
             "ELF");
  write_text(folder / "b", "{\"x\": 1}");
  write_text(folder / "c", "zkey");
  const struct {
    const char* name;
    const char* what;
  } cases[] = {
      {"a", "the file begins with '\\x7fELF', as no known kind does"},
      {"b", "this JSON is no proof, no verification key and no list of public values"},
      {"c", "the file has 4 bytes, too few for any zkey file"},
      {"d", "the file cannot be opened: No such file or directory"},
  };
  for (const auto& it : cases)
    for (const bool json : {false, true})
      EXPECT_EQ(said(describe(folder / it.name, json)), (folder / it.name) + ": " + it.what);
}

}  // namespace
}  // namespace prover::files
