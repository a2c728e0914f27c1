// SPDX-License-Identifier: Apache-2.0
// What the collector of Go said of itself while benchmarks ran (GODEBUG=gctrace=1): a line for each
// collection, between the name of a benchmark and its numbers. The format is that of Go's package
// runtime, "gctrace".
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace assay::suite {

struct GoHeap {
  double gc_s = 0;  // what collections took while it was timed, by the clock, concurrent ones too
  std::optional<double> before = {};  // bytes that live, after the collection in front of it
  std::optional<double> after = {};   // and after that in front of the next one; to a MiB
};

// The output without the collector's lines, as go test prints it by itself. `heaps` by the name
// that a line of numbers begins with; a benchmark that ran several times adds up.
std::string without_collections(std::string_view out,
                                std::map<std::string, GoHeap, std::less<>>& heaps);

}  // namespace assay::suite
