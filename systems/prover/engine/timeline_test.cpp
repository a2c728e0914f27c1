// SPDX-License-Identifier: Apache-2.0
#include "prover/engine/timeline.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <regex>
#include <sstream>
#include <thread>
#include <vector>

namespace prover {
namespace {

class TimelineTest : public ::testing::Test {
 protected:
  TimelineTest() : path_(::testing::TempDir() + "timeline_" + std::to_string(getpid())) {}
  ~TimelineTest() override { unlink(path_.c_str()); }

  std::vector<std::string> lines() const {
    std::ifstream file(path_);
    std::vector<std::string> all;
    for (std::string line; std::getline(file, line);) all.push_back(line);
    return all;
  }

  std::string path_;
};

TEST_F(TimelineTest, WritesWhatTheFormatSays) {
  Timeline timeline;
  ASSERT_TRUE(timeline.open(path_));
  timeline.setting("partition_workers", "4");
  const TimePoint begin = timeline.mark({JobId{0xab}, 3}, {.name = "SYNTH_START", .worker = 2});
  const TimePoint end = timeline.mark(
      {JobId{0xab}, 3}, {.name = "SYNTH_END", .duration = "synth_ms", .since = begin});
  EXPECT_GE(end, begin);
  const auto written = lines();
  ASSERT_EQ(written.size(), 3u);
  EXPECT_EQ(written[0], "TIMELINE-SETTING effective_partition_workers=4");
  EXPECT_TRUE(std::regex_match(
      written[1], std::regex(R"(TIMELINE,\d+\.\d{3},SYNTH_START,000000ab,worker=2,partition=3)")))
      << written[1];
  EXPECT_TRUE(std::regex_match(
      written[2],
      std::regex(R"(TIMELINE,\d+\.\d{3},SYNTH_END,000000ab,partition=3,synth_ms=\d+\.\d{3})")))
      << written[2];
  EXPECT_FALSE(timeline.trouble());
}

TEST_F(TimelineTest, TimesNeverFallFromLineToLineWhoeverWrites) {
  {
    Timeline timeline;
    ASSERT_TRUE(timeline.open(path_));
    std::vector<std::thread> threads;
    for (std::uint32_t t = 0; t < 4; ++t)
      threads.emplace_back([&timeline, t] {
        for (int i = 0; i < 200; ++i) timeline.mark({JobId{1}, t}, {.name = "GPU_QUEUE"});
      });
    for (std::thread& thread : threads) thread.join();
  }
  const auto written = lines();
  ASSERT_EQ(written.size(), 800u);
  double last = 0;
  for (const std::string& line : written) {
    const double now = std::stod(line.substr(line.find(',') + 1));
    EXPECT_GE(now, last);
    last = now;
  }
}

TEST_F(TimelineTest, WithoutAFileItIsAClock) {
  Timeline timeline;
  EXPECT_GT(timeline.mark({JobId{1}, 0}, {.name = "GPU_QUEUE"}), TimePoint());
  timeline.setting("x", "1");
  EXPECT_FALSE(timeline.trouble());
}

TEST_F(TimelineTest, WhatCannotBeWrittenIsTold) {
  Timeline nowhere;
  const auto opened = nowhere.open("/nonexistent/folder/t.log");
  ASSERT_FALSE(opened);
  EXPECT_EQ(
      opened.error().to_text(),
      "--timeline /nonexistent/folder/t.log: cannot write this file: No such file or directory");
  Timeline full;
  if (!full.open("/dev/full")) GTEST_SKIP() << "no /dev/full here";
  full.mark({JobId{1}, 0}, {.name = "GPU_QUEUE"});
  full.mark({JobId{1}, 1}, {.name = "GPU_QUEUE"});
  ASSERT_TRUE(full.trouble());
  EXPECT_EQ(full.trouble()->what, "2 lines were lost or torn: No space left on device");
}

}  // namespace
}  // namespace prover
