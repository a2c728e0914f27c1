// SPDX-License-Identifier: Apache-2.0
// Results go to standard output; warnings, errors and progress to standard error. Nothing here is
// coloured, so NO_COLOR has nothing to turn off.
#pragma once

#include <fmt/format.h>

#include <chrono>
#include <string>
#include <string_view>
#include <utility>

#include "prover/base/result.hpp"

namespace prover::cli {

// Writes a result. Errors: the disk is full, the reader has gone.
Result<void> print(std::string_view text);

// To stderr. A full or closed one is no failure of the work.
void tell_text(std::string_view text);
template <class... Parts>
void tell(fmt::format_string<Parts...> format, Parts&&... parts) {
  tell_text(fmt::format(format, std::forward<Parts>(parts)...));
}
// "prover: warning: <text>"
void warn(std::string_view text);

// Prints the error, and the exit status that stands for it.
int complain(const Error& error);

// The exit status of an error.
int status_of(const Error& error);

// "12 s", "3 min 20 s", "2 h 5 min"
std::string show_duration(double seconds);

// One line on standard error that says how far a long work is and when it will be done: only when
// that is a terminal (and not a dumb one), and only when the work takes longer than half a second.
class Progress {
 public:
  explicit Progress(std::string what);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // `part` in [0, 1] is done.
  void show(double part);
  // What is being done, for work of which nobody knows how long it takes.
  void show(std::string_view step);
  // Takes the line away, before anything else is printed.
  void clear();

 private:
  using Clock = std::chrono::steady_clock;
  void write(std::string_view text);
  std::string what_;
  bool on_terminal_;
  bool shown_ = false;
  Clock::time_point begin_ = Clock::now(), last_ = begin_;
};

}  // namespace prover::cli
