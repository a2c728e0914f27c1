// SPDX-License-Identifier: Apache-2.0
// Any line at all: `assay judge --serve` answers with one line of JSON that carries the request's
// id.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.hpp"
#include "base/json.hpp"
#include "verdict/protocol.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view line(reinterpret_cast<const char*>(data), size);
  const std::string text = assay::verdict::answer(line);
  ASSAY_CHECK(text.find('\n') == std::string::npos, "an answer is one line");
  const auto json = assay::parse_json(text);
  ASSAY_CHECK(json.has_value() && json->is_object() && json->has("id"), "an answer is an object");
  ASSAY_CHECK(json->has("error") || json->size() >= 2, "an answer says something");
  return 0;
}
