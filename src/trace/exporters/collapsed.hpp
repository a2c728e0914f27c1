// SPDX-License-Identifier: Apache-2.0
// The self time of nested spans as collapsed stacks, "main;work;sort 1200", in ns; of two traces as
// "stack a b", which flame graph tools turn into a differential flame graph.
#pragma once

#include <span>

#include "trace/events.hpp"
#include "trace/exporters/output.hpp"

namespace assay::trace {

// A span is called by the innermost span of its worker that holds it; without a worker it stands
// alone. Frames are stages, "gpu (queue_wait)" where the kind is not service. Stacks are in the
// order of their text; those without self time in any trace are left out. `traces` has one or two.
Result<void> write_collapsed(std::span<const Trace* const> traces, const Sink& sink);

}  // namespace assay::trace
