// SPDX-License-Identifier: Apache-2.0
#include "measure/host.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/digest.hpp"
#include "base/text.hpp"
#include "measure/host_files.hpp"
#include "measure/isolation.hpp"

namespace assay::measure {
namespace {

std::string cpu_model(const System& system) {
  const std::string info = text_of(system, "/proc/cpuinfo");
  for (const char* key : {"model name", "cpu model", "Model", "uarch", "cpu"})
    if (const auto value = field(info, key); value && !value->empty()) return *value;
  // ARM servers tell numbers only.
  const auto implementer = field(info, "CPU implementer");
  const auto part = field(info, "CPU part");
  if (implementer && part) return fmt::format("CPU {} part {}", *implementer, *part);
  return {};
}

std::string governors(const System& system) {
  const auto names = system.list_dir("/sys/devices/system/cpu");
  if (!names) return {};
  std::set<std::string> found;
  for (const std::string& name : *names) {
    if (!name.starts_with("cpu")) continue;
    const std::string governor =
        word_of(system, fmt::format("/sys/devices/system/cpu/{}/cpufreq/scaling_governor", name));
    if (!governor.empty()) found.insert(governor);
  }
  return fmt::format("{}", fmt::join(found, ", "));
}

}  // namespace

std::string text_of(const System& system, const std::string& path) {
  auto text = system.read_file(path);
  return text ? std::move(*text) : std::string();
}

std::string word_of(const System& system, const std::string& path) {
  std::string text = text_of(system, path);
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ' || text.back() == '\0'))
    text.pop_back();
  return printable(text);
}

std::optional<double> number_of(const System& system, const std::string& path) {
  return parse_number(word_of(system, path));
}

std::optional<std::string> field(std::string_view text, std::string_view key) {
  for (const std::string_view line : split_lines(text)) {
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) continue;
    std::string_view name = line.substr(0, colon);
    while (name.ends_with(' ') || name.ends_with('\t')) name.remove_suffix(1);
    if (name != key) continue;
    std::string_view value = line.substr(colon + 1);
    while (value.starts_with(' ') || value.starts_with('\t')) value.remove_prefix(1);
    while (value.ends_with(' ') || value.ends_with('\r')) value.remove_suffix(1);
    return printable(value);
  }
  return std::nullopt;
}

std::optional<double> kilobytes(std::string_view meminfo, std::string_view key) {
  const auto value = field(meminfo, key);
  if (!value) return std::nullopt;
  return parse_number(std::string_view(*value).substr(0, value->find(' ')));
}

std::size_t cpus_online(const System& system) {
  const auto online = parse_cpu_list(text_of(system, "/sys/devices/system/cpu/online"));
  if (online && !online->empty()) return online->size();
  return system.allowed_cpus().size();
}

std::optional<std::string> virtualisation(const System& system) {
  const std::string vendor = word_of(system, "/sys/class/dmi/id/sys_vendor");
  const std::string product = word_of(system, "/sys/class/dmi/id/product_name");
  struct Sign {
    const char *text, *name;
  };
  static constexpr Sign kSigns[] = {{"QEMU", "kvm"},
                                    {"KVM", "kvm"},
                                    {"Amazon EC2", "Amazon EC2"},
                                    {"Google", "Google Compute Engine"},
                                    {"VMware", "vmware"},
                                    {"VirtualBox", "virtualbox"},
                                    {"innotek", "virtualbox"},
                                    {"Xen", "xen"},
                                    {"Virtual Machine", "hyper-v"}};
  const auto flags = field(text_of(system, "/proc/cpuinfo"), "flags");
  const bool is_guest = flags && (" " + *flags + " ").find(" hypervisor ") != std::string::npos;
  const std::string hypervisor = word_of(system, "/sys/hypervisor/type");
  if (is_guest || !flags)
    // Bare-metal instances of a cloud carry its vendor's name too, but no hypervisor flag.
    for (const Sign& sign : kSigns)
      if ((vendor + " " + product).find(sign.text) != std::string::npos) return sign.name;
  if (!hypervisor.empty()) return hypervisor;
  if (!is_guest) return std::nullopt;
  const std::string clocks =
      text_of(system, "/sys/devices/system/clocksource/clocksource0/available_clocksource");
  if (clocks.find("kvm-clock") != std::string::npos) return "kvm";
  if (clocks.find("hyperv") != std::string::npos) return "hyper-v";
  return "hypervisor";
}

std::optional<std::string> container(const System& system) {
  if (system.exists("/.dockerenv")) return "docker";
  if (system.exists("/run/.containerenv")) return "podman";
  const std::string groups = text_of(system, "/proc/1/cgroup");
  for (const auto& [sign, name] : {std::pair{"kubepods", "kubernetes"},
                                   {"docker", "docker"},
                                   {"libpod", "podman"},
                                   {"lxc", "lxc"}})
    if (groups.find(sign) != std::string::npos) return name;
  return std::nullopt;
}

Host read_host(const System& system) {
  Host host;
  host.name = word_of(system, "/proc/sys/kernel/hostname");
  host.cpu = cpu_model(system);
  host.kernel = word_of(system, "/proc/sys/kernel/osrelease");
  host.governor = governors(system);
  host.cores = std::uint32_t(cpus_online(system));
  const auto memory = kilobytes(text_of(system, "/proc/meminfo"), "MemTotal");
  if (memory && *memory > 0 && *memory < 0x1p50) host.memory_bytes = std::uint64_t(*memory) * 1024;
  // MemTotal moves by some MiB with the kernel's own needs.
  const double gibibytes = std::max(1.0, std::round(double(host.memory_bytes) / 0x1p30));
  const std::string identity =
      fmt::format("{}\n{}\n{:.0f}\n{}\n{}", host.cpu, host.cores, gibibytes, host.kernel,
                  virtualisation(system).value_or("none"));
  host.fingerprint = sha256(identity).substr(0, 16);
  return host;
}

}  // namespace assay::measure
