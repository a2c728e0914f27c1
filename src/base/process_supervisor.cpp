// SPDX-License-Identifier: Apache-2.0
#include "base/process_supervisor.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstddef>
#include <ctime>

namespace assay::supervisor {
namespace {

constexpr long kGraceMs = 2000;  // between SIGTERM and SIGKILL

// Where the descriptors of a Task lie in the supervisor; everything above is closed.
enum Slot : int { kNull = 0, kOut = 1, kErr = 2, kReport = 3, kControl = 4, kHold = 5, kFirstFree };

void close_from(int first) {
#ifdef SYS_close_range
  if (::syscall(SYS_close_range, first, ~0U, 0) == 0) return;
#endif
  const long limit = ::sysconf(_SC_OPEN_MAX);
  for (int fd = first; fd < (limit > 0 && limit < 65536 ? limit : 65536); ++fd) ::close(fd);
}

// Moves the descriptors into their slots. First to high numbers: a slot may be another's source.
void take_descriptors(const Task& task) {
  const int sources[] = {::open("/dev/null", O_RDWR | O_CLOEXEC),
                         task.out,
                         task.err,
                         task.report,
                         task.control,
                         task.hold};
  int moved[kFirstFree];
  for (int slot = 0; slot < kFirstFree; ++slot)
    moved[slot] = sources[slot] < 0 ? -1 : ::fcntl(sources[slot], F_DUPFD_CLOEXEC, kFirstFree);
  for (int slot = 0; slot < kFirstFree; ++slot) {
    if (moved[slot] >= 0)
      ::dup3(moved[slot], slot, slot <= kErr ? 0 : O_CLOEXEC);
    else
      ::close(slot);
  }
  close_from(kFirstFree);
}

void send_report(What what, int value) {
  const Report report{what, value};
  while (::write(kReport, &report, sizeof report) < 0 && errno == EINTR) {
  }
}

[[noreturn]] void start_program(const Task& task, pid_t parent) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // should the supervisor itself be killed
  if (::getppid() != parent) ::_exit(127);
  for (int number = 1; number < NSIG; ++number) ::signal(number, SIG_DFL);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  if (task.cwd != nullptr && ::chdir(task.cwd) != 0) {
    send_report(What::no_folder, errno);
    ::_exit(127);
  }
  ::execve(task.program, task.argv, task.envp);
  send_report(What::no_exec, errno);
  ::_exit(127);
}

// SIGKILL to each direct child. Their children become ours (subreaper), so that doing it until
// none is left empties the tree, whatever groups and sessions its processes made.
// False where the kernel keeps no list of children: the group has to do then.
bool kill_children(pid_t group) {
  ::kill(-group, SIGKILL);
  const int file = ::open("/proc/thread-self/children", O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  char buffer[4096];
  pid_t pid = 0;
  for (ssize_t n; (n = ::read(file, buffer, sizeof buffer)) > 0;)
    for (ssize_t i = 0; i < n; ++i) {
      if (buffer[i] >= '0' && buffer[i] <= '9') {
        pid = pid * 10 + (buffer[i] - '0');
      } else {
        if (pid > 0) ::kill(pid, SIGKILL);
        pid = 0;
      }
    }
  ::close(file);
  return true;
}

long now_ms() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

struct Ended {
  bool main = false;  // the program itself has been reaped
  bool all = false;   // no child is left
  int status = 0;
};

void reap(pid_t program, Ended& ended) {
  int status = 0;
  pid_t pid = 0;
  while ((pid = ::waitpid(-1, &status, WNOHANG)) > 0 || (pid < 0 && errno == EINTR)) {
    if (pid == program) {
      ended.main = true;
      ended.status = status;
    }
  }
  ended.all = pid < 0 && errno == ECHILD;
}

// Sleeps until a child ended, the control pipe closed (when watched) or `timeout_ms` passed.
// True when the control pipe closed.
bool wait_for_news(int signals, bool watch_control, long timeout_ms) {
  pollfd fds[2] = {{signals, POLLIN, 0}, {watch_control ? kControl : -1, POLLIN, 0}};
  if (::poll(fds, 2, static_cast<int>(timeout_ms)) <= 0) return false;
  if (fds[0].revents != 0) {
    signalfd_siginfo info[8];
    [[maybe_unused]] const ssize_t n = ::read(signals, info, sizeof info);
  }
  return fds[1].revents != 0;
}

void end_tree(pid_t program, int signals, bool gently, Ended& ended) {
  if (gently) {
    ::kill(-program, SIGTERM);
    ::kill(-program, SIGCONT);
    const long deadline = now_ms() + kGraceMs;
    for (long left = kGraceMs; left > 0 && !ended.main; left = deadline - now_ms()) {
      wait_for_news(signals, false, left);
      reap(program, ended);
    }
  }
  const long give_up = now_ms() + kGraceMs;
  while (!ended.all) {
    if (!kill_children(program) && now_ms() > give_up) return;
    // Not only news: a child whose parent died just now arrives here without a signal.
    wait_for_news(signals, false, 5);
    reap(program, ended);
  }
}

}  // namespace

void run(const Task& task) {
  ::setpgid(0, 0);  // Ctrl-C on the terminal is for assay, which then tells us
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  take_descriptors(task);
  ::signal(SIGPIPE, SIG_IGN);
  ::signal(SIGCHLD, SIG_DFL);  // were it ignored, there would be no status to wait for
  sigset_t child_signal;
  ::sigemptyset(&child_signal);
  ::sigaddset(&child_signal, SIGCHLD);
  const int signals = ::signalfd(-1, &child_signal, SFD_CLOEXEC | SFD_NONBLOCK);
  const pid_t self = ::getpid();
  const pid_t program = ::fork();
  if (program == 0) start_program(task, self);
  if (program < 0 || signals < 0) {
    send_report(What::no_process, errno);
    if (program > 0) ::kill(program, SIGKILL);
    ::_exit(0);
  }
  ::setpgid(program, program);
  // Only the program's side may keep its output open: its end must be seen when the tree is gone.
  ::close(kOut);
  ::close(kErr);
  Ended ended;
  bool told = false;
  while (!ended.main && !told) {
    told = wait_for_news(signals, true, 60000);
    reap(program, ended);
  }
  end_tree(program, signals, told && !ended.main, ended);
  send_report(WIFSIGNALED(ended.status) ? What::signalled : What::exited,
              WIFSIGNALED(ended.status) ? WTERMSIG(ended.status) : WEXITSTATUS(ended.status));
  ::_exit(0);
}

}  // namespace assay::supervisor
