// SPDX-License-Identifier: Apache-2.0
#include "base/system.hpp"

#include <fcntl.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <thread>

namespace assay {
namespace {

std::chrono::nanoseconds to_nanoseconds(const timespec& time) {
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

// Priorities belong to threads on Linux: a thread that ends takes what it tried with it, so nothing
// has to be undone and nothing else is disturbed.
template <class Try>
void on_a_thread_that_ends(Try what) {
  std::thread(what).join();
}

class RealSystem final : public System {
 public:
  Result<std::string> read_file(const std::string& path) const override {
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) return fail(system_error("cannot open", errno, path));
    std::string text;
    std::array<char, 16384> buffer;
    int failed = 0;
    while (text.size() <= kMostBytes) {
      const ssize_t count = ::read(file, buffer.data(), buffer.size());
      if (count < 0) failed = errno;  // EINTR too: only a pipe or a device waits long enough for it
      if (count <= 0) break;
      text.append(buffer.data(), std::size_t(count));
    }
    ::close(file);
    if (failed != 0) return fail(system_error("cannot read", failed, path));
    if (text.size() > kMostBytes) return fail("the file is longer than 64 MiB", path);
    return text;
  }

  Result<std::vector<std::string>> list_dir(const std::string& path) const override {
    std::error_code error;
    std::vector<std::string> names;
    std::filesystem::directory_iterator at(path, error);
    for (; !error && at != std::filesystem::directory_iterator(); at.increment(error))
      names.push_back(at->path().filename().string());
    if (error) return fail(system_error("cannot list", error.value(), path));
    std::sort(names.begin(), names.end());
    return names;
  }

  bool exists(const std::string& path) const override { return ::access(path.c_str(), F_OK) == 0; }
  bool is_writable(const std::string& path) const override {
    return ::access(path.c_str(), W_OK) == 0;
  }

  std::chrono::nanoseconds now() const override {
    timespec time{};
    ::clock_gettime(CLOCK_MONOTONIC, &time);
    return to_nanoseconds(time);
  }
  std::chrono::nanoseconds clock_resolution() const override {
    timespec time{};
    ::clock_getres(CLOCK_MONOTONIC, &time);
    return to_nanoseconds(time);
  }

  std::vector<int> allowed_cpus() const override {
    // The kernel refuses (EINVAL) a mask shorter than its own.
    for (std::size_t cpus = CPU_SETSIZE; cpus <= std::size_t{CPU_SETSIZE} * 64; cpus *= 4) {
      cpu_set_t* const mask = CPU_ALLOC(cpus);
      if (mask == nullptr) return {};
      const std::size_t bytes = CPU_ALLOC_SIZE(cpus);
      std::vector<int> allowed;
      const bool told = ::sched_getaffinity(0, bytes, mask) == 0;
      for (std::size_t cpu = 0; told && cpu < cpus; ++cpu)
        if (CPU_ISSET_S(cpu, bytes, mask)) allowed.push_back(int(cpu));
      CPU_FREE(mask);
      if (told) return allowed;
    }
    return {};
  }

  bool permits_realtime(int priority) const override {
    bool permitted = false;
    on_a_thread_that_ends([&] {
      sched_param param{};
      param.sched_priority = priority;
      permitted = ::sched_setscheduler(0, SCHED_RR, &param) == 0;
    });
    return permitted;
  }

  std::optional<int> lowest_nice() const override {
    std::optional<int> lowest;
    on_a_thread_that_ends([&] {
      for (int nice = -20; nice <= 0 && !lowest; ++nice)
        if (::setpriority(PRIO_PROCESS, 0, nice) == 0) lowest = nice;
    });
    return lowest;
  }

  CounterAccess instruction_counter() const override {
    perf_event_attr attributes{};
    attributes.size = sizeof attributes;
    attributes.type = PERF_TYPE_HARDWARE;
    attributes.config = PERF_COUNT_HW_INSTRUCTIONS;
    attributes.exclude_kernel = 1;
    attributes.exclude_hv = 1;
    const long file = ::syscall(SYS_perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
    if (file >= 0) {
      ::close(int(file));
      return CounterAccess::works;
    }
    if (errno == EACCES || errno == EPERM) return CounterAccess::not_permitted;
    if (errno == ENOSYS) return CounterAccess::no_kernel_support;
    return CounterAccess::no_hardware;
  }
};

}  // namespace

System& System::real() {
  static RealSystem system;
  return system;
}

}  // namespace assay
