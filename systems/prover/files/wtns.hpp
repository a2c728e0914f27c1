// SPDX-License-Identifier: Apache-2.0
// Witnesses as circom and snarkjs write them (.wtns, version 2): the value of each wire, a plain
// integer < r of 32 bytes, little-endian. No message about a witness ever shows a value.
#pragma once

#include <cstdint>
#include <string>

#include "prover/base/result.hpp"
#include "prover/field/curve_id.hpp"
#include "prover/files/mapped_file.hpp"
#include "prover/files/sections.hpp"

namespace prover::files {

// A view of the mapped file.
struct Wtns {
  CurveId curve = CurveId::bn254;
  std::uint32_t count = 0;  // at least 1: wire 0 is the constant 1
  Bytes values;             // count x 32 bytes, at any alignment
  SectionTable sections;

  const std::byte* value(std::uint32_t wire) const {
    return values.data() + std::size_t{wire} * 32;
  }
  // For Error.where: the place of a wire's value.
  std::string where(std::uint32_t wire) const;

  // `path` is only for messages; `file` must outlive the result.
  static Result<Wtns> parse(Bytes file, const std::string& path);
};

class WtnsFile {
 public:
  static Result<WtnsFile> open(const std::string& path);

  const Wtns& witness() const { return witness_; }
  const MappedFile& file() const { return file_; }

 private:
  WtnsFile(MappedFile file, Wtns witness) : file_(std::move(file)), witness_(std::move(witness)) {}

  MappedFile file_;
  Wtns witness_;
};

// Checks the values of the wires [first, last): each < r, and wire 0, where it is among them, is 1.
// The error names the wire and the offset, never the value. Ranges may be checked on several
// threads.
Result<void> check_values(const Wtns& witness, std::uint32_t first, std::uint32_t last);
inline Result<void> check_values(const Wtns& witness) {
  return check_values(witness, 0, witness.count);
}

// `values` as in Wtns. The file appears whole or not at all.
Result<void> write_wtns(const std::string& path, CurveId curve, Bytes values);

}  // namespace prover::files
