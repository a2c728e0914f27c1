// SPDX-License-Identifier: Apache-2.0
// What the user's repository knows of its past: ranges, lists, ancestry. Only reads (git.hpp);
// replacements (git replace) and grafts are not looked at, since builds come from what commits
// really say.
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "model/design.hpp"

namespace assay::build {

// A range with more is refused: cut it first.
inline constexpr std::size_t kMostCommits = 16'000;

enum class Follow {
  every_parent,  // all commits that `bad` contains and `good` does not
  first_parent   // only the main line: merges stand for what they brought
};

// The commits from `good` to `bad`, any two names of one commit each; parents in front of children.
// [0] is good, the last is bad. With every_parent, commits that listed ones forked from and that
// good contains stand right behind good (they are as old as it or older, without parents here), so
// that a merged branch can be searched from its start; good has no parents here. With first_parent
// each commit's parent is the one before, also in front of the first when good lies beside the main
// line. Commit::subject is fit for a terminal and at most 200 columns.
// Errors: an unknown name; the same commit twice; ends swapped (good contains bad); neither
// contains the other (the hint names their common ancestor); a shallow clone that is cut inside
// the range; more than kMostCommits.
Result<std::vector<Commit>> commits_between(const std::string& folder, const std::string& good,
                                            const std::string& bad,
                                            Follow follow = Follow::every_parent);

// The commits that `revisions` name, in this order, each with the one before as its parent. Errors:
// an unknown name; two names of one commit; none.
Result<std::vector<Commit>> listed_commits(const std::string& folder,
                                           const std::vector<std::string>& revisions);

// Whether `descendant` contains `ancestor` (a commit contains itself). A shallow clone knows only
// what it has.
Result<bool> is_ancestor(const std::string& folder, const std::string& ancestor,
                         const std::string& descendant);

// The best common ancestor of two commits, in full; empty when they have none.
Result<std::string> merge_base(const std::string& folder, const std::string& a,
                               const std::string& b);

// The files that each commit changed against its first parent (a root: all of its files), as bytes
// that git stores, from the top of the repository; renames are a removal and an addition.
// `commits` are in full. An Error when a partial clone lacks trees.
Result<std::vector<std::vector<std::string>>> touched_paths(
    const std::string& folder, const std::vector<std::string>& commits);

// How many parents a commit has: 2 and more = a merge. Its parents in full, the first in front.
Result<std::vector<std::string>> parents_of(const std::string& folder, const std::string& commit);

}  // namespace assay::build
