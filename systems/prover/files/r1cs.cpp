// SPDX-License-Identifier: Apache-2.0
#include "prover/files/r1cs.hpp"

#include <fmt/format.h>

#include "prover/files/values.hpp"

namespace prover::files {
namespace {

constexpr std::uint32_t kHeader = 1;
constexpr std::uint32_t kConstraints = 2;
constexpr std::uint32_t kLabels = 3;
constexpr std::uint32_t kGates = 4;
constexpr std::uint32_t kGateUses = 5;
constexpr std::uint32_t kValueBytes = 32;
constexpr std::size_t kCountsAt = 4 + kValueBytes;
constexpr std::size_t kHeaderBytes = kCountsAt + 4 * 4 + 8 + 4;
constexpr std::uint64_t kLeastConstraintBytes = 3 * 4;
constexpr char kDamaged[] = "the circuit is damaged: compile or copy it again";

constexpr SectionName kNames[] = {{kHeader, "header", true},
                                  {kConstraints, "constraints", true},
                                  {kLabels, "wire labels", false},
                                  {kGates, "custom gates", false},
                                  {kGateUses, "uses of custom gates", false}};
constexpr Format kFormat = {"r1cs", 1, "circom --r1cs and prover circuit write .r1cs files",
                            kNames};

tl::unexpected<Error> no(const R1cs& circuit, std::uint32_t section, std::uint64_t offset,
                         std::string what, std::string hint = kDamaged) {
  return fail(ErrorKind::usage, std::move(what), circuit.sections.where(section, offset),
              std::move(hint));
}

Result<void> parse_header(R1cs& circuit) {
  const Result<CurveId> curve = curve_of_header(circuit.sections, kHeader);
  if (!curve) return fail(curve.error());
  circuit.curve = *curve;
  const Bytes header = circuit.sections.at(kHeader).bytes;
  if (header.size() != kHeaderBytes)
    return no(circuit, kHeader, 0,
              fmt::format("the header has {} bytes where {} belong", header.size(), kHeaderBytes));
  const std::byte* const at = header.data() + kCountsAt;
  circuit.counts = {load_u32(at), load_u32(at + 4), load_u32(at + 8), load_u32(at + 12),
                    load_u64(at + 16)};
  circuit.constraints = load_u32(at + 24);
  const R1csCounts& counts = circuit.counts;
  if (std::uint64_t{counts.public_outputs} + counts.public_inputs >= counts.wires)
    return no(circuit, kHeader, kCountsAt,
              fmt::format("{} wires cannot hold {} public outputs, {} public inputs and the "
                          "constant 1",
                          counts.wires, counts.public_outputs, counts.public_inputs));
  return {};
}

Result<void> parse_constraints(R1cs& circuit) {
  circuit.constraint_bytes = circuit.sections.at(kConstraints).bytes;
  const std::uint64_t least = circuit.constraints * kLeastConstraintBytes;
  if (circuit.constraint_bytes.size() < least)
    return no(circuit, kConstraints, 0,
              fmt::format("the section has {} bytes, and {} constraints take {} at least",
                          circuit.constraint_bytes.size(), circuit.constraints, least));
  return {};
}

Result<void> parse_labels(R1cs& circuit) {
  const Section* const labels = circuit.sections.find(kLabels);
  if (labels == nullptr) return {};
  circuit.wire_labels = labels->bytes;
  const std::uint64_t expected = std::uint64_t{circuit.counts.wires} * 8;
  if (labels->bytes.size() != expected)
    return no(circuit, kLabels, 0,
              fmt::format("the section has {} bytes where {} belong: {} wires' labels of 8 bytes",
                          labels->bytes.size(), expected, circuit.counts.wires));
  return {};
}

// Gates that are declared and not used change nothing.
Result<void> refuse_custom_gates(R1cs& circuit) {
  const Section* const uses = circuit.sections.find(kGateUses);
  if (uses == nullptr) return {};
  if (uses->bytes.size() < 4)
    return no(circuit, kGateUses, 0,
              fmt::format("the section has {} bytes, too few for its count", uses->bytes.size()));
  const std::uint32_t count = load_u32(uses->bytes.data());
  if (count == 0) return {};
  return no(circuit, kGateUses, 0,
            fmt::format("the circuit uses custom gates ({} times), which Groth16 has not", count),
            "write the circuit without custom templates, or prove it with plonk in snarkjs");
}

}  // namespace

Result<R1cs> R1cs::parse(Bytes file, const std::string& path) {
  Result<SectionTable> table = SectionTable::parse(file, path, kFormat);
  if (!table) return fail(table.error());
  R1cs circuit;
  circuit.sections = std::move(*table);
  for (const auto part : {parse_header, parse_constraints, parse_labels, refuse_custom_gates})
    if (Result<void> parsed = part(circuit); !parsed) return fail(parsed.error());
  return circuit;
}

Result<R1csFile> R1csFile::open(const std::string& path) {
  Result<MappedFile> file = MappedFile::open(path);
  if (!file) return fail(file.error());
  Result<R1cs> circuit = R1cs::parse(file->bytes(), path);
  if (!circuit) return fail(circuit.error());
  return R1csFile(std::move(*file), std::move(*circuit));
}

Result<R1csTerms> R1csReader::terms(std::uint32_t constraint, std::size_t matrix) {
  const Bytes bytes = circuit_->constraint_bytes;
  const auto bad = [&](std::uint64_t offset, const std::string& what) {
    return no(*circuit_, kConstraints, offset,
              fmt::format("constraint {}, {}: {}", constraint, "ABC"[matrix], what));
  };
  const std::uint64_t left = bytes.size() - offset_;
  if (left < 4) return bad(offset_, "the section ends where a number of terms belongs");
  const std::uint32_t count = load_u32(bytes.data() + offset_);
  if (std::uint64_t{count} * R1csTerms::kTermBytes > left - 4)
    return bad(offset_, fmt::format("{} terms of {} bytes, and {} bytes are left", count,
                                    R1csTerms::kTermBytes, left - 4));
  const Bytes raw = bytes.subspan(offset_ + 4, std::size_t{count} * R1csTerms::kTermBytes);
  copies_[matrix].assign(raw.begin(), raw.end());
  const R1csTerms terms(copies_[matrix].data(), count);
  const std::span<const std::uint64_t> prime = scalar_prime(circuit_->curve);
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint64_t at = offset_ + 4 + std::uint64_t{i} * R1csTerms::kTermBytes;
    const R1csTerm term = terms[i];
    if (term.wire >= circuit_->counts.wires)
      return bad(at, fmt::format("term {} is of wire {} where there are {}", i, term.wire,
                                 circuit_->counts.wires));
    if (!is_below(term.value, prime))
      return bad(at + 4, fmt::format("the value of term {} is not below the field's prime", i));
  }
  offset_ += 4 + std::uint64_t{count} * R1csTerms::kTermBytes;
  return terms;
}

Result<bool> R1csReader::next(R1csConstraint& constraint) {
  if (read_ == circuit_->constraints) {
    const std::uint64_t left = circuit_->constraint_bytes.size() - offset_;
    if (left != 0)
      return no(*circuit_, kConstraints, offset_,
                fmt::format("{} bytes follow the last of {} constraints", left, read_));
    return false;
  }
  constraint.index = read_;
  R1csTerms* const parts[] = {&constraint.a, &constraint.b, &constraint.c};
  for (std::size_t i = 0; i < 3; ++i) {
    const Result<R1csTerms> part = terms(read_, i);
    if (!part) return fail(part.error());
    *parts[i] = *part;
  }
  ++read_;
  return true;
}

Result<void> each_constraint(const R1cs& circuit,
                             const std::function<void(const R1csConstraint&)>& visit) {
  R1csReader reader(circuit);
  R1csConstraint constraint;
  while (true) {
    const Result<bool> more = reader.next(constraint);
    if (!more) return fail(more.error());
    if (!*more) return {};
    visit(constraint);
  }
}

Result<R1csWriter> R1csWriter::create(const std::string& path, CurveId curve) {
  Result<SectionWriter> out = SectionWriter::create(path, kFormat.magic, kFormat.version);
  if (!out) return fail(out.error());
  // First, as circom does: the counts in the header come out of writing the constraints.
  if (Result<void> done = out->begin(kConstraints); !done) return fail(done.error());
  return R1csWriter(std::move(*out), curve);
}

Result<void> R1csWriter::constraint(std::span<const R1csTerm> a, std::span<const R1csTerm> b,
                                    std::span<const R1csTerm> c) {
  PROVER_CHECK(constraints_ < UINT32_MAX, "a number of constraints that fits the format");
  for (const std::span<const R1csTerm> terms : {a, b, c}) {
    if (Result<void> done = out_.write_u32(static_cast<std::uint32_t>(terms.size())); !done)
      return done;
    for (const R1csTerm& term : terms) {
      if (Result<void> done = out_.write_u32(term.wire); !done) return done;
      if (Result<void> done = out_.write(Bytes(term.value, kValueBytes)); !done) return done;
    }
  }
  ++constraints_;
  return {};
}

Result<void> R1csWriter::finish(const R1csCounts& counts) {
  PROVER_CHECK(std::uint64_t{counts.public_outputs} + counts.public_inputs < counts.wires,
               "room for public wires");
  if (Result<void> done = out_.end(); !done) return done;
  if (Result<void> done = out_.begin(kHeader); !done) return done;
  if (Result<void> done = out_.write_u32(kValueBytes); !done) return done;
  if (Result<void> done = out_.write(bytes_of(scalar_prime(curve_))); !done) return done;
  for (const std::uint32_t count :
       {counts.wires, counts.public_outputs, counts.public_inputs, counts.private_inputs})
    if (Result<void> done = out_.write_u32(count); !done) return done;
  const std::uint64_t labels = counts.labels == 0 ? counts.wires : counts.labels;
  if (Result<void> done = out_.write_u64(labels); !done) return done;
  if (Result<void> done = out_.write_u32(constraints_); !done) return done;
  if (Result<void> done = out_.end(); !done) return done;
  if (Result<void> done = out_.begin(kLabels); !done) return done;
  for (std::uint32_t wire = 0; wire < counts.wires; ++wire)
    if (Result<void> done = out_.write_u64(wire); !done) return done;
  if (Result<void> done = out_.end(); !done) return done;
  return out_.finish();
}

}  // namespace prover::files
