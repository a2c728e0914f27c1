// SPDX-License-Identifier: Apache-2.0
#include "build/files.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "build/test_repository.hpp"

namespace assay::build {
namespace {

namespace fs = std::filesystem;

TEST(Files, RemovesTreesWithoutFollowingLinks) {
  const auto folder = TemporaryFolder::make();
  ASSERT_TRUE(folder);
  const std::string tree = folder->path() + "/tree", outside = folder->path() + "/outside";
  write_text(outside + "/keep", "x");
  write_text(tree + "/locked/a", "x");
  fs::create_directory_symlink(outside, tree + "/link");
  fs::create_symlink("/no/such/file", tree + "/dangling");
  fs::permissions(tree + "/locked", fs::perms::owner_read);
  const auto removed = remove_tree(tree);
  EXPECT_TRUE(removed) << removed.error().to_text();
  EXPECT_FALSE(fs::exists(tree));
  EXPECT_TRUE(fs::exists(outside + "/keep"));
  EXPECT_TRUE(remove_tree(tree));  // not there: nothing to do
}

TEST(Files, WritesWholeFilesOrNone) {
  const auto folder = TemporaryFolder::make();
  ASSERT_TRUE(folder);
  const std::string path = folder->path() + "/file";
  ASSERT_TRUE(write_file(path, "old"));
  ASSERT_TRUE(write_file(path, "new"));
  EXPECT_EQ(read_text(path), "new");
  const auto bad = write_file(folder->path() + "/none/file", "x");
  ASSERT_FALSE(bad);
  EXPECT_EQ(bad.error().what, "cannot create this file: No such file or directory");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder->path()), {}), 1);
}

TEST(Files, SaysWhichFolderCannotBeMade) {
  const auto made = make_folders("/dev/null/store");
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().to_text(),
            "/dev/null/store: cannot create this folder: Not a directory\n"
            "  choose another place with --store");
}

TEST(Files, CountsDiskBytesOnce) {
  const auto folder = TemporaryFolder::make();
  ASSERT_TRUE(folder);
  write_text(folder->path() + "/a", std::string(100000, 'x'));
  const std::uint64_t once = disk_bytes(folder->path());
  EXPECT_GE(once, 100000u);
  fs::create_hard_link(folder->path() + "/a", folder->path() + "/b");
  EXPECT_EQ(disk_bytes(folder->path()), once);
  EXPECT_EQ(disk_bytes(folder->path() + "/none"), 0u);
}

TEST(Files, LocksExcludeAndShare) {
  using Mode = FileLock::Mode;
  const auto folder = TemporaryFolder::make();
  ASSERT_TRUE(folder);
  auto a = FileLock::open(folder->path() + "/lock"), b = FileLock::open(folder->path() + "/lock");
  ASSERT_TRUE(a && b);
  EXPECT_TRUE(a->try_take(Mode::shared) && b->try_take(Mode::shared));
  EXPECT_FALSE(a->try_take(Mode::exclusive));
  a->release();
  EXPECT_TRUE(b->try_take(Mode::exclusive));
  EXPECT_FALSE(a->try_take(Mode::shared));
  const std::atomic<bool> interrupted{true};
  EXPECT_FALSE(a->take(Mode::shared, interrupted, nullptr));
  b->release();
  int waits = 0;
  EXPECT_TRUE(a->take(Mode::exclusive, interrupted, [&] { ++waits; }));
  EXPECT_EQ(waits, 0);
}

}  // namespace
}  // namespace assay::build
