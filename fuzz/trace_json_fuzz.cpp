// SPDX-License-Identifier: Apache-2.0
// A trace of assay as a file: whatever is accepted can be written again.
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/check.hpp"
#include "trace/exporters/trace_json.hpp"
#include "trace/importers/trace_json.hpp"
#include "trace/source.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto source =
      assay::trace::memory_source(std::string(reinterpret_cast<const char*>(data), size));
  const auto trace = assay::trace::trace_json_importer().read(*source, {});
  if (!trace) return 0;
  const auto packed = assay::trace::trace_json_zst(*trace);
  ASSAY_CHECK(packed.has_value(), "what was read can be written");
  return 0;
}
