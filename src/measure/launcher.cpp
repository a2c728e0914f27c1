// SPDX-License-Identifier: Apache-2.0
#include "measure/launcher.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <utility>

#include "base/check.hpp"

namespace assay::measure {
namespace {

constexpr int kAnswerLimitMs = 10000;  // generous: a loaded machine, a cold disk

bool is_executable(const std::string& path) { return ::access(path.c_str(), X_OK) == 0; }

std::string own_folder() {
  std::array<char, PATH_MAX> path{};
  const ssize_t length = ::readlink("/proc/self/exe", path.data(), path.size());
  if (length <= 0) return {};
  const std::string_view text(path.data(), static_cast<std::size_t>(length));
  return std::string(text.substr(0, text.rfind('/')));
}

// All of `size` bytes. False with errno = 0 at the end of the stream.
bool receive_all(int fd, void* data, std::size_t size) {
  auto* at = static_cast<char*>(data);
  while (size > 0) {
    const ssize_t got = ::recv(fd, at, size, MSG_WAITALL);
    if (got < 0 && errno == EINTR) continue;
    if (got == 0) errno = 0;
    if (got <= 0) return false;
    at += got;
    size -= static_cast<std::size_t>(got);
  }
  return true;
}

// Sends what `message` describes, however often the kernel takes only a part of it. The descriptors
// go with the first part.
bool send_all(int fd, msghdr message) {
  for (;;) {
    const ssize_t sent = ::sendmsg(fd, &message, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0) return false;
    auto left = static_cast<std::size_t>(sent);
    while (message.msg_iovlen > 0 && left >= message.msg_iov->iov_len) {
      left -= message.msg_iov->iov_len;
      ++message.msg_iov;
      --message.msg_iovlen;
    }
    if (message.msg_iovlen == 0) return true;
    message.msg_iov->iov_base = static_cast<char*>(message.msg_iov->iov_base) + left;
    message.msg_iov->iov_len -= left;
    message.msg_control = nullptr;
    message.msg_controllen = 0;
  }
}

iovec part(std::string_view bytes) { return {const_cast<char*>(bytes.data()), bytes.size()}; }

LaunchRequest header(const LaunchCommand& command) {
  LaunchRequest request{};
  request.magic = kLaunchMagic;
  request.version = kLaunchVersion;
  request.type = kLaunchRun;
  request.timeout_ns = command.timeout.count();
  request.grace_ns = std::chrono::nanoseconds(Launcher::kGrace).count();
  if (command.pty) request.flags |= kLaunchPty;
  if (command.keep) request.flags |= kLaunchKeep;
  if (!command.settings) return request;
  const LaunchSettings& settings = *command.settings;
  if (settings.fixed_layout) request.flags |= kLaunchFixedLayout;
  request.rt_priority = settings.rt_priority;
  if (settings.nice) {
    request.flags |= kLaunchNice;
    request.nice = *settings.nice;
  }
  for (const int cpu : settings.cpus) {
    ASSAY_CHECK(cpu >= 0 && cpu < kLaunchMaxCpus, "CPU numbers were checked with the plan");
    request.flags |= kLaunchAffinity;
    request.cpus[cpu / 64] |= std::uint64_t{1} << (cpu % 64);
  }
  return request;
}

// The child's end becomes descriptor 3; the other three are /dev/null.
Result<pid_t> spawn_helper(const std::string& path, int socket) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  for (const int fd : {0, 1, 2})
    posix_spawn_file_actions_addopen(&actions, fd, "/dev/null", fd == 0 ? O_RDONLY : O_WRONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, socket, kLaunchSocket);
  std::string name = path;
  char* const argv[] = {name.data(), nullptr};
  char* const env[] = {nullptr};
  pid_t pid = -1;
  const int error = ::posix_spawn(&pid, path.c_str(), &actions, nullptr, argv, env);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0)
    return fail(system_error("the helper assay-launch cannot be started", error, path,
                             "reinstall assay, or name the helper in ASSAY_LAUNCH"));
  return pid;
}

}  // namespace

void Fd::reset(int fd) {
  if (fd_ >= 0) ::close(fd_);
  fd_ = fd;
}

Result<std::string> Launcher::find() {
  if (const char* named = std::getenv("ASSAY_LAUNCH"); named && *named) {
    if (is_executable(named)) return std::string(named);
    return fail("ASSAY_LAUNCH names no executable file", named,
                "unset it, or let it name the program assay-launch");
  }
  const std::string folder = own_folder();
  const std::string beside = folder + "/assay-launch";
  const std::string installed = folder + "/../libexec/assay/assay-launch";
  if (is_executable(beside)) return beside;
  if (is_executable(installed)) return installed;
  return fail("the helper assay-launch is missing", {},
              "looked for " + beside + " and " + installed +
                  "; reinstall assay, or name the helper in ASSAY_LAUNCH");
}

Result<Launcher> Launcher::start(const std::string& path, std::chrono::milliseconds patience) {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    return fail(system_error("no socket for the helper assay-launch", errno));
  Fd ours(ends[0]), theirs(ends[1]);
  // A number up to 3 would be overwritten by the streams, or lost: dup2 of a descriptor onto itself
  // leaves it to be closed at exec.
  if (theirs.value() <= kLaunchSocket)
    theirs = Fd(::fcntl(theirs.value(), F_DUPFD_CLOEXEC, kLaunchSocket + 1));
  const Result<pid_t> pid = spawn_helper(path, theirs.value());
  if (!pid) return fail(pid.error());
  theirs.reset();
  // Nothing that the helper does or leaves undone may block for good.
  const timeval limit{kAnswerLimitMs / 1000, 0};
  for (const int option : {SO_RCVTIMEO, SO_SNDTIMEO})
    ::setsockopt(ours.value(), SOL_SOCKET, option, &limit, sizeof limit);
  Launcher launcher(std::move(ours), *pid, patience);
  if (Result<void> greeted = launcher.greet(path); !greeted) return fail(greeted.error());
  return launcher;
}

Result<void> Launcher::greet(const std::string& path) {
  pollfd wait{socket(), POLLIN, 0};
  int ready;
  do ready = ::poll(&wait, 1, kAnswerLimitMs);
  while (ready < 0 && errno == EINTR);
  // Only these two words are the same in every version.
  LaunchHello hello{};
  constexpr std::size_t kHead = offsetof(LaunchHello, floor_bytes);
  const bool answered = ready > 0 && receive_all(socket(), &hello, kHead);
  if (answered && hello.magic == kLaunchMagic && hello.version != kLaunchVersion)
    return fail("the helper assay-launch is of another version: it speaks protocol " +
                    std::to_string(hello.version) + ", this assay protocol " +
                    std::to_string(kLaunchVersion),
                path, "reinstall assay, or name the right helper in ASSAY_LAUNCH");
  if (!answered || hello.magic != kLaunchMagic ||
      !receive_all(socket(), &hello.floor_bytes, sizeof hello - kHead) || hello.pid <= 1) {
    ::kill(keeper_, SIGKILL);  // whatever it is: it need not end by itself
    return fail("does not answer as the helper assay-launch does", path,
                "reinstall assay, or name the helper in ASSAY_LAUNCH");
  }
  pid_ = hello.pid;
  return {};
}

Launcher::Launcher(Launcher&& other) noexcept
    : socket_(std::move(other.socket_)),
      keeper_(std::exchange(other.keeper_, -1)),
      pid_(other.pid_),
      patience_(other.patience_) {}

// How the helper ended, and that it did.
Error Launcher::lost() {
  socket_.reset();
  wake();
  std::optional<int> status = end_within(patience_);
  if (!status) status = end_by_force();
  Error error{"the helper assay-launch ended while this command ran", {}, {}};
  int number = 0;
  if (status && WIFSIGNALED(*status)) number = WTERMSIG(*status);
  if (status && WIFEXITED(*status) && WEXITSTATUS(*status) > kLaunchEndedBySignal)
    number = WEXITSTATUS(*status) - kLaunchEndedBySignal;
  if (number > 0)
    error.what = "the helper assay-launch was killed by signal " + std::to_string(number) + " (" +
                 ::strsignal(number) + ") while this command ran";
  error.hint = "most likely the command did it: it must leave its parent process alone";
  if (number == SIGKILL) error.hint += "; if memory ran out instead, 'dmesg' says so";
  return error;
}

Error Launcher::abandon() {
  socket_.reset();
  const bool ended = end_by_force().has_value();
  return {"the helper assay-launch did not answer while this command ran",
          {},
          ended ? "it was ended, and all that it had started; the command may have stopped it"
                : "it cannot be ended either: it waits inside the kernel, or is being traced"};
}

Result<void> Launcher::send(const LaunchCommand& command) {
  LaunchRequest request = header(command);
  request.path_bytes = static_cast<std::uint32_t>(command.path.size() + 1);
  request.cwd_bytes = command.cwd.empty() ? 0 : static_cast<std::uint32_t>(command.cwd.size() + 1);
  request.argv_bytes = static_cast<std::uint32_t>(command.argv->bytes.size());
  request.argc = command.argv->count;
  const bool more = !command.last_env.empty();
  const std::size_t env_bytes =
      command.env->bytes.size() + (more ? command.last_env.size() + 1 : 0);
  request.env_bytes = static_cast<std::uint32_t>(env_bytes);
  request.envc = command.env->count + (more ? 1 : 0);
  if (command.argv->bytes.size() + env_bytes + command.path.size() + command.cwd.size() + 2 >
      kLaunchMaxPayload)
    return fail("arguments and environment together are larger than any system accepts",
                std::string(command.path), "shorten them, or pass them in a file");

  static constexpr char kZero = '\0';
  const std::string_view zero(&kZero, 1);
  std::array<iovec, 8> parts;
  std::size_t count = 0;
  parts[count++] = {&request, sizeof request};
  parts[count++] = part(command.path);
  parts[count++] = part(zero);
  if (request.cwd_bytes) {
    parts[count++] = part(command.cwd);
    parts[count++] = part(zero);
  }
  parts[count++] = part(command.argv->bytes);
  parts[count++] = part(command.env->bytes);
  std::string last;
  if (more) {
    last.assign(command.last_env).push_back('\0');
    parts[count++] = part(last);
  }

  const int fds[3] = {command.stdin_fd, command.stdout_fd, command.stderr_fd};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof fds)] = {};
  msghdr message{};
  message.msg_iov = parts.data();
  message.msg_iovlen = count;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  cmsghdr* rights = CMSG_FIRSTHDR(&message);
  rights->cmsg_level = SOL_SOCKET;
  rights->cmsg_type = SCM_RIGHTS;
  rights->cmsg_len = CMSG_LEN(sizeof fds);
  std::memcpy(CMSG_DATA(rights), fds, sizeof fds);
  if (!send_all(socket(), message)) return fail(lost());
  return {};
}

Result<void> Launcher::kill(std::chrono::nanoseconds grace) {
  LaunchRequest request{};
  request.magic = kLaunchMagic;
  request.version = kLaunchVersion;
  request.type = kLaunchKill;
  request.grace_ns = grace.count();
  iovec only{&request, sizeof request};
  msghdr message{};
  message.msg_iov = &only;
  message.msg_iovlen = 1;
  if (!send_all(socket(), message)) return fail(lost());
  wake();
  return {};
}

Result<LaunchReply> Launcher::receive() {
  LaunchReply reply;
  if (!receive_all(socket(), &reply, sizeof reply)) return fail(lost());
  if (reply.magic != kLaunchMagic || reply.version != kLaunchVersion) return fail(lost());
  return reply;
}

// The keeper wakes the launcher.
void Launcher::wake() const {
  if (keeper_ > 0) ::kill(keeper_, SIGCONT);
}

// The wait status of the keeper, which ends behind everything below it. Nothing: it still lives.
std::optional<int> Launcher::end_within(std::chrono::milliseconds limit) {
  using Clock = std::chrono::steady_clock;
  if (keeper_ <= 0) return std::nullopt;
  const Clock::time_point deadline = Clock::now() + limit;
  int status = 0;
  for (long pause_ns = 50'000;; pause_ns = std::min(2 * pause_ns, 5'000'000L)) {
    const pid_t ended = ::waitpid(keeper_, &status, WNOHANG);
    if (ended > 0 || (ended < 0 && errno == ECHILD)) {
      keeper_ = -1;
      return status;
    }
    if (Clock::now() >= deadline) return std::nullopt;
    const timespec pause{0, pause_ns};
    ::nanosleep(&pause, nullptr);
  }
}

std::optional<int> Launcher::end_by_force() {
  if (keeper_ <= 0) return std::nullopt;
  wake();
  ::kill(keeper_, SIGTERM);
  std::optional<int> status = end_within(patience_);
  if (status) return status;
  ::kill(keeper_, SIGKILL);
  return end_within(patience_);
}

void Launcher::end() {
  if (keeper_ <= 0) return;
  socket_.reset();
  wake();
  if (!end_within(patience_)) (void)end_by_force();
  keeper_ = -1;
}

}  // namespace assay::measure
