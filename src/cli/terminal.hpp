// SPDX-License-Identifier: Apache-2.0
// Where text goes: results to stdout, progress, notes, warnings and errors to stderr. Commands
// print through a Terminal only, so that colour, width, pipes that close and full disks are handled
// once. Messages on stderr may hold anything: what a terminal would obey is made visible here, line
// breaks stay. Results on stdout are written as they are.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace assay::cli {

enum class Colour { automatic, always, never };

// Exit codes of the program (docs/design.md).
inline constexpr int kFine = 0;
inline constexpr int kRegression = 1;
inline constexpr int kBadInput = 2;
inline constexpr int kNotMeasured = 3;
inline constexpr int kUndecided = 4;
inline constexpr int kInterrupted = 130;

class Terminal {
 public:
  // Takes the two descriptors as they are (never closes them).
  Terminal(int out, int err, Colour colour, bool quiet);

  // Results, unbuffered: a line that was printed is out.
  void print(std::string_view text);
  // "assay: <text>" on stderr, unless --quiet.
  void note(std::string_view text);
  // "assay: warning: <text>" on stderr, also with --quiet.
  void warn(std::string_view text);
  // "assay: <error>" on stderr; returns `code`, which must not be kFine, to be returned by the
  // command.
  int error(const Error& error, int code);

  // One live line on stderr, replaced by the next and cleared before other output. Not on a
  // terminal: nothing, but a line of its own at most every 30 seconds, so that a log shows life.
  // Not with --quiet.
  void progress(std::string_view text,
                std::chrono::steady_clock::time_point now = std::chrono::steady_clock::now());
  void clear_progress();

  bool out_is_terminal() const { return out_is_terminal_; }
  bool err_is_terminal() const { return err_is_terminal_; }
  bool colour() const { return colour_; }  // for what goes to stdout
  bool unicode() const;                    // the locale's encoding is UTF-8
  bool quiet() const { return quiet_; }
  std::size_t width() const;  // columns of stdout, else of stderr; 80 when unknown

  bool printed_error() const { return printed_error_; }
  // What went wrong while writing results (disk full). A reader that went away (EPIPE) is no error.
  const Result<void>& written() const { return written_; }
  // The reader of stdout has gone: further results are dropped.
  bool out_closed() const { return out_closed_; }

 private:
  void write_err(std::string_view text);

  int out_, err_;
  bool out_is_terminal_, err_is_terminal_, colour_, quiet_;
  bool progress_shown_ = false;
  bool printed_error_ = false;
  bool out_closed_ = false;
  std::chrono::steady_clock::time_point last_sparse_{};
  Result<void> written_{};
};

// Writes a whole file, or prints when `path` is "-". The Error names the file.
Result<void> write_result(const std::string& path, std::string_view text, Terminal& terminal);

}  // namespace assay::cli
