// SPDX-License-Identifier: Apache-2.0
// Numbers as they lie in files: little-endian bytes at any alignment.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "prover/base/result.hpp"
#include "prover/field/curve_id.hpp"
#include "prover/files/mapped_file.hpp"
#include "prover/files/sections.hpp"

namespace prover::files {

// Is the number of 8 x limbs.size() bytes at `value` below `limbs`?
bool is_below(const std::byte* value, std::span<const std::uint64_t> limbs);
// The same for two numbers of as many limbs.
bool is_below(std::span<const std::uint64_t> value, std::span<const std::uint64_t> limbs);
bool is_equal(Bytes value, std::span<const std::uint64_t> limbs);
// The place of the highest bit that is set, counted from 1; 0 for 0.
std::uint64_t bit_length(Bytes value);
// The bytes of `limbs` as files hold them.
Bytes bytes_of(std::span<const std::uint64_t> limbs);

// A prime with its size before it: u32 size, then so many bytes, at the start of `bytes`. Nothing
// when it does not fit.
std::optional<Bytes> sized_prime(Bytes bytes);
// The curve of which a circuit's or a witness's header names the scalar prime, in section `id`.
// A prime of neither curve is refused with its size and what can be done.
Result<CurveId> curve_of_header(const SectionTable& table, std::uint32_t id);

}  // namespace prover::files
