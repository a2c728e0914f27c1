// SPDX-License-Identifier: Apache-2.0
// Instruction counts. They do not depend on what else the machine does, so that two runs decide
// where a clock needs hundreds; but they are blind to caches, waiting and system calls.
//
// ExactCounter runs the command under valgrind's callgrind (some 50 times slower): user-mode
// instructions of the command and of all processes it starts. For counts that are the same in every
// run the caller also keeps environment and arguments of fixed length (ASSAY_PAD empty) and turns
// address space randomisation off.
//
// Ref: valgrind manual, chapter Callgrind. Traps met with valgrind 3.19:
//   - a forked child starts with its parent's counts, and would count them twice. A dump at every
//     entry of fork() sets them to zero first; a program without symbols that forks by itself is
//     still counted twice.
//   - what a process executes before it execs another program is lost.
//   - a process ended by SIGKILL from outside leaves no counts; instructions unknown to valgrind
//     (AVX-512) end the program with SIGILL.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace assay::measure {

// Instructions (event Ir) of one callgrind output: the sum of its "totals:" lines, which stand at
// the end of every part. Errors: no such line (torn), no event Ir, numbers that are none.
Result<double> parse_callgrind(std::string_view text);

class ExactCounter {
 public:
  // Looks for valgrind on PATH and makes a folder for its files, removed with this object. Errors:
  // no valgrind (with the command that installs it), no room for temporary files.
  static Result<ExactCounter> make();
  ExactCounter(ExactCounter&& other) noexcept;
  ExactCounter& operator=(ExactCounter&& other) noexcept;
  ~ExactCounter();

  // The command that counts `argv`: its exit status, stdin, stdout and stderr stay those of argv.
  // The words put in front have the same length for every command.
  std::vector<std::string> wrap(std::span<const std::string> argv) const;

  // Instructions of all processes since the last call, and forgets them. Call it when the command
  // and everything it started has ended, failed runs included. Errors: valgrind left no counts
  // (with what it said), a file is torn.
  Result<double> collect();

 private:
  ExactCounter(std::string valgrind, std::string folder);
  std::string log() const;
  void clear() const;

  std::string valgrind_, folder_;  // empty when moved from
};

// Hardware counts of user-mode instructions of a process and of everything it starts from now on,
// such as the launcher: no second process, no slowdown, but a PMU is needed, which most virtual
// machines lack.
class InstructionCounter {
 public:
  // Errors say why there is none: no PMU, not permitted.
  static Result<InstructionCounter> attach(pid_t process);
  InstructionCounter(InstructionCounter&& other) noexcept;
  InstructionCounter& operator=(InstructionCounter&& other) noexcept;
  ~InstructionCounter();

  // Instructions since the last call (or attach); children count once they have ended. An Error
  // when others used the counter for a part of the time: an estimate is not passed off as a count.
  Result<double> take();

  // As read(2) gives it with PERF_FORMAT_TOTAL_TIME_ENABLED | RUNNING.
  struct Count {
    std::uint64_t instructions = 0, enabled_ns = 0, running_ns = 0;
  };
  // The difference; nothing when the counter did not run all the time.
  static std::optional<double> between(const Count& before, const Count& after);

 private:
  explicit InstructionCounter(int file) : file_(file) {}

  int file_ = -1;
  Count last_;
};

}  // namespace assay::measure
