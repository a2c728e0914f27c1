// SPDX-License-Identifier: Apache-2.0
// Traces as Chrome trace JSON, for ui.perfetto.dev and chrome://tracing. Our importer reads the
// same spans, counters, instants and memory back.
#pragma once

#include <span>
#include <string>

#include "trace/events.hpp"
#include "trace/exporters/output.hpp"

namespace assay::trace {

// One side of a comparison as a process of its own.
struct ExportSide {
  const Trace* trace = nullptr;
  Nanos zero = 0;  // the trace's time that is shown as 0
};

// When the first item is done: the first end of a service span of a stage that no edge leaves and
// that is no part of another. Without edges: the first end of any service span. 0 without spans.
// Two sides with these as their zeros are aligned.
Nanos first_completion(const Trace& trace);

// "A: file", "B: file"; of one side alone "file".
std::string side_name(std::span<const ExportSide> sides, std::size_t which);

// Sides are the processes 1, 2, ... called "A: file", "B: file" (one alone: "file"). Workers are
// threads with their names; overlapping spans of one worker are legal; spans without worker are
// asynchronous. Categories are the kind of the span and, where it is not cpu, of the stage; args
// have item and quality.
Result<void> write_chrome_json(std::span<const ExportSide> sides, const Sink& sink);

}  // namespace assay::trace
