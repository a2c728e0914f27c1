// SPDX-License-Identifier: Apache-2.0
// Any bytes are a log of some kind or an error. The first byte chooses the format, else the content
// does; the rules that are guessed from it must be rules.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.hpp"
#include "trace/importer.hpp"
#include "trace/rules.hpp"
#include "trace/source.hpp"
#include "trace/suggest.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace assay::trace;
  if (size == 0) return 0;
  static constexpr const char* kFormats[] = {"", "timeline", "csv", "tracing", "text"};
  const std::string format = kFormats[data[0] % 5U];
  const std::string log(reinterpret_cast<const char*>(data) + 1, size - 1);
  ASSAY_CHECK(parse_rules(suggest_rules(log), "s"), "what is proposed is a rules file");
  const auto source = memory_source(log, "log");
  const auto trace = import_run(*source, format, {});
  if (!trace) {
    ASSAY_CHECK(!trace.error().what.empty(), "an error says what is wrong");
    return 0;
  }
  for (std::size_t i = 0; i < trace->spans.size(); ++i) {
    ASSAY_CHECK(trace->spans.end[i] >= trace->spans.begin[i], "a span has a length");
    ASSAY_CHECK(trace->spans.stage[i] < trace->stages.size(), "a stage exists");
  }
  return 0;
}
