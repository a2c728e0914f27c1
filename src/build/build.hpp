// SPDX-License-Identifier: Apache-2.0
// Builds a git revision, once, away from the user's checkout.
//
//   store/mirrors/<key>.git   what the user's repository knew of the commits asked for (mirror.hpp)
//   store/builds/<key>/tree   the worktree, checked out and built in place
//   store/builds/<key>/log    the build command's output
//   store/builds/<key>/done   written last, by a rename: without it the build never happened
//   store/builds/<key>.lock   exclusive while building or removing, shared while in use
//
// The key is a digest of the commit, the steps, the build command, the folder it runs in and the
// toolchain: the first line that `cc`, `c++`, $CC and $CXX print for --version (not where they lie)
// and the values of CC, CXX, the FLAGS variables. All keys have the same length, so both sides of a
// comparison run from paths of the same length. The user's checkout and .git are only read.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "build/git.hpp"
#include "model/record.hpp"

namespace assay::build {

struct BuildRequest {
  std::string folder = {};   // where the user stands in the repository; its subfolder is mapped
  std::string commit = {};   // in full, from resolve_revision
  std::string command = {};  // for /bin/sh, run in Built::cwd; empty = only check out
  std::vector<TreeStep> steps = {};  // done to the tree in front of the command
  std::uint32_t arm = 0;             // goes into the Build
  // The command, and waiting for another process that builds, end then.
  std::optional<std::chrono::steady_clock::time_point> deadline = {};
};

struct Built {
  std::string worktree;                // absolute
  std::string cwd;                     // the user's subfolder inside it: where the subject runs
  std::string log_file;                // all output of the build command; empty without a command
  Build build;                         // a command that failed: ok = false and its last lines
  bool timed_out = false;              // failed by the deadline of the request
  std::vector<std::string> warnings;   // "commit 1234567890 has submodules: ..."
  std::shared_ptr<const void> in_use;  // while it lives, remove_builds (cache.hpp) leaves the build
};

// The build of a commit, from the store when it is there. `on_output_line` gets the build's output
// and, when another process builds the same, one line that says so. Nothing when interrupted: the
// build's processes are gone then, and the next call begins anew. A failed build is not kept
// either. Build::duration is what this call took; ~0 from the store.
// What the commit would do on any machine is a Build with ok = false: a command that fails or does
// not end, a step that does not apply, no such subfolder (Build::reason says so; empty = the
// command failed). What this machine does is an Error: a store that cannot be written, a commit
// that cannot be copied, a full disk. Neither leaves a tree behind.
Result<std::optional<Built>> build_revision(
    const std::string& store_dir, const BuildRequest& request, const std::atomic<bool>& interrupted,
    const std::function<void(std::string_view)>& on_output_line = nullptr);

}  // namespace assay::build
