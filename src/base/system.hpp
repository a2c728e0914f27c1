// SPDX-License-Identifier: Apache-2.0
// The seam to the operating system for code that looks at the machine: files under /proc and /sys,
// clocks, and what the kernel permits. tests/support/fake_system.hpp has machines made of a map.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace assay {

// Why the machine has no hardware counters.
enum class CounterAccess { works, no_hardware, not_permitted, no_kernel_support };

class System {
 public:
  virtual ~System() = default;

  // The whole file, at most `kMostBytes`. Errors: the system's, a file that is longer.
  static constexpr std::size_t kMostBytes = std::size_t{64} << 20;
  virtual Result<std::string> read_file(const std::string& path) const = 0;
  // Names in a folder without . and .., ascending.
  virtual Result<std::vector<std::string>> list_dir(const std::string& path) const = 0;
  virtual bool exists(const std::string& path) const = 0;
  virtual bool is_writable(const std::string& path) const = 0;

  // Monotonic time; only differences mean something.
  virtual std::chrono::nanoseconds now() const = 0;
  // Tick of that clock as the kernel states it.
  virtual std::chrono::nanoseconds clock_resolution() const = 0;

  // CPUs this process may run on, ascending; empty when the kernel does not tell.
  virtual std::vector<int> allowed_cpus() const = 0;
  // Whether the kernel lets us run under SCHED_RR at `priority` (tried, and undone).
  virtual bool permits_realtime(int priority) const = 0;
  // The lowest nice value that the kernel lets us take (tried, and undone).
  virtual std::optional<int> lowest_nice() const = 0;
  // Whether user-mode instructions can be counted (tried).
  virtual CounterAccess instruction_counter() const = 0;

  // The machine we run on.
  static System& real();
};

}  // namespace assay
