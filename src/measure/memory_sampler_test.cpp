// SPDX-License-Identifier: Apache-2.0
#include "measure/memory_sampler.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "base/random.hpp"
#include "tests/support/measured.hpp"

namespace assay::measure {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using std::chrono::seconds;

const std::uint64_t kPage = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
constexpr pid_t kRoot = 100;

// A /proc made of files.
class FakeProc {
 public:
  void put(pid_t pid, pid_t parent, std::uint64_t pages, const std::string& name = "program") {
    const std::string folder = std::to_string(pid) + "/";
    folder_.write(folder + "stat",
                  std::to_string(pid) + " (" + name + ") S " + std::to_string(parent) + " 1 1 0\n");
    folder_.write(folder + "statm", "5000 " + std::to_string(pages) + " 10 1 0 20 0\n");
  }
  // An open statm of a process that is gone gives an error; here it is empty.
  void remove(pid_t pid) {
    folder_.write(std::to_string(pid) + "/statm", "");
    std::filesystem::remove_all(folder_ / std::to_string(pid));
  }
  const std::string& path() const { return folder_.path(); }

 private:
  TempFolder folder_;
};

std::uint64_t pages_now(MemorySampler& sampler, nanoseconds now) {
  sampler.start(now);
  sampler.sample(now);
  return sampler.finish(nanoseconds(0)).peak_bytes.value_or(0) / kPage;
}

TEST(MemorySampler, SumsTheDescendantsOnly) {
  FakeProc proc;
  proc.put(1, 0, 1000);
  proc.put(kRoot, 1, 2000);
  proc.put(101, kRoot, 10);
  proc.put(102, 101, 20, "bad ) S 1 (name");
  proc.put(103, 1, 4000);    // somebody else's
  proc.put(90, 102, 40);     // numbers began anew: the child stands before its parent
  proc.put(104, 103, 8000);  // somebody else's child
  MemorySampler sampler(kRoot, proc.path());
  EXPECT_EQ(pages_now(sampler, seconds(10)), 70u);
}

TEST(MemorySampler, FollowsBirthsAndDeaths) {
  FakeProc proc;
  proc.put(kRoot, 1, 2000);
  proc.put(1, 0, 1000);
  proc.put(101, kRoot, 10);
  MemorySampler sampler(kRoot, proc.path());
  nanoseconds now = seconds(10);
  sampler.start(now);
  const auto step = [&](milliseconds later) {
    now += later;
    sampler.sample(now);
  };
  step(milliseconds(10));
  proc.put(102, 101, 100);
  step(seconds(1));  // far behind any price of a scan
  proc.put(101, kRoot, 5);
  proc.remove(102);
  step(milliseconds(10));
  const MemorySampler::Reading reading = sampler.finish(seconds(10));
  EXPECT_EQ(reading.samples, 3u);
  EXPECT_EQ(reading.peak_bytes, 110 * kPage);
  const std::vector<MemorySample> series = {{milliseconds(10), 10 * kPage},
                                            {milliseconds(1010), 110 * kPage},
                                            {milliseconds(1020), 5 * kPage}};
  EXPECT_EQ(reading.series, series);
}

// The parent of 102 went between the reading of its name and of its file: 102 is not given up.
TEST(MemorySampler, ProcessOfAnUnknownParentIsLookedAtAgain) {
  FakeProc proc;
  proc.put(1, 0, 1000);
  proc.put(kRoot, 1, 2000);
  proc.put(101, kRoot, 1);
  proc.put(102, 555, 30);
  MemorySampler sampler(kRoot, proc.path());
  sampler.start(seconds(10));
  sampler.sample(seconds(10));
  proc.put(102, kRoot, 30);  // the kernel gave the orphan to the root
  sampler.sample(seconds(10) + milliseconds(900));
  EXPECT_EQ(sampler.finish(seconds(10)).peak_bytes, 31 * kPage);
}

TEST(MemorySampler, ServicesOfAHookDoNotCount) {
  FakeProc proc;
  proc.put(1, 0, 1000);
  proc.put(kRoot, 1, 2000);
  proc.put(101, kRoot, 10);
  proc.put(102, 101, 20);
  MemorySampler sampler(kRoot, proc.path());
  sampler.exclude_existing();
  proc.put(103, kRoot, 7);
  proc.put(104, 102, 500);  // a worker of the service
  EXPECT_EQ(pages_now(sampler, seconds(10)), 7u);
  EXPECT_EQ(pages_now(sampler, seconds(20)), 7u);
}

TEST(MemorySampler, NothingToSeeIsNoReading) {
  FakeProc proc;
  proc.put(kRoot, 1, 2000);
  MemorySampler sampler(kRoot, proc.path());
  sampler.start(seconds(1));
  sampler.sample(seconds(1));
  const MemorySampler::Reading reading = sampler.finish(seconds(1));
  EXPECT_EQ(reading.samples, 0u);
  EXPECT_FALSE(reading.peak_bytes);
  MemorySampler nowhere(kRoot, "/nowhere");
  nowhere.start(seconds(1));
  nowhere.sample(seconds(1));
  EXPECT_FALSE(nowhere.finish(seconds(1)).peak_bytes);
}

TEST(MemorySampler, TornFilesAreSkipped) {
  for (const char* stat :
       {"", "102", "102 (x", "102 (x)", "102 (x) S", "102 (x) S ", "102 (x) S y"}) {
    FakeProc proc;
    proc.put(1, 0, 1000);
    proc.put(kRoot, 1, 2000);
    proc.put(101, kRoot, 10);
    const TempFolder other;
    std::filesystem::create_directory(proc.path() + "/102");
    std::ofstream(proc.path() + "/102/stat") << stat;
    MemorySampler sampler(kRoot, proc.path());
    EXPECT_EQ(pages_now(sampler, seconds(10)), 10u) << stat;
  }
}

TEST(MemorySampler, SlowsDownWithTheRun) {
  FakeProc proc;
  MemorySampler sampler(kRoot, proc.path());
  sampler.start(seconds(100));
  EXPECT_EQ(sampler.due(), seconds(100) + milliseconds(10));
  const struct {
    nanoseconds at;
    milliseconds every;
  } cases[] = {{seconds(100), milliseconds(10)},
               {seconds(101), milliseconds(20)},
               {seconds(110), milliseconds(50)},
               {seconds(10000), milliseconds(50)}};
  for (const auto& c : cases) {
    sampler.sample(c.at);
    EXPECT_EQ(sampler.due(), c.at + c.every);
  }
}

TEST(Series, IsThinnedEvenlyAndKeepsThePeak) {
  for (const std::size_t count : {0u, 1u, 511u, 512u, 513u, 1023u, 1024u, 1025u, 5000u, 100000u}) {
    Random random(count + 1);
    Series series;
    std::uint64_t peak = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint64_t bytes = random.below(1'000'000);
      peak = std::max(peak, bytes);
      series.add({milliseconds(i), bytes});
    }
    const std::vector<MemorySample> thin = series.take(nanoseconds(0));
    EXPECT_LE(thin.size(), Series::kMost);
    EXPECT_GE(thin.size(), std::min<std::size_t>(count, Series::kMost / 2)) << count;
    std::uint64_t kept = 0;
    for (std::size_t i = 0; i < thin.size(); ++i) {
      kept = std::max(kept, thin[i].tree_bytes);
      if (i == 0) continue;
      EXPECT_GT(thin[i].at, thin[i - 1].at);
      // No gap: of every stretch of `step` samples one stays.
      const std::size_t step = 2 * (2 * count / Series::kMost + 1);
      EXPECT_LE(thin[i].at - thin[i - 1].at, milliseconds(2 * step)) << count;
    }
    EXPECT_EQ(kept, peak) << count;
    EXPECT_TRUE(series.take(nanoseconds(0)).empty());
  }
}

}  // namespace
}  // namespace assay::measure
