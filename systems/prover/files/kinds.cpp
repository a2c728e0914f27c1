// SPDX-License-Identifier: Apache-2.0
#include "prover/files/kinds.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace prover::files {
namespace {

constexpr std::size_t kLookedAt = std::size_t{64} << 10;
constexpr std::string_view kBlanks = " \t\r\n";

struct KindNames {
  FileKind kind;
  std::string_view magic;  // empty: JSON
  std::string_view name;
  std::string_view how;  // how such files are called or written; may be empty
};
constexpr KindNames kKinds[] = {
    {FileKind::proving_key, "zkey", "a proving key", "(.zkey)"},
    {FileKind::witness, "wtns", "a witness", "(.wtns)"},
    {FileKind::circuit, "r1cs", "a circuit", "(.r1cs)"},
    {FileKind::powers_of_tau, "ptau", "a file of powers of tau", "(.ptau)"},
    {FileKind::json, "", "a JSON text", ""},
    {FileKind::proof, "", "a proof", "(JSON)"},
    {FileKind::publics, "", "a list of public values", "(JSON)"},
    {FileKind::verification_key, "", "a verification key", "(JSON)"},
};

constexpr std::string_view kVerifyOrder =
    "the order is 'prover verify VKEY.json PUBLIC.json PROOF.json'";
constexpr std::string_view kProveOrder =
    "the order is 'prover prove KEY.zkey WITNESS.wtns PROOF.json PUBLIC.json'";

struct WayOut {
  FileKind is;
  FileKind wanted;
  std::string_view hint;
};
constexpr WayOut kWaysOut[] = {
    {FileKind::witness, FileKind::proving_key, kProveOrder},
    {FileKind::proving_key, FileKind::witness, kProveOrder},
    {FileKind::circuit, FileKind::proving_key,
     "'prover setup CIRCUIT.r1cs KEY.zkey' makes a key of it, for tests only; 'snarkjs groth16 "
     "setup' one to rely on"},
    {FileKind::powers_of_tau, FileKind::proving_key,
     "'snarkjs groth16 setup CIRCUIT.r1cs POWERS.ptau KEY.zkey' makes a key with it"},
    {FileKind::verification_key, FileKind::proving_key,
     "the proving key is the .zkey file that this key was made from"},
    {FileKind::circuit, FileKind::witness,
     "the program that circom makes of the circuit calculates its witness"},
    {FileKind::json, FileKind::witness,
     "if it holds a circuit's inputs: the program that circom makes calculates the witness of "
     "them"},
    {FileKind::proving_key, FileKind::verification_key,
     "'prover vkey KEY.zkey VKEY.json' makes the verification key from it"},
    {FileKind::proving_key, FileKind::circuit,
     "give the circuit that the key was made of; circom --r1cs writes it"},
    {FileKind::witness, FileKind::publics,
     "'prover prove' writes the public values, which are a part of it, beside the proof"},
    {FileKind::witness, FileKind::proof, "'prover prove' makes a proof with it"},
    {FileKind::proof, FileKind::publics, kVerifyOrder},
    {FileKind::proof, FileKind::verification_key, kVerifyOrder},
    {FileKind::publics, FileKind::proof, kVerifyOrder},
    {FileKind::publics, FileKind::verification_key, kVerifyOrder},
    {FileKind::verification_key, FileKind::proof, kVerifyOrder},
    {FileKind::verification_key, FileKind::publics, kVerifyOrder},
};

const KindNames& names_of(FileKind kind) {
  const auto* const found = std::find_if(std::begin(kKinds), std::end(kKinds),
                                         [&](const KindNames& it) { return it.kind == kind; });
  PROVER_CHECK(found != std::end(kKinds), "a kind with a name");
  return *found;
}

// `text` begins with an opening bracket or brace.
FileKind kind_of_json_start(std::string_view text) {
  if (text.front() == '[') {
    const std::size_t next = text.find_first_not_of(kBlanks, 1);
    if (next == std::string_view::npos) return FileKind::json;
    return std::string_view("]\"0123456789").find(text[next]) == std::string_view::npos
               ? FileKind::json
               : FileKind::publics;
  }
  if (text.find("\"pi_a\"") != std::string_view::npos) return FileKind::proof;
  if (text.find("\"vk_alpha_1\"") != std::string_view::npos) return FileKind::verification_key;
  return FileKind::json;
}

}  // namespace

FileKind kind_of_magic(std::string_view magic) {
  for (const KindNames& it : kKinds)
    if (!magic.empty() && it.magic == magic) return it.kind;
  return FileKind::unknown;
}

bool is_json(FileKind kind) { return kind != FileKind::unknown && names_of(kind).magic.empty(); }

FileKind kind_of_file(Bytes file) {
  const std::string_view text(reinterpret_cast<const char*>(file.data()),
                              std::min(file.size(), kLookedAt));
  if (const FileKind kind = kind_of_magic(text.substr(0, 4)); kind != FileKind::unknown)
    return kind;
  const std::size_t start = text.find_first_not_of(kBlanks);
  if (start == std::string_view::npos || (text[start] != '{' && text[start] != '['))
    return FileKind::unknown;
  return kind_of_json_start(text.substr(start));
}

tl::unexpected<Error> wrong_kind(FileKind is, FileKind wanted, const std::string& path,
                                 std::string_view hint) {
  for (const WayOut& it : kWaysOut)
    if (it.is == is && it.wanted == wanted) hint = it.hint;
  return fail(
      ErrorKind::usage,
      fmt::format("this is {}{}{}, not {}", names_of(is).name, names_of(is).how.empty() ? "" : " ",
                  names_of(is).how, names_of(wanted).name),
      path, std::string(hint));
}

}  // namespace prover::files
