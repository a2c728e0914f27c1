// SPDX-License-Identifier: Apache-2.0
// The lines of commits that `bisect` searches: from the good end to the bad one, and inside a
// merge.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/design.hpp"

namespace assay::experiment {

// Commits (indices into Design::commits) of one line, oldest first: the first is good, the last
// bad.
struct CommitPath {
  std::vector<std::uint32_t> commits = {};
  std::vector<double> weights = {};  // how likely beforehand; a merge carries those that it brought

  bool operator==(const CommitPath&) const = default;
};

// From the last commit back to the first (the good end), always to the first parent that still
// contains it. Where the parents lead nowhere, the line jumps to the good end.
CommitPath main_path(std::span<const Commit> commits);

// Inside `merge`, whose parent on the line around it is `parent`: the fork point, the commits of
// the side, the merge. Without a listed fork point `parent` stands for it. Of several sides the
// longest is taken. Empty when nothing was merged that `parent` did not have.
CommitPath path_inside(std::span<const Commit> commits, std::uint32_t merge, std::uint32_t parent);

// Positions [first, last] of a path.
CommitPath part_of(const CommitPath& path, std::size_t first, std::size_t last);

}  // namespace assay::experiment
