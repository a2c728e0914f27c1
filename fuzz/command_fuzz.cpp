// SPDX-License-Identifier: Apache-2.0
// Splitting any bytes either gives words, which join and split to themselves, or an error with
// text.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.hpp"
#include "base/text.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view line(reinterpret_cast<const char*>(data), size);
  const auto words = assay::split_command(line);
  if (words) {
    const auto again = assay::split_command(assay::join_command(*words));
    ASSAY_CHECK(again && *again == *words, "joined words split to themselves");
  } else {
    ASSAY_CHECK(!words.error().what.empty(), "an error says what is wrong");
  }
  return 0;
}
