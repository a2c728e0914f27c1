// SPDX-License-Identifier: Apache-2.0
#include "lab/machine_lock.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

namespace assay::lab {
namespace {

// A child that does something with the lock and says a word; it lives until it is killed.
class Other {
 public:
  explicit Other(const std::function<std::string()>& body) {
    int ends[2];
    if (pipe(ends) != 0) return;
    pid_ = fork();
    if (pid_ == 0) {
      const std::string word = body() + "\n";
      if (write(ends[1], word.data(), word.size()) < 0) _exit(1);
      for (;;) pause();
    }
    close(ends[1]);
    for (char c = 0; read(ends[0], &c, 1) == 1 && c != '\n';) word_ += c;
    close(ends[0]);
  }
  ~Other() { kill_now(); }
  Other(const Other&) = delete;
  Other& operator=(const Other&) = delete;

  const std::string& word() const { return word_; }
  std::string pid() const { return std::to_string(pid_); }
  void kill_now() {
    if (pid_ <= 0) return;
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
    pid_ = -1;
  }

 private:
  pid_t pid_ = -1;
  std::string word_;
};

class MachineLockTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (std::filesystem::temp_directory_path() / "assay-lock-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
    path_ = folder_ + "/assay.lock";
    setenv("ASSAY_MACHINE_LOCK", path_.c_str(), 1);
    chmod(folder_.c_str(), 0777);
  }
  void TearDown() override {
    unsetenv("ASSAY_MACHINE_LOCK");
    std::filesystem::remove_all(folder_);
  }

  // "held", or the message. A lock that is got is kept until the process ends.
  static std::string take(const std::string& purpose, bool wait = false) {
    static std::vector<MachineLock> kept;
    static const std::atomic<bool> never{false};
    auto lock = MachineLock::acquire(purpose, wait, {}, never);
    if (!lock) return lock.error().to_text();
    kept.push_back(std::move(*lock));
    return "held";
  }
  std::string text() const {
    std::ifstream file(path_);
    std::ostringstream all;
    all << file.rdbuf();
    return all.str();
  }
  void write_text(const std::string& text) const { std::ofstream(path_) << text; }
  std::string refusal(const std::string& what) const {
    return path_ + ": cannot take the machine's lock: " + what +
           "\n  name another file for all who time things here: ASSAY_MACHINE_LOCK=PATH";
  }

  std::string folder_, path_;
  std::atomic<bool> interrupted_{false};
};

TEST_F(MachineLockTest, RefusesAndNamesTheHolder) {
  Other holder([] { return take("compare ab12cd34"); });
  ASSERT_EQ(holder.word(), "held");
  const auto lock = MachineLock::acquire("measure", false, {}, interrupted_);
  ASSERT_FALSE(lock);
  EXPECT_EQ(lock.error().to_text(), "another experiment (pid " + holder.pid() +
                                        ", compare ab12cd34) is timing on this machine\n"
                                        "  leave out --no-wait to wait until it is done");
  EXPECT_NE(text(), "");  // the refused one leaves the holder's text alone
}

TEST_F(MachineLockTest, WaitsUntilTheHolderDies) {
  Other holder([] { return take("compare ab12cd34"); });
  const std::string pid = holder.pid();
  std::vector<std::string> told;
  const auto lock = MachineLock::acquire(
      "measure x", true,
      [&](const std::string& who) {
        told.push_back(who);
        holder.kill_now();
      },
      interrupted_);
  ASSERT_TRUE(lock) << lock.error().to_text();
  EXPECT_EQ(told, std::vector<std::string>{"pid " + pid + ", compare ab12cd34"});
  EXPECT_EQ(text(), "assay lock, held by pid " + std::to_string(getpid()) + "\nmeasure x\n");
}

TEST_F(MachineLockTest, IsFreeAgainBehindItsHolder) {
  {
    const auto first = MachineLock::acquire("a", false, {}, interrupted_);
    ASSERT_TRUE(first);
    EXPECT_FALSE(MachineLock::acquire("b", false, {}, interrupted_));
  }
  EXPECT_EQ(text(), "");
  auto second = MachineLock::acquire("b", false, {}, interrupted_);
  ASSERT_TRUE(second);
  MachineLock moved = std::move(*second);
  EXPECT_FALSE(MachineLock::acquire("c", false, {}, interrupted_));
}

TEST_F(MachineLockTest, StopsWaitingWhenInterrupted) {
  Other holder([] { return take("x"); });
  const auto lock = MachineLock::acquire(
      "y", true, [&](const std::string&) { interrupted_ = true; }, interrupted_);
  ASSERT_FALSE(lock);
  EXPECT_EQ(lock.error().to_text(),
            "interrupted while waiting for another experiment on this machine");
  holder.kill_now();
  EXPECT_TRUE(MachineLock::acquire("y", true, {}, interrupted_));  // free: nothing to wait for
}

TEST_F(MachineLockTest, ProcessesStartedByTheHolderDoNotInheritIt) {
  Other holder([] {
    const std::string word = take("x");
    const pid_t sleeper = fork();
    if (sleeper == 0) execlp("sleep", "sleep", "1000", nullptr);
    return word + " " + std::to_string(sleeper);
  });
  ASSERT_EQ(holder.word().substr(0, 5), "held ");
  holder.kill_now();  // its sleep lives on
  // Waiting covers the instant between fork and exec.
  EXPECT_TRUE(MachineLock::acquire("y", true, {}, interrupted_));
  EXPECT_EQ(kill(std::stoi(holder.word().substr(5)), SIGKILL), 0);
}

TEST_F(MachineLockTest, OldTextOfADeadHolderIsNotBelieved) {
  write_text("assay lock, held by pid 999999999\ncompare old\n");
  const int fd = open(path_.c_str(), O_RDONLY);
  ASSERT_EQ(flock(fd, LOCK_EX), 0);  // a holder that could not write its name
  const auto lock = MachineLock::acquire("y", false, {}, interrupted_);
  ASSERT_FALSE(lock);
  EXPECT_EQ(lock.error().what, "another experiment is timing on this machine");
  close(fd);
}

TEST_F(MachineLockTest, TextOfOthersCannotReachTheTerminal) {
  Other holder([] { return take("evil\x1b[2J" + std::string(4000, 'x') + "\nsecond line"); });
  const auto lock = MachineLock::acquire("y", false, {}, interrupted_);
  ASSERT_FALSE(lock);
  EXPECT_EQ(lock.error().what.find('\x1b'), std::string::npos);
  EXPECT_NE(lock.error().what.find("evil\\x1b[2J"), std::string::npos);
  EXPECT_LT(lock.error().what.size(), 700u);
}

TEST_F(MachineLockTest, NeverWritesThroughLinksOrIntoForeignFiles) {
  const std::string victim = folder_ + "/victim";
  std::ofstream(victim) << "";
  std::filesystem::create_symlink(victim, path_);
  EXPECT_EQ(take("x"), refusal("Too many levels of symbolic links"));
  std::filesystem::remove(path_);
  std::filesystem::create_hard_link(victim, path_);
  EXPECT_EQ(take("x"), refusal("the file has several names"));
  std::filesystem::remove(path_);
  write_text("precious\n");
  EXPECT_EQ(take("x"), refusal("the file is not a lock of assay's"));
  EXPECT_EQ(text(), "precious\n");
  std::filesystem::remove(path_);
  ASSERT_EQ(mkfifo(path_.c_str(), 0666), 0);
  EXPECT_EQ(take("x"), refusal("not a regular file"));
  std::filesystem::remove(path_);
  std::filesystem::create_directory(path_);
  EXPECT_EQ(take("x"), refusal("Is a directory"));
  setenv("ASSAY_MACHINE_LOCK", (folder_ + "/no/assay.lock").c_str(), 1);
  path_ = folder_ + "/no/assay.lock";
  EXPECT_EQ(take("x"), refusal("No such file or directory"));
}

TEST_F(MachineLockTest, WorksAcrossUsers) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root to become another user";
  umask(077);
  const auto as_nobody = [] {
    if (setgid(65534) != 0 || setuid(65534) != 0) return std::string("cannot change the user");
    return take("theirs");
  };
  {
    const auto mine = MachineLock::acquire("mine", false, {}, interrupted_);
    ASSERT_TRUE(mine);
    EXPECT_EQ(Other(as_nobody).word(), "another experiment (pid " + std::to_string(getpid()) +
                                           ", mine) is timing on this machine");
  }
  {
    Other theirs(as_nobody);
    EXPECT_EQ(theirs.word(), "held");
    EXPECT_EQ(take("mine again").substr(0, 24 + theirs.pid().size()),
              "another experiment (pid " + theirs.pid());
  }
  chmod(path_.c_str(), 0444);  // readable is enough to lock
  EXPECT_EQ(Other(as_nobody).word(), "held");
}

}  // namespace
}  // namespace assay::lab
