// SPDX-License-Identifier: Apache-2.0
// proof.json, public.json and verification_key.json as snarkjs writes and reads them. Numbers are
// decimal strings; points are projective, ["x", "y", "1"], infinity is ["0", "1", "0"]; an element
// c0 + c1 u of Fq2 is ["c0", "c1"].
//
// Values here are plain integers (not Montgomery). What was read is below its prime and has the
// right shape; whether points are on the curve is for those who know the curve.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "prover/base/result.hpp"
#include "prover/field/curve_id.hpp"
#include "prover/files/kinds.hpp"

namespace prover::files {

// Little-endian limbs of 64 bits; a value of fewer bits has zeros above.
using Integer = std::array<std::uint64_t, 6>;

// Decimal digits only, no sign, at most 120 of them, and the value below 2^384.
Result<Integer> parse_decimal(std::string_view text);
std::string to_decimal(std::span<const std::uint64_t> limbs);

// Both coordinates 0 mean infinity: (0, 0) is on neither curve.
struct G1Text {
  Integer x{}, y{};
  bool operator==(const G1Text&) const = default;
};
// x = x[0] + x[1] u.
struct G2Text {
  std::array<Integer, 2> x{}, y{};
  bool operator==(const G2Text&) const = default;
};

struct ProofText {
  CurveId curve = CurveId::bn254;
  G1Text a;
  G2Text b;
  G1Text c;
  bool operator==(const ProofText&) const = default;
};

struct VerificationKeyText {
  CurveId curve = CurveId::bn254;
  G1Text alpha1;
  G2Text beta2, gamma2, delta2;
  std::vector<G1Text> ic;  // publics + 1
  // e(alpha1, beta2) as snarkjs orders its 12 coefficients: two of Fq6, each three of Fq2, each two
  // of Fq. Written when there; not read, since nobody should believe it.
  std::optional<std::array<Integer, 12>> alphabeta;
};

// The curve is taken from the file where it names one (snarkjs does, others do not); `curve` is
// what it is otherwise, and what it must be: that of the verification key at `key_path`. Without
// either the file is refused.
Result<ProofText> read_proof(const std::string& path, std::optional<CurveId> curve = {},
                             const std::string& key_path = {});
// Public outputs and inputs, in the order of wires; each is < r.
Result<std::vector<Integer>> read_publics(const std::string& path, CurveId curve);
Result<VerificationKeyText> read_verification_key(const std::string& path);

// The same from text; the paths are only for messages.
Result<ProofText> parse_proof(std::string_view text, const std::string& path,
                              std::optional<CurveId> curve = {}, const std::string& key_path = {});
Result<std::vector<Integer>> parse_publics(std::string_view text, const std::string& path,
                                           CurveId curve);
Result<VerificationKeyText> parse_verification_key(std::string_view text, const std::string& path);

// Which of the three a text is; anything else is an error.
Result<FileKind> kind_of_json(std::string_view text, const std::string& path);

// As snarkjs lays them out, with a newline at the end.
std::string to_json(const ProofText& proof);
std::string to_json(std::span<const Integer> publics);
std::string to_json(const VerificationKeyText& key);

// Written by write_file() of output_file.hpp, as a proof and its publics are by write_files().
Result<void> write_verification_key(const std::string& path, const VerificationKeyText& key);

}  // namespace prover::files
