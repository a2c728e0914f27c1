// SPDX-License-Identifier: Apache-2.0
// For tests of the program as its users see it: runs it, and keeps what it wrote and how it ended.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace prover::cli {

struct Finished {
  int status = -1;  // exit status, or 1000 + signal
  std::string out, err;
};

struct Launch {
  std::vector<std::string> words;
  rlim_t data_limit = RLIM_INFINITY;
  // Called once, with the pid, when the first line came out.
  std::function<void(pid_t)> on_first_line = {};
};

inline std::string read_all(int file, const std::function<void()>& on_line) {
  std::string text;
  char chunk[4096];
  for (ssize_t size; (size = read(file, chunk, sizeof chunk)) > 0;) {
    const bool had_line = text.find('\n') != std::string::npos;
    text.append(chunk, static_cast<std::size_t>(size));
    if (on_line && !had_line && text.find('\n') != std::string::npos) on_line();
  }
  close(file);
  return text;
}

inline Finished run(const Launch& launch) {
  int out[2];
  if (pipe2(out, O_CLOEXEC) != 0) return {};
  std::FILE* err = std::tmpfile();
  std::vector<char*> argv;
  std::vector<std::string> words = launch.words;
  words.insert(words.begin(), PROVER_PROGRAM);
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  const pid_t pid = fork();
  if (pid == 0) {
    dup2(out[1], 1);
    dup2(fileno(err), 2);
    const rlimit limit{launch.data_limit, launch.data_limit};
    if (launch.data_limit != RLIM_INFINITY) setrlimit(RLIMIT_DATA, &limit);
    execv(argv[0], argv.data());
    _exit(127);
  }
  close(out[1]);
  Finished result;
  result.out = read_all(out[0], [&] {
    if (launch.on_first_line) launch.on_first_line(pid);
  });
  int status = 0;
  waitpid(pid, &status, 0);
  result.status = WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
  const int err_file = dup(fileno(err));
  lseek(err_file, 0, SEEK_SET);
  result.err = read_all(err_file, {});
  std::fclose(err);
  return result;
}

inline bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// A folder that is gone after the test, with the names of files in it.
class InFolder : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "prover-program-XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string path(const std::string& name) const { return folder_ + "/" + name; }
  std::size_t files() const {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(folder_),
                                                  std::filesystem::directory_iterator()));
  }
  Finished circuit(const std::string& kind, std::vector<std::string> more) const {
    more.insert(more.begin(),
                {"circuit", kind, "--r1cs", path("c.r1cs"), "--wtns", path("w.wtns")});
    return run({.words = more});
  }

 private:
  std::string folder_;
};

}  // namespace prover::cli
