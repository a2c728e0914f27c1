// SPDX-License-Identifier: Apache-2.0
#include "base/process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

#include "base/process_supervisor.hpp"
#include "base/text.hpp"

extern char** environ;  // NOLINT: POSIX names it so

namespace assay {
namespace {

constexpr std::size_t kLongestLine = std::size_t{64} << 10;

class Fd {
 public:
  Fd() = default;
  explicit Fd(int fd) : fd_(fd) {}
  Fd(Fd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Fd& operator=(Fd&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Fd() { close(); }
  void close() {
    if (fd_ >= 0) ::close(fd_);
    fd_ = -1;
  }
  int get() const { return fd_; }
  bool is_open() const { return fd_ >= 0; }

 private:
  int fd_ = -1;
};

struct Pipe {
  Fd read, write;
};

Result<Pipe> make_pipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return fail(system_error("cannot make a pipe", errno));
  return Pipe{Fd(ends[0]), Fd(ends[1])};
}

// The last `limit` bytes of what was appended.
class Tail {
 public:
  Tail(std::string& kept, std::uint64_t& dropped, std::size_t limit)
      : kept_(kept), dropped_(dropped), limit_(limit) {}

  void append(std::string_view bytes) {
    kept_ += bytes;
    if (kept_.size() > 2 * limit_ + 4096) trim();  // seldom, so that appending stays linear
  }
  void trim() {
    if (kept_.size() <= limit_) return;
    dropped_ += kept_.size() - limit_;
    kept_.erase(0, kept_.size() - limit_);
  }

 private:
  std::string& kept_;
  std::uint64_t& dropped_;
  std::size_t limit_;
};

class Lines {
 public:
  explicit Lines(const std::function<void(std::string_view)>& on_line) : on_line_(on_line) {}

  void append(std::string_view bytes) {
    if (!on_line_) return;
    while (!bytes.empty()) {
      const std::size_t end = bytes.find('\n');
      const std::size_t room = kLongestLine - pending_.size();
      const std::size_t take = std::min({end, bytes.size(), room});
      pending_ += bytes.substr(0, take);
      bytes.remove_prefix(take);
      const bool at_end = !bytes.empty() && bytes.front() == '\n';
      if (at_end) bytes.remove_prefix(1);
      if (at_end || pending_.size() == kLongestLine) flush();
    }
  }
  void finish() {
    if (!pending_.empty()) flush();
  }

 private:
  void flush() {
    on_line_(pending_);
    pending_.clear();
  }

  const std::function<void(std::string_view)>& on_line_;
  std::string pending_;
};

bool write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(fd, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return true;
}

// The executable to start, or the Error that names what is wrong with it.
Result<std::string> resolve_program(const ProcessRequest& request,
                                    const std::vector<std::string>& env) {
  const std::string& name = request.argv.front();
  if (name.find('/') == std::string::npos) {
    const std::string path = find_variable(env, "PATH").value_or("/usr/bin:/bin");
    if (auto found = find_program(name, path)) return *found;
    return fail(fmt::format("'{}' was not found on PATH", printable(name)), {},
                "install it, or give its path");
  }
  return name;
}

// What the supervisor reported about the start: nothing while it went well.
Error start_error(const ProcessRequest& request, const supervisor::Report& report) {
  const std::string command = printable(request.argv.front());
  switch (report.what) {
    case supervisor::What::no_folder:
      return system_error(fmt::format("cannot enter the folder of '{}'", command), report.value,
                          request.cwd);
    case supervisor::What::no_exec:
      return system_error(fmt::format("cannot start '{}'", command), report.value, request.cwd);
    default:
      return system_error(fmt::format("no process for '{}'", command), report.value);
  }
}

// One run: the pipes, the supervisor at their other ends, and what has come so far.
class Running {
 public:
  Running(const ProcessRequest& request, ProcessResult& result)
      : request_(request),
        result_(result),
        out_tail_(result.out, result.out_dropped, request.keep_bytes),
        err_tail_(result.err, result.err_dropped, request.keep_bytes),
        lines_(request.on_line) {}

  Result<void> start(const std::string& program, const std::vector<std::string>& env);
  // Until all pipes are closed by the other side.
  Result<void> follow();

 private:
  void read_some(Fd& fd, bool is_out);
  void read_report();
  void look_for_an_end();
  // The supervisor takes the closed pipe as the order to kill; the program may have stopped it.
  void stop() {
    control_.close();
    ::kill(supervisor_, SIGCONT);
  }

  const ProcessRequest& request_;
  ProcessResult& result_;
  Tail out_tail_, err_tail_;
  Lines lines_;
  Fd out_, err_, report_pipe_, control_;
  supervisor::Report report_{};
  bool reported_ = false;
  int tee_errno_ = 0;
  pid_t supervisor_ = -1;
};

std::vector<char*> pointers(const std::vector<std::string>& strings) {
  std::vector<char*> result;
  for (const std::string& s : strings) result.push_back(const_cast<char*>(s.c_str()));  // NOLINT
  result.push_back(nullptr);
  return result;
}

Result<void> Running::start(const std::string& program, const std::vector<std::string>& env) {
  auto out = make_pipe(), err = make_pipe(), report = make_pipe(), control = make_pipe();
  for (const auto* pipe : {&out, &err, &report, &control})
    if (!*pipe) return fail(pipe->error());
  const auto argv = pointers(request_.argv), envp = pointers(env);
  const supervisor::Task task{.program = program.c_str(),
                              .argv = argv.data(),
                              .envp = envp.data(),
                              .cwd = request_.cwd.empty() ? nullptr : request_.cwd.c_str(),
                              .out = out->write.get(),
                              .err = request_.merge_stderr ? out->write.get() : err->write.get(),
                              .report = report->write.get(),
                              .control = control->read.get(),
                              .hold = request_.hold};
  // All signals stay blocked in the supervisor: no handler of ours may run there.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  supervisor_ = ::fork();
  if (supervisor_ == 0) supervisor::run(task);
  const int fork_errno = errno;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (supervisor_ < 0)
    return fail(system_error(fmt::format("no process for '{}'", printable(request_.argv.front())),
                             fork_errno));
  out_ = std::move(out->read);
  err_ = std::move(err->read);
  report_pipe_ = std::move(report->read);
  control_ = std::move(control->write);
  return {};
}

void Running::read_some(Fd& fd, bool is_out) {
  std::array<char, 65536> buffer;
  const ssize_t n = ::read(fd.get(), buffer.data(), buffer.size());
  if (n < 0 && errno == EINTR) return;
  if (n <= 0) {
    fd.close();
    return;
  }
  const std::string_view bytes(buffer.data(), static_cast<std::size_t>(n));
  (is_out ? out_tail_ : err_tail_).append(bytes);
  if (!is_out) return;
  if (request_.tee >= 0 && tee_errno_ == 0 && !write_all(request_.tee, bytes)) {
    tee_errno_ = errno;
    stop();
  }
  lines_.append(bytes);
}

void Running::read_report() {
  supervisor::Report report{};
  const ssize_t n = ::read(report_pipe_.get(), &report, sizeof report);
  if (n < 0 && errno == EINTR) return;
  if (n == static_cast<ssize_t>(sizeof report)) {  // below PIPE_BUF: whole or not at all
    if (!reported_) report_ = report;
    reported_ = true;
  } else {
    report_pipe_.close();
  }
}

void Running::look_for_an_end() {
  if (!control_.is_open()) return;
  result_.interrupted = request_.interrupted != nullptr && request_.interrupted->load();
  result_.timed_out = !result_.interrupted && request_.deadline &&
                      std::chrono::steady_clock::now() >= *request_.deadline;
  if (result_.interrupted || result_.timed_out) stop();
}

Result<void> Running::follow() {
  const bool may_end = request_.interrupted != nullptr || request_.deadline;
  while (out_.is_open() || err_.is_open() || report_pipe_.is_open()) {
    look_for_an_end();
    std::array<pollfd, 3> fds{
        {{out_.get(), POLLIN, 0}, {err_.get(), POLLIN, 0}, {report_pipe_.get(), POLLIN, 0}}};
    // The flag is looked at 20 times a second: it may be set by a thread, without a signal to us.
    if (::poll(fds.data(), fds.size(), may_end ? 50 : -1) <= 0) continue;
    if (fds[0].revents != 0) read_some(out_, true);
    if (fds[1].revents != 0) read_some(err_, false);
    if (fds[2].revents != 0) read_report();
  }
  out_tail_.trim();
  err_tail_.trim();
  lines_.finish();
  while (::waitpid(supervisor_, nullptr, 0) < 0 && errno == EINTR) {
  }
  if (tee_errno_ != 0) return fail(system_error("cannot write the output's log", tee_errno_));
  if (result_.interrupted || result_.timed_out) return {};
  if (!reported_)
    return fail(
        fmt::format("the process that watches '{}' was killed", printable(request_.argv.front())));
  if (report_.what == supervisor::What::exited || report_.what == supervisor::What::signalled) {
    result_.signalled = report_.what == supervisor::What::signalled;
    result_.code = report_.value;
    return {};
  }
  return fail(start_error(request_, report_));
}

}  // namespace

std::string ProcessResult::describe_end() const {
  if (interrupted) return "was interrupted";
  if (timed_out) return "ran out of time";
  if (signalled) return fmt::format("was killed by signal {} ({})", code, ::strsignal(code));
  return fmt::format("exited with status {}", code);
}

Result<ProcessResult> run_process(const ProcessRequest& request) {
  if (request.argv.empty() || request.argv.front().empty())
    return fail("an empty command cannot be started");
  for (const std::string& word : request.argv)
    if (word.find('\0') != std::string::npos)
      return fail("a command must not contain a zero byte", printable(request.argv.front()));
  const std::vector<std::string> env = request.env ? *request.env : current_environment();
  const auto program = resolve_program(request, env);
  if (!program) return fail(program.error());
  ProcessResult result;
  Running running(request, result);
  if (auto started = running.start(*program, env); !started) return fail(started.error());
  if (auto followed = running.follow(); !followed) return fail(followed.error());
  return result;
}

std::optional<std::string> find_program(std::string_view name, std::string_view path) {
  if (name.empty()) return std::nullopt;
  while (true) {
    const std::size_t end = std::min(path.find(':'), path.size());
    const std::string_view folder = path.substr(0, end);
    std::string candidate = std::string(folder.empty() ? "." : folder) + "/" + std::string(name);
    struct stat status {};
    if (::stat(candidate.c_str(), &status) == 0 && S_ISREG(status.st_mode) &&
        ::access(candidate.c_str(), X_OK) == 0)
      return candidate;
    if (end == path.size()) return std::nullopt;
    path.remove_prefix(end + 1);
  }
}

std::vector<std::string> current_environment() {
  std::vector<std::string> env;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry)
    env.emplace_back(*entry);
  return env;
}

void unset_variable(std::vector<std::string>& env, std::string_view name) {
  std::erase_if(env, [&](const std::string& entry) {
    return entry.size() > name.size() && entry[name.size()] == '=' && entry.starts_with(name);
  });
}

void set_variable(std::vector<std::string>& env, std::string_view name, std::string_view value) {
  unset_variable(env, name);
  env.push_back(fmt::format("{}={}", name, value));
}

std::optional<std::string> find_variable(const std::vector<std::string>& env,
                                         std::string_view name) {
  for (const std::string& entry : env)
    if (entry.size() > name.size() && entry[name.size()] == '=' && entry.starts_with(name))
      return entry.substr(name.size() + 1);
  return std::nullopt;
}

}  // namespace assay
