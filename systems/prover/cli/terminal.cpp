// SPDX-License-Identifier: Apache-2.0
#include "prover/cli/terminal.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "prover/cli/exit_status.hpp"

namespace prover::cli {
namespace {

bool shows_progress() {
  const char* const term = std::getenv("TERM");
  return ::isatty(STDERR_FILENO) == 1 && term != nullptr && std::string_view(term) != "dumb";
}

}  // namespace

Result<void> print(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0)
    return {};
  return fail(ErrorKind::failed, fmt::format("cannot write: {}", std::strerror(errno)),
              "standard output");
}

void tell_text(std::string_view text) { (void)!std::fwrite(text.data(), 1, text.size(), stderr); }

void warn(std::string_view text) { tell("prover: warning: {}\n", text); }

int status_of(const Error& error) {
  switch (error.kind) {
    case ErrorKind::usage:
    case ErrorKind::not_found:
    case ErrorKind::too_large:
    case ErrorKind::self_check:  // the witness, or the key, is not what it should be
      return kUsage;
    case ErrorKind::cancelled:
      return kSignalled + SIGINT;
    case ErrorKind::failed:
    case ErrorKind::out_of_memory:
    case ErrorKind::draining:
    case ErrorKind::deadline:
    case ErrorKind::exhausted:
      return kFailed;
  }
  return kFailed;
}

int complain(const Error& error) {
  // A place that is a command begins with the program's name already.
  const std::string text = error.to_text();
  tell("{}{}\n", text.starts_with("prover ") ? "" : "prover: ", text);
  return status_of(error);
}

std::string show_duration(double seconds) {
  const auto whole = static_cast<long>(std::ceil(seconds));
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {} s", whole / 60, whole % 60);
  return fmt::format("{} h {} min", whole / 3600, whole % 3600 / 60);
}

Progress::Progress(std::string what) : what_(std::move(what)), on_terminal_(shows_progress()) {}

Progress::~Progress() { clear(); }

void Progress::clear() {
  if (shown_) tell("\r\x1b[K");
  shown_ = false;
}

void Progress::show(double part) {
  if (!on_terminal_) return;
  const Clock::time_point now = Clock::now();
  const double since_begin = std::chrono::duration<double>(now - begin_).count();
  if (since_begin < 0.5 || now - last_ < std::chrono::milliseconds(100)) return;
  last_ = now;
  std::string left;
  if (part > 0.02)
    left = fmt::format(", about {} left", show_duration(since_begin * (1 - part) / part));
  write(fmt::format("{:.0f} %{}", 100 * part, left));
}

void Progress::show(std::string_view step) {
  if (on_terminal_) write(step);
}

void Progress::write(std::string_view text) {
  shown_ = true;
  tell("\r\x1b[K{}: {}", what_, text);
  std::fflush(stderr);
}

}  // namespace prover::cli
