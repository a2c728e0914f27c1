// SPDX-License-Identifier: Apache-2.0
#include "measure/isolation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>

#include "base/text.hpp"

namespace assay::measure {
namespace {

// Above nothing else that matters: the kernel's own real-time threads (50 and more) stay above it.
constexpr int kRealtimePriority = 10;
constexpr int kMostCpus = 1 << 16;

using Cpus = std::vector<int>;

bool has(const Cpus& cpus, int cpu) { return std::binary_search(cpus.begin(), cpus.end(), cpu); }

Cpus without(const Cpus& all, const Cpus& some) {
  Cpus rest;
  std::set_difference(all.begin(), all.end(), some.begin(), some.end(), std::back_inserter(rest));
  return rest;
}

Cpus both(const Cpus& a, const Cpus& b) {
  Cpus joined;
  std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(joined));
  return joined;
}

// A list that the kernel keeps; empty when it keeps none.
Cpus kernel_list(const System& system, const std::string& path) {
  const auto text = system.read_file(path);
  if (!text) return {};
  const auto cpus = parse_cpu_list(*text);
  return cpus ? *cpus : Cpus();
}

// The CPUs that share a core with `cpu`, itself included.
Cpus core_of(const System& system, int cpu) {
  const Cpus siblings = kernel_list(
      system, fmt::format("/sys/devices/system/cpu/cpu{}/topology/thread_siblings_list", cpu));
  return both(siblings, {cpu});
}

struct Ground {
  Cpus online, isolated;
  Cpus usable;  // ours, and those that the kernel keeps free of everything else
};

Ground survey(const System& system) {
  Ground ground;
  const Cpus allowed = system.allowed_cpus();
  ground.online = kernel_list(system, "/sys/devices/system/cpu/online");
  if (ground.online.empty()) ground.online = allowed;
  for (const int cpu : kernel_list(system, "/sys/devices/system/cpu/isolated"))
    if (has(ground.online, cpu)) ground.isolated.push_back(cpu);
  ground.usable = both(allowed, ground.isolated);
  return ground;
}

Result<Cpus> pinned(const std::string& list, const Ground& ground) {
  auto cpus = parse_cpu_list(list);
  if (!cpus) return fail(cpus.error().within("--pin"));
  if (cpus->empty()) return fail("the list of CPUs is empty", "--pin", "write for example --pin 1");
  for (const int cpu : *cpus) {
    const std::string hint = fmt::format("available: {}", format_cpu_list(ground.usable));
    if (!has(ground.online, cpu))
      return fail(fmt::format("CPU {} does not exist or is offline", cpu), "--pin " + list, hint);
    if (!has(ground.usable, cpu))
      return fail(fmt::format("CPU {} is not permitted here (taskset or cpuset)", cpu),
                  "--pin " + list, hint);
  }
  return cpus;
}

// The last core: core 0 gets most interrupts. Empty when there is nothing to choose.
Cpus chosen(const Ground& ground) {
  if (!ground.isolated.empty()) return {ground.isolated.back()};
  if (ground.usable.size() < 2) return {};
  return {ground.usable.back()};
}

void warn(Isolation& isolation, std::string text) {
  isolation.warnings.push_back({WarningKind::not_isolated, std::move(text)});
}

// What is left for assay when the command has `cpus`: better no sibling of theirs.
Cpus own_cpus(const System& system, const Cpus& usable, const Cpus& cpus) {
  Cpus cores;
  for (const int cpu : cpus) cores = both(cores, core_of(system, cpu));
  const Cpus far = without(usable, cores);
  return far.empty() ? without(usable, cpus) : far;
}

void raise_priority(const System& system, Isolation& isolation) {
  // A real-time command on every CPU would starve assay, and the machine with it.
  const bool leaves_room = !isolation.own_cpus.empty();
  if (leaves_room && system.permits_realtime(kRealtimePriority)) {
    isolation.rt_priority = kRealtimePriority;
    return;
  }
  const std::optional<int> nice = system.lowest_nice();
  if (nice && *nice < 0) {
    isolation.nice = nice;
    return;
  }
  warn(
      isolation,
      "the priority could not be raised: not permitted here. Run as root, or give assay the right: "
      "sudo setcap cap_sys_nice+ep \"$(command -v assay-launch)\" \"$(command -v assay)\"");
}

std::string describe(const Isolation& isolation) {
  std::string text;
  if (!isolation.cpus.empty())
    text = fmt::format("{} {}", isolation.cpus.size() == 1 ? "CPU" : "CPUs",
                       format_cpu_list(isolation.cpus));
  const auto add = [&](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
  if (isolation.rt_priority > 0) add(fmt::format("SCHED_RR priority {}", isolation.rt_priority));
  if (isolation.nice) add(fmt::format("nice {}", *isolation.nice));
  return text;
}

}  // namespace

Result<Isolation> plan_isolation(const RunOptions& options, const System& system) {
  Isolation isolation;
  if (options.pin.empty() && !options.isolate) return isolation;
  const Ground ground = survey(system);
  if (!options.pin.empty()) {
    auto cpus = pinned(options.pin, ground);
    if (!cpus) return fail(cpus.error());
    isolation.cpus = std::move(*cpus);
  } else {
    isolation.cpus = chosen(ground);
    if (isolation.cpus.empty())
      warn(isolation, "there is only one CPU: the command shares it with assay and all else");
  }
  if (!isolation.cpus.empty()) isolation.own_cpus = own_cpus(system, ground.usable, isolation.cpus);
  if (options.isolate) {
    for (const int cpu : isolation.cpus) {
      const Cpus busy = without(core_of(system, cpu), isolation.cpus);
      if (!busy.empty())
        warn(isolation,
             fmt::format("CPU {} shares its core with CPU {}: other programs there still "
                         "slow it down",
                         cpu, format_cpu_list(busy)));
    }
    raise_priority(system, isolation);
  }
  isolation.description = describe(isolation);
  return isolation;
}

Result<Cpus> parse_cpu_list(std::string_view text) {
  while (text.ends_with('\n')) text.remove_suffix(1);
  const auto wrong = [&](const char* what, std::size_t at) {
    return fail(fmt::format("{}\n{}", what, point_at(text, at)), {},
                "a list of CPUs is written 1 or 0,2-3");
  };
  Cpus cpus;
  std::size_t at = 0;
  const auto number = [&]() -> std::optional<int> {
    int value = 0;
    const auto [end, status] = std::from_chars(text.data() + at, text.data() + text.size(), value);
    if (status != std::errc() || value < 0 || value >= kMostCpus || text[at] == '-')
      return std::nullopt;
    at = std::size_t(end - text.data());
    return value;
  };
  if (text.empty()) return cpus;
  for (;;) {
    const std::size_t begin = at;
    const auto first = number();
    if (!first) return wrong("this is no CPU number", at);
    std::optional<int> last = first;
    if (at < text.size() && text[at] == '-') {
      ++at;
      last = number();
      if (!last) return wrong("this is no CPU number", at);
      if (*last < *first) return wrong("this range runs backwards", begin);
    }
    for (int cpu = *first; cpu <= *last; ++cpu) cpus.push_back(cpu);
    if (cpus.size() > std::size_t{kMostCpus}) return wrong("these are too many CPUs", begin);
    if (at == text.size()) break;
    if (text[at] != ',') return wrong("a comma is expected here", at);
    ++at;
  }
  std::sort(cpus.begin(), cpus.end());
  cpus.erase(std::unique(cpus.begin(), cpus.end()), cpus.end());
  return cpus;
}

std::string format_cpu_list(std::span<const int> cpus) {
  std::string text;
  for (std::size_t i = 0; i < cpus.size();) {
    std::size_t last = i;
    while (last + 1 < cpus.size() && cpus[last + 1] == cpus[last] + 1) ++last;
    if (!text.empty()) text += ',';
    text += std::to_string(cpus[i]);
    if (last > i) text += (last == i + 1 ? "," : "-") + std::to_string(cpus[last]);
    i = last + 1;
  }
  return text;
}

}  // namespace assay::measure
