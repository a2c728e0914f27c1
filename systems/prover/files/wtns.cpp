// SPDX-License-Identifier: Apache-2.0
#include "prover/files/wtns.hpp"

#include <fmt/format.h>

#include "prover/files/output_file.hpp"
#include "prover/files/values.hpp"

namespace prover::files {
namespace {

constexpr std::uint32_t kHeader = 1;
constexpr std::uint32_t kValues = 2;
constexpr std::uint32_t kValueBytes = 32;
constexpr char kDamaged[] = "the witness is damaged: calculate or copy it again";

constexpr SectionName kNames[] = {{kHeader, "header", true}, {kValues, "values", true}};
constexpr Format kFormat = {
    "wtns", 2, "circom's witness generators and prover circuit write .wtns files", kNames};

bool is_one(const std::byte* value) {
  return load_u64(value) == 1 && load_u64(value + 8) == 0 && load_u64(value + 16) == 0 &&
         load_u64(value + 24) == 0;
}

}  // namespace

std::string Wtns::where(std::uint32_t wire) const {
  return sections.where(kValues, std::uint64_t{wire} * kValueBytes);
}

Result<Wtns> Wtns::parse(Bytes file, const std::string& path) {
  Result<SectionTable> table = SectionTable::parse(file, path, kFormat);
  if (!table) return fail(table.error());
  Wtns witness;
  witness.sections = std::move(*table);
  const Result<CurveId> curve = curve_of_header(witness.sections, kHeader);
  if (!curve) return fail(curve.error());
  witness.curve = *curve;
  const Bytes header = witness.sections.at(kHeader).bytes;
  constexpr std::size_t kCountAt = 4 + kValueBytes;
  if (header.size() != kCountAt + 4)
    return fail(ErrorKind::usage,
                fmt::format("the header has {} bytes where {} belong", header.size(), kCountAt + 4),
                witness.sections.where(kHeader), kDamaged);
  witness.count = load_u32(header.data() + kCountAt);
  witness.values = witness.sections.at(kValues).bytes;
  if (witness.count == 0)
    return fail(ErrorKind::usage, "the witness has no values, not even the constant 1",
                witness.sections.where(kHeader, kCountAt), kDamaged);
  const std::uint64_t expected = std::uint64_t{witness.count} * kValueBytes;
  if (witness.values.size() != expected)
    return fail(ErrorKind::usage,
                fmt::format("the section has {} bytes where {} belong: {} values of {} bytes",
                            witness.values.size(), expected, witness.count, kValueBytes),
                witness.sections.where(kValues), kDamaged);
  return witness;
}

Result<WtnsFile> WtnsFile::open(const std::string& path) {
  Result<MappedFile> file = MappedFile::open(path);
  if (!file) return fail(file.error());
  Result<Wtns> witness = Wtns::parse(file->bytes(), path);
  if (!witness) return fail(witness.error());
  return WtnsFile(std::move(*file), std::move(*witness));
}

Result<void> check_values(const Wtns& witness, std::uint32_t first, std::uint32_t last) {
  PROVER_CHECK(first <= last && last <= witness.count, "a range of wires");
  const std::span<const std::uint64_t> prime = scalar_prime(witness.curve);
  for (std::uint32_t wire = first; wire < last; ++wire)
    if (!is_below(witness.value(wire), prime))
      return fail(ErrorKind::usage,
                  fmt::format("the value of wire {} is not below the field's prime", wire),
                  witness.where(wire), kDamaged);
  if (first == 0 && last > 0 && !is_one(witness.value(0)))
    return fail(ErrorKind::usage, "the value of wire 0, the constant, is not 1", witness.where(0),
                kDamaged);
  return {};
}

Result<void> write_wtns(const std::string& path, CurveId curve, Bytes values) {
  PROVER_CHECK(!values.empty() && values.size() % kValueBytes == 0, "values of 32 bytes");
  PROVER_CHECK(values.size() / kValueBytes <= UINT32_MAX, "a count that fits the format");
  Result<SectionWriter> out = SectionWriter::create(path, "wtns", kFormat.version);
  if (!out) return fail(out.error());
  if (Result<void> done = out->begin(kHeader); !done) return done;
  if (Result<void> done = out->write_u32(kValueBytes); !done) return done;
  if (Result<void> done = out->write(bytes_of(scalar_prime(curve))); !done) return done;
  const auto count = static_cast<std::uint32_t>(values.size() / kValueBytes);
  if (Result<void> done = out->write_u32(count); !done) return done;
  if (Result<void> done = out->end(); !done) return done;
  if (Result<void> done = out->begin(kValues); !done) return done;
  if (Result<void> done = out->write(values); !done) return done;
  if (Result<void> done = out->end(); !done) return done;
  return out->finish();
}

}  // namespace prover::files
