// SPDX-License-Identifier: Apache-2.0
// The assay side of assay-launch: one helper process for a whole experiment (launch/protocol.h).
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "launch/protocol.h"

namespace assay::measure {

// A descriptor that is closed with its owner; -1 = none.
class Fd {
 public:
  Fd() = default;
  explicit Fd(int fd) : fd_(fd) {}
  Fd(Fd&& other) noexcept : fd_(other.release()) {}
  Fd& operator=(Fd&& other) noexcept {
    if (this != &other) reset(other.release());
    return *this;
  }
  ~Fd() { reset(); }

  int value() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }
  void reset(int fd = -1);
  int release() {
    const int fd = fd_;
    fd_ = -1;
    return fd;
  }

 private:
  int fd_ = -1;
};

// Words as the helper wants them: each ended by a zero byte. A word cannot hold one itself.
struct Words {
  std::string bytes;
  std::uint32_t count = 0;

  void add(std::string_view word) {
    bytes.append(word).push_back('\0');
    ++count;
  }
};

// CPUs, priority and layout of a command; nothing = as assay itself was started.
struct LaunchSettings {
  std::vector<int> cpus;  // empty = all
  std::optional<int> nice;
  int rt_priority = 0;  // > 0: SCHED_RR
  bool fixed_layout = false;
};

struct LaunchCommand {
  std::string_view path;  // of the executable, not searched for
  std::string_view cwd;   // empty = where assay runs
  const Words* argv = nullptr;
  const Words* env = nullptr;
  std::string_view last_env;  // one more NAME=value behind `env`; empty = none
  int stdin_fd = -1, stdout_fd = -1, stderr_fd = -1;
  bool pty = false;                    // stdout_fd is a terminal
  bool keep = false;                   // background processes of the command live on
  std::chrono::nanoseconds timeout{};  // 0 = none
  const LaunchSettings* settings = nullptr;
};

class Launcher {
 public:
  // From SIGTERM for the group to SIGKILL for the tree, at a time limit.
  static constexpr std::chrono::milliseconds kGrace{200};

  // Where the helper is: $ASSAY_LAUNCH, beside the running program, or in ../libexec/assay from
  // there. Errors name the places that were tried.
  static Result<std::string> find();

  // Starts the helper at `path` and greets it. Errors: it cannot be executed, or it is of another
  // version, or something else answers.
  static Result<Launcher> start(const std::string& path);

  Launcher(Launcher&&) noexcept = default;
  Launcher& operator=(Launcher&&) = delete;
  ~Launcher() { end(); }

  // Asks for one command; the answer is receive(), when socket() becomes readable.
  Result<void> send(const LaunchCommand& command);
  // Ends the running command and its tree: SIGTERM to its group and, after `grace`, SIGKILL to all.
  Result<void> kill(std::chrono::nanoseconds grace);
  // The answer to send(). An Error says that the helper is gone.
  Result<LaunchReply> receive();

  // Closes the socket and waits until the helper, and with it everything it started, is gone.
  void end();

  int socket() const { return socket_.value(); }
  pid_t pid() const { return pid_; }

 private:
  Launcher(Fd socket, pid_t pid) : socket_(std::move(socket)), pid_(pid) {}
  Error lost() const;

  Fd socket_;
  pid_t pid_;
};

}  // namespace assay::measure
