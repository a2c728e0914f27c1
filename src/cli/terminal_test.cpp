// SPDX-License-Identifier: Apache-2.0
#include "cli/terminal.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <pty.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdlib>

namespace assay::cli {
namespace {

// A pipe whose reading end gives back what was written so far.
class Pipe {
 public:
  Pipe() { EXPECT_EQ(::pipe2(ends_.data(), O_NONBLOCK | O_CLOEXEC), 0); }
  ~Pipe() {
    close_reader();
    ::close(ends_[1]);
  }
  int writer() const { return ends_[1]; }
  void close_reader() {
    if (ends_[0] >= 0) ::close(ends_[0]);
    ends_[0] = -1;
  }
  std::string text() const {
    std::array<char, 4096> buffer{};
    const ssize_t size = ::read(ends_[0], buffer.data(), buffer.size());
    return size > 0 ? std::string(buffer.data(), static_cast<std::size_t>(size)) : std::string();
  }

 private:
  std::array<int, 2> ends_{-1, -1};
};

// A pseudo-terminal of 20 columns; `slave` is what a program writes to.
struct Tty {
  int master = -1, slave = -1;
  Tty() {
    winsize size{};
    size.ws_row = 24;
    size.ws_col = 20;
    EXPECT_EQ(::openpty(&master, &slave, nullptr, nullptr, &size), 0);
    EXPECT_EQ(::fcntl(master, F_SETFL, O_NONBLOCK), 0);
  }
  ~Tty() {
    ::close(master);
    ::close(slave);
  }
  std::string text() const {
    std::array<char, 4096> buffer{};
    const ssize_t size = ::read(master, buffer.data(), buffer.size());
    return size > 0 ? std::string(buffer.data(), static_cast<std::size_t>(size)) : std::string();
  }
};

TEST(Terminal, SendsResultsAndComplaintsTheirOwnWays) {
  const Pipe out, err;
  Terminal terminal(out.writer(), err.writer(), Colour::automatic, false);
  terminal.print("result\n");
  terminal.note("a note");
  terminal.warn("careful");
  EXPECT_EQ(terminal.error({"it broke", "file:3", "mend it"}, kBadInput), kBadInput);
  EXPECT_EQ(out.text(), "result\n");
  EXPECT_EQ(err.text(),
            "assay: a note\nassay: warning: careful\nassay: file:3: it broke\n  mend it\n");
  EXPECT_TRUE(terminal.printed_error());
  EXPECT_FALSE(terminal.colour());
}

TEST(Terminal, QuietLeavesWarningsAndErrors) {
  const Pipe out, err;
  Terminal terminal(out.writer(), err.writer(), Colour::automatic, true);
  terminal.note("a note");
  terminal.progress("block 1");
  terminal.warn("careful");
  EXPECT_EQ(err.text(), "assay: warning: careful\n");
}

TEST(Terminal, ObeysNothingThatIsInAMessage) {
  const Pipe out, err;
  const Tty tty;
  const std::string hostile = "a\x1b]0;x\x07\x9b[2J\xc2\x9b\xe2\x80\xae\r\nb\xff";
  const std::string shown = "a\\x1b]0;x\\x07\\x9b[2J\\u009b\\u202e\\x0d\nb\\xff";
  Terminal terminal(out.writer(), err.writer(), Colour::always, false);
  terminal.note(hostile);
  EXPECT_EQ(err.text(), "assay: " + shown + "\n");
  terminal.warn(hostile);
  EXPECT_EQ(err.text(), "assay: warning: " + shown + "\n");
  terminal.error({hostile, hostile, hostile}, kBadInput);
  EXPECT_EQ(err.text(), "assay: " + shown + ": " + shown + "\n  " + shown + "\n");
  Terminal live(out.writer(), tty.slave, Colour::always, false);
  live.progress("a\x1b[2J\tb\nc");
  EXPECT_EQ(tty.text(), "\r\x1b[Ka\\x1b[2J b\\x0ac");
}

TEST(Terminal, ALongCommandDoesNotBuryTheMessage) {
  const Pipe out, err;
  Terminal terminal(out.writer(), err.writer(), Colour::never, false);
  terminal.note("x" + std::string(3000, 'y') + "z\nnext");
  const std::string text = err.text();
  EXPECT_EQ(text.size(), 7u + 1000 + 6);
  EXPECT_NE(text.find("yy ... yy"), std::string::npos);
  EXPECT_TRUE(text.ends_with("yz\nnext\n"));
  terminal.error({"it broke", "x" + std::string(3000, 'y') + "z", ""}, kBadInput);
  EXPECT_EQ(err.text().size(), 7u + 200 + 2 + 8 + 1);
}

TEST(Terminal, ShowsOneLiveLineOnATerminalOnly) {
  const Pipe out;
  const Tty tty;
  Terminal terminal(out.writer(), tty.slave, Colour::automatic, false);
  terminal.progress("block 1 of about 400, 3 min left");
  EXPECT_EQ(tty.text(), "\r\x1b[Kblock 1 of about 40");  // one column less than the terminal has
  terminal.print("done\n");
  EXPECT_EQ(tty.text(), "\r\x1b[K");
  terminal.print("more\n");
  EXPECT_EQ(tty.text(), "");
}

TEST(Terminal, OffATerminalProgressIsSparse) {
  const Pipe out, err;
  Terminal terminal(out.writer(), err.writer(), Colour::automatic, false);
  const auto start = std::chrono::steady_clock::time_point(std::chrono::hours(1));
  for (const int second : {0, 1, 29, 30, 31, 59, 60})
    terminal.progress("at " + std::to_string(second), start + std::chrono::seconds(second));
  EXPECT_EQ(err.text(), "assay: at 30\nassay: at 60\n");
}

TEST(Terminal, ColourFollowsTheSwitchTheVariableAndTheTerminal) {
  const Pipe pipe;
  const Tty tty;
  const auto colour = [&](int fd, Colour when) {
    return Terminal(fd, pipe.writer(), when, false).colour();
  };
  ::setenv("TERM", "xterm", 1);
  ::unsetenv("NO_COLOR");
  EXPECT_TRUE(colour(tty.slave, Colour::automatic));
  EXPECT_FALSE(colour(pipe.writer(), Colour::automatic));
  EXPECT_TRUE(colour(pipe.writer(), Colour::always));
  EXPECT_FALSE(colour(tty.slave, Colour::never));
  ::setenv("NO_COLOR", "1", 1);
  EXPECT_FALSE(colour(tty.slave, Colour::automatic));
  EXPECT_TRUE(colour(tty.slave, Colour::always));
  ::setenv("NO_COLOR", "", 1);
  EXPECT_TRUE(colour(tty.slave, Colour::automatic));
  ::setenv("TERM", "dumb", 1);
  EXPECT_FALSE(colour(tty.slave, Colour::automatic));
}

TEST(Terminal, AFullDiskIsAnErrorAndAClosedPipeIsNot) {
  std::signal(SIGPIPE, SIG_IGN);
  const Pipe err;
  const int full = ::open("/dev/full", O_WRONLY | O_CLOEXEC);
  ASSERT_GE(full, 0);
  Terminal to_full(full, err.writer(), Colour::never, false);
  to_full.print("result\n");
  ASSERT_FALSE(to_full.written());
  EXPECT_EQ(to_full.written().error().to_text(),
            "standard output: cannot write the result: No space left on device");
  ::close(full);

  Pipe out;
  out.close_reader();
  Terminal to_nobody(out.writer(), err.writer(), Colour::never, false);
  to_nobody.print("result\n");
  EXPECT_TRUE(to_nobody.written());
  EXPECT_TRUE(to_nobody.out_closed());
}

TEST(WriteResult, NamesTheFileThatCannotBeWritten) {
  const Pipe out, err;
  Terminal terminal(out.writer(), err.writer(), Colour::never, false);
  EXPECT_EQ(write_result("/dev/full", "text", terminal).error().to_text(),
            "/dev/full: cannot write the file: No space left on device");
  EXPECT_EQ(write_result("/nowhere/x", "text", terminal).error().to_text(),
            "/nowhere/x: cannot write the file: No such file or directory");
  EXPECT_TRUE(write_result("-", "text", terminal));
  EXPECT_EQ(out.text(), "text");
}

TEST(Terminal, KnowsItsWidth) {
  const Pipe pipe;
  const Tty tty;
  EXPECT_EQ(Terminal(tty.slave, pipe.writer(), Colour::never, false).width(), 20u);
  ::unsetenv("COLUMNS");
  EXPECT_EQ(Terminal(pipe.writer(), pipe.writer(), Colour::never, false).width(), 80u);
  ::setenv("COLUMNS", "132", 1);
  EXPECT_EQ(Terminal(pipe.writer(), pipe.writer(), Colour::never, false).width(), 132u);
  ::setenv("COLUMNS", "wide", 1);
  EXPECT_EQ(Terminal(pipe.writer(), pipe.writer(), Colour::never, false).width(), 80u);
}

}  // namespace
}  // namespace assay::cli
