// SPDX-License-Identifier: Apache-2.0
// The script that every Node process of a suite loads first.
#pragma once

#include <string_view>

namespace assay::suite {

// Node reads it through NODE_OPTIONS=--require. To the file ASSAY_NODE_RESULTS it appends a JSON
// object a line:
//   {"id", "runs_ns": "1\n2...", "end_ms", "heap"?}   a benchmark of @chainsafe/benchmark has ended
//   {"end": true, "start_heap", "heap", "limit", "gc_ms", "gcs": [[start_ms, ms]...]}  at the exit
// Heap sizes are bytes in use behind a full collection; between benchmarks the heap is collected
// only with ASSAY_NODE_COLLECT=1, since that changes what the next one finds.
std::string_view node_preload();

}  // namespace assay::suite
