// SPDX-License-Identifier: Apache-2.0
// Peak memory of all processes of a run together, as the kernel accounts it: one memory cgroup for
// the whole experiment, with the launcher inside, so that every command is born in it.
//
// The value of a run is the peak above what was charged when it began: page cache that earlier runs
// left stays charged and must not count again. It includes page cache and kernel memory of the run.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/result.hpp"
#include "measure/launcher.hpp"

namespace assay::measure {

class CgroupMeter {
 public:
  // Where the kernel's files are; tests point it at a tree of plain files.
  struct Places {
    std::string own_cgroups = "/proc/self/cgroup";
    std::string mounts = "/proc/self/mounts";
  };

  // Makes a cgroup and moves `process` into it. Version 2 is tried first (memory.peak, which can be
  // reset since Linux 6.12; before, every run gets a fresh group), then version 1
  // (memory.max_usage_in_bytes). The Error's `what` is the reason why there is none.
  static Result<std::unique_ptr<CgroupMeter>> make(pid_t process, const Places& places);

  CgroupMeter(const CgroupMeter&) = delete;
  CgroupMeter& operator=(const CgroupMeter&) = delete;
  // Removes the group. All processes in it must have ended.
  ~CgroupMeter();

  // Before a run, with nothing running. False: this run has no reading.
  bool start();
  // Behind it. Nothing where the kernel did not tell.
  std::optional<std::uint64_t> stop();

  // "cgroup v1 max_usage", "cgroup v2 memory.peak".
  const std::string& method() const { return method_; }
  const std::string& path() const { return path_; }

 private:
  CgroupMeter() = default;
  Result<void> enter(const std::string& parent, int version, pid_t process);
  bool renew();

  std::string parent_, path_, method_;
  int version_ = 0;
  pid_t process_ = 0;
  bool resettable_ = true;
  std::uint32_t serial_ = 0;
  Fd peak_, usage_;
  std::optional<std::uint64_t> before_;
};

}  // namespace assay::measure
