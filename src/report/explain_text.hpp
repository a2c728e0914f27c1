// SPDX-License-Identifier: Apache-2.0
// Explanations for a terminal: one run, and two sides. Warnings apart, to be shown before anything
// else; then one sentence that answers; then the evidence, what matters most first.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "attribution/delta.hpp"
#include "attribution/description.hpp"
#include "report/options.hpp"

namespace assay::report {

struct ExplainOptions {
  TextOptions text = {};
  std::size_t top = 10;                      // rows of a table
  bool all = false;                          // every row, the laws that hold, both runs in full
  std::optional<double> memory_budget = {};  // bytes: say what fits
  bool beside_verdict = false;               // two sides below a comparison: only where it sits
};

Text explain_text(const attribution::RunDescription& run, const ExplainOptions& options);
Text explain_text(const attribution::DeltaDescription& delta, const ExplainOptions& options);

// The warnings of both sides and of their comparison, each once, with its side in front.
std::vector<trace::TraceWarning> warnings_of(const attribution::RunDescription& run);
std::vector<trace::TraceWarning> warnings_of(const attribution::DeltaDescription& delta);

// The sections that both share. All end with newlines or are empty.
namespace explain {
std::string warning_lines(const std::vector<trace::TraceWarning>& warnings,
                          const ExplainOptions& options);
// What was measured beside the stages: books, phases, laws, bottleneck, permits, memory.
std::string evidence(const attribution::RunDescription& run, const ExplainOptions& options);
std::string memory_lines(const attribution::RunDescription& run, const ExplainOptions& options);
// How many of `size` rows to show, and the line that says what is left out ("" when nothing is).
std::size_t rows_shown(std::size_t size, const ExplainOptions& options);
std::string left_out(std::size_t size, const ExplainOptions& options);
// A table under its title, with an empty line before it; nothing when the table is empty.
std::string section(std::string_view title, const std::string& body);
std::string prose(std::string_view text, const ExplainOptions& options);
// The short word of a kind in tables: "queued", "blocked".
std::string_view short_word(trace::SpanKind kind);
}  // namespace explain

}  // namespace assay::report
