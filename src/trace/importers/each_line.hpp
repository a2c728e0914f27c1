// SPDX-License-Identifier: Apache-2.0
// All lines of a source, one after the other, for importers whose formats need no faster scan.
#pragma once

#include <cstring>
#include <string_view>

#include "trace/line_reader.hpp"

namespace assay::trace {

// Calls visit(line) with each complete line, without its "\n" or "\r\n". Afterwards bytes_read,
// lines_read, torn lines and long lines are in `trace`.
template <class Visit>
Result<void> each_line(ByteSource& source, const ImportOptions& options, Trace& trace,
                       const Visit& visit) {
  LineReader reader(source, options);
  for (;;) {
    const Result<std::string_view> block = reader.next();
    if (!block) return fail(block.error());
    if (block->empty()) break;
    const char* p = block->data();
    const char* end = p + block->size();
    while (p < end) {
      const void* found = std::memchr(p, '\n', static_cast<std::size_t>(end - p));
      const char* newline = found == nullptr ? end : static_cast<const char*>(found);
      std::string_view line(p, static_cast<std::size_t>(newline - p));
      if (line.ends_with('\r')) line.remove_suffix(1);
      ++trace.lines_read;
      visit(line);
      p = newline + 1;
    }
  }
  trace.bytes_read = reader.bytes();
  trace.lost(Loss::long_line) += reader.long_lines();
  if (reader.torn().find_first_not_of(" \t\r") != std::string_view::npos) {
    ++trace.lost(Loss::torn_line);
  }
  return {};
}

}  // namespace assay::trace
