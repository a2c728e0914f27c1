// SPDX-License-Identifier: Apache-2.0
// Chrome trace JSON, as browsers, PyTorch's profiler (Kineto), Perfetto's older tools and many
// programs write it: an array of events or {"traceEvents": [...]}; a missing ']' is legal.
//
// A name is a stage, a thread a worker; spans are X events and B/E pairs; b/e pairs overlap and
// have no worker. Categories say what a span is: kernel, gpu, gpu_* and cuda are GPU stages, memcpy
// a transfer, the words of SpanKind ("queue_wait") themselves. options.rules->item names members of
// "args" ("args.step") that are the item's key. Times are in ns since the file's zero, or, where
// they are larger than 2^53 ns, since the first event's. Flow arrows and args.correlation become
// links; counters are called "name" or "name/series".
#pragma once

#include "trace/importer.hpp"

namespace assay::trace {

const Importer& chrome_importer();

}  // namespace assay::trace
