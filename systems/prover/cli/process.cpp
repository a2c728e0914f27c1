// SPDX-License-Identifier: Apache-2.0
#include "prover/cli/process.hpp"

#include <sys/resource.h>

#include <chrono>

namespace prover::cli {
namespace {

using Clock = std::chrono::steady_clock;
const Clock::time_point kStart = Clock::now();

rusage usage() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  return used;
}

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

}  // namespace

double seconds_since_start() {
  return std::chrono::duration<double>(Clock::now() - kStart).count();
}

double cpu_seconds() {
  const rusage used = usage();
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

std::uint64_t peak_rss_bytes() { return static_cast<std::uint64_t>(usage().ru_maxrss) * 1024; }

}  // namespace prover::cli
