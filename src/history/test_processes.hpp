// SPDX-License-Identifier: Apache-2.0
// Child processes for the tests of the store: for what must not happen to the test itself.
#pragma once

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <string>

namespace assay::history {

// A forked child that may talk to the test through a pipe; killed and reaped with the object.
class Child {
 public:
  // `body` gets the writing end of the pipe; the child exits behind it without any clean-up.
  explicit Child(const std::function<void(int pipe)>& body) {
    int ends[2];
    if (pipe(ends) != 0) return;
    pid_ = fork();
    if (pid_ == 0) {
      close(ends[0]);
      body(ends[1]);
      _exit(0);
    }
    close(ends[1]);
    reading_ = ends[0];
  }
  ~Child() {
    if (pid_ > 0) kill_now();
    if (reading_ >= 0) close(reading_);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  // The next byte; nothing left and the child gone: -1.
  int next_byte() const {
    unsigned char byte = 0;
    return read(reading_, &byte, 1) == 1 ? byte : -1;
  }
  // Everything until the child closes the pipe.
  std::string rest() const {
    std::string text;
    for (int byte = next_byte(); byte >= 0; byte = next_byte()) text += static_cast<char>(byte);
    return text;
  }
  void kill_now() {
    kill(pid_, SIGKILL);
    reap();
  }
  int reap() {
    int status = 0;
    waitpid(pid_, &status, 0);
    pid_ = -1;
    return status;
  }

 private:
  pid_t pid_ = -1;
  int reading_ = -1;
};

inline void send(int pipe, const std::string& text) {
  ASSERT_EQ(write(pipe, text.data(), text.size()), static_cast<ssize_t>(text.size()));
}

// What `body` returns when it runs in a child.
inline std::string in_child(const std::function<std::string()>& body) {
  Child child([&](int pipe) { send(pipe, body()); });
  std::string text = child.rest();
  const int status = child.reap();
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
    text += " (the child ended with status " + std::to_string(status) + ")";
  return text;
}

// Modes of files do not bind root: a child that has to feel them becomes "nobody".
inline void become_nobody() {
  if (geteuid() != 0) return;
  ASSERT_EQ(setgid(65534), 0);
  ASSERT_EQ(setuid(65534), 0);
}

}  // namespace assay::history
