// SPDX-License-Identifier: Apache-2.0
// One event of a Chrome trace, found in its text. Views point into the window it was read from.
#pragma once

#include <cstdint>
#include <string_view>

#include "trace/events.hpp"

namespace assay::trace {

struct ChromeEvent {
  char phase = 0;  // 0 = none
  bool has_time = false, has_duration = false;
  bool has_bad_number = false;                    // "ts" or "dur" is there, but no number that fits
  bool binds_enclosing = false;                   // "bp": "e"
  Nanos time = 0, duration = 0;                   // of "ts" and "dur", which are in us
  std::int64_t pid = 0, tid = 0;                  // when they are integers
  std::string_view pid_text = {}, tid_text = {};  // as written, when they are anything else
  std::string_view name = {}, category = {}, scope = {};
  std::string_view id = {};    // as written
  std::string_view id2 = {};   // as written, an object
  std::string_view args = {};  // as written, an object; "" = none

  bool operator==(const ChromeEvent&) const = default;
};

enum class Scan { complete, incomplete, malformed };

// The event whose '{' is at `at`, in padded text that ends at `end`. When complete, `at` moves
// behind its '}'; otherwise it stays. `decimals` grows to the most decimals seen in a "ts".
Scan scan_chrome_event(const char*& at, const char* end, ChromeEvent& event, int& decimals);

}  // namespace assay::trace
