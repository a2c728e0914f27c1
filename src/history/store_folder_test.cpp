// SPDX-License-Identifier: Apache-2.0
#include "history/store_folder.hpp"

#include <gtest/gtest.h>

#include "history/store.hpp"
#include "history/test_records.hpp"

namespace assay::history {
namespace {

class LocateStore : public testing::Test {
 protected:
  void SetUp() override { unsetenv("ASSAY_STORE"); }
  void TearDown() override { unsetenv("ASSAY_STORE"); }
  void make(const std::string& folder) { std::filesystem::create_directories(top_ / folder); }

  TempFolder top_;
};

TEST_F(LocateStore, TakesTheOptionThenTheEnvironment) {
  make(".assay");
  write_file(top_ / ".assay/lab.db", "");
  setenv("ASSAY_STORE", "env.db", 1);
  EXPECT_EQ(locate_store("asked.db", top_.path()), top_ / "asked.db");
  EXPECT_EQ(locate_store("../x/asked.db", "/a/b"), "/a/x/asked.db");
  EXPECT_EQ(locate_store("/abs/asked.db", "/a/b"), "/abs/asked.db");
  EXPECT_EQ(locate_store(std::nullopt, top_.path()), top_ / "env.db");
  setenv("ASSAY_STORE", "", 1);  // empty counts as unset
  EXPECT_EQ(locate_store(std::nullopt, top_.path()), top_ / ".assay/lab.db");
}

TEST_F(LocateStore, LooksUpwardForAStoreThenForTheGitRoot) {
  make("repo/.git");
  make("repo/src/deep");
  EXPECT_EQ(locate_store({}, top_ / "repo/src/deep"), top_ / "repo/.assay/lab.db");
  make("repo/src/.assay");  // a folder without a store does not count
  EXPECT_EQ(locate_store({}, top_ / "repo/src/deep"), top_ / "repo/.assay/lab.db");
  write_file(top_ / "repo/src/.assay/lab.db", "");
  EXPECT_EQ(locate_store({}, top_ / "repo/src/deep"), top_ / "repo/src/.assay/lab.db");
  make("tree");
  write_file(top_ / "tree/.git", "gitdir: elsewhere\n");  // a worktree
  make("tree/src");
  EXPECT_EQ(locate_store({}, top_ / "tree/src"), top_ / "tree/.assay/lab.db");
  make(".assay");
  write_file(top_ / ".assay/lab.db", "");  // above the git root: still the nearest store
  EXPECT_EQ(locate_store({}, top_ / "tree/src"), top_ / ".assay/lab.db");
}

TEST_F(LocateStore, FallsBackToTheCurrentFolderAndTouchesNothing) {
  make("plain");
  EXPECT_EQ(locate_store({}, top_ / "plain"), top_ / "plain/.assay/lab.db");
  EXPECT_TRUE(std::filesystem::is_empty(top_ / "plain"));
  EXPECT_EQ(locate_store({}, "/nonexistent/folder"), "/nonexistent/folder/.assay/lab.db");
}

}  // namespace
}  // namespace assay::history
