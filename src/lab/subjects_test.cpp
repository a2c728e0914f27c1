// SPDX-License-Identifier: Apache-2.0
#include "lab/subjects.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace assay::lab {
namespace {
namespace fs = std::filesystem;

class Subjects : public testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/assay-subjects-XXXXXX";
    ASSERT_NE(mkdtemp(name), nullptr);
    folder_ = name;
  }
  void TearDown() override { fs::remove_all(folder_); }
  fs::path folder_;
};

TEST_F(Subjects, FindsExecutablesOnPathAndFromTheFolder) {
  Subject subject{.argv = {"true"}};
  ASSERT_TRUE(executable_of(subject));
  EXPECT_EQ(executable_of(subject)->back(), 'e');
  subject.argv = {"no-such-program-here"};
  EXPECT_FALSE(executable_of(subject));
  std::ofstream(folder_ / "tool") << "#!/bin/sh\n";
  subject = {.argv = {"./tool"}, .cwd = folder_.string()};
  EXPECT_EQ(fs::canonical(*executable_of(subject)), fs::canonical(folder_ / "tool"));
  digest_executable(subject);
  EXPECT_EQ(subject.binary_digest.size(), 64u);
}

TEST_F(Subjects, CopiesProgramsButNotScripts) {
  const Subject program{.argv = {"true", "x"}};
  const auto copy = copy_of(program, folder_, "control");
  ASSERT_TRUE(copy) << copy.error().to_text();
  EXPECT_EQ(copy->argv, (std::vector<std::string>{(folder_ / "control/true").string(), "x"}));
  EXPECT_TRUE(fs::exists(folder_ / "control/true"));
  std::ofstream(folder_ / "script") << "#!/bin/sh\n";
  const Subject script{.argv = {(folder_ / "script").string()}};
  EXPECT_EQ(copy_of(script, folder_, "control")->argv, script.argv);
}

TEST_F(Subjects, SaysWhenACopyCannotBeWritten) {
  std::ofstream(folder_ / "control") << "a file where a folder must be";
  const auto copy = copy_of(Subject{.argv = {"true"}}, folder_, "control");
  ASSERT_FALSE(copy);
  EXPECT_NE(copy.error().what.find("cannot copy the baseline's executable"), std::string::npos);
}

}  // namespace
}  // namespace assay::lab
