// SPDX-License-Identifier: Apache-2.0
// The copy of a user's history that builds are checked out from: <store>/mirrors/<key>.git, one a
// repository, filled by fetching single commits (with their history and the tags in it).
//
// Why a fetch and not a local clone:
// - Alternates (--reference, --shared) would break when the user's gc drops an object that only we
// need,
//   and git freshens the times of borrowed files whenever something equal is written.
// - Hard links share inodes with the user's .git: link counts change, and a build that commits in
// its
//   worktree would touch the user's packs through them.
// - A plain copy takes along every unreachable object and copies damage unseen; a fetched pack
// holds what
//   the commit needs and every object of it is verified.
// The price is one pass over the history at the first use; afterwards only new commits travel.
#pragma once

#include <atomic>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "build/git.hpp"

namespace assay::build {

// Where the mirror of a repository lies in a store.
std::string mirror_path(const std::string& store_dir, const Repository& repository);

// Checks `commit` out at `tree` as a worktree of the mirror; fetches it and the `others` that its
// build needs first when the mirror lacks them. What is at `tree` is replaced. `hold` is a lock to
// keep until git is gone (see ProcessRequest). False when interrupted.
Result<bool> check_out(const std::string& store_dir, const Repository& repository,
                       const std::string& commit, const std::vector<std::string>& others,
                       const std::string& tree, int hold, const std::atomic<bool>& interrupted);

// Makes the mirrors forget worktrees whose folders are gone.
void prune_mirrors(const std::string& store_dir);

}  // namespace assay::build
