// SPDX-License-Identifier: Apache-2.0
#include "prover/engine/resident.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace prover {
namespace {

// VmHWM in bytes; 0 when it cannot be read.
std::uint64_t high_water() {
  const int file = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  char text[8192];
  const ssize_t size = read(file, text, sizeof text - 1);
  close(file);
  if (size <= 0) return 0;
  text[size] = '\0';
  const char* line = std::strstr(text, "VmHWM:");
  return line == nullptr ? 0 : std::strtoull(line + 6, nullptr, 10) * 1024;
}

}  // namespace

ResidentMemory::ResidentMemory() : statm_(open("/proc/self/statm", O_RDONLY | O_CLOEXEC)) {
  if (const long page = sysconf(_SC_PAGESIZE); page > 0) page_ = static_cast<std::uint64_t>(page);
}

ResidentMemory::~ResidentMemory() {
  if (statm_ >= 0) close(statm_);
}

std::uint64_t ResidentMemory::read_statm() const {
  if (statm_ < 0) return 0;
  char text[128];
  const ssize_t size = pread(statm_, text, sizeof text - 1, 0);
  if (size <= 0) return 0;
  text[size] = '\0';
  const char* resident = std::strchr(text, ' ');  // behind the size of the address space
  if (resident == nullptr) return 0;
  return std::strtoull(resident, nullptr, 10) * page_;
}

std::uint64_t ResidentMemory::sample() {
  const std::uint64_t bytes = measure_ ? measure_() : read_statm();
  if (bytes == 0) return 0;
  std::uint64_t known = peak_.load(std::memory_order_relaxed);
  while (known < bytes && !peak_.compare_exchange_weak(known, bytes, std::memory_order_relaxed)) {
  }
  samples_.fetch_add(1, std::memory_order_relaxed);
  return bytes;
}

PeakMemory ResidentMemory::peak() const {
  const std::uint64_t hwm = high_water(), sampled = peak_.load(), count = samples_.load();
  PeakMemory peak{std::max(hwm, sampled), {}, count};
  if (peak.bytes == 0)
    peak.method = "not measured: /proc cannot be read";
  else if (hwm == 0)
    peak.method = fmt::format(
        "largest of {} samples of /proc/self/statm, one at every change of "
        "the items in flight; no VmHWM here",
        count);
  else
    peak.method = fmt::format(
        "resident set of this process: VmHWM, and {} samples of "
        "/proc/self/statm, one at every change of the items in flight",
        count);
  return peak;
}

}  // namespace prover
