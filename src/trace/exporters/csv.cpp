// SPDX-License-Identifier: Apache-2.0
#include "trace/exporters/csv.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace assay::trace {
namespace {

std::string field(std::string_view text) {
  std::string line(text);
  std::ranges::replace_if(
      line, [](char c) { return c == '\n' || c == '\r'; }, ' ');
  const bool is_plain = line.find_first_of(",;\"\t") == std::string::npos &&
                        !line.starts_with(' ') && !line.ends_with(' ');
  if (is_plain) return line;
  std::string quoted = "\"";
  for (const char c : line) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

}  // namespace

Result<void> write_csv(const Trace& trace, const Sink& sink) {
  std::vector<std::string> stages, workers;
  for (const Stage& stage : trace.stages) stages.push_back(field(stage.name));
  for (const Worker& worker : trace.workers) workers.push_back(field(worker.label));
  Output out(sink);
  out.raw("begin_ns,end_ns,stage,kind,item,worker,quality\n");
  const Spans& spans = trace.spans;
  for (std::size_t i = 0; i < spans.size() && !out.has_failed(); ++i) {
    const std::uint32_t item = spans.item[i], worker = spans.worker[i];
    out.print("{},{},{},{},{},{},{}\n", spans.begin[i], spans.end[i], stages[spans.stage[i]],
              to_word(spans.kind[i]),
              item == kNone ? std::string() : field(trace.strings.at(trace.items.key[item])),
              worker == kNone ? std::string_view() : std::string_view(workers[worker]),
              to_word(spans.quality[i]));
  }
  return out.finish();
}

}  // namespace assay::trace
