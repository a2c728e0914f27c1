// SPDX-License-Identifier: Apache-2.0
// Questions to git about the user's repository. None of them writes there: no index refresh, no
// fsmonitor daemon, no hooks, no filters, no lazy fetch. What git would take from our environment
// (GIT_DIR of a hook that runs assay, say) is removed; its messages are in English (LC_ALL=C).
#pragma once

#include <atomic>
#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/process.hpp"
#include "base/result.hpp"

namespace assay::build {

// Where a folder lies in its repository. Paths are absolute, links resolved.
struct Repository {
  std::string top;         // of the checkout; the git folder itself when bare
  std::string git_dir;     // of this checkout (a linked worktree has its own)
  std::string common_dir;  // with the objects and branches
  std::string subdir;      // the folder asked about, below `top`: "" or "a/b"
  bool bare = false;
  bool shallow = false;
};

// The repository that contains `folder`. Errors: no such folder, not a git repository, a repository
// of somebody else that git refuses (safe.directory), git missing.
Result<Repository> find_repository(const std::string& folder);

// The commit that `revision` names, in full. Anything git takes for one commit: branches, tags
// (peeled), abbreviations, HEAD~3, v1.0^2. An unknown one names the nearest branch or tag.
Result<std::string> resolve_revision(const std::string& folder, const std::string& revision);

// Whether tracked files differ from HEAD (untracked ones do not count). Reads file contents as they
// are: a touched, otherwise unchanged file that a filter such as LFS rewrites counts as different.
// false for a bare repository and for one without a commit.
Result<bool> is_dirty(const std::string& folder);

// For the other files of this folder ---------------------------------------------------------

struct GitRun {
  std::string folder = {};                                    // where git runs
  std::vector<std::string> args = {};                         // behind the safe options
  std::vector<std::pair<std::string, std::string>> env = {};  // on top of git_environment()
  const std::atomic<bool>* interrupted = nullptr;
  int hold = -1;                                  // see ProcessRequest
  std::size_t keep_bytes = std::size_t{8} << 20;  // likewise
  std::optional<std::chrono::steady_clock::time_point> deadline = {};
};

// Runs git. An Error only when it cannot be started; git's failures are values.
Result<ProcessResult> run_git(const GitRun& run);

// Our environment without what steers git, plus LC_ALL=C, no prompts, no lazy fetch, no LFS
// downloads.
std::vector<std::string> git_environment();

// Removes the variables that tie git to one repository: for programs that run in another one.
void remove_repository_variables(std::vector<std::string>& env);

// Why git failed, from its stderr: ownership, a full disk, else its last message. `doing` is the
// clause of what was tried: "cannot copy commit 1234567".
Error git_error(const std::string& doing, const ProcessResult& result, const std::string& where);

// The first 10 digits of a commit.
std::string short_commit(std::string_view commit);

}  // namespace assay::build
