// SPDX-License-Identifier: Apache-2.0
#include "prover/engine/log.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>

#include <array>
#include <regex>
#include <string>

#include "prover/engine/fake_work.hpp"

namespace prover {
namespace {

// What is written into a pipe, up to its capacity of 64 KiB.
class Pipe {
 public:
  Pipe() { PROVER_CHECK(pipe2(ends_.data(), O_CLOEXEC | O_NONBLOCK) == 0, "a pipe"); }
  ~Pipe() {
    close(ends_[0]);
    close(ends_[1]);
  }
  int in() const { return ends_[1]; }
  std::string text() const {
    std::string all(1 << 17, '\0');
    const ssize_t size = read(ends_[0], all.data(), all.size());
    all.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
    return all;
  }

 private:
  std::array<int, 2> ends_{};
};

TEST(Log, WritesWhatTheFormatSaysAtOnceOrByAThread) {
  for (const LogSink sink : {LogSink::stderr_, LogSink::async}) {
    Pipe pipe;
    {
      Log log(sink, pipe.in());
      const TimePoint begin{}, end = begin + std::chrono::microseconds(80125);
      log.event({JobId{10}, 3}, {.name = "GPU_QUEUE"}, end);
      log.event({JobId{10}, 3},
                {.name = "SYNTH_END", .worker = 1, .duration = "synth_ms", .since = begin}, end);
      if (sink == LogSink::async) {
        EXPECT_EQ(log.dropped(), 0u);
      }
    }
    EXPECT_EQ(pipe.text(),
              "prover: GPU_QUEUE job 0000000a partition 3\n"
              "prover: SYNTH_END job 0000000a partition 3 worker 1 synth_ms 80.125\n");
  }
}

TEST(Log, OffWritesNothing) {
  Pipe pipe;
  Log log(LogSink::off, pipe.in());
  log.event({JobId{1}, 0}, {.name = "GPU_QUEUE"}, {});
  EXPECT_EQ(pipe.text(), "");
}

TEST(Log, WhatIsNotWrittenIsCounted) {
  Log gone(LogSink::stderr_, -1);
  gone.event({JobId{1}, 0}, {.name = "GPU_QUEUE"}, {});
  EXPECT_EQ(gone.dropped(), 1u);
  Pipe pipe;
  Log log(LogSink::async, pipe.in(), 0);  // no line may wait
  for (int i = 0; i < 5; ++i) log.event({JobId{1}, 0}, {.name = "GPU_QUEUE"}, {});
  EXPECT_EQ(log.dropped(), 5u);
}

TEST(Log, TheEngineWritesEveryEventOfAPartition) {
  for (const LogSink sink : {LogSink::stderr_, LogSink::async}) {
    testing::internal::CaptureStderr();
    {
      test::Rig rig({.log_sink = sink});
      ASSERT_TRUE(rig.submit(2));
      rig.engine().drain();
      EXPECT_EQ(rig.engine().snapshot().log_dropped, 0u);
    }
    const std::string text = testing::internal::GetCapturedStderr();
    for (const char* event : {"SYNTH_START", "SYNTH_END", "CHAN_SEND", "GPU_QUEUE", "GPU_PICKUP",
                              "GPU_START", "GPU_FINISH", "GPU_END"})
      for (const char* partition : {"0", "1"})
        EXPECT_TRUE(std::regex_search(
            text, std::regex(std::string("prover: ") + event + " job 00000001 partition " +
                             partition + "( worker \\d+)?( [a-z]+_ms [0-9.]+)?\n")))
            << event << " of " << partition << " in\n"
            << text;
  }
}

}  // namespace
}  // namespace prover
