// SPDX-License-Identifier: Apache-2.0
// One experiment at a time on a machine: two that time things at once would measure each other.
// The lock is flock(2) on a file that every user of the machine can open, so the kernel releases it
// when its holder dies, however it dies. The file's text says who holds it, for the messages of
// others. It does not reach across containers that do not share the file's folder.
#pragma once

#include <atomic>
#include <functional>
#include <string>

#include "base/result.hpp"

namespace assay::lab {

class MachineLock {
 public:
  // Takes the machine.
  //   purpose      told to others who wait: "compare ab12cd34"; one line
  //   wait         false: an Error when it is taken
  //   on_wait      told who holds it, when the waiting begins and whenever the holder changes:
  //                "pid 123, compare ab12cd34"; empty text when unknown. May be empty.
  //   interrupted  watched while waiting, about ten times a second; set: an Error
  // The file is $ASSAY_MACHINE_LOCK when set, else the first of /run/lock/assay.lock,
  // /tmp/assay.lock and $TMPDIR/assay.lock that can be opened.
  static Result<MachineLock> acquire(const std::string& purpose, bool wait,
                                     const std::function<void(const std::string& holder)>& on_wait,
                                     const std::atomic<bool>& interrupted);

  MachineLock(MachineLock&& other) noexcept;
  MachineLock& operator=(MachineLock&& other) noexcept;
  ~MachineLock();

 private:
  explicit MachineLock(int fd) : fd_(fd) {}
  void release();

  int fd_ = -1;
  bool held_ = false;
};

}  // namespace assay::lab
