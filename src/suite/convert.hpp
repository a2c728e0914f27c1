// SPDX-License-Identifier: Apache-2.0
// From another tool's result file to what the benchmarks of one process measured.
#pragma once

#include <string>

#include "results/results.hpp"
#include "suite/adapter.hpp"

namespace assay::suite {

// Every series of the metric "time" (or, for a benchmark that has none, of its first metric in
// seconds) is a measurement. Fields of the names memory_before, memory_after (bytes), setup_s and
// gc_s become those members, the others facts. A benchmark that occurs twice is "name#2".
Reading measurements_of(const results::File& file);

// `text` read as `format`; what cannot be read is a doubt, and no measurement.
Reading read_results(const std::string& text, const std::string& format);

// The same of a tool that runs tests too: a text without any benchmark is well.
Reading read_results_of_tests(const std::string& text, const std::string& format);

// One measurement from the repetitions of one process.
void take_process(const results::Process& process, Measurement& to);

}  // namespace assay::suite
