// SPDX-License-Identifier: Apache-2.0
#include "measure/output.hpp"

#include <fcntl.h>
#include <stdlib.h>
#include <termios.h>
#include <unistd.h>

#include <cerrno>

namespace assay::measure {
namespace {

constexpr std::uint64_t kProbe = 1 << 16;  // bytes in which a zero byte says "binary"
constexpr std::size_t kBuffer = std::size_t{256} << 10;
constexpr int kPipeBytes = 1 << 20;  // what Linux allows without privileges, unless lowered
// A read below this is the trickle of a command that prints now and then ...
constexpr std::size_t kTrickle = std::size_t{64} << 10;
// ... and may be left alone this long: no program fills 1 MiB in it (that would be 4 GiB/s).
constexpr std::chrono::microseconds kPause{250};

// SHA-256 of nothing: what most commands print.
constexpr const char* kEmptyDigest =
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

}  // namespace

void Tail::add(std::string_view bytes) {
  if (bytes.size() >= kBytes) {
    dropped_ |= bytes.size() > kBytes || !text_.empty();
    text_.assign(bytes.substr(bytes.size() - kBytes));
    return;
  }
  text_.append(bytes);
  if (text_.size() <= kBytes) return;
  text_.erase(0, text_.size() - kBytes);
  dropped_ = true;
}

std::string Tail::take() {
  std::string text;
  text.swap(text_);
  const std::size_t line = dropped_ ? text.find('\n') : std::string::npos;
  if (line != std::string::npos && line + 1 < text.size()) text.erase(0, line + 1);
  dropped_ = false;
  return text;
}

bool is_torn(std::uint64_t bytes, char last, bool binary) {
  return bytes > 0 && last != '\n' && !binary;
}

OutputReader::OutputReader(MetricRules* rules, bool pty)
    : rules_(rules), pty_(pty), buffer_(kBuffer) {}

Result<void> OutputReader::open() {
  bytes_ = 0;
  binary_ = false;
  last_ = '\n';
  ended_[0] = ended_[1] = false;
  open_copies();
  if (Result<void> made = pty_ ? open_terminal() : open_pipe(Stream::out); !made) return made;
  return open_pipe(Stream::err);
}

Result<void> OutputReader::open_pipe(Stream stream) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0)
    return fail(system_error("no pipe for the command's output", errno));
  const std::size_t i = index(stream);
  own_[i].reset(ends[0]);
  child_[i].reset(ends[1]);
  ::fcntl(ends[0], F_SETFL, O_NONBLOCK);
  const int size = stream == Stream::out ? ::fcntl(ends[0], F_SETPIPE_SZ, kPipeBytes) : -1;
  capacity_[i] = size > 0 ? static_cast<std::uint64_t>(size) : 0;
  return {};
}

void OutputReader::open_copies() {
  copy_error_.reset();
  for (const std::size_t i : {std::size_t{0}, std::size_t{1}}) {
    copy_[i].reset();
    if (copy_path_[i].empty()) continue;
    copy_[i].reset(::open(copy_path_[i].c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
    if (!copy_[i]) copy_error_ = system_error("no copy of the output", errno, copy_path_[i]);
  }
}

// A copy that cannot be written is an error of the copy, never of the run.
void OutputReader::copy(Stream stream, std::string_view chunk) {
  Fd& to = copy_[index(stream)];
  while (to && !chunk.empty()) {
    const ssize_t put = ::write(to.value(), chunk.data(), chunk.size());
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) {
      copy_error_ = system_error("the copy of the output is cut", errno, copy_path_[index(stream)]);
      to.reset();
      return;
    }
    chunk.remove_prefix(static_cast<std::size_t>(put));
  }
}

Result<void> OutputReader::open_terminal() {
  char name[128];
  Fd master(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK));
  if (!master || ::grantpt(master.value()) != 0 || ::unlockpt(master.value()) != 0 ||
      ::ptsname_r(master.value(), name, sizeof name) != 0)
    return fail(system_error("no terminal for the command's output", errno, "/dev/ptmx",
                             "do without --line-buffered"));
  Fd slave(::open(name, O_RDWR | O_NOCTTY | O_CLOEXEC));
  termios mode{};
  if (!slave || ::tcgetattr(slave.value(), &mode) != 0)
    return fail(system_error("no terminal for the command's output", errno, name,
                             "do without --line-buffered"));
  // Raw: every byte comes as the command wrote it, no carriage returns, no echo.
  ::cfmakeraw(&mode);
  ::tcsetattr(slave.value(), TCSANOW, &mode);
  own_[0] = std::move(master);
  child_[0] = std::move(slave);
  capacity_[0] = 0;
  return {};
}

// Bytes read; 0 = nothing there now, or the end.
std::size_t OutputReader::read_once(Stream stream) {
  const std::size_t i = index(stream);
  ssize_t got;
  do got = ::read(own_[i].value(), buffer_.data(), buffer_.size());
  while (got < 0 && errno == EINTR);
  // A terminal whose other side is closed gives EIO: its end of file.
  if (got == 0 || (got < 0 && errno != EAGAIN)) ended_[i] = true;
  if (got <= 0) return 0;
  const auto size = static_cast<std::size_t>(got);
  take(stream, {buffer_.data(), size});
  return size;
}

void OutputReader::take(Stream stream, std::string_view chunk) {
  copy(stream, chunk);
  if (stream == Stream::err) return tail_.add(chunk);
  if (bytes_ < kProbe) binary_ = binary_ || chunk.find('\0') != std::string_view::npos;
  bytes_ += chunk.size();
  last_ = chunk.back();
  digest_.update(chunk);
  if (rules_) rules_->consume(chunk);
}

std::chrono::nanoseconds OutputReader::read(Stream stream) {
  const std::size_t got = read_once(stream);
  const bool roomy = capacity_[index(stream)] >= static_cast<std::uint64_t>(kPipeBytes);
  return roomy && got < kTrickle ? kPause : std::chrono::nanoseconds(0);
}

Output OutputReader::finish(bool want_stderr) {
  for (const Stream stream : {Stream::out, Stream::err}) {
    const std::size_t i = index(stream);
    child_[i].reset();
    while (!ended_[i] && read_once(stream) > 0) {
    }
    own_[i].reset();
    copy_[i].reset();
  }
  Output output;
  output.bytes = bytes_;
  output.digest = bytes_ == 0 ? kEmptyDigest : digest_.finish();
  output.torn = is_torn(bytes_, last_, binary_);
  std::string tail = tail_.take();
  if (want_stderr) output.stderr_tail = std::move(tail);
  return output;
}

}  // namespace assay::measure
