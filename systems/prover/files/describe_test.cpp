// SPDX-License-Identifier: Apache-2.0
#include "prover/files/describe.hpp"

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
       "\"file_bytes\": 25, \"publics\": 3, \"fits_bn254\": true}\n"},
      {"groth16_json/bls12381_vkey.json", "Groth16 verification key on bls12-381",
       "\"insecure\": false, \"curve\": \"bls12-381\", \"file_bytes\": 4139, \"publics\": 3}\n"},
  };
  for (const auto& it : cases) {
    const std::string text = text_of(it.name);
    EXPECT_EQ(text.substr(0, text.find('\n')), corpus(it.name) + ": " + it.first);
    const std::string json = *describe(corpus(it.name), true);
    EXPECT_EQ(json.substr(json.size() - std::min(json.size(), std::strlen(it.json))), it.json);
    EXPECT_EQ(json.substr(0, 30), "{\"schema_version\": 1, \"kind\": ");
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
