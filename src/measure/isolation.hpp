// SPDX-License-Identifier: Apache-2.0
// Where a command runs and with which priority, so that the rest of the machine disturbs it least.
// The same for every arm.
//
// --pin names the CPUs. --isolate chooses one (the last core, or one of the kernel's isolated
// CPUs), keeps assay itself off it, and raises the priority: SCHED_RR where permitted, otherwise
// the lowest nice value. Measured on 2 CPUs with three hogs, runs of 12.5 ms CPU: wall 28-33 ms, sd
// 4-23 % without; 28 ms, 4-7 % pinned; 12.5-16 ms, 1.5-9 % with nice -20; 12.6-12.8 ms, 1.2-1.8 %
// under SCHED_RR. What waits for the command's end must have the same priority, or its own waiting
// shows up in the wall time (sd 17 %).
//
// Caveats: the threads of a command share the one chosen CPU; --isolate with --pin gives them more.
// The kernel stops real-time threads for 50 ms in every second that they fill
// (sched_rt_runtime_us): a run beyond 0.95 s of CPU gets some 3 to 5 % longer, on both sides alike.
//
// Tried: a cpuset that moves all other tasks off the chosen CPU. In cgroup v1 nothing gives the
// tasks back when assay is killed, in v2 a partition keeps its CPUs until its folder is removed: a
// SIGKILL would leave the machine one CPU short. Left out; a real-time thread preempts those tasks
// anyway.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "base/system.hpp"
#include "model/conclusion.hpp"
#include "model/plan.hpp"

namespace assay::measure {

struct Isolation {
  std::vector<int> cpus;      // for the command, ascending; empty = as it comes
  std::vector<int> own_cpus;  // for assay itself; empty = as it comes
  int rt_priority = 0;        // SCHED_RR at this priority; 0 = none
  std::optional<int> nice;    // nothing = as it comes
  std::vector<Warning> warnings;
  std::string description;  // "CPU 1, SCHED_RR priority 10"; empty = nothing was asked
};

// Errors: a malformed --pin list (with a caret), a CPU that is not there or not ours to use.
Result<Isolation> plan_isolation(const RunOptions& options, const System& system = System::real());

// "1", "0,2-3" -> ascending, without duplicates. The kernel's own lists (cpu/online) too, where
// text may be empty and end with a newline.
Result<std::vector<int>> parse_cpu_list(std::string_view text);
// {0, 2, 3, 4} -> "0,2-4".
std::string format_cpu_list(std::span<const int> cpus);

}  // namespace assay::measure
