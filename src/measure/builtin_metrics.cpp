// SPDX-License-Identifier: Apache-2.0
// What assay measures by itself. None gates here: that is the plan's decision.
#include "measure/trial_runner.hpp"

namespace assay::measure {
namespace {

Metric builtin(const char* name, const char* unit, const char* method) {
  Metric metric;
  metric.name = name;
  metric.unit = unit;
  metric.method = method;
  return metric;
}

}  // namespace

std::vector<Metric> builtin_metrics() {
  return {builtin("wall", "s", "from spawn to reaped"),
          builtin("cpu", "s", "user and system time of the process tree (wait4)"),
          builtin("user", "s", "user time of the process tree (wait4)"),
          builtin("sys", "s", "system time of the process tree (wait4)"),
          builtin("peak_mem", "B", "largest process (wait4)"),
          builtin("tree_mem", "B", "largest sum over the process tree, sampled"),
          builtin("cgroup_mem", "B", "peak of the cgroup"),
          builtin("page_faults", "1", "minor and major faults of the process tree (wait4)"),
          builtin("instructions", "1", "instructions executed in user mode")};
}

std::optional<Metric> builtin_metric(const std::string& name) {
  for (Metric& metric : builtin_metrics())
    if (metric.name == name) return std::move(metric);
  return std::nullopt;
}

}  // namespace assay::measure
