// SPDX-License-Identifier: Apache-2.0
// One execution in a fresh process, as it was measured. In text to users: a run.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/suite.hpp"

namespace assay {

enum class Ending { exited, signalled, timed_out, not_started };

struct Exit {
  Ending how = Ending::exited;
  int code = 0;  // exit status, signal number, or errno when not started

  bool operator==(const Exit&) const = default;
};

// What competed with the trial for the machine. Absent where the host does not tell.
struct Contention {
  std::optional<double> psi_cpu_s = {};  // "some" stall of the host during the run, seconds
  std::optional<double> psi_memory_s = {};
  std::optional<double> psi_io_s = {};
  std::optional<double> steal_s = {};      // stolen CPU time of the host during the run, seconds
  std::optional<double> run_delay_s = {};  // runnable but not running (schedstat), seconds
  std::int64_t voluntary_switches = 0;
  std::int64_t involuntary_switches = 0;

  bool operator==(const Contention&) const = default;
};

// What the program printed. stdout is digested, never held.
struct Output {
  std::string digest = {};  // sha256 of stdout; empty when stdout was not captured
  std::uint64_t bytes = 0;  // of stdout
  bool torn = false;        // ended without newline, or at a multiple of 4096 bytes without one
  std::string stderr_tail = {};  // last lines, <= 4 KiB, kept only when the run failed

  bool operator==(const Output&) const = default;
};

// Memory of the process tree over the run, for later explanation. Times since the run's start.
struct MemorySample {
  std::chrono::nanoseconds at{};
  std::uint64_t tree_bytes = 0;  // sum of resident sizes at one instant

  bool operator==(const MemorySample&) const = default;
};

// What the events of a run say of one stage: means over its spans, seconds.
struct StageReading {
  std::string stage = {};
  std::uint64_t spans = 0;  // of service; 0 = none, and then service_s is 0
  double service_s = 0;
  std::optional<double> queue_wait_s = {}, blocked_send_s = {}, lock_wait_s = {};

  bool operator==(const StageReading&) const = default;
};

struct Trial {
  std::uint32_t arm = 0;    // index into Plan::arms
  std::uint32_t block = 0;  // 0 = warm-up, then 1, 2, ...
  std::uint32_t slot = 0;   // position inside the block, from 0
  std::uint32_t pad = 0;    // length of ASSAY_PAD in bytes
  bool warmup = false;
  std::int64_t started_at_ms = 0;       // Unix time, milliseconds
  std::chrono::nanoseconds duration{};  // machine time spent, hooks and cool-down included
  Exit exit = {};
  // One value per metric of the plan, in the plan's order, in base units; nothing = not obtained.
  std::vector<std::optional<double>> values = {};
  Contention contention = {};
  Output output = {};
  std::vector<MemorySample> memory = {};  // at most 512 samples, thinned evenly
  std::uint32_t memory_samples = 0;       // how many were really taken
  std::uint32_t left_behind = 0;          // processes that outlived the command and were killed
  std::vector<StageReading> stages = {};  // in pipeline order; empty without events
  std::vector<std::uint32_t> units = {};  // suites: as in Run
  std::vector<Measurement> measurements = {};  // suites: in the order in which they came out

  bool operator==(const Trial&) const = default;
};

// Suites: whether a unit ran more than once, so that a tool may tell one value for several.
bool has_repeats(const Trial& trial);

}  // namespace assay
