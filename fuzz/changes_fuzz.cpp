// SPDX-License-Identifier: Apache-2.0
// Any bytes are a change, or a file of changes, or an error with a reason; what was read makes
// configurations or says why not.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.hpp"
#include "plan/change.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto one = assay::plan::parse_change(text);
  ASSAY_CHECK(one || !one.error().what.empty(), "an error says what is wrong");
  const auto changes = assay::plan::parse_changes(text, "f");
  if (!changes) {
    ASSAY_CHECK(!changes.error().what.empty() && changes.error().where.starts_with("f"),
                "an error says what is wrong and where");
    return 0;
  }
  assay::Subject base{.argv = {"run", "{cap}"}};
  base.build = assay::BuildSpec{.command = "make {defines}"};
  const auto arms = assay::plan::configurations(base, *changes);
  if (arms)
    ASSAY_CHECK(arms->size() == std::size_t{1} << changes->size(), "every subset once");
  else
    ASSAY_CHECK(!arms.error().what.empty(), "an error says what is wrong");
  return 0;
}
