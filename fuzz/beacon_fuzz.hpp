// SPDX-License-Identifier: Apache-2.0
// What every fuzz target of systems/beacon does.
#pragma once

#include <algorithm>
#include <string>

#include "beacon/base/result.hpp"

namespace beacon::fuzz {

// A message says what and where, and nothing in it moves a terminal.
inline void check_error(const Error& error) {
  BEACON_CHECK(!error.what.empty() && !error.where.empty(), "what and where");
  const std::string text = error.what + error.where + error.hint;
  BEACON_CHECK(std::all_of(text.begin(), text.end(), [](char c) { return c >= 0x20 && c < 0x7f; }),
               "a message that can be printed");
}

}  // namespace beacon::fuzz
