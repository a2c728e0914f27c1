// SPDX-License-Identifier: Apache-2.0
// The process between us and a program that run_process runs; not for other callers.
// It is forked from a program that may have threads, so everything it does is async-signal-safe:
// system calls on memory prepared before, no allocation, no stdio.
#pragma once

namespace assay::supervisor {

// Prepared before the fork; descriptors are those of the parent.
struct Task {
  const char* program;
  char* const* argv;
  char* const* envp;
  const char* cwd;  // null = unchanged
  int out, err;     // become 1 and 2 of the program
  int report;       // one Report is written here
  int control;      // at its end of file the tree is killed
  int hold;         // kept open till the tree is gone; -1 = none
};

enum class What : int { exited, signalled, no_folder, no_exec, no_process };
struct Report {
  What what;
  int value;  // exit status, signal, or errno
};

// Starts the program, waits for it or for the order to kill it, and leaves no descendant behind.
[[noreturn]] void run(const Task& task);

}  // namespace assay::supervisor
