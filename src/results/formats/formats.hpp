// SPDX-License-Identifier: Apache-2.0
// One reader a tool; each source begins with what its format carries and what it cannot say.
#pragma once

#include "results/results.hpp"

namespace assay::results {

extern const Format kGbench;           // Google Benchmark, --benchmark_format=json
extern const Format kChainsafe;        // @chainsafe/benchmark: history CSV, raw CSV, the older JSON
extern const Format kCatch2;           // Catch2, --reporter xml
extern const Format kGo;               // go test -bench, also as benchstat reads it and with -json
extern const Format kPytest;           // pytest-benchmark, --benchmark-json
extern const Format kHyperfine;        // hyperfine, --export-json
extern const Format kCriterion;        // criterion.rs, and cargo criterion
extern const Format kPyperf;           // pyperf, JSON
extern const Format kJmh;              // JMH, -rf json
extern const Format kNanobench;        // nanobench, JSON and CSV templates
extern const Format kMitata;           // mitata, JSON
extern const Format kBenchmarkDotNet;  // BenchmarkDotNet, JSON
extern const Format kBencher;          // Bencher Metric Format
extern const Format kGithubAction;     // github-action-benchmark, data.js

}  // namespace assay::results
