// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <array>

#include "prover/files/values.hpp"
#include "prover/files/zkey.hpp"

namespace prover::files {
namespace {

constexpr std::uint32_t kGroth16 = 1;
// The hash of the circuit in a ceremony; nobody checks that of a key that had none.
constexpr std::array<std::byte, 64> kNoHash{};
constexpr std::uint64_t kFirstRecord = 4;

constexpr std::uint32_t bit_of(ZkeySection section) {
  return 1U << static_cast<std::uint32_t>(section);
}
constexpr std::uint32_t kNeeded = bit_of(ZkeySection::ic) | bit_of(ZkeySection::coefficients) |
                                  bit_of(ZkeySection::a) | bit_of(ZkeySection::b1) |
                                  bit_of(ZkeySection::b2) | bit_of(ZkeySection::c) |
                                  bit_of(ZkeySection::h);

Result<void> write_prime(SectionWriter& out, std::span<const std::uint64_t> prime) {
  if (Result<void> done = out.write_u32(static_cast<std::uint32_t>(prime.size_bytes())); !done)
    return done;
  return out.write(bytes_of(prime));
}

void check_header(const ZkeyHeader& header) {
  PROVER_CHECK(header.wires > header.publics, "room for public wires");
  for (const Bytes point : {header.alpha1, header.beta1, header.delta1})
    PROVER_CHECK(point.size() == g1_bytes(header.curve), "a point of G1");
  for (const Bytes point : {header.beta2, header.gamma2, header.delta2})
    PROVER_CHECK(point.size() == g2_bytes(header.curve), "a point of G2");
}

Result<void> write_header(SectionWriter& out, const ZkeyHeader& header) {
  if (Result<void> done = out.begin(static_cast<std::uint32_t>(ZkeySection::header)); !done)
    return done;
  for (const std::span<const std::uint64_t> prime :
       {field_prime(header.curve), scalar_prime(header.curve)})
    if (Result<void> done = write_prime(out, prime); !done) return done;
  for (const std::uint32_t count : {header.wires, header.publics, header.domain_size})
    if (Result<void> done = out.write_u32(count); !done) return done;
  for (const Bytes point :
       {header.alpha1, header.beta1, header.beta2, header.gamma2, header.delta1, header.delta2})
    if (Result<void> done = out.write(point); !done) return done;
  return out.end();
}

Result<void> write_section(SectionWriter& out, ZkeySection section, Bytes bytes) {
  if (Result<void> done = out.begin(static_cast<std::uint32_t>(section)); !done) return done;
  if (Result<void> done = out.write(bytes); !done) return done;
  return out.end();
}

Bytes bytes_of_text(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

}  // namespace

Result<ZkeyWriter> ZkeyWriter::create(const std::string& path, const ZkeyHeader& header,
                                      std::optional<std::string_view> insecure_note) {
  check_header(header);
  Result<SectionWriter> out = SectionWriter::create(path, "zkey", 1);
  if (!out) return fail(out.error());
  const Bytes protocol = std::as_bytes(std::span(&kGroth16, 1));
  if (Result<void> done = write_section(*out, ZkeySection::protocol, protocol); !done)
    return fail(done.error());
  if (Result<void> done = write_header(*out, header); !done) return fail(done.error());
  if (insecure_note)
    if (Result<void> done =
            write_section(*out, ZkeySection::insecure, bytes_of_text(*insecure_note));
        !done)
      return fail(done.error());
  return ZkeyWriter(std::move(*out), header);
}

Result<void> ZkeyWriter::begin(ZkeySection section) {
  PROVER_CHECK(!open_, "one section at a time");
  PROVER_CHECK(section >= ZkeySection::ic && section <= ZkeySection::h, "a section for the caller");
  PROVER_CHECK((written_ & bit_of(section)) == 0, "each section once");
  open_ = section;
  written_ |= bit_of(section);
  if (Result<void> done = out_.begin(static_cast<std::uint32_t>(section)); !done) return done;
  // The count, filled in at the end.
  if (section == ZkeySection::coefficients) return out_.write_u32(0);
  return {};
}

Result<void> ZkeyWriter::write(Bytes bytes) {
  PROVER_CHECK(open_ && *open_ != ZkeySection::coefficients, "an open section of points");
  return out_.write(bytes);
}

Result<void> ZkeyWriter::write(const Coefficient& coefficient) {
  PROVER_CHECK(open_ == ZkeySection::coefficients, "the open section of coefficients");
  PROVER_CHECK(coefficient.matrix <= 1 && coefficient.row < domain_size_ &&
                   coefficient.wire < wires_ && is_below(coefficient.value, scalar_prime(curve_)),
               "a coefficient that fits the header");
  for (const std::uint32_t field : {coefficient.matrix, coefficient.row, coefficient.wire})
    if (Result<void> done = out_.write_u32(field); !done) return done;
  return out_.write(Bytes(coefficient.value, kScalarBytes));
}

std::uint64_t ZkeyWriter::expected_size(ZkeySection section) const {
  const std::uint64_t g1 = g1_bytes(curve_);
  switch (section) {
    case ZkeySection::ic:
      return (std::uint64_t{publics_} + 1) * g1;
    case ZkeySection::b2:
      return std::uint64_t{wires_} * g2_bytes(curve_);
    case ZkeySection::c:
      return (std::uint64_t{wires_} - publics_ - 1) * g1;
    case ZkeySection::h:
      return std::uint64_t{domain_size_} * g1;
    default:
      return std::uint64_t{wires_} * g1;
  }
}

Result<void> ZkeyWriter::end() {
  PROVER_CHECK(open_.has_value(), "an open section");
  const ZkeySection section = *open_;
  open_.reset();
  if (section == ZkeySection::coefficients) {
    const std::uint64_t count = (out_.section_size() - kFirstRecord) / Coefficients::kRecordBytes;
    if (count > UINT32_MAX)
      return fail(ErrorKind::too_large,
                  fmt::format("{} coefficients are more than a key can hold", count), {},
                  "split the circuit");
    if (Result<void> done = out_.overwrite_u32(0, static_cast<std::uint32_t>(count)); !done)
      return done;
  } else {
    PROVER_CHECK(out_.section_size() == expected_size(section),
                 "as many points as the header says");
  }
  return out_.end();
}

Result<void> ZkeyWriter::finish() {
  PROVER_CHECK(!open_ && written_ == kNeeded, "every section");
  // As snarkjs writes them: the circuit's hash and the number of contributions.
  if (Result<void> done = out_.begin(static_cast<std::uint32_t>(ZkeySection::contributions)); !done)
    return done;
  if (Result<void> done = out_.write(kNoHash); !done) return done;
  if (Result<void> done = out_.write_u32(0); !done) return done;
  if (Result<void> done = out_.end(); !done) return done;
  return out_.finish();
}

}  // namespace prover::files
