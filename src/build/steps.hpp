// SPDX-License-Identifier: Apache-2.0
// What is done to a tree between its checkout and its build command: patches applied, commits
// picked or taken back. Nothing is committed, so HEAD stays the commit that was asked for, and no
// identity, hook, editor or signature is needed. A merge is picked and reverted as what it brought
// to its first parent.
#pragma once

#include <atomic>
#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "model/subject.hpp"

namespace assay::build {

// The commits that steps need, in full.
std::vector<std::string> commits_of(const std::vector<TreeStep>& steps);

// "revert of 1234567890", as people call a step.
std::string step_name(const TreeStep& step);

struct StepsEnd {
  bool interrupted = false;
  bool timed_out = false;    // by the deadline
  std::string refused = {};  // a step that cannot be done to this tree: "does not apply: revert of
                             // main~3 (conflict in src/a.c)"
  std::string output = {};   // what git said of it, fit for a terminal

  bool done() const { return !interrupted && !timed_out && refused.empty(); }
};

// Does the steps, in order, up to the first that is refused: one in conflict with what the tree
// has, or one that would change nothing. `tree` is a worktree fresh from its checkout; `draft` is
// where a file may be written meanwhile. `hold`: see ProcessRequest. Errors: a full disk, a step
// without a commit, git killed.
Result<StepsEnd> do_steps(const std::vector<TreeStep>& steps, const std::string& tree,
                          const std::string& draft, int hold, const std::atomic<bool>& interrupted,
                          std::optional<std::chrono::steady_clock::time_point> deadline);

}  // namespace assay::build
