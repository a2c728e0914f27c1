// SPDX-License-Identifier: Apache-2.0
#include "base/process.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include "base/text.hpp"

namespace assay {
namespace {

ProcessRequest shell(const std::string& script) {
  ProcessRequest request;
  request.argv = {"sh", "-c", script};
  return request;
}

bool is_alive(pid_t pid) { return ::kill(pid, 0) == 0; }

// A pid that a line of a test's program gave: "pid 123".
pid_t pid_in(std::string_view line) {
  return static_cast<pid_t>(parse_number(line.substr(line.rfind(' ') + 1)).value_or(0));
}

TEST(Process, KeepsOutputAndExit) {
  struct Case {
    const char* script;
    const char *out, *err, *end;
  };
  const Case cases[] = {
      {"echo a; echo b >&2", "a\n", "b\n", "exited with status 0"},
      {"printf 'no newline'; exit 3", "no newline", "", "exited with status 3"},
      {"kill -9 $$", "", "", "was killed by signal 9 (Killed)"},
      {"read line || echo eof", "eof\n", "", "exited with status 0"},  // stdin is /dev/null
      {"trap", "", "", "exited with status 0"}};
  for (const Case& c : cases) {
    const auto result = run_process(shell(c.script));
    ASSERT_TRUE(result) << c.script << ": " << result.error().to_text();
    EXPECT_EQ(result->out, c.out) << c.script;
    EXPECT_EQ(result->err, c.err) << c.script;
    EXPECT_EQ(result->describe_end(), c.end) << c.script;
  }
}

TEST(Process, MergesStreamsInOrder) {
  ProcessRequest request = shell("echo 1; echo 2 >&2; echo 3; exit 1");
  request.merge_stderr = true;
  std::vector<std::string> lines;
  request.on_line = [&](std::string_view line) { lines.emplace_back(line); };
  const auto result = run_process(request);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->out, "1\n2\n3\n");
  EXPECT_EQ(result->err, "");
  EXPECT_EQ(lines, (std::vector<std::string>{"1", "2", "3"}));
  EXPECT_FALSE(result->ok());
}

TEST(Process, PassesFolderAndEnvironment) {
  const std::string folder = std::filesystem::canonical("/usr").string();
  ProcessRequest request = shell("pwd; echo \"$COLOUR/$EMPTY/${GONE-unset}\"");
  request.cwd = folder;
  request.env = std::vector<std::string>{"PATH=/usr/bin:/bin", "COLOUR=old", "GONE=1"};
  set_variable(*request.env, "COLOUR", "sea green");
  set_variable(*request.env, "EMPTY", "");
  unset_variable(*request.env, "GONE");
  const auto result = run_process(request);
  ASSERT_TRUE(result) << result.error().to_text();
  EXPECT_EQ(result->out, folder + "\nsea green//unset\n");
  EXPECT_EQ(find_variable(*request.env, "COLOUR"), "sea green");
  EXPECT_EQ(find_variable(*request.env, "COL"), std::nullopt);
}

TEST(Process, SaysWhyNothingStarted) {
  char folder[] = "/tmp/assay-process-XXXXXX";
  ASSERT_NE(::mkdtemp(folder), nullptr);
  const std::string plain = std::string(folder) + "/plain";
  ::close(::open(plain.c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
  struct Case {
    std::vector<std::string> argv;
    std::string cwd, message;
  };
  const Case cases[] = {
      {{}, "", "an empty command cannot be started"},
      {{""}, "", "an empty command cannot be started"},
      {{"no-such-program-x"},
       "",
       "'no-such-program-x' was not found on PATH\n  install it, or give its path"},
      {{"/no/such/file"}, "", "cannot start '/no/such/file': No such file or directory"},
      {{plain}, "", "cannot start '" + plain + "': Permission denied"},
      {{"sh", "-c", "true"},
       "/no/such/folder",
       "/no/such/folder: cannot enter the folder of 'sh': No such file or directory"},
      {{"sh", std::string("a\0b", 3)}, "", "sh: a command must not contain a zero byte"}};
  for (const Case& c : cases) {
    ProcessRequest request;
    request.argv = c.argv;
    request.cwd = c.cwd;
    const auto result = run_process(request);
    ASSERT_FALSE(result) << c.message;
    EXPECT_EQ(result.error().to_text(), c.message);
  }
  std::filesystem::remove_all(folder);
}

TEST(Process, BoundsWhatItKeepsNotWhatItReads) {
  ProcessRequest request = shell("head -c 5000000 /dev/zero | tr '\\0' x; printf 'the end'");
  request.keep_bytes = 100;
  std::size_t streamed = 0, longest = 0;
  request.on_line = [&](std::string_view line) {
    streamed += line.size();
    longest = std::max(longest, line.size());
  };
  const auto result = run_process(request);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->out.size(), 100u);
  EXPECT_TRUE(result->out.ends_with("xthe end"));
  EXPECT_EQ(result->out_dropped, 5000000u + 7 - 100);
  EXPECT_EQ(streamed, 5000007u);
  EXPECT_LE(longest, 65536u);
}

TEST(Process, ADeadlineKillsTheTree) {
  ProcessRequest request = shell("echo pid $$; setsid sleep 1000 & sleep 1000");
  request.deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(300);
  pid_t pid = 0;
  request.on_line = [&](std::string_view line) { pid = pid_in(line); };
  const auto result = run_process(request);
  ASSERT_TRUE(result);
  EXPECT_TRUE(result->timed_out);
  EXPECT_FALSE(result->interrupted || result->ok());
  EXPECT_EQ(result->describe_end(), "ran out of time");
  ASSERT_GT(pid, 0);
  EXPECT_FALSE(is_alive(pid));
  request = shell("kill -STOP $PPID; sleep 1000");  // who watches it is stopped
  request.deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(300);
  const auto stopping = run_process(request);
  ASSERT_TRUE(stopping);
  EXPECT_TRUE(stopping->timed_out);
  request = shell("exit 0");
  request.deadline = std::chrono::steady_clock::now() + std::chrono::hours(1);
  const auto quick = run_process(request);
  ASSERT_TRUE(quick);
  EXPECT_TRUE(quick->ok());
}

TEST(Process, InterruptKillsTheTree) {
  std::atomic<bool> interrupted{false};
  // One that ignores SIGTERM, one that left the group and the session, and one in front.
  ProcessRequest request = shell(
      "sh -c 'trap \"\" TERM; echo pid $$; while :; do sleep 1000; done' &\n"
      "setsid sh -c 'trap \"\" TERM; echo pid $$; while :; do sleep 1000; done' &\n"
      "echo pid $$; sleep 1000");
  request.interrupted = &interrupted;
  std::vector<pid_t> pids;
  request.on_line = [&](std::string_view line) {
    pids.push_back(pid_in(line));
    if (pids.size() == 3) interrupted = true;
  };
  const auto result = run_process(request);
  ASSERT_TRUE(result);
  EXPECT_TRUE(result->interrupted);
  EXPECT_FALSE(result->ok());
  ASSERT_EQ(pids.size(), 3u);
  for (const pid_t pid : pids) EXPECT_FALSE(is_alive(pid)) << pid;
}

TEST(Process, KillsWhatTheProgramLeavesBehind) {
  // The daemon holds stdout: without killing it the read would never end.
  const auto result = run_process(shell("setsid sleep 1000 & echo pid $!"));
  ASSERT_TRUE(result);
  EXPECT_TRUE(result->ok());
  EXPECT_FALSE(is_alive(pid_in(std::string_view(result->out).substr(0, result->out.size() - 1))));
}

// Our own death, however abrupt, takes the tree along and only then gives up the lock.
TEST(Process, DiesWithItsParentAndHoldsTheLockTillThen) {
  char path[] = "/tmp/assay-lock-XXXXXX";
  const int lock = ::mkstemp(path);
  std::array<int, 2> pipe{};
  ASSERT_EQ(::pipe(pipe.data()), 0);
  const pid_t parent = ::fork();
  if (parent == 0) {
    const int held = ::open(path, O_RDWR | O_CLOEXEC);
    if (::flock(held, LOCK_EX) != 0) ::_exit(1);
    ProcessRequest request = shell("trap '' TERM; echo pid $$; while :; do sleep 1000; done");
    request.hold = held;
    request.on_line = [&](std::string_view line) {
      const pid_t pid = pid_in(line);
      [[maybe_unused]] const auto n = ::write(pipe[1], &pid, sizeof pid);
    };
    (void)run_process(request);
    ::_exit(2);
  }
  pid_t pid = 0;
  ASSERT_EQ(::read(pipe[0], &pid, sizeof pid), static_cast<ssize_t>(sizeof pid));
  EXPECT_TRUE(is_alive(pid));
  EXPECT_NE(::flock(lock, LOCK_EX | LOCK_NB), 0);
  ::kill(parent, SIGKILL);
  ::waitpid(parent, nullptr, 0);
  EXPECT_EQ(::flock(lock, LOCK_EX), 0);  // waits for the supervisor
  EXPECT_FALSE(is_alive(pid));
  ::unlink(path);
  for (const int fd : {lock, pipe[0], pipe[1]}) ::close(fd);
}

TEST(Process, PassesNoDescriptorOn) {
  const int open_file = ::open("/dev/null", O_RDONLY);  // NOLINT: without O_CLOEXEC, on purpose
  ProcessRequest request;
  request.argv = {"ls", "/proc/self/fd"};
  const auto result = run_process(request);
  ::close(open_file);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->out, "0\n1\n2\n3\n");  // 3 is the folder that ls reads
}

TEST(Process, GivesTheProgramDefaultSignals) {
  sigset_t blocked, before;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &blocked, &before);
  const auto old = ::signal(SIGPIPE, SIG_IGN);
  const auto result = run_process(shell("grep -E '^Sig(Blk|Ign)' /proc/self/status"));
  ::signal(SIGPIPE, old);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->out, "SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n");
}

TEST(Process, ReportsAFullLog) {
  const int full = ::open("/dev/full", O_WRONLY | O_CLOEXEC);
  ASSERT_GE(full, 0);
  ProcessRequest request = shell("while :; do echo text; done");
  request.tee = full;
  const auto result = run_process(request);
  ::close(full);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().to_text(), "cannot write the output's log: No space left on device");
}

TEST(Process, RunsFromManyThreads) {
  std::array<std::thread, 4> threads;
  std::atomic<int> good{0};
  for (auto& thread : threads)
    thread = std::thread([&] {
      for (int i = 0; i < 10; ++i) {
        const auto result = run_process(shell("echo out; echo err >&2"));
        if (result && result->ok() && result->out == "out\n" && result->err == "err\n") ++good;
      }
    });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(good, 40);
}

TEST(Process, FindsPrograms) {
  EXPECT_EQ(find_program("sh", "/no/such:/bin"), "/bin/sh");
  EXPECT_EQ(find_program("sh", "/no/such"), std::nullopt);
  EXPECT_EQ(find_program("", "/bin"), std::nullopt);
  EXPECT_EQ(find_program("bin", "/usr"), std::nullopt);  // a folder
}

}  // namespace
}  // namespace assay
