// SPDX-License-Identifier: Apache-2.0
#include "suite/node_preload.hpp"

namespace assay::suite {

// The tool writes the raw times of a benchmark to BENCHMARK_RESULTS_CSV_DIR/ID.csv when it ends.
// That is caught here, because an id with a '/' would be a folder that is not there, and end the
// benchmark. Collections are reported by the runtime some time later, when its event loop turns, so
// they are kept with the times at which they began. At most kMostCollections of them are.
std::string_view node_preload() {
  return R"js('use strict';
const fs = require('node:fs');
const path = require('node:path');
const v8 = require('node:v8');
const vm = require('node:vm');
const { PerformanceObserver, performance } = require('node:perf_hooks');
const results = process.env.ASSAY_NODE_RESULTS;
const folder = process.env.BENCHMARK_RESULTS_CSV_DIR;
if (results && folder) {
  const kMostCollections = 200000;
  const collects = process.env.ASSAY_NODE_COLLECT === '1';
  const writeFile = fs.writeFileSync;
  const append = (value) => fs.appendFileSync(results, JSON.stringify(value) + '\n');
  let collect = () => {};
  try {
    v8.setFlagsFromString('--expose-gc');
    collect = vm.runInNewContext('gc');
  } catch {}
  const heap = () => { collect(); return process.memoryUsage().heapUsed; };
  const startHeap = process.memoryUsage().heapUsed;
  const gcs = [];
  let gcMs = 0, benchmarks = 0;
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      gcMs += entry.duration;
      if (gcs.length < kMostCollections) gcs.push([entry.startTime, entry.duration]);
    }
  }).observe({ entryTypes: ['gc'] });
  fs.writeFileSync = function (file, data, ...rest) {
    const inside = typeof file === 'string' ? path.relative(folder, file) : '..';
    if (inside.startsWith('..') || !inside.endsWith('.csv'))
      return writeFile.call(fs, file, data, ...rest);
    ++benchmarks;
    const event = { id: inside.slice(0, -4), runs_ns: String(data), end_ms: performance.now() };
    if (collects) event.heap = heap();
    append(event);
  };
  process.on('exit', () => {
    if (benchmarks === 0) return;
    append({ end: true, start_heap: startHeap, heap: heap(),
             limit: v8.getHeapStatistics().heap_size_limit, gc_ms: gcMs, gcs });
  });
}
)js";
}

}  // namespace assay::suite
