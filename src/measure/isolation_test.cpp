// SPDX-License-Identifier: Apache-2.0
#include "measure/isolation.hpp"

#include <gtest/gtest.h>

#include "tests/support/fake_system.hpp"

namespace assay::measure {
namespace {

const std::string kCpu = "/sys/devices/system/cpu/";

std::string sibling_file(int cpu) {
  return kCpu + "cpu" + std::to_string(cpu) + "/topology/thread_siblings_list";
}

FakeSystem machine(int cores) {
  FakeSystem system;
  system.cpus.clear();
  for (int cpu = 0; cpu < cores; ++cpu) {
    system.cpus.push_back(cpu);
    system.files[sibling_file(cpu)] = std::to_string(cpu) + "\n";
  }
  system.files[kCpu + "online"] = "0-" + std::to_string(cores - 1) + "\n";
  system.files[kCpu + "isolated"] = "\n";
  system.highest_realtime = 99;
  system.nice = -20;
  return system;
}

RunOptions isolate(const std::string& pin = "") {
  RunOptions options;
  options.isolate = true;
  options.pin = pin;
  return options;
}

RunOptions pin(const std::string& list) {
  RunOptions options;
  options.pin = list;
  return options;
}

TEST(CpuList, Reads) {
  const std::pair<const char*, std::vector<int>> cases[] = {
      {"1", {1}}, {"0,2-3", {0, 2, 3}}, {"3,1,1", {1, 3}}, {"", {}},
      {"\n", {}}, {"0-1\n", {0, 1}},    {"2-2", {2}}};
  for (const auto& [text, cpus] : cases) {
    const auto read = parse_cpu_list(text);
    ASSERT_TRUE(read) << text;
    EXPECT_EQ(*read, cpus) << text;
    EXPECT_EQ(*parse_cpu_list(format_cpu_list(*read)), cpus) << text;
  }
  EXPECT_EQ(format_cpu_list(std::vector<int>{0, 2, 3, 4, 7, 8}), "0,2-4,7,8");
}

TEST(CpuList, SaysWhatIsWrong) {
  const std::pair<const char*, const char*> cases[] = {
      {"a", "this is no CPU number\n  a\n  ^"},
      {"-1", "this is no CPU number\n  -1\n  ^"},
      {"1,", "this is no CPU number\n  1,\n    ^"},
      {"1-", "this is no CPU number\n  1-\n    ^"},
      {"1--2", "this is no CPU number\n  1--2\n    ^"},
      {"0,3-1", "this range runs backwards\n  0,3-1\n    ^"},
      {"1 2", "a comma is expected here\n  1 2\n   ^"},
      {"99999", "this is no CPU number\n  99999\n  ^"},
      {"99999999999", "this is no CPU number\n  99999999999\n  ^"},
      {"0-65535,0-65535", "these are too many CPUs\n  0-65535,0-65535\n          ^"}};
  for (const auto& [text, what] : cases) {
    const auto read = parse_cpu_list(text);
    ASSERT_FALSE(read) << text;
    EXPECT_EQ(read.error().what, what);
  }
}

TEST(Isolation, IsNothingUnlessAsked) {
  const auto plan = plan_isolation(RunOptions{}, machine(4));
  ASSERT_TRUE(plan);
  EXPECT_TRUE(plan->cpus.empty() && plan->own_cpus.empty() && plan->warnings.empty());
  EXPECT_EQ(plan->description, "");
}

TEST(Isolation, PinsWithoutPriority) {
  const auto plan = plan_isolation(pin("1-2"), machine(4));
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->cpus, (std::vector<int>{1, 2}));
  EXPECT_EQ(plan->own_cpus, (std::vector<int>{0, 3}));
  EXPECT_EQ(plan->rt_priority, 0);
  EXPECT_EQ(plan->nice, std::nullopt);
  EXPECT_EQ(plan->description, "CPUs 1,2");
}

TEST(Isolation, NamesTheCpuThatCannotBeHad) {
  FakeSystem system = machine(4);
  system.cpus = {0, 1};
  EXPECT_EQ(plan_isolation(pin("0,7"), system).error().to_text(),
            Error({"CPU 7 does not exist or is offline", "--pin 0,7", "available: 0,1"}).to_text());
  EXPECT_EQ(plan_isolation(pin("3"), system).error().what,
            "CPU 3 is not permitted here (taskset or cpuset)");
  EXPECT_EQ(plan_isolation(pin("\n"), system).error().what, "the list of CPUs is empty");
  EXPECT_FALSE(plan_isolation(pin("one"), system));
}

TEST(Isolation, TakesTheLastCoreAndStaysOffIt) {
  const auto plan = plan_isolation(isolate(), machine(4));
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->cpus, std::vector<int>{3});
  EXPECT_EQ(plan->own_cpus, (std::vector<int>{0, 1, 2}));
  EXPECT_EQ(plan->rt_priority, 10);
  EXPECT_EQ(plan->nice, std::nullopt);
  EXPECT_TRUE(plan->warnings.empty());
  EXPECT_EQ(plan->description, "CPU 3, SCHED_RR priority 10");
}

TEST(Isolation, PrefersWhatTheKernelKeepsFree) {
  FakeSystem system = machine(4);
  system.files[kCpu + "isolated"] = "2\n";
  system.cpus = {0, 1, 3};  // an isolated CPU is in nobody's mask by default
  EXPECT_EQ(plan_isolation(isolate(), system)->cpus, std::vector<int>{2});
  EXPECT_TRUE(plan_isolation(pin("2"), system));
}

TEST(Isolation, TellsOfSharedCores) {
  FakeSystem system = machine(4);  // 0 and 2, 1 and 3 are two threads of one core
  for (const int cpu : {0, 2}) system.files[sibling_file(cpu)] = "0,2\n";
  for (const int cpu : {1, 3}) system.files[sibling_file(cpu)] = "1,3\n";
  const auto plan = plan_isolation(isolate(), system);
  EXPECT_EQ(plan->cpus, std::vector<int>{3});
  EXPECT_EQ(plan->own_cpus, (std::vector<int>{0, 2}));
  ASSERT_EQ(plan->warnings.size(), 1u);
  EXPECT_EQ(plan->warnings[0].kind, WarningKind::not_isolated);
  EXPECT_EQ(plan->warnings[0].text,
            "CPU 3 shares its core with CPU 1: other programs there still slow it down");
}

TEST(Isolation, TakesNiceWhereRealTimeIsNotPermitted) {
  FakeSystem system = machine(2);
  system.highest_realtime = 0;
  system.nice = -5;
  const auto plan = plan_isolation(isolate(), system);
  EXPECT_EQ(plan->rt_priority, 0);
  EXPECT_EQ(plan->nice, -5);
  EXPECT_EQ(plan->description, "CPU 1, nice -5");
}

TEST(Isolation, SaysWhenNothingIsPermitted) {
  for (const std::optional<int> nice : {std::optional<int>(0), std::optional<int>()}) {
    FakeSystem system = machine(2);
    system.highest_realtime = 0;
    system.nice = nice;
    const auto plan = plan_isolation(isolate(), system);
    EXPECT_EQ(plan->nice, std::nullopt);
    EXPECT_EQ(plan->cpus, std::vector<int>{1});  // pinned at least
    ASSERT_EQ(plan->warnings.size(), 1u);
    EXPECT_NE(plan->warnings[0].text.find("could not be raised"), std::string::npos);
  }
}

TEST(Isolation, NeverStarvesAssay) {
  const auto all = plan_isolation(isolate("0-1"), machine(2));
  EXPECT_EQ(all->rt_priority, 0);
  EXPECT_EQ(all->nice, -20);
  const auto one = plan_isolation(isolate(), machine(1));
  EXPECT_TRUE(one->cpus.empty());
  EXPECT_EQ(one->rt_priority, 0);
  EXPECT_EQ(one->nice, -20);
  ASSERT_EQ(one->warnings.size(), 1u);
}

TEST(Isolation, WorksWhereSysIsHidden) {
  FakeSystem system = machine(2);
  system.files.clear();
  const auto plan = plan_isolation(isolate(), system);
  EXPECT_EQ(plan->cpus, std::vector<int>{1});
  system.cpus.clear();  // not even the affinity is told
  EXPECT_TRUE(plan_isolation(isolate(), system)->cpus.empty());
  EXPECT_EQ(plan_isolation(pin("0"), system).error().what, "CPU 0 does not exist or is offline");
}

TEST(Isolation, PlansForThisMachine) {
  const auto plan = plan_isolation(isolate());
  ASSERT_TRUE(plan);
  for (const int cpu : plan->cpus)
    EXPECT_EQ(std::count(plan->own_cpus.begin(), plan->own_cpus.end(), cpu), 0);
  EXPECT_TRUE(plan->rt_priority == 0 || !plan->own_cpus.empty());
}

}  // namespace
}  // namespace assay::measure
