// SPDX-License-Identifier: Apache-2.0
#include "prover/files/kinds.hpp"

#include "prover/files/json.hpp"
#include "prover/files/r1cs.hpp"
#include "prover/files/testing.hpp"
#include "prover/files/wtns.hpp"
#include "prover/files/zkey.hpp"

namespace prover::files {
namespace {

TEST(FileKind, IsToldByTheFirstBytes) {
  const struct {
    std::string text;
    FileKind kind;
  } cases[] = {
      {"", FileKind::unknown},
      {"zke", FileKind::unknown},
      {"zkey", FileKind::proving_key},
      {"wtns\1", FileKind::witness},
      {"r1cs", FileKind::circuit},
      {"ptau", FileKind::powers_of_tau},
      {" zkey", FileKind::unknown},
      {" \n", FileKind::unknown},
      {"\"a\"", FileKind::unknown},
      {"[", FileKind::json},
      {"[ {}", FileKind::json},
      {"[]", FileKind::publics},
      {"\t[\n \"1\"", FileKind::publics},
      {"[7", FileKind::publics},
      {"{\"a\": \"1\"}", FileKind::json},
      {"{ \"pi_a\": 1", FileKind::proof},
      {"{ \"vk_alpha_1\": 1", FileKind::verification_key},
  };
  for (const auto& it : cases) {
    EXPECT_EQ(kind_of_file(std::as_bytes(std::span(it.text.data(), it.text.size()))), it.kind)
        << it.text;
    EXPECT_EQ(is_json(it.kind), it.kind >= FileKind::json) << it.text;
  }
}

// Each reader, given each kind of file, says what it is or reads it.
TEST(FileKind, ReadersSayWhatTheyWereGiven) {
  Folder folder;
  write_text(folder / "ptau", "ptau\1");
  write_text(folder / "json", "{\"a\": [\"1\"]}");
  // Larger than any JSON file may be.
  Edit large = Edit::of("zkey/bn128.zkey");
  write_text(folder / "large", large.text().append(std::size_t{17} << 20, 'x'));
  const struct {
    std::string path;
    const char* is;
    FileKind kind;
  } files[] = {
      {corpus("zkey/bn128.zkey"), "a proving key (.zkey)", FileKind::proving_key},
      {folder / "large", "a proving key (.zkey)", FileKind::unknown},
      {corpus("wtns/bn128.wtns"), "a witness (.wtns)", FileKind::witness},
      {corpus("r1cs/bn128.r1cs"), "a circuit (.r1cs)", FileKind::circuit},
      {folder / "ptau", "a file of powers of tau (.ptau)", FileKind::powers_of_tau},
      {folder / "json", "a JSON text", FileKind::json},
      {corpus("groth16_json/bn128_proof.json"), "a proof (JSON)", FileKind::proof},
      {corpus("groth16_json/bn128_public.json"), "a list of public values (JSON)",
       FileKind::publics},
      {corpus("groth16_json/bn128_vkey.json"), "a verification key (JSON)",
       FileKind::verification_key},
  };
  const auto check = [](const auto& file, FileKind wanted, const char* name, const auto& result) {
    if (file.kind == wanted) {
      EXPECT_EQ(said(result), "fine") << name;
      return;
    }
    // What a JSON text without a known member lacks is said by the readers of JSON.
    if (file.kind == FileKind::json && is_json(wanted)) {
      EXPECT_FALSE(result) << name;
      return;
    }
    if (file.kind == FileKind::unknown && wanted == FileKind::proving_key) return;
    ASSERT_FALSE(result) << name;
    EXPECT_EQ(said(result), file.path + ": this is " + file.is + ", not " + name);
    EXPECT_EQ(result.error().kind, ErrorKind::usage);
    EXPECT_FALSE(result.error().hint.empty());
  };
  for (const auto& it : files) {
    check(it, FileKind::proving_key, "a proving key", ZkeyFile::open(it.path));
    check(it, FileKind::witness, "a witness", WtnsFile::open(it.path));
    check(it, FileKind::circuit, "a circuit", R1csFile::open(it.path));
    check(it, FileKind::proof, "a proof", read_proof(it.path));
    check(it, FileKind::publics, "a list of public values", read_publics(it.path, CurveId::bn254));
    check(it, FileKind::verification_key, "a verification key", read_verification_key(it.path));
  }
}

TEST(FileKind, HintsSayWhatMakesTheRightFile) {
  EXPECT_EQ(read_verification_key(corpus("zkey/bn128.zkey")).error().hint,
            "'prover vkey KEY.zkey VKEY.json' makes the verification key from it");
  EXPECT_EQ(ZkeyFile::open(corpus("wtns/bn128.wtns")).error().hint,
            "the order is 'prover prove KEY.zkey WITNESS.wtns PROOF.json PUBLIC.json'");
  EXPECT_EQ(R1csFile::open(corpus("wtns/bn128.wtns")).error().hint,
            "circom --r1cs and prover circuit write .r1cs files");
}

}  // namespace
}  // namespace prover::files
