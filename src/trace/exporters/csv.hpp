// SPDX-License-Identifier: Apache-2.0
// The spans of a trace as CSV: begin_ns,end_ns,stage,kind,item,worker,quality. Fields are quoted as
// RFC 4180 says; line breaks in names become blanks, so that a row is a line.
#pragma once

#include "trace/events.hpp"
#include "trace/exporters/output.hpp"

namespace assay::trace {

Result<void> write_csv(const Trace& trace, const Sink& sink);

}  // namespace assay::trace
