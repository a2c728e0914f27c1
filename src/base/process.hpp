// SPDX-License-Identifier: Apache-2.0
// Runs an external program to its end, without a shell: its output bounded, its whole process tree
// accounted for. For helpers such as git and for builds; trials are run by measure.
//
// Between us and the program stands a small supervisor process (a fork of ours that never execs).
// It is the subreaper of the tree, so it finds descendants that left the process group or
// daemonised, and when we die, however abruptly, the pipe from us closes and it kills the tree.
// When run_process returns, no process that the program started is left.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace assay {

struct ProcessRequest {
  // argv[0] is looked up on the child's PATH; with a '/' it is a path, relative to `cwd`.
  std::vector<std::string> argv;
  std::string cwd;                                // empty = ours
  std::optional<std::vector<std::string>> env;    // "NAME=value" each; nothing = ours
  bool merge_stderr = false;                      // stderr into stdout, in the order written
  std::size_t keep_bytes = std::size_t{8} << 20;  // kept of each stream: its last bytes
  // Every line of stdout (and of a merged stderr) as it comes, without its newline. A line longer
  // than 64 KiB comes in pieces. Called on the calling thread.
  std::function<void(std::string_view)> on_line;
  int tee = -1;  // a descriptor that all bytes of stdout are written to as they come
  int hold =
      -1;  // a descriptor (a lock) that stays open until the tree is gone, even if we die first
  // Watched while the program runs. Once true: SIGTERM to its group, and SIGKILL to its tree when
  // it is gone, after 2 s at the latest.
  const std::atomic<bool>* interrupted = nullptr;
  // From then on the program is ended in the same way.
  std::optional<std::chrono::steady_clock::time_point> deadline = {};
};

struct ProcessResult {
  bool interrupted = false;  // by the flag of the request; the exit below is then of no meaning
  bool timed_out = false;    // by its deadline; likewise
  bool signalled = false;    // ended by signal `code`; otherwise exited with status `code`
  int code = 0;
  std::string out, err;                            // the last keep_bytes of each
  std::uint64_t out_dropped = 0, err_dropped = 0;  // bytes before those

  bool ok() const { return !interrupted && !timed_out && !signalled && code == 0; }
  // "exited with status 2", "was killed by signal 9 (Killed)".
  std::string describe_end() const;
};

// stdin is /dev/null. Errors: not found, not executable, no such folder, the tee could not be
// written (the program is killed then), no more processes. A program that fails is a value.
Result<ProcessResult> run_process(const ProcessRequest& request);

// The path of an executable called `name` in the folders of `path` (as in $PATH); nothing if none
// is.
std::optional<std::string> find_program(std::string_view name, std::string_view path);

// Our environment as "NAME=value", and its changes: an entry replaces the one of the same name.
std::vector<std::string> current_environment();
void set_variable(std::vector<std::string>& env, std::string_view name, std::string_view value);
void unset_variable(std::vector<std::string>& env, std::string_view name);
std::optional<std::string> find_variable(const std::vector<std::string>& env,
                                         std::string_view name);

}  // namespace assay
