// SPDX-License-Identifier: Apache-2.0
#include "lab/copies.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "base/digest.hpp"

namespace assay::lab {
namespace {
namespace fs = std::filesystem;

class Copies : public testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/assay-copies-XXXXXX";
    ASSERT_NE(mkdtemp(name), nullptr);
    folder_ = name;
    fs::copy_file("/bin/true", folder_ / "prog");
    subject_ = {.label = "./prog", .argv = {"./prog"}, .cwd = folder_.string()};
  }
  void TearDown() override { fs::remove_all(folder_); }

  fs::path folder_;
  Subject subject_;
  std::atomic<bool> interrupted_{false};
};

TEST_F(Copies, MakesIdenticalOnesUnderOtherPaths) {
  const auto arms = identical_copies(subject_, (folder_ / "copies").string(), 5);
  ASSERT_TRUE(arms) << arms.error().to_text();
  ASSERT_EQ(arms->size(), 6u);
  std::size_t length = 0;
  for (std::size_t k = 1; k < arms->size(); ++k) {
    const std::string& path = (*arms)[k].argv.front();
    EXPECT_GT(path.size(), length);
    length = path.size();
    EXPECT_EQ(*sha256_of_file(path), *sha256_of_file(folder_ / "prog"));
  }
}

TEST_F(Copies, AreRemovedByAge) {
  const std::string store = (folder_ / "store").string();
  ASSERT_TRUE(identical_copies(subject_, store + "/" + kCalibrateFolder, 2));
  const std::uint64_t size = 2 * fs::file_size(folder_ / "prog");
  EXPECT_EQ(remove_copies(store, 0, false), 0u);  // none is older than 1970
  EXPECT_EQ(remove_copies(store, INT64_MAX, true), size);
  EXPECT_EQ(remove_copies(store, INT64_MAX, false), size);
  EXPECT_EQ(remove_copies(store, INT64_MAX, false), 0u);
  EXPECT_EQ(remove_copies("/nonexistent", INT64_MAX, false), 0u);
}

TEST_F(Copies, RelinksAndPutsTheUsersFileBack) {
  const std::string before = *sha256_of_file(folder_ / "prog");
  const auto arms = relinked_copies(subject_, (folder_ / "copies").string(), 3,
                                    "printf %s \"$ASSAY_LAYOUT\" >> prog", interrupted_);
  ASSERT_TRUE(arms) << arms.error().to_text();
  ASSERT_EQ(arms->size(), 4u);
  EXPECT_NE((*arms)[1].binary_digest, (*arms)[2].binary_digest);
  EXPECT_EQ(*sha256_of_file((*arms)[0].argv.front()), before);
  EXPECT_EQ(*sha256_of_file(folder_ / "prog"), before);
}

TEST_F(Copies, SaysWhatIsWrongWithARelinkCommand) {
  const std::string copies = (folder_ / "copies").string();
  const std::string before = *sha256_of_file(folder_ / "prog");
  const auto failing =
      relinked_copies(subject_, copies, 3, "echo no linker here; exit 3", interrupted_);
  ASSERT_FALSE(failing);
  EXPECT_EQ(failing.error().what,
            "the relink command exited with status 3 (ASSAY_LAYOUT=1)\nno linker here\n");
  const auto idle = relinked_copies(subject_, copies, 3, "true", interrupted_);
  ASSERT_FALSE(idle);
  EXPECT_EQ(idle.error().what, "the relink command left the executable the same every time");
  EXPECT_EQ(*sha256_of_file(folder_ / "prog"), before);
  std::ofstream(folder_ / "script") << "#!/bin/sh\n";
  const Subject script{.label = "s", .argv = {(folder_ / "script").string()}};
  EXPECT_FALSE(relinked_copies(script, copies, 3, "true", interrupted_));
}

}  // namespace
}  // namespace assay::lab
