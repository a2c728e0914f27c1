// SPDX-License-Identifier: Apache-2.0
// What competed with a run for the machine: pressure stall information and stolen time over the
// run. They are the host's, not the run's, and explain why wall is undecided where cpu is not.
//
// Ref: Documentation/accounting/psi.rst, proc(5) on /proc/stat. Caveats: steal comes in ticks of
// 10 ms; memory pressure includes that of the run itself.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "model/trial.hpp"

namespace assay::measure {

// Microseconds behind "total=" on the line "some ..." of a /proc/pressure file. Nothing for text
// that is torn or of another kind: never a number that was cut.
std::optional<std::uint64_t> parse_pressure(std::string_view text);

// Ticks of stolen time of all CPUs: the eighth number of the first line of /proc/stat. The line
// must be complete.
std::optional<std::uint64_t> parse_steal(std::string_view text);

// Time that a thread was runnable but did not run: the second number of /proc/PID/schedstat.
// Nothing when the kernel does not keep count, which shows as three zeros (a thread that ran has
// run time).
std::optional<std::chrono::nanoseconds> parse_run_delay(std::string_view text);

// Deltas over one run. Holds four descriptors; a pair of start and stop is a handful of preads.
// Fills the host's members of Contention; run delay and context switches belong to the process and
// come from whoever reaps it.
class ContentionMeter {
 public:
  // `root` stands for "/" in tests.
  explicit ContentionMeter(const std::string& root = "");
  ~ContentionMeter();
  ContentionMeter(const ContentionMeter&) = delete;
  ContentionMeter& operator=(const ContentionMeter&) = delete;

  void start();
  // The differences since start(); absent where either reading was, or where a counter went back.
  Contention stop();

 private:
  struct Totals {
    std::optional<std::uint64_t> cpu_us, memory_us, io_us, steal_ticks;
  };
  void read_pressure(Totals& totals) const;
  std::optional<std::uint64_t> read_steal();

  int cpu_ = -1, memory_ = -1, io_ = -1, stat_ = -1;
  std::chrono::nanoseconds tick_;
  std::chrono::steady_clock::time_point steal_read_at_;
  Totals before_;
};

}  // namespace assay::measure
