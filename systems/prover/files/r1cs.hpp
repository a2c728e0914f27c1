// SPDX-License-Identifier: Apache-2.0
// Circuits as circom writes them (.r1cs, version 1): for each constraint three linear combinations
// with (A . w) x (B . w) = C . w. Opening checks the sections and the header's counts against their
// sizes; constraints are read and checked one at a time, in place, so that no count in the file
// decides how much memory is taken.
//
// Wires are numbered: the constant 1, public outputs, public inputs, private inputs, the rest.
// circom counts every private input in the header, also those that its optimiser took out.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "prover/base/result.hpp"
#include "prover/field/curve_id.hpp"
#include "prover/files/mapped_file.hpp"
#include "prover/files/output_file.hpp"
#include "prover/files/sections.hpp"

namespace prover::files {

// `value` is a plain integer < r of 32 bytes, little-endian.
struct R1csTerm {
  std::uint32_t wire;
  const std::byte* value;
};

// The terms of one linear combination, in the file's order; a wire may come twice.
class R1csTerms {
 public:
  static constexpr std::uint32_t kTermBytes = 4 + 32;

  R1csTerms() = default;
  R1csTerms(const std::byte* first, std::uint32_t count) : first_(first), count_(count) {}

  std::uint32_t size() const { return count_; }
  R1csTerm operator[](std::uint32_t i) const {
    const std::byte* at = first_ + std::size_t{i} * kTermBytes;
    return {load_u32(at), at + 4};
  }

 private:
  const std::byte* first_ = nullptr;
  std::uint32_t count_ = 0;
};

struct R1csConstraint {
  std::uint32_t index = 0;
  R1csTerms a, b, c;
};

struct R1csCounts {
  std::uint32_t wires = 0;
  std::uint32_t public_outputs = 0;
  std::uint32_t public_inputs = 0;
  std::uint32_t private_inputs = 0;
  std::uint64_t labels = 0;

  // The publics of a proof; < wires once a header was read.
  std::uint32_t publics() const { return public_outputs + public_inputs; }
};

// A view of the mapped file.
struct R1cs {
  CurveId curve = CurveId::bn254;
  R1csCounts counts;
  std::uint32_t constraints = 0;
  Bytes constraint_bytes;
  Bytes wire_labels;  // wires x u64; empty when the file has none
  SectionTable sections;

  // `path` is only for messages; `file` must outlive the result. A circuit that uses custom gates
  // is refused: Groth16 has none.
  static Result<R1cs> parse(Bytes file, const std::string& path);
};

class R1csFile {
 public:
  static Result<R1csFile> open(const std::string& path);

  const R1cs& circuit() const { return circuit_; }
  const MappedFile& file() const { return file_; }

 private:
  R1csFile(MappedFile file, R1cs circuit) : file_(std::move(file)), circuit_(std::move(circuit)) {}

  MappedFile file_;
  R1cs circuit_;
};

// Reads the constraints of a circuit in order. Every term it gives has wire < wires and value < r,
// and stays so when somebody writes into the file meanwhile: terms are copied, then checked. They
// live until the next call.
class R1csReader {
 public:
  // `circuit` must outlive the reader.
  explicit R1csReader(const R1cs& circuit) : circuit_(&circuit) {}

  // The next constraint, or false when all have been read; an error names the constraint and the
  // offset. Bytes left over after the last constraint are an error.
  Result<bool> next(R1csConstraint& constraint);

 private:
  Result<R1csTerms> terms(std::uint32_t constraint, std::size_t matrix);

  const R1cs* circuit_;
  std::array<std::vector<std::byte>, 3> copies_;  // of the constraint's A, B and C
  std::uint64_t offset_ = 0;
  std::uint32_t read_ = 0;
};

// Calls `visit` for each constraint, after that constraint was checked.
Result<void> each_constraint(const R1cs& circuit,
                             const std::function<void(const R1csConstraint&)>& visit);

// Writes constraints as they come; the counts need to be known only at the end. The file appears,
// whole, at finish().
class R1csWriter {
 public:
  static Result<R1csWriter> create(const std::string& path, CurveId curve);

  // The values are plain integers < r; their bytes are copied.
  Result<void> constraint(std::span<const R1csTerm> a, std::span<const R1csTerm> b,
                          std::span<const R1csTerm> c);
  // `counts.labels` 0 means one label for each wire. Wire i gets label i.
  Result<void> finish(const R1csCounts& counts);

 private:
  R1csWriter(SectionWriter out, CurveId curve) : out_(std::move(out)), curve_(curve) {}

  SectionWriter out_;
  CurveId curve_;
  std::uint32_t constraints_ = 0;
};

}  // namespace prover::files
