// SPDX-License-Identifier: Apache-2.0
// The rule over JSON lines, for `assay judge --serve` and the conformance vectors: one request a
// line, one answer a line, in order.
//   {"id":1,"op":"decide","a":[..],"b":[..],"tolerance":0.02,"max_runs":198,"alpha":0.01,
//    "sys_sigma":0,"sys_k":0,"brief":false}
//   {"op":"holm"|"bh","p":[..],"level":x}   {"op":"noise_floor","runs":[[a,b],..]}
//   {"op":"builds","e":[..],"tolerance":x}  {"op":"factorial"|"sweep","y":[[..],..],"tolerance":x}
// A missing "op" is "decide". The answer repeats "id"; ratios are candidate / baseline;
// docs/statistics.md has the fields.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace assay::verdict {

inline constexpr std::size_t kMaxRequestBytes = std::size_t{8} << 20;
inline constexpr std::size_t kMaxWalshAverages = 20'000'000;  // of one request: a few seconds

// The answer to one request, without newline. A bad request is answered {"id":..,"error":".."};
// nothing in a request can make it fail otherwise. Pure and thread safe.
std::string answer(std::string_view request_line);

}  // namespace assay::verdict
