// SPDX-License-Identifier: Apache-2.0
#include "measure/launcher.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>

#include "measure/execution.hpp"
#include "tests/support/measured.hpp"

namespace assay::measure {
namespace {

using std::chrono::nanoseconds;

// Sets $ASSAY_LAUNCH while it lives.
class NamedHelper {
 public:
  explicit NamedHelper(const std::string& path) { ::setenv("ASSAY_LAUNCH", path.c_str(), 1); }
  ~NamedHelper() { ::unsetenv("ASSAY_LAUNCH"); }
  NamedHelper(const NamedHelper&) = delete;
  NamedHelper& operator=(const NamedHelper&) = delete;
};

Launcher start_helper() {
  const Result<std::string> path = Launcher::find();
  if (!path) throw std::runtime_error(path.error().to_text());
  Result<Launcher> launcher = Launcher::start(*path);
  if (!launcher) throw std::runtime_error(launcher.error().to_text());
  return std::move(*launcher);
}

struct Ran {
  LaunchReply reply{};
  std::string printed;
};

// Runs measure_subject (or `path`) with the words, stdout and stderr into a file.
Ran run(Launcher& launcher, const std::vector<std::string>& words, LaunchCommand command = {},
        const std::string& path = MEASURE_SUBJECT) {
  const TempFolder folder;
  const Fd out(::open((folder / "out").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644));
  const Fd in(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  Words argv, env;
  argv.add(path);
  for (const std::string& word : words) argv.add(word);
  command.path = path;
  command.argv = &argv;
  if (!command.env) command.env = &env;
  command.stdin_fd = in.value();
  command.stdout_fd = command.stderr_fd = out.value();
  const Result<LaunchReply> reply = execute(launcher, command, {});
  EXPECT_TRUE(reply) << (reply ? "" : reply.error().to_text());
  return {reply ? *reply : LaunchReply{}, read_text(folder / "out")};
}

TEST(Launcher, IsFoundBesideTheProgram) {
  const Result<std::string> path = Launcher::find();
  ASSERT_TRUE(path);
  EXPECT_LT(std::filesystem::file_size(*path), 1u << 20);
}

TEST(Launcher, NamedHelperMustBeExecutable) {
  const NamedHelper named("/nowhere/assay-launch");
  const Result<std::string> path = Launcher::find();
  ASSERT_FALSE(path);
  EXPECT_EQ(path.error().to_text(),
            "/nowhere/assay-launch: ASSAY_LAUNCH names no executable file\n"
            "  unset it, or let it name the program assay-launch");
}

TEST(Launcher, RefusesWhatIsNoHelper) {
  const TempFolder folder;
  const std::string silent = folder.write("silent", "#!/bin/sh\nexit 0\n", true);
  const std::string babble =
      folder.write("babble", "#!/bin/sh\necho hello, this is no helper >&3\nexec cat <&3\n", true);
  const std::string old = folder.write(
      "old",
      "#!/bin/sh\nprintf '10sa\\143\\000\\000\\000\\000\\000\\000\\000\\000\\000\\000\\000' >&3\n",
      true);
  const std::string no_program = folder.write("no-program", "\x01\x02", true);
  const struct {
    std::string path, what, hint;
  } cases[] = {
      {silent, "does not answer as the helper assay-launch does",
       "reinstall assay, or name the helper in ASSAY_LAUNCH"},
      {babble, "does not answer as the helper assay-launch does",
       "reinstall assay, or name the helper in ASSAY_LAUNCH"},
      {old,
       "the helper assay-launch is of another version: it speaks protocol 99, this assay "
       "protocol " +
           std::to_string(kLaunchVersion),
       "reinstall assay, or name the right helper in ASSAY_LAUNCH"},
      {no_program, "the helper assay-launch cannot be started: Exec format error",
       "reinstall assay, or name the helper in ASSAY_LAUNCH"},
      {folder / "missing", "the helper assay-launch cannot be started: No such file or directory",
       "reinstall assay, or name the helper in ASSAY_LAUNCH"},
  };
  for (const auto& c : cases) {
    const Result<Launcher> launcher = Launcher::start(c.path);
    ASSERT_FALSE(launcher) << c.path;
    EXPECT_EQ(launcher.error().what, c.what);
    EXPECT_EQ(launcher.error().where, c.path);
    EXPECT_EQ(launcher.error().hint, c.hint);
  }
}

TEST(Launcher, DeliversArgumentsEnvironmentAndFolder) {
  Launcher launcher = start_helper();
  EXPECT_EQ(run(launcher, {"arguments", "", "a b", "\xff\n", ""}).printed,
            "[]\n[a b]\n[\xff\n]\n[]\n");
  Words env;
  env.add("A=1");
  env.add("B=");
  LaunchCommand command;
  command.env = &env;
  command.last_env = "ASSAY_PAD=xx";
  EXPECT_EQ(run(launcher, {}, command, "/usr/bin/env").printed, "A=1\nB=\nASSAY_PAD=xx\n");
  const TempFolder folder;
  command.cwd = folder.path();
  EXPECT_EQ(run(launcher, {}, command, "/bin/pwd").printed, folder.path() + "\n");
}

TEST(Launcher, DeliversALargeEnvironment) {
  Launcher launcher = start_helper();
  Words env;
  for (int i = 0; i < 10; ++i) env.add("BIG" + std::to_string(i) + "=" + std::string(100000, 'v'));
  LaunchCommand command;
  command.env = &env;
  const Ran ran = run(launcher, {}, command, "/usr/bin/env");
  EXPECT_EQ(ran.reply.wait_status, 0);
  EXPECT_EQ(ran.printed.size(), env.bytes.size());
}

TEST(Launcher, TellsWhyACommandWasNotStarted) {
  Launcher launcher = start_helper();
  const Ran missing = run(launcher, {}, {}, "/nowhere/program");
  EXPECT_EQ(missing.reply.step, kStepExec);
  EXPECT_EQ(missing.reply.error, ENOENT);
  // One argument may have at most 128 KiB.
  const Ran large = run(launcher, {"arguments", std::string(200000, 'x')});
  EXPECT_EQ(large.reply.step, kStepExec);
  EXPECT_EQ(large.reply.error, E2BIG);
  EXPECT_EQ(run(launcher, {"exit", "3"}).reply.step, kStepNone);
}

TEST(Launcher, RefusesMoreThanAnySystemTakes) {
  Launcher launcher = start_helper();
  Words argv, env;
  for (int i = 0; i < 200; ++i) argv.add(std::string(100000, 'x'));
  LaunchCommand command;
  command.path = "/bin/true";
  command.argv = &argv;
  command.env = &env;
  const Result<void> sent = launcher.send(command);
  ASSERT_FALSE(sent);
  EXPECT_EQ(sent.error().to_text(),
            "/bin/true: arguments and environment together are larger than any system accepts\n"
            "  shorten them, or pass them in a file");
}

TEST(Launcher, CommandGetsACleanStart) {
  ::signal(SIGUSR1, SIG_IGN);
  const Fd leak(::open("/dev/null", O_RDONLY));  // would be inherited: not closed at exec
  Launcher launcher = start_helper();
  EXPECT_EQ(run(launcher, {"signals"}).printed, "");
  EXPECT_EQ(run(launcher, {"group"}).printed, "own\n");
  EXPECT_EQ(run(launcher, {"/proc/self/fd"}, {}, "/bin/ls").printed, "0\n1\n2\n3\n");
  ::signal(SIGUSR1, SIG_DFL);
}

TEST(Launcher, AppliesSettingsAndTakesThemBack) {
  Launcher launcher = start_helper();
  const auto allowed = [&](const LaunchSettings& settings) {
    LaunchCommand command;
    command.settings = &settings;
    return run(launcher, {"-c", "grep Cpus_allowed_list /proc/self/status"}, command, "/bin/sh")
        .printed;
  };
  const auto niceness = [&](const LaunchSettings& settings) {
    LaunchCommand command;
    command.settings = &settings;
    return run(launcher, {"nice"}, command).printed;
  };
  const std::string before = allowed({});
  const std::string nice_before = niceness({});
  LaunchSettings one;
  one.cpus = {0};
  EXPECT_EQ(allowed(one), "Cpus_allowed_list:\t0\n");
  EXPECT_EQ(allowed({}), before);
  LaunchSettings nicer;
  nicer.nice = 7;
  EXPECT_EQ(niceness(nicer), "7\n");
  if (::geteuid() == 0) {  // only root may lower it again
    EXPECT_EQ(niceness({}), nice_before);
  }
  LaunchSettings fixed;
  fixed.fixed_layout = true;
  LaunchCommand command;
  command.settings = &fixed;
  EXPECT_EQ(run(launcher, {"/proc/self/personality"}, command, "/bin/cat").printed, "00040000\n");
  LaunchSettings impossible;
  impossible.cpus = {1000};
  command.settings = &impossible;
  const Fd null(::open("/dev/null", O_RDWR | O_CLOEXEC));
  Words argv, env;
  argv.add("true");
  command.path = "/bin/true";
  command.argv = &argv;
  command.env = &env;
  command.stdin_fd = command.stdout_fd = command.stderr_fd = null.value();
  const Result<LaunchReply> reply = execute(launcher, command, {});
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().to_text(), "the command cannot be pinned to its CPUs: Invalid argument");
}

TEST(Launcher, ItsDeathIsAnErrorAndTakesTheCommandWithIt) {
  const TempFolder folder;
  Launcher launcher = start_helper();
  Words argv, env;
  for (const std::string& word : {std::string("subject"), std::string("rest"), folder / "pids"})
    argv.add(word);
  const Fd null(::open("/dev/null", O_RDWR | O_CLOEXEC));
  LaunchCommand command;
  command.path = MEASURE_SUBJECT;
  command.argv = &argv;
  command.env = &env;
  command.stdin_fd = command.stdout_fd = command.stderr_fd = null.value();
  ASSERT_TRUE(launcher.send(command));
  ASSERT_TRUE(comes([&] { return read_pids(folder / "pids").size() == 1; }));
  ::kill(launcher.pid(), SIGKILL);
  const Result<LaunchReply> reply = launcher.receive();
  ASSERT_FALSE(reply);
  EXPECT_EQ(
      reply.error().to_text(),
      "the helper assay-launch was killed by signal 9 (Killed) while this command ran\n"
      "  most likely the command did it: it must leave its parent process alone; if memory ran "
      "out instead, 'dmesg' says so");
  EXPECT_TRUE(all_gone(read_pids(folder / "pids")));
  EXPECT_FALSE(launcher.send(command));
}

TEST(Launcher, TermSignalEndsItWithItsTree) {
  const TempFolder folder;
  Launcher launcher = start_helper();
  Words argv, env;
  for (const std::string& word : {std::string("s"), std::string("stubborn"), folder / "pids"})
    argv.add(word);
  const Fd null(::open("/dev/null", O_RDWR | O_CLOEXEC));
  LaunchCommand command;
  command.path = MEASURE_SUBJECT;
  command.argv = &argv;
  command.env = &env;
  command.stdin_fd = command.stdout_fd = command.stderr_fd = null.value();
  ASSERT_TRUE(launcher.send(command));
  ASSERT_TRUE(comes([&] { return read_pids(folder / "pids").size() == 2; }));
  ::kill(launcher.pid(), SIGTERM);
  EXPECT_FALSE(launcher.receive());
  EXPECT_TRUE(all_gone(read_pids(folder / "pids")));
}

// A late kill, for a command that has ended meanwhile, must not hit the next one.
TEST(Launcher, KillWithoutACommandIsIgnored) {
  Launcher launcher = start_helper();
  ASSERT_TRUE(launcher.kill(nanoseconds(0)));
  const Ran ran = run(launcher, {"exit", "3"});
  EXPECT_EQ(ran.reply.ended, static_cast<std::uint32_t>(kEndedAlone));
  EXPECT_EQ(WEXITSTATUS(ran.reply.wait_status), 3);
}

// Whatever comes that is no request: it ends, and does not try to make sense of it.
TEST(Launcher, EndsAtNonsense) {
  LaunchRequest sane{};
  sane.magic = kLaunchMagic;
  sane.version = kLaunchVersion;
  sane.type = kLaunchRun;
  sane.path_bytes = 2;
  sane.argc = 1;
  sane.argv_bytes = 2;
  const auto with = [&](auto change) {
    LaunchRequest request = sane;
    change(request);
    return std::string(reinterpret_cast<const char*>(&request), sizeof request) +
           std::string("x\0y\0", 4);
  };
  const std::string cases[] = {
      std::string(sizeof sane, 'x'),
      with([](LaunchRequest& r) { r.magic ^= 1; }),
      with([](LaunchRequest& r) { r.version += 1; }),
      with([](LaunchRequest& r) { r.type = 77; }),
      with([](LaunchRequest& r) { r.path_bytes = 0xffffffff; }),
      with([](LaunchRequest& r) { r.path_bytes = 0; }),
      with([](LaunchRequest& r) { r.path_bytes = 1; }),
      with([](LaunchRequest& r) { r.argc = 0; }),
      with([](LaunchRequest& r) { r.argc = 2; }),
      with([](LaunchRequest& r) { r.argc = 0xffffffff; }),
      with([](LaunchRequest& r) { r.envc = 0xffffffff; }),
      with([](LaunchRequest& r) { r.path_bytes = 3, r.argv_bytes = 1; }),
  };
  for (const std::string& bytes : cases) {
    Launcher launcher = start_helper();
    ASSERT_EQ(::send(launcher.socket(), bytes.data(), bytes.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(bytes.size()));
    EXPECT_FALSE(launcher.receive()) << &bytes - cases;
  }
  // The same without anything changed is a request, only that its streams are missing.
  Launcher launcher = start_helper();
  const std::string bytes = with([](LaunchRequest&) {});
  ASSERT_GT(::send(launcher.socket(), bytes.data(), bytes.size(), MSG_NOSIGNAL), 0);
  const Result<LaunchReply> reply = launcher.receive();
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->step, static_cast<std::uint32_t>(kStepReceive));
}

// One that greets and then is deaf to everything: nothing here waits for it without limit.
TEST(Launcher, OneThatDoesNotAnswerIsGivenUp) {
  const TempFolder folder;
  // magic, protocol 2, a floor of 0, a process number
  const std::string deaf = folder.write("deaf",
                                        "#!/bin/sh\ntrap '' TERM\necho $$ >" + (folder / "pid") +
                                            "\nprintf '10sa\\002\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0"
                                            "\\002\\0\\0\\0\\0\\0\\0\\0' >&3\n"
                                            "while :; do sleep 0.05; done\n",
                                        true);
  static_assert(kLaunchVersion == 2 && sizeof(LaunchHello) == 24, "the greeting above is this one");
  const std::atomic<bool> interrupted{true};
  for (const bool by_limit : {true, false}) {
    Result<Launcher> launcher = Launcher::start(deaf, std::chrono::milliseconds(100));
    ASSERT_TRUE(launcher) << launcher.error().to_text();
    const Fd null(::open("/dev/null", O_RDWR | O_CLOEXEC));
    Words argv, env;
    argv.add("true");
    LaunchCommand command;
    command.path = "/bin/true";
    command.argv = &argv;
    command.env = &env;
    command.stdin_fd = command.stdout_fd = command.stderr_fd = null.value();
    if (by_limit) command.timeout = std::chrono::milliseconds(50);
    const Result<LaunchReply> reply =
        execute(*launcher, command, {nullptr, nullptr, by_limit ? nullptr : &interrupted});
    ASSERT_FALSE(reply);
    EXPECT_EQ(reply.error().to_text(),
              "the helper assay-launch did not answer while this command ran\n"
              "  it was ended, and all that it had started; the command may have stopped it");
    EXPECT_TRUE(is_gone(read_pids(folder / "pid").front()));
    EXPECT_TRUE(launcher->is_lost());
  }
  const Result<Launcher> ended = Launcher::start(deaf, std::chrono::milliseconds(100));
  ASSERT_TRUE(ended);
}

TEST(Launcher, IsGoneAfterItsEnd) {
  pid_t pid = 0;
  {
    const Launcher launcher = start_helper();
    pid = launcher.pid();
    EXPECT_FALSE(is_gone(pid));
  }
  EXPECT_TRUE(is_gone(pid));
}

}  // namespace
}  // namespace assay::measure
