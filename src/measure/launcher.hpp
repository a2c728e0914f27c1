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
  // What the helper may take for the end of a tree (launch/main.c gives up after 10 s). Nothing
  // here waits longer for it.
  static constexpr std::chrono::milliseconds kPatience{12000};

  // Where the helper is: $ASSAY_LAUNCH, beside the running program, or in ../libexec/assay from
  // there. Errors name the places that were tried.
  static Result<std::string> find();

  // Starts the helper at `path` and greets it. Errors: it cannot be executed, or it is of another
  // version, or something else answers.
  static Result<Launcher> start(const std::string& path,
                                std::chrono::milliseconds patience = kPatience);

  Launcher(Launcher&& other) noexcept;
  Launcher& operator=(Launcher&&) = delete;
  ~Launcher() { end(); }

  // Asks for one command; the answer is receive(), when socket() becomes readable.
  Result<void> send(const LaunchCommand& command);
  // Ends the running command and its tree: SIGTERM to its group and, after `grace`, SIGKILL to all.
  Result<void> kill(std::chrono::nanoseconds grace);
  // The answer to send(). An Error says that the helper is gone, and everything it had started with
  // it; its `where` is for the caller to fill with the command, which may have done it.
  Result<LaunchReply> receive();

  // Lets a helper go on that somebody stopped.
  void wake() const;
  // Gives up a helper that does not answer: ends it and everything it started. The Error to return.
  Error abandon();
  // Closes the socket and waits, not without limit, until the helper, and with it everything it
  // started, is gone.
  void end();

  bool is_lost() const { return !socket_; }
  int socket() const { return socket_.value(); }
  std::chrono::milliseconds patience() const { return patience_; }
  // The process whose children the commands are.
  pid_t pid() const { return pid_; }

 private:
  Launcher(Fd socket, pid_t keeper, std::chrono::milliseconds patience)
      : socket_(std::move(socket)), keeper_(keeper), patience_(patience) {}
  Result<void> greet(const std::string& path);
  Error lost();
  std::optional<int> end_within(std::chrono::milliseconds limit);
  std::optional<int> end_by_force();

  Fd socket_;
  pid_t keeper_;    // our child; -1 = has ended
  pid_t pid_ = -1;  // its child
  std::chrono::milliseconds patience_;
};

}  // namespace assay::measure
