// SPDX-License-Identifier: Apache-2.0
#include "base/system.hpp"

#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace assay {
namespace {

class RealSystem : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = testing::TempDir() + "system_XXXXXX";
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  const System& system_ = System::real();
  std::string folder_;
};

TEST_F(RealSystem, ReadsFilesAndFolders) {
  const std::string text(100'000, 'x');
  std::ofstream(folder_ + "/b") << text;
  std::ofstream(folder_ + "/a") << "";
  EXPECT_EQ(system_.read_file(folder_ + "/b").value(), text);
  EXPECT_EQ(system_.read_file(folder_ + "/a").value(), "");
  EXPECT_EQ(system_.list_dir(folder_).value(), (std::vector<std::string>{"a", "b"}));
  EXPECT_TRUE(system_.exists(folder_) && system_.is_writable(folder_));
  EXPECT_FALSE(system_.exists(folder_ + "/c"));
}

TEST_F(RealSystem, SaysWhatCannotBeRead) {
  EXPECT_EQ(system_.read_file(folder_ + "/c").error().to_text(),
            folder_ + "/c: cannot open: No such file or directory");
  EXPECT_EQ(system_.read_file(folder_).error().to_text(),
            folder_ + ": cannot read: Is a directory");
  EXPECT_EQ(system_.list_dir(folder_ + "/c").error().to_text(),
            folder_ + "/c: cannot list: No such file or directory");
  std::ofstream(folder_ + "/huge").close();
  std::filesystem::resize_file(folder_ + "/huge", System::kMostBytes + 1);  // sparse
  EXPECT_EQ(system_.read_file(folder_ + "/huge").error().what, "the file is longer than 64 MiB");
}

TEST_F(RealSystem, TellsAboutCpusAndClocks) {
  const std::vector<int> cpus = system_.allowed_cpus();
  EXPECT_FALSE(cpus.empty());
  EXPECT_TRUE(std::is_sorted(cpus.begin(), cpus.end()));
  const auto before = system_.now();
  EXPECT_LE(before, system_.now());
  EXPECT_GT(system_.clock_resolution().count(), 0);
}

TEST_F(RealSystem, TriesPrioritiesWithoutKeepingThem) {
  const int policy = ::sched_getscheduler(0);
  errno = 0;
  const int nice = ::nice(0);
  (void)system_.permits_realtime(1);
  const auto lowest = system_.lowest_nice();
  EXPECT_EQ(::sched_getscheduler(0), policy);
  EXPECT_EQ(::nice(0), nice);
  EXPECT_FALSE(system_.permits_realtime(1000));  // no such priority
  if (lowest) {
    EXPECT_LE(*lowest, 0);
  }
}

}  // namespace
}  // namespace assay
