// SPDX-License-Identifier: Apache-2.0
// TIMELINE lines: TIMELINE,<offset_ms>,<EVENT>,<job hex>,<k=v,k=v>, one write a line, so that a
// killed process loses none of them; and the clock of the engine's stamps, so that what a line says
// and what the reports say are the same numbers. Offsets count from open() or construction and
// never fall from line to line: the stamp is taken where the line is written.
#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "prover/engine/work.hpp"

namespace prover {

// b - a in milliseconds.
double milliseconds(TimePoint a, TimePoint b);

// What a line says beside its time and its task.
struct Event {
  const char* name;  // SYNTH_START, ...
  std::optional<int> worker = {};
  const char* duration = nullptr;  // synth_ms, ...: from `since` until now
  TimePoint since = {};
};

class Timeline {
 public:
  // Writes nothing: only the clock.
  Timeline() : epoch_(std::chrono::steady_clock::now()) {}
  ~Timeline();
  Timeline(const Timeline&) = delete;
  Timeline& operator=(const Timeline&) = delete;

  // Into a new file, or "-": the standard output. Before the first event.
  Result<void> open(const std::string& path);

  // A line of the task, when there is a file. Returns its time.
  TimePoint mark(const Task& task, const Event& event);
  // TIMELINE-SETTING effective_<name>=<value>
  void setting(std::string_view name, std::string_view value);

  // Why lines were lost, when they were.
  std::optional<Error> trouble() const;

 private:
  void write_line(std::string_view line);  // mutex_ is held

  const TimePoint epoch_;
  mutable std::mutex mutex_;
  int file_ = -1;
  bool owned_ = false;
  std::string path_;
  int error_number_ = 0;
  std::uint64_t lost_ = 0;
};

}  // namespace prover
