// SPDX-License-Identifier: Apache-2.0
#include "experiment/bisect_path.hpp"

#include <algorithm>

#include "base/check.hpp"

namespace assay::experiment {
namespace {

// Marks `commit` and what it contains; returns the summed weight of what was not marked before.
double mark(std::span<const Commit> commits, std::uint32_t commit, std::vector<bool>& marked) {
  double weight = 0;
  std::vector<std::uint32_t> open = {commit};
  while (!open.empty()) {
    const std::uint32_t at = open.back();
    open.pop_back();
    if (marked[at]) continue;
    marked[at] = true;
    weight += commits[at].weight;
    for (const std::uint32_t parent : commits[at].parents) open.push_back(parent);
  }
  return weight;
}

// Whether each commit contains commit 0. Parents stand in front of their children.
std::vector<bool> contain_first(std::span<const Commit> commits) {
  std::vector<bool> contains(commits.size(), false);
  contains[0] = true;
  for (std::size_t i = 1; i < commits.size(); ++i)
    contains[i] = std::ranges::any_of(commits[i].parents,
                                      [&](std::uint32_t parent) { return contains[parent]; });
  return contains;
}

}  // namespace

CommitPath main_path(std::span<const Commit> commits) {
  ASSAY_CHECK(commits.size() >= 2, "a range has two ends");
  const std::vector<bool> contains = contain_first(commits);
  CommitPath path;
  auto at = static_cast<std::uint32_t>(commits.size() - 1);
  path.commits.push_back(at);
  while (at != 0) {
    const auto& parents = commits[at].parents;
    const auto next =
        std::ranges::find_if(parents, [&](std::uint32_t parent) { return contains[parent]; });
    at = next == parents.end() ? 0 : *next;
    path.commits.push_back(at);
  }
  std::ranges::reverse(path.commits);
  std::vector<bool> marked(commits.size(), false);
  for (const std::uint32_t commit : path.commits)
    path.weights.push_back(mark(commits, commit, marked));
  return path;
}

CommitPath path_inside(std::span<const Commit> commits, std::uint32_t merge, std::uint32_t parent) {
  std::vector<bool> outside(commits.size(), false);
  mark(commits, parent, outside);
  CommitPath longest;
  for (const std::uint32_t side : commits[merge].parents) {
    if (outside[side]) continue;
    CommitPath path;
    path.commits = {merge, side};
    std::uint32_t at = side, fork = parent;
    while (!commits[at].parents.empty()) {
      at = commits[at].parents.front();
      // Without listed parents it is older than the good end: a boundary.
      if (outside[at] || commits[at].parents.empty()) {
        fork = at;
        break;
      }
      path.commits.push_back(at);
    }
    path.commits.push_back(fork);
    std::ranges::reverse(path.commits);
    if (path.commits.size() > longest.commits.size()) longest = std::move(path);
  }
  std::vector<bool> marked = outside;
  if (!longest.commits.empty()) longest.weights.push_back(1);
  for (std::size_t i = 1; i < longest.commits.size(); ++i)
    longest.weights.push_back(mark(commits, longest.commits[i], marked));
  return longest;
}

CommitPath part_of(const CommitPath& path, std::size_t first, std::size_t last) {
  const auto from = static_cast<std::ptrdiff_t>(first);
  const auto to = static_cast<std::ptrdiff_t>(last) + 1;
  return {{path.commits.begin() + from, path.commits.begin() + to},
          {path.weights.begin() + from, path.weights.begin() + to}};
}

}  // namespace assay::experiment
