// SPDX-License-Identifier: Apache-2.0
#include "experiment/bisect_path.hpp"

#include <gtest/gtest.h>

namespace assay::experiment {
namespace {

using Indices = std::vector<std::uint32_t>;
using Weights = std::vector<double>;

std::vector<Commit> history(const std::vector<Indices>& parents) {
  std::vector<Commit> commits;
  for (const Indices& of : parents) commits.push_back({.parents = of});
  return commits;
}

//   0 - 1 - 4 - 5      3 is merged by 4, from 1; 2 lies between
//        \ 2 - 3 /
const std::vector<Indices> kOneMerge = {{}, {0}, {1}, {2}, {1, 3}, {4}};

TEST(MainPath, FollowsFirstParentsAndWeighsWhatMergesBring) {
  const CommitPath path = main_path(history(kOneMerge));
  EXPECT_EQ(path.commits, (Indices{0, 1, 4, 5}));
  EXPECT_EQ(path.weights, (Weights{1, 1, 3, 1}));
}

TEST(MainPath, TakesTheParentThatContainsTheGoodEnd) {
  // 4 merges the good side as its second parent; 1 is older than good and has no parents here.
  EXPECT_EQ(main_path(history({{}, {}, {1}, {0}, {2, 3}})).commits, (Indices{0, 3, 4}));
  // Parents that lead nowhere: the line jumps.
  EXPECT_EQ(main_path(history({{}, {}, {1}})).commits, (Indices{0, 2}));
  EXPECT_EQ(main_path(history({{}, {0}})).commits, (Indices{0, 1}));
}

TEST(PathInside, IsTheSideFromItsForkPoint) {
  const auto commits = history(kOneMerge);
  const CommitPath path = path_inside(commits, 4, 1);
  EXPECT_EQ(path.commits, (Indices{1, 2, 3, 4}));
  EXPECT_EQ(path.weights, (Weights{1, 1, 1, 1}));
}

TEST(PathInside, StartsAtABoundaryOrAtTheParent) {
  // 1 is a boundary: the side forked before the good end.
  EXPECT_EQ(path_inside(history({{}, {}, {1}, {2}, {0, 3}}), 4, 0).commits, (Indices{1, 2, 3, 4}));
  // The side's first commit has no parent here: the merge's own parent stands for it.
  EXPECT_EQ(path_inside(history({{}, {}, {0, 1}}), 2, 0).commits, (Indices{0, 1, 2}));
}

TEST(PathInside, OfSeveralSidesTheLongestAndOfNoneNothing) {
  EXPECT_EQ(path_inside(history({{}, {0}, {0}, {2}, {0, 1, 3}}), 4, 0).commits,
            (Indices{0, 2, 3, 4}));
  EXPECT_TRUE(path_inside(history({{}, {0}, {1, 0}}), 2, 1).commits.empty());
}

TEST(PathInside, ASideWithAMergeOfItsOwnCarriesIt) {
  // 2 and 3 fork from 1; 4 merges 3 into 2; 5 merges 4 into 1.
  const auto commits = history({{}, {0}, {1}, {1}, {2, 3}, {1, 4}});
  const CommitPath path = path_inside(commits, 5, 1);
  EXPECT_EQ(path.commits, (Indices{1, 2, 4, 5}));
  EXPECT_EQ(path.weights, (Weights{1, 1, 2, 1}));
}

TEST(PartOf, CutsBoth) {
  const CommitPath path{{0, 3, 5, 7}, {1, 2, 3, 4}};
  EXPECT_EQ(part_of(path, 1, 2), (CommitPath{{3, 5}, {2, 3}}));
}

}  // namespace
}  // namespace assay::experiment
