// SPDX-License-Identifier: Apache-2.0
// Resident memory of a whole process tree while it runs: the sum over its processes at one instant,
// 20 to 100 times a second, from /proc/PID/statm.
//
// Caveats: pages that processes share count in each of them; a peak between two samples is not
// seen; a run that is shorter than kFirst has no sample at all.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "measure/launcher.hpp"
#include "model/trial.hpp"

namespace assay::measure {

// Samples in time order, thinned evenly to at most kMost: of two neighbours the larger one stays.
class Series {
 public:
  static constexpr std::size_t kMost = 512;

  void add(const MemorySample& sample);
  // The series with `zero` taken off all times; then empty again.
  std::vector<MemorySample> take(std::chrono::nanoseconds zero);

 private:
  std::vector<MemorySample> samples_;
  MemorySample pending_{};
  std::uint32_t stride_ = 1;   // samples behind one element
  std::uint32_t waiting_ = 0;  // samples in pending_
};

class MemorySampler {
 public:
  using Time = std::chrono::nanoseconds;  // CLOCK_MONOTONIC
  static constexpr std::chrono::milliseconds kFirst{10};

  struct Reading {
    std::optional<std::uint64_t> peak_bytes;  // nothing without a sample
    std::uint32_t samples = 0;
    std::vector<MemorySample> series;
  };

  // Watches the descendants of `root`, not `root` itself. `proc` is where procfs is mounted.
  explicit MemorySampler(pid_t root, std::string proc = "/proc");

  // From now on the descendants that exist, and theirs, are not counted (services that a hook
  // left).
  void exclude_existing();

  void start(Time now);
  // When the next sample is due: after 10 ms, then every 10 ms, every 20 ms from the first second
  // on and every 50 ms from the tenth. New processes are looked for every 50 ms, sooner when one
  // ended, and more rarely where a look at /proc is dear.
  Time due() const { return due_; }
  void sample(Time now);
  // Times in the series are counted from `zero`, the start of the run.
  Reading finish(Time zero);

 private:
  struct Member {
    pid_t pid = 0;
    Fd statm;  // invalid when too many are open
  };

  void scan(Time now);
  std::vector<std::pair<pid_t, pid_t>> list_strangers();
  std::optional<std::uint64_t> resident_bytes(const Member& member);
  bool adopt(pid_t pid, pid_t parent);
  bool reject(pid_t pid, pid_t parent);
  std::vector<Member>::const_iterator place_of(pid_t pid) const;
  bool is_member(pid_t pid) const;

  pid_t root_;
  std::string proc_;
  std::vector<Member> members_;  // ascending by pid
  std::vector<pid_t> foreign_;   // known not to be descendants; ascending
  std::vector<pid_t> excluded_;  // children of root that do not count; ascending
  Time started_{}, due_{}, scanned_{-std::chrono::hours(1)}, next_scan_{};
  Time scan_cost_{};
  std::uint64_t peak_ = 0;
  std::uint32_t samples_ = 0;
  Series series_;
};

}  // namespace assay::measure
