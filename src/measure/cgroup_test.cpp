// SPDX-License-Identifier: Apache-2.0
#include "measure/cgroup.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <filesystem>

#include "measure/execution.hpp"
#include "tests/support/measured.hpp"

namespace assay::measure {
namespace {

TEST(Cgroup, SaysWhyThereIsNone) {
  const TempFolder folder;
  std::filesystem::create_directories(folder / "unified/user");
  std::filesystem::create_directories(folder / "memory/user");
  const std::string v1 = "cgroup " + (folder / "memory") + " cgroup rw,memory 0 0\n";
  const std::string v2 = "cgroup2 " + (folder / "unified") + " cgroup2 rw 0 0\n";
  const std::string gone = "cgroup2 " + (folder / "gone") + " cgroup2 rw 0 0\n";
  const std::string hint =
      "\n  run as root, or inside 'systemd-run --user --scope -p Delegate=yes', to have one";
  const struct {
    std::string mounts, own, text;
  } cases[] = {
      {"", "", "no memory cgroup is mounted" + hint},
      {"proc /proc proc rw 0 0\n", "0::/user\n", "no memory cgroup is mounted" + hint},
      {v2, "torn", "no memory cgroup is mounted" + hint},
      {v1, "1:cpu,cpuacct:/user\n", "no memory cgroup is mounted" + hint},
      // The folders here have no files of the kernel in them.
      {v2, "0::/user\n",
       (folder / "unified/user") +
           ": the memory controller is not handed down here: No such file or directory" + hint},
      {v1, "2:cpu:/\n7:memory:/user\n",
       (folder / "memory/user") +
           ": the memory controller is not handed down here: No such file or directory" + hint},
      {gone, "0::/\n",
       (folder / "gone") + ": no memory cgroup can be made: No such file or directory" + hint},
  };
  for (const auto& c : cases) {
    const CgroupMeter::Places places{folder.write("own", c.own), folder.write("mounts", c.mounts)};
    const Result<std::unique_ptr<CgroupMeter>> meter = CgroupMeter::make(::getpid(), places);
    ASSERT_FALSE(meter) << c.text;
    EXPECT_EQ(meter.error().to_text(), c.text);
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder / "unified/user"));
  EXPECT_TRUE(std::filesystem::is_empty(folder / "memory/user"));
}

class RealCgroup : public ::testing::Test {
 protected:
  void SetUp() override {
    Result<Launcher> launcher = Launcher::start(*Launcher::find());
    ASSERT_TRUE(launcher);
    launcher_ = std::make_unique<Launcher>(std::move(*launcher));
    Result<std::unique_ptr<CgroupMeter>> meter = CgroupMeter::make(launcher_->pid(), {});
    if (!meter) GTEST_SKIP() << meter.error().to_text();
    meter_ = std::move(*meter);
  }

  std::optional<std::uint64_t> peak_of(const std::vector<std::string>& words) {
    const Fd null(::open("/dev/null", O_RDWR | O_CLOEXEC));
    Words argv, env;
    for (const std::string& word : words) argv.add(word);
    LaunchCommand command;
    command.path = words.front();
    command.argv = &argv;
    command.env = &env;
    command.stdin_fd = command.stdout_fd = command.stderr_fd = null.value();
    meter_->start();
    EXPECT_TRUE(execute(*launcher_, command, {}));
    return meter_->stop();
  }

  std::unique_ptr<CgroupMeter> meter_;
  std::unique_ptr<Launcher> launcher_;  // ends first: it lives in the group
};

TEST_F(RealCgroup, ShowsWhatFourProcessesHoldTogether) {
  constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;
  const std::optional<std::uint64_t> small = peak_of({MEASURE_SUBJECT, "noop"});
  ASSERT_TRUE(small);
  EXPECT_LT(*small, 50 * kMiB);
  const std::optional<std::uint64_t> four = peak_of({MEASURE_SUBJECT, "hold", "100", "4"});
  ASSERT_TRUE(four);
  EXPECT_GT(*four, 395 * kMiB);
  EXPECT_LT(*four, 450 * kMiB);
  // The peak of one run is not that of the next.
  EXPECT_LT(peak_of({MEASURE_SUBJECT, "noop"}).value_or(400 * kMiB), 50 * kMiB);
}

TEST_F(RealCgroup, LeavesNoGroupBehind) {
  const std::string path = meter_->path();
  EXPECT_TRUE(std::filesystem::exists(path));
  peak_of({MEASURE_SUBJECT, "noop"});
  launcher_.reset();
  meter_.reset();
  EXPECT_FALSE(std::filesystem::exists(path));
}

// Another experiment was killed and its group, named after it, stayed.
TEST_F(RealCgroup, RemovesGroupsOfTheDead) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  ASSERT_GT(child, 0);
  ::waitpid(child, nullptr, 0);
  const std::filesystem::path parent = std::filesystem::path(meter_->path()).parent_path();
  const std::filesystem::path stale = parent / ("assay-" + std::to_string(child) + "-1");
  std::filesystem::create_directory(stale);
  Result<Launcher> other = Launcher::start(*Launcher::find());
  ASSERT_TRUE(other);
  Result<std::unique_ptr<CgroupMeter>> meter = CgroupMeter::make(other->pid(), {});
  ASSERT_TRUE(meter);
  EXPECT_FALSE(std::filesystem::exists(stale));
  EXPECT_TRUE(std::filesystem::exists(meter_->path()));
  other->end();
}

}  // namespace
}  // namespace assay::measure
