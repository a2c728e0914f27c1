// SPDX-License-Identifier: Apache-2.0
// Log lines, one for each event of a partition: not at all, written by whoever has something to
// say, or handed to a thread that writes them. That thread's queue is bounded; what does not fit is
// dropped and counted, because a prover must not wait for its log.
#pragma once

#include <unistd.h>

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <thread>

#include "prover/engine/options.hpp"
#include "prover/engine/timeline.hpp"

namespace prover {

class Log {
 public:
  static constexpr std::size_t kLines = 8192;  // that wait for the thread, at most

  // Throws std::system_error when there is no thread to be had. `file` outlives this.
  explicit Log(LogSink sink, int file = STDERR_FILENO, std::size_t lines = kLines);
  // Writes what waits.
  ~Log();
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;

  // "prover: SYNTH_END job 0000000a partition 3 worker 1 synth_ms 80.1"
  void event(const Task& task, const Event& event, TimePoint now);
  // Lines that are not in the file: no room, or the write failed.
  std::uint64_t dropped() const;

 private:
  void run();
  bool write(const std::string& line) const;

  const LogSink sink_;
  const int file_;
  const std::size_t lines_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::string> waiting_;
  std::uint64_t dropped_ = 0;
  bool ending_ = false;
  std::thread thread_;
};

// Where the engine says what happens: the timeline, which stamps it, and the log.
struct Events {
  Timeline& timeline;
  Log& log;
  TimePoint mark(const Task& task, const Event& event) const {
    const TimePoint now = timeline.mark(task, event);
    log.event(task, event, now);
    return now;
  }
};

}  // namespace prover
