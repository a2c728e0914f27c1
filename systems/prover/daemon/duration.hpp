// SPDX-License-Identifier: Apache-2.0
// Spans of time as operators write them, and addresses that only this machine can reach.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "prover/base/result.hpp"

namespace prover::daemon {

// 250ms, 30s, 5m, 2h, 7d: a number and its unit, at most 365 days.
Result<std::chrono::milliseconds> parse_duration(std::string_view text);
// In the largest unit that divides it: 90000 ms is 90s.
std::string show_duration_exactly(std::chrono::milliseconds span);

struct Endpoint {
  std::string host;  // 127.x.y.z, ::1 or localhost
  std::uint16_t port = 0;
};
// HOST:PORT, [::1]:PORT. Refuses what other machines could reach, with the reason.
Result<Endpoint> parse_loopback(std::string_view text);

}  // namespace prover::daemon
