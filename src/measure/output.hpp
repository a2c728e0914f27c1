// SPDX-License-Identifier: Apache-2.0
// What a command prints, read while it runs: stdout is digested and offered to the metric rules, of
// stderr the last 4 KiB are kept. Nothing else is held, however much comes.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/digest.hpp"
#include "base/result.hpp"
#include "measure/launcher.hpp"
#include "measure/metric_rules.hpp"
#include "model/trial.hpp"

namespace assay::measure {

// The last bytes of a stream.
class Tail {
 public:
  static constexpr std::size_t kBytes = 4096;

  void add(std::string_view bytes);
  // The text, from the start of a line on when something before it was dropped; then empty again.
  std::string take();

 private:
  std::string text_;
  bool dropped_ = false;
};

// Whether a stream of `bytes` bytes that ends with `last` lost its end: text without a final
// newline. An empty stream is whole, and `binary` output (a zero byte near its start) has no lines.
bool is_torn(std::uint64_t bytes, char last, bool binary);

class OutputReader {
 public:
  enum class Stream { out, err };

  // rules   gets every byte of stdout; may be null
  // pty     stdout is a terminal, so that the C library of the command flushes every line
  OutputReader(MetricRules* rules, bool pty);

  // From the next run on, what `stream` carries is also written to the file `path`, which every run
  // begins anew; empty = no more.
  void copy_to(Stream stream, std::string path) { copy_path_[index(stream)] = std::move(path); }
  // The first thing that went wrong while copying the last run; nothing = the copies are whole.
  const std::optional<Error>& copy_error() const { return copy_error_; }

  // Fresh channels for the next run.
  Result<void> open();
  int child_end(Stream stream) const { return child_[index(stream)].value(); }
  int own_end(Stream stream) const { return own_[index(stream)].value(); }

  // Reads once what is there. How long the stream may be left alone after it: a command that prints
  // a little now and then would otherwise wake this process, beside which it runs, at every line.
  std::chrono::nanoseconds read(Stream stream);

  // After the command's whole tree has ended: reads the rest and closes the channels. Whoever else
  // still holds them (a process to which the command handed them over) is not waited for.
  // stderr_tail only when `want_stderr`.
  Output finish(bool want_stderr);

 private:
  static std::size_t index(Stream stream) { return stream == Stream::out ? 0 : 1; }
  std::size_t read_once(Stream stream);
  void take(Stream stream, std::string_view chunk);
  Result<void> open_terminal();
  Result<void> open_pipe(Stream stream);
  void open_copies();
  void copy(Stream stream, std::string_view chunk);

  MetricRules* rules_;
  bool pty_;
  std::vector<char> buffer_;
  Fd child_[2], own_[2];
  std::uint64_t capacity_[2] = {0, 0};  // of the channel, bytes
  bool ended_[2] = {false, false};
  Sha256 digest_;
  std::uint64_t bytes_ = 0;
  bool binary_ = false;
  char last_ = '\n';
  Tail tail_;
  std::string copy_path_[2];
  Fd copy_[2];
  std::optional<Error> copy_error_;
};

}  // namespace assay::measure
