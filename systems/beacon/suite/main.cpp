// SPDX-License-Identifier: Apache-2.0
// The program beacon-bench. Every benchmark is registered in the order in which its unit is asked
// for, as often as that is, so that one process runs the units in any order; the rest is Google
// Benchmark's. Exit status: 0; 1 when a fixture cannot be made; 2 when something was asked for
// wrongly.
//
// Times are by hand: an iteration's copy of a state is made outside of them. They are the thread's
// CPU time (--clock=wall for the other): the work is one thread's and waits for nothing, and on a
// machine with others on it the wall clock tells of them.
#include <benchmark/benchmark.h>
#include <time.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <new>

#include "beacon/base/files.hpp"
#include "beacon/suite/memory.hpp"
#include "beacon/suite/units.hpp"

namespace {

using beacon::Result;
using beacon::Status;
using beacon::suite::BenchmarkCase;
using beacon::suite::Fixtures;
using beacon::suite::Prepared;
using beacon::suite::Settings;
using beacon::suite::Unit;
using Clock = std::chrono::steady_clock;

constexpr std::uint64_t kLargeState = 20'000;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

double seconds_of(clockid_t clock) {
  timespec now{};
  ::clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// Which unit runs: when another one begins, the one before is torn down.
class Course {
 public:
  Course(Fixtures& fixtures, const Settings& settings)
      : fixtures_(fixtures), clock_(settings.wall ? CLOCK_MONOTONIC : CLOCK_THREAD_CPUTIME_ID) {}

  void enter(const Unit& unit, std::size_t place) {
    if (current_ && place == place_) return;
    leave();
    current_ = &unit;
    place_ = place;
  }
  void leave() {
    if (current_ && current_->tear_down) current_->tear_down(fixtures_);
    current_ = nullptr;
  }
  Fixtures& fixtures() { return fixtures_; }
  clockid_t clock() const { return clock_; }

 private:
  Fixtures& fixtures_;
  clockid_t clock_;
  const Unit* current_ = nullptr;
  std::size_t place_ = 0;
};

void run_case(benchmark::State& state, Course& course, const Unit& unit, std::size_t place,
              const BenchmarkCase& one) {
  course.enter(unit, place);
  const double before = beacon::suite::resident_bytes();
  const auto start = Clock::now();
  {
    const Result<Prepared> prepared = one.set_up(course.fixtures());
    const double setup = seconds_since(start);
    if (!prepared) {
      state.SkipWithError(prepared.error().to_text().c_str());
      return;
    }
    for (auto _ : state) {
      prepared->iteration.prepare();
      const double begin = seconds_of(course.clock());
      prepared->iteration.work();
      state.SetIterationTime(seconds_of(course.clock()) - begin);
    }
    state.counters["validators"] = static_cast<double>(prepared->validators);
    if (prepared->attestations > 0)
      state.counters["attestations"] = static_cast<double>(prepared->attestations);
    state.counters["setup_s"] = setup;
  }
  state.counters["memory_before"] = before;
  state.counters["memory_after"] = beacon::suite::resident_bytes();
}

std::string name_of(const Unit& unit, const BenchmarkCase& one, const Settings& settings) {
  return unit.name + "/" + one.name + "/vc:" + std::to_string(settings.validators);
}

std::uint64_t iterations_of(const BenchmarkCase& one, const Settings& settings) {
  if (!one.is_heavy || settings.validators < kLargeState) return settings.iterations;
  return std::max<std::uint64_t>(1, settings.iterations / 4);
}

void add_case(Course& course, const Unit& unit, std::size_t place, const BenchmarkCase& one,
              const Settings& settings) {
  benchmark::RegisterBenchmark(name_of(unit, one, settings).c_str(),
                               [&course, &unit, place, &one](benchmark::State& state) {
                                 run_case(state, course, unit, place, one);
                               })
      ->Iterations(static_cast<benchmark::IterationCount>(iterations_of(one, settings)))
      ->Repetitions(static_cast<int>(settings.repetitions))
      ->UseManualTime()
      ->Unit(benchmark::kMicrosecond);
}

// As Google Benchmark will call it.
void list_units(const std::vector<Unit>& units, const Settings& settings) {
  for (const Unit& unit : units)
    for (const BenchmarkCase& one : unit.cases)
      std::printf("%s\t%s/iterations:%llu/repeats:%llu/manual_time\n", unit.name.c_str(),
                  name_of(unit, one, settings).c_str(),
                  static_cast<unsigned long long>(iterations_of(one, settings)),
                  static_cast<unsigned long long>(settings.repetitions));
}

// The units that were asked for, with repeats. Errors: no such unit.
Result<std::vector<const Unit*>> choose(const std::vector<Unit>& units, const Settings& settings) {
  std::vector<const Unit*> chosen;
  for (const std::string& name : settings.units) {
    const auto found =
        std::find_if(units.begin(), units.end(), [&](const Unit& u) { return u.name == name; });
    if (found == units.end())
      return beacon::fail("there is no unit '" + name + "'", "--units", "--list-units names them");
    chosen.push_back(&*found);
  }
  if (settings.units.empty())
    for (const Unit& unit : units) chosen.push_back(&unit);
  return chosen;
}

int report(const beacon::Error& error, int status) {
  std::fprintf(stderr, "beacon-bench: %s\n", error.to_text().c_str());
  return status;
}

int finish() {
  const beacon::Status done = beacon::finish_output();
  return done ? 0 : report(done.error(), 1);
}

int run(int argc, char** argv) {
  std::vector<std::string> words(argv + 1, argv + argc);
  const Result<Settings> settings = beacon::suite::take_settings(words);
  if (!settings) return report(settings.error(), 2);
  if (settings->help) {
    std::fputs(beacon::suite::help_text().c_str(), stdout);
    return finish();
  }
  const std::vector<Unit> units = beacon::suite::make_units(*settings);
  if (settings->list_units) {
    list_units(units, *settings);
    return finish();
  }
  const auto chosen = choose(units, *settings);
  if (!chosen) return report(chosen.error(), 2);
  const bool lists = std::any_of(words.begin(), words.end(), [](const std::string& word) {
    return word.starts_with("--benchmark_list_tests") && !word.ends_with("=false");
  });

  std::vector<char*> rest = {argv[0]};
  for (std::string& word : words) rest.push_back(word.data());
  int count = static_cast<int>(rest.size());
  benchmark::Initialize(&count, rest.data());
  if (benchmark::ReportUnrecognizedArguments(count, rest.data())) return 2;

  Fixtures fixtures(*settings);
  Course course(fixtures, *settings);
  if (!lists)
    if (const Status begun = fixtures.begin(); !begun) return report(begun.error(), 1);
  for (std::size_t place = 0; place < chosen->size(); ++place)
    for (const BenchmarkCase& one : (*chosen)[place]->cases)
      add_case(course, *(*chosen)[place], place, one, *settings);
  benchmark::RunSpecifiedBenchmarks();
  course.leave();
  benchmark::Shutdown();
  return finish();
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::bad_alloc&) {
    std::fprintf(stderr, "beacon-bench: out of memory\n");
    return 1;
  }
}
