// SPDX-License-Identifier: Apache-2.0
// For tests of importers: a text imported, and its spans as lines that can be compared.
#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

#include "trace/importer.hpp"
#include "trace/source.hpp"

namespace assay::trace::testing {

using Lines = std::vector<std::string>;

inline Result<Trace> import(const Importer& importer, const std::string& text,
                            const Rules* rules = nullptr) {
  const auto source = memory_source(text, "t");
  ImportOptions options;
  options.rules = rules;
  return importer.read(*source, options);
}

// "stage kind begin..end worker quality item" of each span.
inline Lines spans_of(const Trace& run) {
  Lines all;
  for (std::size_t i = 0; i < run.spans.size(); ++i) {
    const std::uint32_t worker = run.spans.worker[i], item = run.spans.item[i];
    all.push_back(fmt::format(
        "{} {} {}..{} {} {} {}", run.stages[run.spans.stage[i]].name, to_word(run.spans.kind[i]),
        run.spans.begin[i], run.spans.end[i], worker == kNone ? "-" : run.workers[worker].label,
        to_word(run.spans.quality[i]), item == kNone ? "-" : run.strings.at(run.items.key[item])));
  }
  return all;
}

}  // namespace assay::trace::testing
