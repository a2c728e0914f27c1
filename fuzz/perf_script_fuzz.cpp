// SPDX-License-Identifier: Apache-2.0
// Any bytes as the text of perf script, read whole and in small pieces: the same spans, which keep
// the rules of the event model.
#include "trace/importers/perf_script.hpp"
#include "trace_fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  const auto run = assay::fuzz::import(assay::trace::perf_script_importer(), bytes);
  assay::fuzz::check_pieces(assay::trace::perf_script_importer(), bytes, run);
  return 0;
}
