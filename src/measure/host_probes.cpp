// SPDX-License-Identifier: Apache-2.0
// The probes of `assay doctor`: one small function each, so that each can be read alone.
#include <fmt/format.h>

#include <cmath>

#include "base/text.hpp"
#include "measure/contention.hpp"
#include "measure/host.hpp"
#include "measure/host_files.hpp"

namespace assay::measure {
namespace {

using enum ProbeState;

const std::string kCpu = "/sys/devices/system/cpu/";
const std::string kGroups = "/sys/fs/cgroup";
const char* const kNotHere = "cannot be changed here";

Probe fine(const char* name, std::string value) { return {name, ok, std::move(value), "", ""}; }

// A switch that a guest cannot turn: only the host's owner can.
Probe unsteady(const System& system, const char* name, std::string value, std::string effect,
               std::string mend) {
  if (virtualisation(system))
    return {name, cannot_mend, std::move(value), std::move(effect), kNotHere};
  return {name, hurts, std::move(value), std::move(effect), std::move(mend)};
}

Probe probe_cpus(const System& system) {
  const std::size_t online = cpus_online(system), allowed = system.allowed_cpus().size();
  std::string value = allowed == 0 || allowed == online
                          ? fmt::format("{} online", online)
                          : fmt::format("{} of {} permitted", allowed, online);
  if (allowed == 1 || online == 1)
    return {"CPUs", cannot_mend, std::move(value),
            "assay, the command and everything else take turns on one CPU", kNotHere};
  return fine("CPUs", std::move(value));
}

Probe probe_smt(const System& system) {
  const std::string active = word_of(system, kCpu + "smt/active");
  if (active == "1")
    return unsteady(system, "SMT", "on",
                    "a program on the other thread of a core slows down the run on this one",
                    "echo off | sudo tee " + kCpu + "smt/control");
  if (active == "0")
    return fine("SMT", virtualisation(system) ? "off, as far as a guest can see" : "off");
  return {"SMT", absent, "not told by the kernel", "", ""};
}

Probe probe_governor(const System& system) {
  const std::string governor = read_host(system).governor;
  if (governor.empty())
    return {"governor", absent, "no frequency scaling seen from here",
            "if the clock moves, readings do not show it", kNotHere};
  if (governor == "performance") return fine("governor", governor);
  return unsteady(system, "governor", governor,
                  "the clock follows the load: the first part of a run is slower than the rest",
                  "echo performance | sudo tee " + kCpu + "cpu*/cpufreq/scaling_governor");
}

Probe probe_turbo(const System& system) {
  const std::string no_turbo = word_of(system, kCpu + "intel_pstate/no_turbo");
  const std::string boost = word_of(system, kCpu + "cpufreq/boost");
  if (no_turbo.empty() && boost.empty()) return {"turbo", absent, "not told by the kernel", "", ""};
  if (no_turbo == "1" || (no_turbo.empty() && boost == "0")) return fine("turbo", "off");
  return unsteady(system, "turbo", "on",
                  "the clock depends on temperature and on how many cores are busy",
                  no_turbo.empty() ? "echo 0 | sudo tee " + kCpu + "cpufreq/boost"
                                   : "echo 1 | sudo tee " + kCpu + "intel_pstate/no_turbo");
}

Probe probe_aslr(const System& system) {
  const std::string level = word_of(system, "/proc/sys/kernel/randomize_va_space");
  if (level.empty()) return {"ASLR", absent, "not told by the kernel", "", ""};
  // On is what we want: layouts that differ from run to run average out, one layout does not.
  if (level != "0") return fine("ASLR", level == "2" ? "on" : "on, except the heap");
  return {"ASLR", hurts, "off",
          "every run has the same memory layout, and its luck counts as a difference",
          "sudo sysctl kernel.randomize_va_space=2"};
}

Probe probe_pmu(const System& system) {
  switch (system.instruction_counter()) {
    case CounterAccess::works:
      return fine("PMU", "counts instructions");
    case CounterAccess::not_permitted:
      return {"PMU", absent, "not permitted", "no instruction counts except with --exact",
              "see perf_event_paranoid"};
    case CounterAccess::no_kernel_support:
      return {"PMU", absent, "the kernel has no perf_event_open",
              "no instruction counts except with --exact", kNotHere};
    case CounterAccess::no_hardware:
      break;
  }
  return {"PMU", absent,
          virtualisation(system) ? "the hypervisor passes no counters on" : "no hardware counters",
          "no instruction counts except with --exact", kNotHere};
}

Probe probe_paranoid(const System& system) {
  const char* const name = "perf_event_paranoid";
  const auto level = number_of(system, "/proc/sys/kernel/perf_event_paranoid");
  if (!level) return {name, absent, "not told by the kernel", "", ""};
  std::string value = fmt::format("{:.0f}", *level);
  if (system.instruction_counter() != CounterAccess::not_permitted)
    return fine(name, std::move(value));
  if (*level <= 2)
    return {name, cannot_mend, value + ", but counters are refused (seccomp?)",
            "no instruction counts except with --exact",
            container(system) ? "start the container with --cap-add PERFMON" : kNotHere};
  return {name, hurts, std::move(value), "no instruction counts except with --exact",
          "sudo sysctl kernel.perf_event_paranoid=2"};
}

// The folder of our group below `mount` that `line` of /proc/self/cgroup names. In a namespace of
// cgroups that is "/", and for a path outside it ("/../x") the mount has to do.
std::string group_folder(const std::string& mount, std::string path) {
  if (path.starts_with("/..") || path == "/") path.clear();
  return mount + path;
}

// "5:memory:/user" -> "/user" for `controller`; "" names the only line of version 2.
std::optional<std::string> group_of(const System& system, std::string_view controller) {
  const std::string groups = text_of(system, "/proc/self/cgroup");
  for (const std::string_view line : split_lines(groups)) {
    const std::size_t first = line.find(':');
    const std::size_t second = first == line.npos ? line.npos : line.find(':', first + 1);
    if (second == line.npos) continue;
    const std::string names = "," + std::string(line.substr(first + 1, second - first - 1)) + ",";
    if (names.find("," + std::string(controller) + ",") != std::string::npos)
      return std::string(line.substr(second + 1));
  }
  return std::nullopt;
}

Probe probe_cgroup(const System& system) {
  const char* const name = "cgroup";
  const char* const effect = "no memory peak of the whole process tree, only samples of it";
  if (system.exists(kGroups + "/cgroup.controllers")) {
    const std::string own = group_folder(kGroups, group_of(system, "").value_or("/"));
    const std::string controllers = " " + word_of(system, own + "/cgroup.controllers") + " ";
    const bool has_memory = controllers.find(" memory ") != std::string::npos;
    if (has_memory && system.is_writable(own)) return fine(name, "version 2, writable");
    return {name, absent, has_memory ? "version 2, not writable" : "version 2, without memory",
            effect, "systemd-run --user --scope -p Delegate=yes assay ..."};
  }
  if (system.exists(kGroups + "/memory")) {
    const std::string own =
        group_folder(kGroups + "/memory", group_of(system, "memory").value_or("/"));
    if (system.is_writable(own)) return fine(name, "version 1, writable");
    return {name, absent, "version 1, not writable", effect, "run assay as root"};
  }
  return {name, absent, "none", effect, kNotHere};
}

// The tightest limit of our group and those above it, in CPUs.
std::optional<double> cpu_limit(const System& system) {
  std::optional<double> tightest;
  const auto take = [&](double quota, double period) {
    if (quota > 0 && period > 0) tightest = std::min(tightest.value_or(1e9), quota / period);
  };
  const auto upwards = [](const std::string& mount, std::string folder, auto&& look) {
    while (folder.size() >= mount.size()) {
      look(folder);
      folder.resize(folder.find_last_of('/'));
    }
  };
  if (const auto path = group_of(system, "")) {
    upwards(kGroups, group_folder(kGroups, *path), [&](const std::string& folder) {
      const std::string limit = word_of(system, folder + "/cpu.max");
      const std::size_t blank = limit.find(' ');
      if (blank == std::string::npos) return;
      const auto quota = parse_number(std::string_view(limit).substr(0, blank));
      const auto period = parse_number(std::string_view(limit).substr(blank + 1));
      if (quota && period) take(*quota, *period);
    });
  }
  if (const auto path = group_of(system, "cpu")) {
    const std::string mount = kGroups + "/cpu";
    upwards(mount, group_folder(mount, *path), [&](const std::string& folder) {
      const auto quota = number_of(system, folder + "/cpu.cfs_quota_us");
      const auto period = number_of(system, folder + "/cpu.cfs_period_us");
      if (quota && period) take(*quota, *period);
    });
  }
  return tightest;
}

Probe probe_quota(const System& system) {
  const auto limit = cpu_limit(system);
  if (!limit) return fine("CPU limit", "none");
  return {"CPU limit", hurts, fmt::format("{:.3g} CPUs", *limit),
          "a run that wants more is stopped until the next period, 100 ms as a rule",
          "raise CPUQuota= of the unit, or --cpus of the container"};
}

Probe probe_pressure(const System& system) {
  if (parse_pressure(text_of(system, "/proc/pressure/cpu"))) return fine("PSI", "available");
  return {"PSI", absent, "not available", "waiting for CPU, memory and disk is not explained",
          "boot with psi=1"};
}

Probe probe_steal(const System& system) {
  const std::string stat = text_of(system, "/proc/stat");
  const auto stolen = parse_steal(stat);
  if (!stolen) return {"steal", absent, "not told by the kernel", "", ""};
  double all = 0;
  std::string_view rest = std::string_view(stat).substr(0, stat.find('\n'));
  for (int at = 0; at < 9 && !rest.empty(); ++at) {
    const std::size_t blank = std::min(rest.find(' '), rest.size());
    if (const auto ticks = parse_number(rest.substr(0, blank))) all += *ticks;
    rest.remove_prefix(blank);
    while (rest.starts_with(' ')) rest.remove_prefix(1);
  }
  const double share = all > 0 ? double(*stolen) / all : 0;
  std::string value = fmt::format("{:.2f} % since boot", share * 100);
  if (share < 0.001) return fine("steal", std::move(value));
  return {"steal", cannot_mend, std::move(value),
          "other guests of this host take CPU time in the middle of a run", kNotHere};
}

Probe probe_clock(const System& system) {
  constexpr int kReadings = 1000;
  const auto begin = system.now();
  for (int i = 1; i < kReadings; ++i) (void)system.now();
  const std::chrono::duration<double> spent = system.now() - begin;
  const double cost = spent.count() / kReadings;
  const double tick = std::chrono::duration<double>(system.clock_resolution()).count();
  std::string value =
      fmt::format("tick {}, {} a reading", format_seconds(tick), format_seconds(cost));
  if (tick < 1e-6 && cost < 1e-6) return fine("clock", std::move(value));
  return {"clock", hurts, std::move(value), "short runs are measured with the clock's own grain",
          "see clocksource"};
}

Probe probe_clocksource(const System& system) {
  const std::string folder = "/sys/devices/system/clocksource/clocksource0/";
  const std::string current = word_of(system, folder + "current_clocksource");
  const std::string known = " " + word_of(system, folder + "available_clocksource") + " ";
  if (current.empty()) return {"clocksource", absent, "not told by the kernel", "", ""};
  if (current != "hpet" && current != "acpi_pm" && current != "jiffies" && current != "xen")
    return fine("clocksource", current);
  return {"clocksource", known.find(" tsc ") == known.npos ? cannot_mend : hurts, current,
          "reading the clock is a system call or slower",
          known.find(" tsc ") == known.npos
              ? kNotHere
              : "echo tsc | sudo tee " + folder + "current_clocksource"};
}

Probe probe_load(const System& system) {
  const std::string text = word_of(system, "/proc/loadavg");
  const auto load = parse_number(std::string_view(text).substr(0, text.find(' ')));
  if (!load) return {"load", absent, "not told by the kernel", "", ""};
  const std::size_t cpus = std::max<std::size_t>(1, cpus_online(system));
  std::string value = fmt::format("{:.2f} on {} CPU{}", *load, cpus, cpus == 1 ? "" : "s");
  if (*load < 0.25 * double(cpus)) return fine("load", std::move(value));
  return {"load", hurts, std::move(value), "something else runs beside the measurements",
          "stop it ('top' shows it), or measure with --isolate"};
}

Probe probe_swap(const System& system) {
  const std::string info = text_of(system, "/proc/meminfo");
  const auto total = kilobytes(info, "SwapTotal"), unused = kilobytes(info, "SwapFree");
  if (!total || !unused) return {"swap", absent, "not told by the kernel", "", ""};
  if (*total <= 0) return fine("swap", "none");
  const double used = (*total - *unused) * 1024;
  if (used <= 0) return fine("swap", "unused");
  return {"swap", hurts, format_bytes(used) + " in use",
          "pages may have to come from disk in the middle of a run", "sudo swapoff -a"};
}

Probe probe_huge_pages(const System& system) {
  const std::string path = "/sys/kernel/mm/transparent_hugepage/enabled";
  const std::string text = word_of(system, path);
  const std::size_t open = text.find('['), close = text.find(']');
  if (open == text.npos || close == text.npos || close < open)
    return {"huge pages", absent, "not told by the kernel", "", ""};
  const std::string mode = text.substr(open + 1, close - open - 1);
  if (mode != "always") return fine("huge pages", mode);
  return {"huge pages", hurts, mode,
          "peak memory moves in steps of 2 MiB, and speed with the luck of getting them",
          "echo madvise | sudo tee " + path};
}

Probe probe_virtual(const System& system) {
  const auto kind = virtualisation(system);
  if (!kind) return fine("virtual machine", "no");
  return {"virtual machine", cannot_mend, *kind,
          "neighbours on the host share caches, memory and clock; steal shows only a part of it",
          kNotHere};
}

Probe probe_container(const System& system) {
  const auto kind = container(system);
  if (!kind) return fine("container", "no");
  return {"container", cannot_mend, *kind, "what runs in other containers cannot be seen from here",
          kNotHere};
}

Probe probe_priority(const System& system) {
  if (system.permits_realtime(1)) {
    const auto slice = number_of(system, "/proc/sys/kernel/sched_rt_runtime_us");
    return fine("priority",
                slice && *slice >= 0
                    ? fmt::format("real-time permitted, {:.0f} ms a second", *slice / 1e3)
                    : "real-time permitted");
  }
  const auto nice = system.lowest_nice();
  const char* const mend =
      "run as root, or sudo setcap cap_sys_nice+ep \"$(command -v assay-launch)\" "
      "\"$(command -v assay)\"";
  if (nice && *nice < 0)
    return {"priority", hurts, fmt::format("nice down to {}, no real-time", *nice),
            "--isolate is weaker: other programs still interrupt a run now and then", mend};
  return {"priority", hurts, "cannot be raised",
          "--isolate can only pin: other programs on that CPU take their share", mend};
}

}  // namespace

std::string_view to_word(ProbeState state) {
  switch (state) {
    case ok:
      return "ok";
    case hurts:
      return "hurts";
    case absent:
      return "absent";
    case cannot_mend:
      return "cannot mend";
  }
  return "";
}

std::vector<Probe> examine_host(const System& system) {
  std::vector<Probe> probes;
  for (const auto probe : {probe_cpus, probe_smt, probe_governor, probe_turbo, probe_virtual,
                           probe_container, probe_quota, probe_steal, probe_load, probe_priority,
                           probe_swap, probe_huge_pages, probe_aslr, probe_clock, probe_clocksource,
                           probe_pmu, probe_paranoid, probe_cgroup, probe_pressure})
    probes.push_back(probe(system));
  return probes;
}

}  // namespace assay::measure
