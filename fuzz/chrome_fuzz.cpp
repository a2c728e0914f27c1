// SPDX-License-Identifier: Apache-2.0
// Any bytes as a Chrome trace, alone and behind enough blanks that events lie across the border of
// a block: both give the same spans, which keep the rules of the event model.
#include <string>

#include "trace/importers/chrome.hpp"
#include "trace/importers/json_window.hpp"
#include "trace_fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  const auto run = assay::fuzz::import(assay::trace::chrome_importer(), bytes);
  constexpr std::size_t kBlock = assay::trace::json::JsonWindow::kBlock;
  const std::string blanks(kBlock - size % kBlock / 2, ' ');
  const auto later = assay::fuzz::import(assay::trace::chrome_importer(), blanks + bytes);
  if (!bytes.starts_with("\xef\xbb\xbf")) {
    ASSAY_CHECK(run.has_value() == later.has_value(), "blanks do not matter");
    if (run) {
      ASSAY_CHECK(run->spans.begin == later->spans.begin && run->spans.end == later->spans.end,
                  "where a block ends does not matter");
    }
  }
  return 0;
}
