// SPDX-License-Identifier: Apache-2.0
#include "prover/engine/timeline.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>

namespace prover {

double milliseconds(TimePoint a, TimePoint b) {
  return std::chrono::duration<double, std::milli>(b - a).count();
}

Timeline::~Timeline() {
  if (owned_) close(file_);
}

Result<void> Timeline::open(const std::string& path) {
  const std::lock_guard lock(mutex_);
  path_ = path;
  if (path == "-") {
    file_ = STDOUT_FILENO;
    return {};
  }
  file_ = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file_ < 0)
    return fail(ErrorKind::usage,
                "cannot write this file: " + std::generic_category().message(errno),
                "--timeline " + path);
  owned_ = true;
  return {};
}

TimePoint Timeline::mark(const Task& task, const Event& event) {
  const std::lock_guard lock(mutex_);
  const TimePoint now = std::chrono::steady_clock::now();
  if (file_ < 0) return now;
  std::array<char, 256> line;
  char* end =
      fmt::format_to_n(line.data(), 128, "TIMELINE,{:.3f},{},{:08x},", milliseconds(epoch_, now),
                       event.name, static_cast<std::uint64_t>(task.job))
          .out;
  if (event.worker) end = fmt::format_to(end, "worker={},", *event.worker);
  end = fmt::format_to(end, "partition={}", task.partition);
  if (event.duration != nullptr)
    end = fmt::format_to(end, ",{}={:.3f}", event.duration, milliseconds(event.since, now));
  *end++ = '\n';
  write_line({line.data(), static_cast<std::size_t>(end - line.data())});
  return now;
}

void Timeline::setting(std::string_view name, std::string_view value) {
  const std::lock_guard lock(mutex_);
  if (file_ < 0) return;
  write_line(fmt::format("TIMELINE-SETTING effective_{}={}\n", name, value));
}

void Timeline::write_line(std::string_view line) {
  while (!line.empty()) {
    const ssize_t written = ::write(file_, line.data(), line.size());
    if (written >= 0) {
      line.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno != EINTR) {
      error_number_ = errno;
      ++lost_;
      return;
    }
  }
}

std::optional<Error> Timeline::trouble() const {
  const std::lock_guard lock(mutex_);
  if (lost_ == 0) return std::nullopt;
  return Error{fmt::format("{} lines were lost or torn: {}", lost_,
                           std::generic_category().message(error_number_)),
               "--timeline " + path_, "events are missing from it: do not draw conclusions from it",
               ErrorKind::failed};
}

}  // namespace prover
