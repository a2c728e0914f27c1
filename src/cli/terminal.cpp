// SPDX-License-Identifier: Apache-2.0
#include "cli/terminal.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>

#include "base/check.hpp"
#include "base/text.hpp"

namespace assay::cli {
namespace {

constexpr std::size_t kLongestLine = 1000;  // columns of one line of a message
constexpr std::size_t kLongestPlace = 200;  // columns of the command or path that an error is about

// 0, or the errno value of the write that failed.
int write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = ::write(fd, text.data(), text.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return errno;
    text.remove_prefix(static_cast<std::size_t>(count));
  }
  return 0;
}

bool wants_colour(Colour colour, bool terminal) {
  if (colour != Colour::automatic) return colour == Colour::always;
  const char* no_colour = std::getenv("NO_COLOR");
  const char* term = std::getenv("TERM");
  if (no_colour != nullptr && *no_colour != '\0') return false;
  return terminal && term != nullptr && std::string_view(term) != "dumb";
}

std::size_t columns_of(int fd) {
  winsize size{};
  if (::ioctl(fd, TIOCGWINSZ, &size) != 0) return 0;
  return size.ws_col;
}

// The first `width` columns of `text`, never cutting a code point.
std::string_view cut(std::string_view text, std::size_t width) {
  std::size_t columns = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if ((static_cast<unsigned char>(text[i]) & 0xC0) == 0x80) continue;
    if (columns++ == width) return text.substr(0, i);
  }
  return text;
}

// Messages name commands, paths and what programs printed: whatever is in them, the terminal obeys
// none of it, and a command of many thousand characters does not bury the sentence.
std::string safe_lines(std::string_view text) {
  std::string safe;
  for (const std::string_view line : split_lines(text)) {
    if (!safe.empty()) safe += '\n';
    safe += shorten(printable(line), kLongestLine);
  }
  return safe;
}

}  // namespace

Terminal::Terminal(int out, int err, Colour colour, bool quiet)
    : out_(out),
      err_(err),
      out_is_terminal_(::isatty(out) == 1),
      err_is_terminal_(::isatty(err) == 1),
      colour_(wants_colour(colour, out_is_terminal_)),
      quiet_(quiet) {}

void Terminal::print(std::string_view text) {
  clear_progress();
  if (out_closed_ || !written_) return;
  const int number = write_all(out_, text);
  if (number == EPIPE)
    out_closed_ = true;
  else if (number != 0)
    written_ = fail(system_error("cannot write the result", number, "standard output"));
}

void Terminal::write_err(std::string_view text) {
  clear_progress();
  write_all(err_, text);  // there is nowhere left to complain
}

void Terminal::note(std::string_view text) {
  if (!quiet_) write_err(fmt::format("assay: {}\n", safe_lines(text)));
}

void Terminal::warn(std::string_view text) {
  write_err(fmt::format("assay: warning: {}\n", safe_lines(text)));
}

int Terminal::error(const Error& error, int code) {
  ASSAY_CHECK(code != kFine, "a printed error never exits 0");
  printed_error_ = true;
  const Error shown{error.what, shorten(error.where, kLongestPlace), error.hint};
  write_err(fmt::format("assay: {}\n", safe_lines(shown.to_text())));
  return code;
}

void Terminal::progress(std::string_view text, std::chrono::steady_clock::time_point now) {
  if (quiet_) return;
  std::string line = printable(text);
  std::replace(line.begin(), line.end(), '\t', ' ');
  if (err_is_terminal_) {
    const std::size_t columns = columns_of(err_);
    const std::size_t room = columns > 1 ? columns - 1 : 79;  // the last column may wrap
    write_all(err_, fmt::format("\r\x1b[K{}", cut(line, room)));
    progress_shown_ = true;
    return;
  }
  constexpr auto kSparse = std::chrono::seconds(30);
  if (last_sparse_ == std::chrono::steady_clock::time_point{}) last_sparse_ = now;
  if (now - last_sparse_ < kSparse) return;
  last_sparse_ = now;
  write_all(err_, fmt::format("assay: {}\n", line));
}

void Terminal::clear_progress() {
  if (!progress_shown_) return;
  progress_shown_ = false;
  write_all(err_, "\r\x1b[K");
}

std::size_t Terminal::width() const {
  for (const int fd : {out_, err_})
    if (const std::size_t columns = columns_of(fd); columns > 0) return columns;
  if (const char* text = std::getenv("COLUMNS"))
    if (const auto columns = parse_number(text); columns && *columns >= 20 && *columns <= 1000)
      return static_cast<std::size_t>(*columns);
  return 80;
}

Result<void> write_result(const std::string& path, std::string_view text, Terminal& terminal) {
  if (path == "-") {
    terminal.print(text);
    return {};
  }
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (fd < 0) return fail(system_error("cannot write the file", errno, path));
  int number = write_all(fd, text);
  if (::close(fd) != 0 && number == 0) number = errno;
  if (number != 0) return fail(system_error("cannot write the file", number, path));
  return {};
}

}  // namespace assay::cli
