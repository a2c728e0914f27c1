// SPDX-License-Identifier: Apache-2.0
// assay-launch: starts one command after the other for assay, times it and leaves nothing behind.
//
// Why a helper: Linux hands the largest resident size of the starter down to the started program
// across exec, so a command started by a large assay would never be seen below assay's own size.
// This program stays below 1 MB. It is a subreaper: what a command leaves in the background becomes
// its child, is counted and killed. When assay dies, however it dies, the socket closes, and the
// tree goes first and this program after it.
//
// A command may stop or kill its parent. So there are two processes: the launcher, which does all
// of the above, and above it the keeper, which only waits. It wakes a launcher that was stopped;
// it is a subreaper too, inherits what a dead launcher leaves, and nothing else, and kills that.
// When the keeper dies the launcher ends its tree and itself.
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "launch/process_tree.h"
#include "launch/protocol.h"

enum {
  kMillisecond = 1000000,
  kLookFrom = 5 * kMillisecond,  // a run this long is worth a look at /proc
  // What ends by itself so soon behind the command is not "left behind".
  kSettle = 2 * kMillisecond,
  kStopsInARow = 32,  // of the launcher, before who is below it has to wait
};
static const struct timespec kPeace = {0, 2 * kMillisecond};
static const int64_t kKillLimit = 10000LL * kMillisecond;

// One request, unpacked. The words lie in the payload buffer.
struct Job {
  struct LaunchRequest request;
  const char* path;
  const char* cwd;
  char** argv;
  char** env;
  int fds[3];
  bool buffers_grew;
};

static int signals_fd = -1;
static cpu_set_t first_cpus;  // as this program was started
static int first_nice;
static uint64_t floor_bytes;
static struct PidList kept;  // roots of what kLaunchKeep left running

static int64_t now_ns(void) {
  struct timespec at;
  clock_gettime(CLOCK_MONOTONIC, &at);
  return at.tv_sec * 1000000000LL + at.tv_nsec;
}

// ---- talking
// -------------------------------------------------------------------------------------

static bool send_all(const void* data, size_t size) {
  const char* at = data;
  while (size > 0) {
    const ssize_t sent = send(kLaunchSocket, at, size, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    at += sent;
    size -= (size_t)sent;
  }
  return true;
}

static bool receive_all(void* data, size_t size) {
  char* at = data;
  while (size > 0) {
    const ssize_t got = recv(kLaunchSocket, at, size, MSG_WAITALL);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    at += got;
    size -= (size_t)got;
  }
  return true;
}

// A header and the descriptors that came with it (-1 where none came). False: assay is gone.
static bool receive_header(struct LaunchRequest* request, int fds[3]) {
  union {
    struct cmsghdr header;
    char bytes[CMSG_SPACE(3 * sizeof(int))];
  } control;
  struct iovec part = {request, sizeof *request};
  struct msghdr message = {.msg_iov = &part,
                           .msg_iovlen = 1,
                           .msg_control = control.bytes,
                           .msg_controllen = sizeof control.bytes};
  ssize_t got;
  do got = recvmsg(kLaunchSocket, &message, MSG_CMSG_CLOEXEC | MSG_WAITALL);
  while (got < 0 && errno == EINTR);
  if (got <= 0) return false;
  fds[0] = fds[1] = fds[2] = -1;
  const struct cmsghdr* rights = CMSG_FIRSTHDR(&message);
  if (rights && rights->cmsg_level == SOL_SOCKET && rights->cmsg_type == SCM_RIGHTS) {
    const size_t bytes = rights->cmsg_len - CMSG_LEN(0);
    memcpy(fds, CMSG_DATA(rights), bytes < 3 * sizeof(int) ? bytes : 3 * sizeof(int));
  }
  if ((size_t)got < sizeof *request &&
      !receive_all((char*)request + got, sizeof *request - (size_t)got))
    return false;
  return request->magic == kLaunchMagic && request->version == kLaunchVersion;
}

// A buffer of at least `size` bytes that is kept between requests; the old content is lost.
static void* grow(void** buffer, size_t* capacity, size_t size) {
  if (size <= *capacity) return *buffer;
  if (*buffer) munmap(*buffer, *capacity);
  *capacity = (size + 65535) & ~(size_t)65535;
  *buffer = mmap(NULL, *capacity, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (*buffer == MAP_FAILED) *buffer = NULL, *capacity = 0;
  return *buffer;
}

// Sets `words` to the `count` zero-ended words of [at, end) and a final NULL. False: they do not
// fit.
static bool split_words(char* at, const char* end, char** words, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i) {
    char* stop = at < end ? memchr(at, 0, (size_t)(end - at)) : NULL;
    if (!stop) return false;
    words[i] = at;
    at = stop + 1;
  }
  words[count] = NULL;
  return at == end;
}

// The rest of a run request. False: assay is gone or what came makes no sense.
static bool receive_job(struct Job* job) {
  static void *text_buffer, *word_buffer;
  static size_t text_capacity, word_capacity;
  const struct LaunchRequest* r = &job->request;
  const uint64_t size =
      (uint64_t)r->path_bytes + r->cwd_bytes + r->argv_bytes + (uint64_t)r->env_bytes;
  if (size > kLaunchMaxPayload || r->path_bytes < 2 || r->argc < 1) return false;
  if ((uint64_t)r->argc + r->envc > size) return false;
  const size_t before = text_capacity + word_capacity;
  char* text = grow(&text_buffer, &text_capacity, size);
  char** words = grow(&word_buffer, &word_capacity, (r->argc + r->envc + 2) * sizeof(char*));
  if (!text || !words || !receive_all(text, size)) return false;
  job->buffers_grew = text_capacity + word_capacity != before;
  char* cwd = text + r->path_bytes;
  char* argv = cwd + r->cwd_bytes;
  char* env = argv + r->argv_bytes;
  if (text[r->path_bytes - 1] || (r->cwd_bytes && cwd[r->cwd_bytes - 1])) return false;
  job->path = text;
  job->cwd = r->cwd_bytes ? cwd : NULL;
  job->argv = words;
  job->env = words + r->argc + 1;
  return split_words(argv, env, job->argv, r->argc) &&
         split_words(env, text + size, job->env, r->envc);
}

// ---- starting
// ------------------------------------------------------------------------------------

// CPUs and priority are this program's own, inherited by the command and changed only when a
// request differs from the one before: the command is never, not even at its first instruction,
// without them, and both clock readings are taken under them.
static int apply_settings(const struct LaunchRequest* r, int* error) {
  static bool on_cpus, is_nice;
  static uint64_t cpus[kLaunchMaxCpus / 64];
  static int32_t nice_now, rt_now;
  const bool want_cpus = r->flags & kLaunchAffinity;
  if (want_cpus != on_cpus || (want_cpus && memcmp(cpus, r->cpus, sizeof cpus) != 0)) {
    cpu_set_t set = first_cpus;
    if (want_cpus) {
      CPU_ZERO(&set);
      for (size_t cpu = 0; cpu < kLaunchMaxCpus; ++cpu)
        if (r->cpus[cpu / 64] >> (cpu % 64) & 1) CPU_SET(cpu, &set);
    }
    if (sched_setaffinity(0, sizeof set, &set) != 0) return *error = errno, kStepAffinity;
    on_cpus = want_cpus;
    memcpy(cpus, r->cpus, sizeof cpus);
  }
  if (r->rt_priority != rt_now) {
    const struct sched_param param = {.sched_priority = r->rt_priority > 0 ? r->rt_priority : 0};
    if (sched_setscheduler(0, r->rt_priority > 0 ? SCHED_RR : SCHED_OTHER, &param) != 0)
      return *error = errno, kStepPriority;
    rt_now = r->rt_priority;
  }
  const bool want_nice = r->flags & kLaunchNice;
  if (want_nice != is_nice || (want_nice && nice_now != r->nice)) {
    const int value = want_nice ? r->nice : first_nice;
    if (setpriority(PRIO_PROCESS, 0, value) != 0) return *error = errno, kStepPriority;
    set_autogroup_nice(value);
    is_nice = want_nice;
    nice_now = r->nice;
  }
  return kStepNone;
}

// Shared with the child of vfork, which runs in this memory until it execs.
static volatile int child_step, child_error;

static void give_up(int step) {
  child_error = errno;
  child_step = step;
  _exit(127);
}

// The child's side of vfork: system calls only, nothing of the parent's memory is changed.
static __attribute__((noinline, noreturn)) void become_command(const struct Job* job) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (job->request.flags & kLaunchPty) {
    if (setsid() < 0 || ioctl(job->fds[1], TIOCSCTTY, 0) != 0) give_up(kStepSession);
  } else if (setpgid(0, 0) != 0) {
    give_up(kStepSession);
  }
  for (int i = 0; i < 3; ++i)
    if (dup2(job->fds[i], i) < 0) give_up(kStepStreams);
  if (job->cwd && chdir(job->cwd) != 0) give_up(kStepDirectory);
  if (job->request.flags & kLaunchFixedLayout) {
    const int was = personality(0xffffffff);
    if (was < 0 || personality((unsigned long)was | ADDR_NO_RANDOMIZE) < 0) give_up(kStepLayout);
  }
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  execve(job->path, job->argv, job->env);
  give_up(kStepExec);
  __builtin_unreachable();
}

static __attribute__((noinline)) pid_t start_command(const struct Job* job) {
  const pid_t pid = vfork();
  if (pid == 0) become_command(job);
  return pid;
}

// ---- watching
// ------------------------------------------------------------------------------------

static void add_usage(struct LaunchUsage* sum, const struct rusage* one) {
  const int64_t rss = one->ru_maxrss * 1024LL;
  sum->user_us += one->ru_utime.tv_sec * 1000000LL + one->ru_utime.tv_usec;
  sum->system_us += one->ru_stime.tv_sec * 1000000LL + one->ru_stime.tv_usec;
  if (rss > sum->max_rss_bytes) sum->max_rss_bytes = rss;
  sum->minor_faults += one->ru_minflt;
  sum->major_faults += one->ru_majflt;
  sum->voluntary_switches += one->ru_nvcsw;
  sum->involuntary_switches += one->ru_nivcsw;
}

// Of a command that has ended and is not reaped: how long its main thread waited for a CPU. Costs
// some 8 us, so short commands go without.
static void look_before_reaping(pid_t pid, struct LaunchReply* reply) {
  siginfo_t info = {0};
  if (now_ns() - reply->start_ns < kLookFrom) return;
  if (waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid != pid)
    return;
  reply->end_ns = now_ns();
  reply->run_delay_ns = run_delay_of(pid);
}

// Reaps all that ended. `main_pid` becomes 0 once the command itself was among them.
// True while children are left that are not kept ones.
static bool reap(pid_t* main_pid, struct LaunchReply* reply) {
  if (*main_pid) look_before_reaping(*main_pid, reply);
  for (;;) {
    struct rusage usage;
    int status;
    const pid_t pid = wait4(-1, &status, WNOHANG, &usage);
    if (pid < 0 && errno == EINTR) continue;
    if (pid < 0) return false;  // ECHILD: nobody is left
    if (pid == 0) break;
    if (pid == *main_pid) {
      if (reply->end_ns == 0) reply->end_ns = now_ns();
      reply->wait_status = status;
      add_usage(&reply->command, &usage);
      *main_pid = 0;
    } else if (!remove_pid(&kept, pid)) {
      add_usage(&reply->adopted, &usage);
      ++reply->orphans;
    }
  }
  // Tried: reading /proc here in every case; it costs 1 ms where wait4 has said it all.
  return *main_pid != 0 || kept.count == 0 || has_descendants(&kept);
}

static void drain_signals(bool* asked_to_end) {
  struct signalfd_siginfo info[8];
  const ssize_t got = read(signals_fd, info, sizeof info);
  for (size_t i = 0; got > 0 && i < (size_t)got / sizeof info[0]; ++i)
    if (info[i].ssi_signo != SIGCHLD) *asked_to_end = true;
}

// Kills every descendant that is not kept, again and again until nobody is left: a process may fork
// between the look at /proc and its end, and its child comes here as an orphan.
static void kill_tree(pid_t* main_pid, struct LaunchReply* reply) {
  const int64_t limit = now_ns() + kKillLimit;
  const bool behind = *main_pid == 0 && reply->ended == kEndedAlone;
  for (bool first = true;; first = false) {
    const uint32_t alive = kill_descendants(&kept, SIGKILL);
    if (first && behind) reply->left_behind = alive;
    if (*main_pid) kill(-*main_pid, SIGKILL);
    if (!reap(main_pid, reply)) break;
    if (now_ns() > limit) {
      reply->unkillable = alive;
      break;
    }
    struct pollfd wait = {.fd = signals_fd, .events = POLLIN};
    poll(&wait, 1, 1);
    bool ignored;
    if (wait.revents) drain_signals(&ignored);
  }
  floor_bytes = own_peak_bytes();
}

static _Noreturn void end_all(void) {
  struct LaunchReply unused = {0};
  pid_t none = 0;
  kept.count = 0;
  kill_tree(&none, &unused);
  _exit(0);
}

// Waits for the command and its tree; obeys kill requests and the time limit meanwhile.
static void watch(const struct LaunchRequest* request, pid_t pid, struct LaunchReply* reply) {
  enum { running, terminating, settling } phase = running;
  int64_t deadline = request->timeout_ns > 0 ? reply->start_ns + request->timeout_ns : INT64_MAX;
  int64_t grace = request->grace_ns;
  pid_t main_pid = pid;
  for (;;) {
    const int64_t left = deadline - now_ns();
    const struct timespec pause = {left > 0 ? left / 1000000000 : 0,
                                   left > 0 ? left % 1000000000 : 0};
    struct pollfd wait[2] = {{.fd = signals_fd, .events = POLLIN},
                             {.fd = kLaunchSocket, .events = POLLIN}};
    ppoll(wait, 2, deadline == INT64_MAX ? NULL : &pause, NULL);
    // What the signal was for comes before the signal: assay waits. It is read later, at the latest
    // behind the reply.
    if (!reap(&main_pid, reply)) return;
    bool asked_to_end = false;
    if (wait[0].revents) drain_signals(&asked_to_end);
    if (asked_to_end) end_all();
    const int64_t now = now_ns();
    if (wait[1].revents) {
      struct LaunchRequest message;
      int fds[3];
      if (!receive_header(&message, fds) || message.type != kLaunchKill) end_all();
      if (reply->ended == kEndedAlone && main_pid) reply->ended = kEndedByKill;
      grace = message.grace_ns;
      if (phase == running) deadline = now;
      if (phase == terminating && now + grace < deadline) deadline = now + grace;
    }
    if (main_pid == 0 && phase == running) {
      if (request->flags & kLaunchKeep) {
        list_children(&kept);
        return;
      }
      phase = settling;
      deadline = now + kSettle;
    } else if (now >= deadline && phase == running) {
      if (reply->ended == kEndedAlone) reply->ended = kEndedByTimeout;
      phase = terminating;
      deadline = now + grace;
      kill(-pid, SIGTERM);
      kill(-pid, SIGCONT);
    } else if (now >= deadline) {
      kill_tree(&main_pid, reply);
      return;
    }
  }
}

static void run(struct Job* job, struct LaunchReply* reply) {
  if (job->fds[2] < 0) {
    reply->step = kStepReceive;
    return;
  }
  reply->step = (uint32_t)apply_settings(&job->request, &reply->error);
  if (reply->step != kStepNone) return;
  child_step = kStepNone;
  reply->start_ns = now_ns();
  const pid_t pid = start_command(job);
  for (int i = 0; i < 3; ++i) close(job->fds[i]);
  job->fds[0] = job->fds[1] = job->fds[2] = -1;
  if (pid < 0) {
    reply->error = errno;
    reply->step = kStepFork;
    return;
  }
  watch(&job->request, pid, reply);
  if (child_step != kStepNone) {
    reply->step = (uint32_t)child_step;
    reply->error = child_error;
  }
}

// ---- the life of the helper
// ----------------------------------------------------------------------

static volatile pid_t launcher;  // the keeper's child; 0 = it has ended

// SIGTERM for the keeper is the order to end all at once, whatever the launcher is doing.
static void end_launcher(int number) {
  (void)number;
  if (launcher > 0) kill(launcher, SIGKILL);
}

static _Noreturn void keep(pid_t child) {
  struct LaunchReply unused = {0};
  int status = 0;
  pid_t none = 0;
  launcher = child;
  close(kLaunchSocket);
  // Should this process be stopped too: not longer than assay lives.
  prctl(PR_SET_PDEATHSIG, SIGCONT);
  signal(SIGTERM, end_launcher);
  sigset_t empty;
  sigemptyset(&empty);
  sigprocmask(SIG_SETMASK, &empty, NULL);
  for (uint32_t stops = 1;; ++stops) {
    const pid_t pid = waitpid(child, &status, WUNTRACED);
    if (pid < 0 && errno == EINTR) {
      --stops;
      continue;
    }
    if (pid < 0 || !WIFSTOPPED(status)) break;
    // Somebody who goes on stopping the launcher would leave it no time to end him: he waits.
    const bool in_peace = stops > kStopsInARow;
    if (in_peace) signal_below(child, SIGSTOP);
    kill(child, SIGCONT);
    if (!in_peace) continue;
    nanosleep(&kPeace, NULL);
    signal_below(child, SIGCONT);
  }
  launcher = 0;
  if (reap(&none, &unused)) kill_tree(&none, &unused);
  _exit(WIFSIGNALED(status) ? kLaunchEndedBySignal + WTERMSIG(status) : WEXITSTATUS(status));
}

// Returns in the launcher.
static bool split(void) {
  const pid_t keeper = getpid();
  const pid_t child = fork();
  if (child < 0) return false;
  if (child > 0) keep(child);
  return prctl(PR_SET_PDEATHSIG, SIGTERM) == 0 && getppid() == keeper;
}

static bool prepare(void) {
  // The command gets no descriptor but its three, no ignored signal and no terminal that a Ctrl-C
  // for assay could reach.
  close_from(kLaunchSocket + 1);
  for (int number = 1; number < NSIG; ++number) signal(number, SIG_DFL);
  setsid();
  if (prctl(PR_SET_CHILD_SUBREAPER, 1) != 0 || !split()) return false;
  sigset_t set;
  sigemptyset(&set);
  const int watched[] = {SIGCHLD, SIGTERM, SIGINT, SIGHUP, SIGQUIT};
  for (size_t i = 0; i < sizeof watched / sizeof watched[0]; ++i) sigaddset(&set, watched[i]);
  sigprocmask(SIG_SETMASK, &set, NULL);
  signals_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
  fcntl(kLaunchSocket, F_SETFD, FD_CLOEXEC);
  sched_getaffinity(0, sizeof first_cpus, &first_cpus);
  first_nice = getpriority(PRIO_PROCESS, 0);
  return signals_fd >= 0 && prctl(PR_SET_CHILD_SUBREAPER, 1) == 0;
}

int main(void) {
  if (!prepare()) return 1;
  floor_bytes = own_peak_bytes();
  const struct LaunchHello hello = {.magic = kLaunchMagic,
                                    .version = kLaunchVersion,
                                    .floor_bytes = floor_bytes,
                                    .pid = getpid()};
  if (!send_all(&hello, sizeof hello)) return 1;
  for (;;) {
    struct pollfd wait[2] = {{.fd = signals_fd, .events = POLLIN},
                             {.fd = kLaunchSocket, .events = POLLIN}};
    if (poll(wait, 2, -1) < 0) continue;
    bool asked_to_end = false;
    if (wait[0].revents) {
      struct LaunchReply unused = {0};
      pid_t none = 0;
      reap(&none, &unused);
      drain_signals(&asked_to_end);
    }
    if (asked_to_end) end_all();
    if (!wait[1].revents) continue;
    struct Job job;
    if (!receive_header(&job.request, job.fds)) end_all();
    if (job.request.type == kLaunchKill) continue;  // it came behind the command's end
    if (job.request.type != kLaunchRun || !receive_job(&job)) end_all();
    if (job.buffers_grew) floor_bytes = own_peak_bytes();
    struct LaunchReply reply = {
        .magic = kLaunchMagic, .version = kLaunchVersion, .run_delay_ns = -1};
    run(&job, &reply);
    reply.floor_bytes = floor_bytes;
    reply.kept = kept.count;
    if (!send_all(&reply, sizeof reply)) end_all();
  }
}
