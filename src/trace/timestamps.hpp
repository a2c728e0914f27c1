// SPDX-License-Identifier: Apache-2.0
// Times and durations as logs write them, in exact integer nanoseconds. Every reader works on the
// front of a text and says how many bytes it took; numbers that do not fit 63 bits are not numbers.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "trace/events.hpp"

namespace assay::trace {

// A point in time. `absolute`: Unix time; else an offset from a start that the log does not tell.
struct Stamp {
  Nanos ns = 0;
  Nanos resolution = 1;  // the step of the last digit written
  bool absolute = false;
  std::size_t length = 0;  // bytes taken
};

// From here on a number of nanoseconds is taken for Unix time (March 1973); below, for an offset.
inline constexpr Nanos kUnixFrom = Nanos{100'000'000} * 1'000'000'000;

// [-]digits[.digits][e..] in units of `unit` ns: ("1.25", 1000000) -> 1250000, resolution 10000.
std::optional<Stamp> parse_decimal(std::string_view text, Nanos unit);

// 2026-03-04T05:06:07.123456Z; a blank for the T, a comma for the point, +01:00 or +0100 for the Z;
// without zone it counts as UTC.
std::optional<Stamp> parse_iso(std::string_view text);

// One or more numbers with units: 12ms, 1.5s, 12.3µs, 1h30m6.34s. Stamp::ns is the duration.
std::optional<Stamp> parse_go_duration(std::string_view text);

// Any timestamp: ISO, Unix seconds (10 digits), ms (13), us (16) or ns (19), a number with a unit
// as an offset (12.5s), a plain decimal as an offset in seconds, hh:mm:ss[.fff] as an offset from
// midnight.
std::optional<Stamp> parse_stamp(std::string_view text);

// The timestamp that a line begins with, behind blanks and an opening bracket, or else the value of
// one of the keys ts, time, timestamp, @timestamp, t (k=v or JSON) within its first 512 bytes.
std::optional<Stamp> line_stamp(std::string_view line);

}  // namespace assay::trace
