// SPDX-License-Identifier: Apache-2.0
// Recorded runs inside the program: data/noise/*.csv, turned into arrays when the build is
// configured, so that an installed assay has them too.
#pragma once

#include <span>
#include <string_view>

namespace assay::experiment {

// What one run of the recorded program took; wall, CPU time and memory belong together.
struct RecordedRun {
  double wall_s = 0;
  double cpu_s = 0;
  double peak_kib = 0;  // largest process
};

// Runs of one program in the order in which they were made. Both sides were the same program, so
// that any split of the runs into two sides compares it with itself.
struct RecordedSeries {
  std::string_view name;
  std::string_view about;
  std::span<const RecordedRun> runs;
};

std::span<const RecordedSeries> recorded_series();

}  // namespace assay::experiment
