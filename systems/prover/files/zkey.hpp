// SPDX-License-Identifier: Apache-2.0
// Groth16 proving keys as snarkjs writes them (.zkey, version 1). A Zkey is a view: its spans point
// into the mapped file, at any alignment. Opening reads the section table and the header and
// compares every section's size with the counts; what the sections hold is checked by whoever
// streams them (points: on the curve, coordinates < q) and by check_coefficients().
//
// Points are affine, coordinates in Montgomery form (R = 2^256 or 2^384), little-endian; infinity
// is all zero. A coefficient's value is stored as value x R^2 mod r, so that a Montgomery product
// with a plain witness value yields the product in Montgomery form.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "prover/base/result.hpp"
#include "prover/field/curve_id.hpp"
#include "prover/files/mapped_file.hpp"
#include "prover/files/output_file.hpp"
#include "prover/files/sections.hpp"

namespace prover::files {

// The ids of the sections in the file.
enum class ZkeySection : std::uint32_t {
  protocol = 1,
  header = 2,
  ic = 3,
  coefficients = 4,
  a = 5,
  b1 = 6,
  b2 = 7,
  c = 8,
  h = 9,
  contributions = 10,
  insecure = 1000,  // ours: text that says why the key must not be used
};

// Domains beyond this are refused, as are those for which the scalar field has no root of unity of
// twice the size (2^28 on BN254): H lies on the odd coset.
inline constexpr std::uint32_t kMostDomainLog2 = 28;

// Bytes of an affine point: 64 and 128 on BN254, 96 and 192 on BLS12-381.
constexpr std::uint32_t g1_bytes(CurveId curve) { return curve == CurveId::bn254 ? 64 : 96; }
constexpr std::uint32_t g2_bytes(CurveId curve) { return 2 * g1_bytes(curve); }
// Bytes of a scalar in a file, on both curves.
inline constexpr std::uint32_t kScalarBytes = 32;

// One entry of the matrices: row `row` of A (matrix 0) or B (matrix 1) holds `value` (32 bytes,
// value x R^2 mod r) at wire `wire`.
struct Coefficient {
  std::uint32_t matrix;
  std::uint32_t row;
  std::uint32_t wire;
  const std::byte* value;
};

// Records of 12 + 32 bytes.
class Coefficients {
 public:
  static constexpr std::uint32_t kRecordBytes = 12 + kScalarBytes;

  Coefficients() = default;
  explicit Coefficients(Bytes records) : records_(records) {}

  std::uint32_t size() const { return static_cast<std::uint32_t>(records_.size() / kRecordBytes); }
  Bytes records() const { return records_; }
  Coefficient operator[](std::uint32_t i) const {
    const std::byte* at = records_.data() + std::size_t{i} * kRecordBytes;
    return {load_u32(at), load_u32(at + 4), load_u32(at + 8), at + 12};
  }

 private:
  Bytes records_;
};

struct Zkey {
  CurveId curve = CurveId::bn254;
  std::uint32_t wires = 0;    // the constant 1, outputs, public inputs, then the rest
  std::uint32_t publics = 0;  // outputs and public inputs, without the constant 1; < wires
  std::uint32_t domain_size = 0;
  std::uint32_t domain_log2 = 0;

  Bytes alpha1, beta1, delta1;  // one G1 point each
  Bytes beta2, gamma2, delta2;  // one G2 point each

  Bytes ic;                   // publics + 1 points of G1
  Bytes a, b1;                // wires points of G1
  Bytes b2;                   // wires points of G2
  Bytes c;                    // wires - publics - 1 points of G1
  Bytes h;                    // domain_size points of G1
  Coefficients coefficients;  // in any order

  std::optional<std::string> insecure_note;  // why, as printable text; see insecure()
  SectionTable sections;

  // Somebody knows the key's trapdoor and can forge proofs: its maker, says section 1000; or
  // everybody, where delta equals gamma because nobody has contributed since snarkjs groth16 setup.
  bool insecure() const { return insecure_note.has_value(); }
  // For Error.where; `offset` is in bytes from the start of the section.
  std::string where(ZkeySection section, std::uint64_t offset = 0) const {
    return sections.where(static_cast<std::uint32_t>(section), offset);
  }

  // `path` is only for messages; `file` must outlive the result.
  static Result<Zkey> parse(Bytes file, const std::string& path);
};

class ZkeyFile {
 public:
  static Result<ZkeyFile> open(const std::string& path);

  const Zkey& key() const { return key_; }
  const MappedFile& file() const { return file_; }

 private:
  ZkeyFile(MappedFile file, Zkey key) : file_(std::move(file)), key_(std::move(key)) {}

  MappedFile file_;
  Zkey key_;
};

// Checks the coefficients [first, last): matrix <= 1, row < domain size, wire < wires, value < r.
// The error names the first that is not so, by index and offset. Ranges may be checked on several
// threads.
Result<void> check_coefficients(const Zkey& key, std::uint32_t first, std::uint32_t last);
inline Result<void> check_coefficients(const Zkey& key) {
  return check_coefficients(key, 0, key.coefficients.size());
}

// What the header of a new key holds; each span is one point.
struct ZkeyHeader {
  CurveId curve = CurveId::bn254;
  std::uint32_t wires = 0;
  std::uint32_t publics = 0;
  std::uint32_t domain_size = 0;
  Bytes alpha1, beta1, beta2, gamma2, delta1, delta2;
};

// Writes a key section by section; the target appears, whole, at finish(). snarkjs reads what comes
// out: the contributions section says that nobody contributed.
class ZkeyWriter {
 public:
  // A note makes the key one that prover calls INSECURE (section 1000; snarkjs skips it).
  static Result<ZkeyWriter> create(const std::string& path, const ZkeyHeader& header,
                                   std::optional<std::string_view> insecure_note);

  // Sections ic, coefficients, a, b1, b2, c and h, each once, in any order.
  Result<void> begin(ZkeySection section);
  // Appends points to the open section; of coefficients see below.
  Result<void> write(Bytes bytes);
  // Appends to the open section of coefficients.
  Result<void> write(const Coefficient& coefficient);
  // A section whose size does not fit the header is a bug and fails a PROVER_CHECK.
  Result<void> end();
  Result<void> finish();

 private:
  ZkeyWriter(SectionWriter out, const ZkeyHeader& header)
      : out_(std::move(out)),
        curve_(header.curve),
        wires_(header.wires),
        publics_(header.publics),
        domain_size_(header.domain_size) {}

  std::uint64_t expected_size(ZkeySection section) const;

  SectionWriter out_;
  CurveId curve_;
  std::uint32_t wires_;
  std::uint32_t publics_;
  std::uint32_t domain_size_;
  std::optional<ZkeySection> open_;
  std::uint32_t written_ = 0;  // bit i: section i is there
};

}  // namespace prover::files
