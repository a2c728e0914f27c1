// SPDX-License-Identifier: Apache-2.0
#include "prover/engine/log.hpp"

#include <fmt/format.h>

#include <assay/trace.hpp>
#include <cerrno>
#include <iterator>
#include <utility>

namespace prover {

Log::Log(LogSink sink, int file, std::size_t lines) : sink_(sink), file_(file), lines_(lines) {
  if (sink_ == LogSink::async) thread_ = std::thread([this] { run(); });
}

Log::~Log() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
    changed_.notify_all();
  }
  thread_.join();
}

void Log::event(const Task& task, const Event& event, TimePoint now) {
  if (sink_ == LogSink::off) return;
  std::string line = fmt::format("prover: {} job {:08x} partition {}", event.name,
                                 static_cast<std::uint64_t>(task.job), task.partition);
  if (event.worker) fmt::format_to(std::back_inserter(line), " worker {}", *event.worker);
  if (event.duration != nullptr)
    fmt::format_to(std::back_inserter(line), " {} {:.3f}", event.duration,
                   milliseconds(event.since, now));
  line += '\n';
  if (sink_ == LogSink::stderr_) {
    if (write(line)) return;
    const std::lock_guard lock(mutex_);
    ++dropped_;
    return;
  }
  const std::lock_guard lock(mutex_);
  if (waiting_.size() >= lines_) {
    ++dropped_;
    return;
  }
  waiting_.push_back(std::move(line));
  if (waiting_.size() == 1) changed_.notify_one();
}

std::uint64_t Log::dropped() const {
  const std::lock_guard lock(mutex_);
  return dropped_;
}

void Log::run() {
  assay::emit::name_thread("log", 0);
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return ending_ || !waiting_.empty(); });
    if (waiting_.empty()) return;
    std::deque<std::string> lines;
    lines.swap(waiting_);
    lock.unlock();
    std::uint64_t failed = 0;
    for (const std::string& line : lines) failed += write(line) ? 0 : 1;
    lock.lock();
    dropped_ += failed;
  }
}

// One write a line, so that lines of several threads stay whole.
bool Log::write(const std::string& line) const {
  for (;;) {
    const ssize_t written = ::write(file_, line.data(), line.size());
    if (written == static_cast<ssize_t>(line.size())) return true;
    if (written >= 0 || errno != EINTR) return false;
  }
}

}  // namespace prover
