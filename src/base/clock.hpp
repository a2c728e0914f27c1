// SPDX-License-Identifier: Apache-2.0
// The time of day, for what is stored and shown. Durations come from steady clocks, never from
// here.
#pragma once

#include <chrono>
#include <cstdint>

namespace assay {

// Unix time, milliseconds.
inline std::int64_t unix_ms() {
  using namespace std::chrono;
  return duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count();
}

}  // namespace assay
