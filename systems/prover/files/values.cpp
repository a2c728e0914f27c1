// SPDX-License-Identifier: Apache-2.0
#include "prover/files/values.hpp"

#include <fmt/format.h>

#include <bit>
#include <cstring>

namespace prover::files {

bool is_below(const std::byte* value, std::span<const std::uint64_t> limbs) {
  for (std::size_t i = limbs.size(); i-- > 0;) {
    const std::uint64_t limb = load_u64(value + 8 * i);
    if (limb != limbs[i]) return limb < limbs[i];
  }
  return false;
}

bool is_below(std::span<const std::uint64_t> value, std::span<const std::uint64_t> limbs) {
  return is_below(std::as_bytes(value).data(), limbs);
}

bool is_equal(Bytes value, std::span<const std::uint64_t> limbs) {
  const Bytes other = bytes_of(limbs);
  return value.size() == other.size() && std::memcmp(value.data(), other.data(), value.size()) == 0;
}

std::uint64_t bit_length(Bytes value) {
  for (std::size_t i = value.size(); i-- > 0;)
    if (value[i] != std::byte{0})
      return 8 * i +
             static_cast<std::uint64_t>(std::bit_width(std::to_integer<unsigned>(value[i])));
  return 0;
}

Bytes bytes_of(std::span<const std::uint64_t> limbs) { return std::as_bytes(limbs); }

std::optional<Bytes> sized_prime(Bytes bytes) {
  if (bytes.size() < 4) return std::nullopt;
  const std::uint32_t size = load_u32(bytes.data());
  if (size > bytes.size() - 4) return std::nullopt;
  return bytes.subspan(4, size);
}

Result<CurveId> curve_of_header(const SectionTable& table, std::uint32_t id) {
  const std::optional<Bytes> prime = sized_prime(table.at(id).bytes);
  if (!prime)
    return fail(ErrorKind::usage, "the field's prime does not fit into the section",
                table.where(id), "the file is damaged: make or copy it again");
  for (const CurveId curve : {CurveId::bn254, CurveId::bls12_381})
    if (is_equal(*prime, scalar_prime(curve))) return curve;
  return fail(ErrorKind::usage,
              fmt::format("the field has a prime of {} bits in {} bytes, which is that of no curve "
                          "known here",
                          bit_length(*prime), prime->size()),
              table.where(id, 4),
              "compile the circuit with circom --prime bn128 (254 bits) or --prime bls12381 (255 "
              "bits)");
}

}  // namespace prover::files
