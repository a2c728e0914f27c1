// SPDX-License-Identifier: Apache-2.0
// Resident memory of this process: sampled where the engine says that it changed, and the kernel's
// own high-water mark.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>

namespace prover {

// A peak is never a bare number: how it was found comes with it.
struct PeakMemory {
  std::uint64_t bytes = 0;  // 0: it could not be read, and `method` says so
  std::string method;
  std::uint64_t samples = 0;
};

class ResidentMemory {
 public:
  ResidentMemory();
  // Measures with this instead (tests); it is called from any thread.
  explicit ResidentMemory(std::function<std::uint64_t()> measure) : measure_(std::move(measure)) {}
  ~ResidentMemory();
  ResidentMemory(const ResidentMemory&) = delete;
  ResidentMemory& operator=(const ResidentMemory&) = delete;

  // Reads /proc/self/statm now (about 1 us) and remembers the largest. 0 when it cannot be read.
  // From any thread; allocates nothing.
  std::uint64_t sample();
  // The larger of the samples and VmHWM of /proc/self/status.
  PeakMemory peak() const;

 private:
  std::uint64_t read_statm() const;

  const std::function<std::uint64_t()> measure_;
  int statm_ = -1;
  std::uint64_t page_ = 4096;
  std::atomic<std::uint64_t> peak_{0};
  std::atomic<std::uint64_t> samples_{0};
};

}  // namespace prover
