// SPDX-License-Identifier: Apache-2.0
// Input: a rules file, a line "---", a log. Any bytes either are rules or an error with a place;
// the log is then read by them without a span that ends before it begins and with every id in
// range.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.hpp"
#include "trace/importer.hpp"
#include "trace/rules.hpp"
#include "trace/source.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace assay::trace;
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const std::size_t cut = input.find("\n---\n");
  const auto rules = parse_rules(input.substr(0, cut), "f");
  if (!rules) {
    ASSAY_CHECK(!rules.error().what.empty() && rules.error().where.starts_with("f"),
                "an error says what is wrong and where");
    return 0;
  }
  if (cut == std::string_view::npos) return 0;
  ImportOptions options;
  options.rules = &*rules;
  const auto source = memory_source(std::string(input.substr(cut + 5)), "log");
  const auto trace = import_run(*source, "", options);
  if (!trace) {
    ASSAY_CHECK(!trace.error().what.empty(), "an error says what is wrong");
    return 0;
  }
  for (std::size_t i = 0; i < trace->spans.size(); ++i) {
    ASSAY_CHECK(trace->spans.end[i] >= trace->spans.begin[i], "a span has a length");
    ASSAY_CHECK(trace->spans.stage[i] < trace->stages.size(), "a stage exists");
    ASSAY_CHECK(trace->spans.item[i] == kNone || trace->spans.item[i] < trace->items.size(),
                "an item exists");
    ASSAY_CHECK(trace->spans.worker[i] == kNone || trace->spans.worker[i] < trace->workers.size(),
                "a worker exists");
  }
  return 0;
}
