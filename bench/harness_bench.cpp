// SPDX-License-Identifier: Apache-2.0
// What TrialRunner costs a run, beside spawn_loop: wall, and CPU of assay and of its helper; and
// how far the measured wall times scatter, with and without --isolate.
//   harness_bench [--isolate] N COMMAND [ARGUMENT...]
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>

#include "measure/trial_runner.hpp"

namespace {

using namespace assay;

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

double own_cpu() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

// CPU of the helper, our only child, from the run time in /proc/PID/schedstat. 0 when unknown.
double helper_cpu() {
  const pid_t self = ::getpid();
  for (pid_t pid = self + 1; pid < self + 64; ++pid) {
    std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
    std::string number, name, state;
    pid_t parent = 0;
    if (!(stat >> number >> name >> state >> parent) || parent != self) continue;
    double nanoseconds = 0;
    std::ifstream("/proc/" + std::to_string(pid) + "/schedstat") >> nanoseconds;
    return nanoseconds * 1e-9;
  }
  return 0;
}

int complain(const Error& error) {
  std::fprintf(stderr, "harness_bench: %s\n", error.to_text().c_str());
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  Plan plan;
  int at = 1;
  if (at < argc && std::strcmp(argv[at], "--isolate") == 0) {
    plan.run.isolate = true;
    ++at;
  }
  const int runs = at + 1 < argc ? std::atoi(argv[at]) : 0;
  if (runs < 1) {
    std::fprintf(stderr, "usage: harness_bench [--isolate] N COMMAND [ARGUMENT...]\n");
    return 2;
  }
  plan.arms.emplace_back().argv.assign(argv + at + 1, argv + argc);
  for (const char* name : {"wall", "cpu", "peak_mem", "page_faults"})
    plan.metrics.push_back(*measure::builtin_metric(name));
  const std::atomic<bool> interrupted{false};
  auto runner = measure::TrialRunner::start(plan, interrupted);
  if (!runner) return complain(runner.error());

  std::vector<double> walls;
  walls.reserve(static_cast<std::size_t>(runs));
  const double cpu_before = own_cpu(), helper_before = helper_cpu();
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < runs; ++i) {
    const auto trial = (*runner)->run({0, 1, static_cast<std::uint32_t>(i), 0, false});
    if (!trial) return complain(trial.error());
    if (!*trial) return 1;
    walls.push_back((*trial)->values[0].value_or(0));
  }
  const double wall =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  const double cpu = own_cpu() - cpu_before, helper = helper_cpu() - helper_before;
  double mean = 0, squares = 0;
  for (const double one : walls) mean += one / runs;
  for (const double one : walls) squares += (one - mean) * (one - mean) / runs;
  std::sort(walls.begin(), walls.end());
  std::printf(
      "assay: %.1f us a run, own CPU %.1f us a run, helper CPU %.1f us a run, %d runs; "
      "measured wall median %.1f us, sd %.1f %% of the mean\n",
      wall * 1e6 / runs, cpu * 1e6 / runs, helper * 1e6 / runs, runs, walls[walls.size() / 2] * 1e6,
      std::sqrt(squares) / mean * 100);
  return 0;
}
