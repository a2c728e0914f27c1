// SPDX-License-Identifier: Apache-2.0
#include "measure/host.hpp"

#include <gtest/gtest.h>

#include <map>

#include "measure/host_files.hpp"
#include "tests/support/fake_system.hpp"

namespace assay::measure {
namespace {

const std::string kCpu = "/sys/devices/system/cpu/";
const std::string kClock = "/sys/devices/system/clocksource/clocksource0/";
const std::string kMemory = "MemTotal:       24683652 kB\nMemFree: 5 kB\nSwapTotal: ";

FakeSystem laptop() {
  FakeSystem system{
      {"/proc/cpuinfo", "processor\t: 0\nmodel name\t: Some Laptop CPU\nflags\t\t: fpu tsc\n"},
      {"/proc/meminfo", kMemory + "100 kB\nSwapFree: 40 kB\n"},
      {"/proc/sys/kernel/hostname", "emma\n"},
      {"/proc/sys/kernel/osrelease", "6.1.0-18-amd64\n"},
      {"/proc/sys/kernel/randomize_va_space", "2\n"},
      {"/proc/sys/kernel/perf_event_paranoid", "3\n"},
      {"/proc/stat", "cpu  2903 0 2388 154681 356 0 57 0 0 0\n"},
      {"/proc/loadavg", "1.52 1.10 0.90 2/900 4242\n"},
      {"/proc/pressure/cpu", "some avg10=0.00 avg60=0.00 avg300=0.00 total=17\n"},
      {"/proc/self/cgroup", "0::/user.slice/session-2.scope\n"},
      {"/sys/fs/cgroup/cgroup.controllers", "cpu memory pids\n"},
      {"/sys/fs/cgroup/user.slice/session-2.scope/cgroup.controllers", "memory pids\n"},
      {kCpu + "online", "0-3\n"},
      {kCpu + "smt/active", "1\n"},
      {kCpu + "cpu0/cpufreq/scaling_governor", "powersave\n"},
      {kCpu + "cpu1/cpufreq/scaling_governor", "performance\n"},
      {kCpu + "intel_pstate/no_turbo", "0\n"},
      {kClock + "current_clocksource", "hpet\n"},
      {kClock + "available_clocksource", "hpet acpi_pm tsc\n"},
      {"/sys/kernel/mm/transparent_hugepage/enabled", "[always] madvise never\n"},
      {"/sys/class/dmi/id/sys_vendor", "LENOVO\n"},
  };
  system.cpus = {0, 1, 2, 3};
  system.counters = CounterAccess::not_permitted;
  system.step = std::chrono::nanoseconds(1200);
  return system;
}

FakeSystem cloud_machine() {
  FakeSystem system{
      {"/proc/cpuinfo", "model name\t: AMD EPYC\nflags\t\t: fpu hypervisor lahf_lm\n"},
      {"/proc/meminfo", kMemory + "0 kB\nSwapFree: 0 kB\n"},
      {"/proc/sys/kernel/hostname", "ip-10-0-0-1\n"},
      {"/proc/sys/kernel/osrelease", "6.18.44\n"},
      {"/proc/sys/kernel/randomize_va_space", "2\n"},
      {"/proc/sys/kernel/perf_event_paranoid", "2\n"},
      {"/proc/sys/kernel/sched_rt_runtime_us", "950000\n"},
      {"/proc/stat", "cpu  2000 0 2000 95000 0 0 0 1000 0 0\n"},
      {"/proc/loadavg", "0.10 0.05 0.01 1/90 4242\n"},
      {"/proc/pressure/cpu", "some avg10=0.00 avg60=0.00 avg300=0.00 total=17\n"},
      {"/proc/self/cgroup", "4:memory:/\n1:cpu,cpuacct:/\n0::/\n"},
      {"/sys/fs/cgroup/memory/tasks", "1\n"},
      {kCpu + "online", "0-1\n"},
      {kCpu + "smt/active", "0\n"},
      {kClock + "current_clocksource", "tsc\n"},
      {kClock + "available_clocksource", "tsc kvm-clock\n"},
      {"/sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n"},
  };
  system.writable = {"/sys/fs/cgroup/memory"};
  system.highest_realtime = 99;
  system.nice = -20;
  return system;
}

FakeSystem bare_container() {
  FakeSystem system;
  system.cpus = {};
  system.failures = {{"/proc/cpuinfo", EACCES}, {"/proc/stat", EIO}};
  return system;
}

std::map<std::string, Probe> by_name(const System& system) {
  std::map<std::string, Probe> probes;
  for (Probe& probe : examine_host(system)) probes.emplace(probe.name, std::move(probe));
  EXPECT_EQ(probes.size(), 19u);
  return probes;
}

struct Expected {
  const char* name;
  ProbeState state;
  const char* value;
};

void expect_probes(const System& system, std::initializer_list<Expected> expected) {
  const auto probes = by_name(system);
  EXPECT_EQ(expected.size(), probes.size());
  for (const Expected& e : expected) {
    ASSERT_TRUE(probes.contains(e.name)) << e.name;
    EXPECT_EQ(to_word(probes.at(e.name).state), to_word(e.state)) << e.name;
    EXPECT_EQ(probes.at(e.name).value, e.value) << e.name;
  }
}

constexpr auto ok = ProbeState::ok, hurts = ProbeState::hurts, absent = ProbeState::absent,
               cannot_mend = ProbeState::cannot_mend;

TEST(Host, ExaminesALaptop) {
  expect_probes(laptop(), {{"CPUs", ok, "4 online"},
                           {"SMT", hurts, "on"},
                           {"governor", hurts, "performance, powersave"},
                           {"turbo", hurts, "on"},
                           {"virtual machine", ok, "no"},
                           {"container", ok, "no"},
                           {"CPU limit", ok, "none"},
                           {"steal", ok, "0.00 % since boot"},
                           {"load", hurts, "1.52 on 4 CPUs"},
                           {"priority", hurts, "cannot be raised"},
                           {"swap", hurts, "60.0 KiB in use"},
                           {"huge pages", hurts, "always"},
                           {"ASLR", ok, "on"},
                           {"clock", hurts, "tick 1.00 ns, 1.20 us a reading"},
                           {"clocksource", hurts, "hpet"},
                           {"PMU", absent, "not permitted"},
                           {"perf_event_paranoid", hurts, "3"},
                           {"cgroup", absent, "version 2, not writable"},
                           {"PSI", ok, "available"}});
}

TEST(Host, ExaminesACloudMachine) {
  expect_probes(cloud_machine(), {{"CPUs", ok, "2 online"},
                                  {"SMT", ok, "off, as far as a guest can see"},
                                  {"governor", absent, "no frequency scaling seen from here"},
                                  {"turbo", absent, "not told by the kernel"},
                                  {"virtual machine", cannot_mend, "kvm"},
                                  {"container", ok, "no"},
                                  {"CPU limit", ok, "none"},
                                  {"steal", cannot_mend, "1.00 % since boot"},
                                  {"load", ok, "0.10 on 2 CPUs"},
                                  {"priority", ok, "real-time permitted, 950 ms a second"},
                                  {"swap", ok, "none"},
                                  {"huge pages", ok, "madvise"},
                                  {"ASLR", ok, "on"},
                                  {"clock", ok, "tick 1.00 ns, 25.0 ns a reading"},
                                  {"clocksource", ok, "tsc"},
                                  {"PMU", absent, "the hypervisor passes no counters on"},
                                  {"perf_event_paranoid", ok, "2"},
                                  {"cgroup", ok, "version 1, writable"},
                                  {"PSI", ok, "available"}});
}

TEST(Host, ExaminesAContainerThatShowsNothing) {
  const char* const untold = "not told by the kernel";
  expect_probes(bare_container(), {{"CPUs", ok, "0 online"},
                                   {"SMT", absent, untold},
                                   {"governor", absent, "no frequency scaling seen from here"},
                                   {"turbo", absent, untold},
                                   {"virtual machine", ok, "no"},
                                   {"container", ok, "no"},
                                   {"CPU limit", ok, "none"},
                                   {"steal", absent, untold},
                                   {"load", absent, untold},
                                   {"priority", hurts, "cannot be raised"},
                                   {"swap", absent, untold},
                                   {"huge pages", absent, untold},
                                   {"ASLR", absent, untold},
                                   {"clock", ok, "tick 1.00 ns, 25.0 ns a reading"},
                                   {"clocksource", absent, untold},
                                   {"PMU", absent, "no hardware counters"},
                                   {"perf_event_paranoid", absent, untold},
                                   {"cgroup", absent, "none"},
                                   {"PSI", absent, "not available"}});
}

TEST(Host, EverythingThatHurtsHasAnEffectAndAWayOut) {
  FakeSystem guest = laptop();  // the same machine, as a guest: its switches cannot be turned
  guest.files["/proc/cpuinfo"] = "model name : x\nflags : hypervisor\n";
  EXPECT_EQ(by_name(guest).at("turbo").mend, "cannot be changed here");
  EXPECT_EQ(by_name(guest).at("turbo").state, cannot_mend);
  for (const FakeSystem& system : {laptop(), cloud_machine(), bare_container(), guest})
    for (const Probe& probe : examine_host(system)) {
      EXPECT_FALSE(probe.value.empty()) << probe.name;
      const bool needs_words = probe.state == hurts || probe.state == cannot_mend;
      EXPECT_TRUE(!needs_words || !probe.effect.empty()) << probe.name;
      EXPECT_EQ(probe.mend == "cannot be changed here" || !needs_words,
                probe.state != hurts && (probe.state != cannot_mend || !probe.mend.empty()))
          << probe.name;
      EXPECT_TRUE(probe.state != ok || (probe.effect.empty() && probe.mend.empty())) << probe.name;
    }
}

TEST(Host, FindsLimitsAndGroups) {
  FakeSystem system;
  system.files = {{"/proc/self/cgroup", "0::/a/b\n"},
                  {"/sys/fs/cgroup/cgroup.controllers", "cpu memory\n"},
                  {"/sys/fs/cgroup/a/cpu.max", "150000 100000\n"},
                  {"/sys/fs/cgroup/a/b/cpu.max", "max 100000\n"},
                  {"/sys/fs/cgroup/a/b/cgroup.controllers", "memory\n"}};
  system.writable = {"/sys/fs/cgroup/a/b"};
  EXPECT_EQ(by_name(system).at("CPU limit").value, "1.5 CPUs");
  EXPECT_EQ(by_name(system).at("cgroup").value, "version 2, writable");
  system.files = {{"/proc/self/cgroup", "3:cpuacct,cpu:/docker/1\n2:memory:/docker/1\n"},
                  {"/sys/fs/cgroup/cpu/docker/1/cpu.cfs_quota_us", "50000\n"},
                  {"/sys/fs/cgroup/cpu/docker/1/cpu.cfs_period_us", "100000\n"},
                  {"/sys/fs/cgroup/memory/x", "\n"},
                  {"/.dockerenv", ""}};
  EXPECT_EQ(by_name(system).at("CPU limit").value, "0.5 CPUs");
  EXPECT_EQ(by_name(system).at("cgroup").value, "version 1, not writable");
  EXPECT_EQ(by_name(system).at("container").value, "docker");
  system.files = {{"/proc/self/cgroup", "0::/../outside\ntorn"},
                  {"/sys/fs/cgroup/cgroup.controllers", "cpu\n"},
                  {"/sys/fs/cgroup/cpu.max", "torn"}};
  EXPECT_EQ(by_name(system).at("CPU limit").value, "none");
  EXPECT_EQ(by_name(system).at("cgroup").value, "version 2, without memory");
}

TEST(Host, KnowsWhereItRuns) {
  struct Case {
    const char *flags, *vendor, *product;
    std::optional<std::string> kind;
  };
  const Case cases[] = {{"fpu hypervisor", "QEMU", "Standard PC", "kvm"},
                        {"fpu hypervisor", "Amazon EC2", "m7i.large", "Amazon EC2"},
                        {"fpu", "Amazon EC2", "m7i.metal", {}},
                        {"fpu hypervisor", "Microsoft Corporation", "Virtual Machine", "hyper-v"},
                        {"fpu hypervisor", "", "", "hypervisor"},
                        {"fpu nohypervisor", "", "", {}}};
  for (const Case& c : cases) {
    const FakeSystem system{{"/proc/cpuinfo", std::string("flags : ") + c.flags + "\n"},
                            {"/sys/class/dmi/id/sys_vendor", c.vendor},
                            {"/sys/class/dmi/id/product_name", c.product}};
    EXPECT_EQ(virtualisation(system), c.kind) << c.vendor;
  }
  const FakeSystem arm{{"/sys/class/dmi/id/product_name", "KVM Virtual Machine"}};
  EXPECT_EQ(virtualisation(arm), "kvm");  // no flags line at all
  const FakeSystem pod{{"/proc/1/cgroup", "0::/kubepods/besteffort\n"}};
  EXPECT_EQ(container(pod), "kubernetes");
  const FakeSystem host{{"/proc/1/cgroup", "0::/init.scope\n"}};
  EXPECT_EQ(container(host), std::nullopt);
}

TEST(Host, FingerprintsTheKindOfMachine) {
  const Host host = read_host(laptop());
  EXPECT_EQ(host.name, "emma");
  EXPECT_EQ(host.cpu, "Some Laptop CPU");
  EXPECT_EQ(host.kernel, "6.1.0-18-amd64");
  EXPECT_EQ(host.governor, "performance, powersave");
  EXPECT_EQ(host.cores, 4u);
  EXPECT_EQ(host.memory_bytes, 24683652u * std::uint64_t{1024});
  EXPECT_EQ(host.fingerprint.size(), 16u);
  EXPECT_EQ(host.fingerprint.find_first_not_of("0123456789abcdef"), std::string::npos);

  const auto changed = [](const std::string& path, const std::string& text) {
    FakeSystem system = laptop();
    system.files[path] = text;
    return read_host(system).fingerprint;
  };
  EXPECT_EQ(changed("/proc/sys/kernel/hostname", "bob\n"), host.fingerprint);
  EXPECT_EQ(changed("/proc/meminfo", "MemTotal: 24680000 kB\n"), host.fingerprint);
  EXPECT_EQ(changed(kCpu + "cpu0/cpufreq/scaling_governor", "schedutil"), host.fingerprint);
  EXPECT_NE(changed("/proc/meminfo", "MemTotal: 12680000 kB\n"), host.fingerprint);
  EXPECT_NE(changed("/proc/sys/kernel/osrelease", "6.1.1\n"), host.fingerprint);
  EXPECT_NE(changed("/proc/cpuinfo", "model name : other\nflags : fpu\n"), host.fingerprint);
  EXPECT_NE(changed("/proc/cpuinfo", "model name : Some Laptop CPU\nflags : hypervisor\n"),
            host.fingerprint);
  EXPECT_NE(changed(kCpu + "online", "0-1\n"), host.fingerprint);

  const Host nothing = read_host(bare_container());
  EXPECT_EQ(nothing.fingerprint.size(), 16u);
  EXPECT_EQ(nothing.cpu, "");
  EXPECT_EQ(nothing.memory_bytes, 0u);
}

TEST(HostFiles, ReadFields) {
  EXPECT_EQ(field("a\t: 1\nb: 2 \nb: 3\n", "b"), "2");
  EXPECT_EQ(field("a: 1", "a b"), std::nullopt);
  EXPECT_EQ(field(": 1\nno colon\n", "no colon"), std::nullopt);
  EXPECT_EQ(kilobytes("MemTotal:  12 kB\n", "MemTotal"), 12);
  EXPECT_EQ(kilobytes("MemTotal:  1", "MemTotal"), 1);
  EXPECT_EQ(kilobytes("MemTotal:\n", "MemTotal"), std::nullopt);
}

TEST(Host, ReadsThisMachine) {
  const Host host = read_host();
  EXPECT_GT(host.cores, 0u);
  EXPECT_EQ(host.fingerprint.size(), 16u);
  EXPECT_EQ(read_host().fingerprint, host.fingerprint);
  EXPECT_EQ(examine_host().size(), 19u);
}

}  // namespace
}  // namespace assay::measure
