// SPDX-License-Identifier: Apache-2.0
// Any bytes either are a case, which is written and read again as the same one and has a status
// without records, or an error with a place. And any line either is a prediction or has a slip
// inside it.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.hpp"
#include "cases/case_file.hpp"
#include "cases/status.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  namespace cases = assay::cases;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto prediction = cases::parse_prediction(text);
  if (prediction)
    ASSAY_CHECK(!cases::to_text(*prediction).empty(), "a prediction can be printed");
  else
    ASSAY_CHECK(prediction.error().offset <= text.size() && !prediction.error().what.empty(),
                "a slip lies inside the text");
  const auto made = cases::parse_case(text, "f", "f");
  if (!made) {
    ASSAY_CHECK(!made.error().what.empty() && made.error().where.starts_with("f"),
                "an error says what is wrong and where");
    return 0;
  }
  const auto again = cases::parse_case(cases::to_toml(*made), "f", "f");
  ASSAY_CHECK(again && *again == *made, "a case is written as it was read");
  const auto status = cases::status_of(*made, {});
  ASSAY_CHECK(status.hypotheses.size() == made->hypotheses.size(), "every hypothesis has a status");
  return 0;
}
