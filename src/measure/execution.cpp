// SPDX-License-Identifier: Apache-2.0
#include "measure/execution.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>

#include "base/text.hpp"

namespace assay::measure {
namespace {

using std::chrono::nanoseconds;

// How soon an interruption is seen that no signal to this thread announces.
constexpr std::chrono::milliseconds kLookEvery{50};
constexpr std::size_t kHookLines = 10;

nanoseconds monotonic_now() { return std::chrono::steady_clock::now().time_since_epoch(); }

void wait_for(std::array<pollfd, 3>& fds, nanoseconds pause) {
  const std::int64_t left = std::max<std::int64_t>(pause.count(), 0);
  const timespec limit{left / 1'000'000'000, left % 1'000'000'000};
  if (::ppoll(fds.data(), fds.size(), &limit, nullptr) < 0)
    for (pollfd& fd : fds) fd.revents = 0;
}

// One stream of the command in the poll loop.
struct Source {
  OutputReader::Stream stream;
  nanoseconds resting_until{};
};

const char* step_text(std::uint32_t step) {
  switch (step) {
    case kStepReceive:
      return "the helper got no streams for the command";
    case kStepAffinity:
      return "the command cannot be pinned to its CPUs";
    case kStepPriority:
      return "the priority of the command cannot be changed";
    case kStepFork:
      return "no new process can be made";
    case kStepSession:
      return "the command gets no process group or terminal of its own";
    case kStepStreams:
      return "the command's streams cannot be connected";
    case kStepDirectory:
      return "the command's folder cannot be entered";
    case kStepLayout:
      return "address space randomisation cannot be turned off";
    default:
      return "the command cannot be started";
  }
}

// An Error where the harness, not the command, is to blame.
Result<LaunchReply> checked(const LaunchReply& reply, const LaunchCommand& command) {
  if (reply.step != kStepNone && reply.step != kStepExec)
    return fail(system_error(step_text(reply.step), reply.error,
                             std::string(reply.step == kStepDirectory ? command.cwd : "")));
  if (reply.unkillable > 0)
    return fail("processes of the command do not end, not even by SIGKILL",
                std::string(command.path),
                "they wait inside the kernel, mostly for a device or a network file system");
  return reply;
}

// What was written to `file`: its last lines.
std::string last_lines(int file) {
  const off_t size = ::lseek(file, 0, SEEK_END);
  const auto wanted = static_cast<off_t>(Tail::kBytes);
  std::string text(static_cast<std::size_t>(std::clamp<off_t>(size, 0, wanted)), '\0');
  const ssize_t got = ::pread(file, text.data(), text.size(), std::max<off_t>(size - wanted, 0));
  text.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  std::vector<std::string_view> lines = split_lines(text);
  std::string kept;
  for (std::size_t i = lines.size() > kHookLines ? lines.size() - kHookLines : 0; i < lines.size();
       ++i) {
    if (!kept.empty()) kept += "\n  ";
    kept += printable(lines[i]);
  }
  return kept;
}

}  // namespace

Result<LaunchReply> execute(Launcher& launcher, const LaunchCommand& command, const Watch& watch) {
  const nanoseconds begin = monotonic_now();
  // The helper keeps the time limit. Should it not answer in time it is woken, then given up.
  nanoseconds wake_at = nanoseconds::max(), give_up_at = nanoseconds::max();
  if (command.timeout.count() > 0) {
    wake_at = begin + command.timeout + 2 * Launcher::kGrace;
    give_up_at = wake_at + launcher.patience();
  }
  if (watch.memory) watch.memory->start(begin);
  if (Result<void> sent = launcher.send(command); !sent) return fail(sent.error());
  std::array<Source, 2> sources{{{OutputReader::Stream::out, {}}, {OutputReader::Stream::err, {}}}};
  bool killed = false;
  for (;;) {
    if (!killed && watch.interrupted && watch.interrupted->load(std::memory_order_relaxed)) {
      killed = true;
      if (Result<void> sent = launcher.kill(nanoseconds(0)); !sent) return fail(sent.error());
      give_up_at = std::min(give_up_at, monotonic_now() + launcher.patience());
    }
    const nanoseconds now = monotonic_now();
    if (now >= give_up_at) return fail(launcher.abandon());
    if (now >= wake_at) {
      launcher.wake();
      wake_at = nanoseconds::max();
    }
    nanoseconds until = now + kLookEvery;
    if (watch.memory) until = std::min(until, watch.memory->due());
    std::array<pollfd, 3> fds{{{launcher.socket(), POLLIN, 0}, {-1, POLLIN, 0}, {-1, POLLIN, 0}}};
    for (std::size_t i = 0; watch.output && i < sources.size(); ++i) {
      if (sources[i].resting_until > now)
        until = std::min(until, sources[i].resting_until);
      else
        fds[i + 1].fd = watch.output->own_end(sources[i].stream);
    }
    wait_for(fds, until - now);
    if (fds[0].revents) {
      const Result<LaunchReply> reply = launcher.receive();
      if (!reply) return fail(reply.error());
      return checked(*reply, command);
    }
    const nanoseconds woken = monotonic_now();
    for (std::size_t i = 0; i < sources.size(); ++i) {
      if (!fds[i + 1].revents) continue;
      const nanoseconds rest = watch.output->read(sources[i].stream);
      sources[i].resting_until = rest.count() > 0 ? woken + rest : nanoseconds(0);
    }
    if (watch.memory && woken >= watch.memory->due()) watch.memory->sample(woken);
  }
}

bool sleep_unless(const std::atomic<bool>& interrupted, nanoseconds pause) {
  const nanoseconds end = monotonic_now() + pause;
  for (;;) {
    if (interrupted.load(std::memory_order_relaxed)) return false;
    const nanoseconds left = end - monotonic_now();
    if (left.count() <= 0) return true;
    std::array<pollfd, 3> none{{{-1, 0, 0}, {-1, 0, 0}, {-1, 0, 0}}};
    wait_for(none, std::min<nanoseconds>(left, kLookEvery));
  }
}

Result<HookResult> run_hook(Launcher& launcher, const std::string& name, const std::string& text,
                            LaunchCommand command, const std::atomic<bool>* interrupted) {
  // A file in memory and no pipe: a service that the hook leaves in the background can go on
  // writing.
  const Fd output(::memfd_create("assay-hook", MFD_CLOEXEC));
  const Fd null(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  if (!output || !null) return fail(system_error("no file for the output of a hook", errno));
  ::fcntl(output.value(), F_SETFL, O_APPEND);
  Words argv;
  for (const std::string& word : {std::string("sh"), std::string("-c"), text}) argv.add(word);
  command.path = "/bin/sh";
  command.argv = &argv;
  command.stdin_fd = null.value();
  command.stdout_fd = command.stderr_fd = output.value();
  const Result<LaunchReply> reply = execute(launcher, command, {nullptr, nullptr, interrupted});
  if (!reply) {
    Error error = reply.error();
    if (error.where.empty()) error.where = text;
    return fail(error.within("the " + name + " command"));
  }
  if (reply->ended == kEndedByKill) return HookResult{true, reply->kept};
  if (reply->step == kStepExec)
    return fail(system_error("the " + name + " command cannot be started", reply->error, text));
  const bool timed_out = reply->ended == kEndedByTimeout;
  if (timed_out || reply->wait_status != 0) {
    const std::string lines = last_lines(output.value());
    const std::string end =
        timed_out ? "timed out after " +
                        format_seconds(std::chrono::duration<double>(command.timeout).count())
                  : describe_status(reply->wait_status);
    return fail("the " + name + " command " + end, text,
                lines.empty() ? "it printed nothing" : lines);
  }
  return HookResult{false, reply->kept};
}

std::string describe_status(int wait_status) {
  if (WIFEXITED(wait_status))
    return "exited with status " + std::to_string(WEXITSTATUS(wait_status));
  const int number = WTERMSIG(wait_status);
  return "was killed by signal " + std::to_string(number) + " (" + ::strsignal(number) + ")";
}

}  // namespace assay::measure
