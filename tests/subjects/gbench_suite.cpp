// SPDX-License-Identifier: Apache-2.0
// A Google Benchmark suite whose benchmarks share a cache, and that misbehaves as asked.
//   BM_Small/N     uses nothing shared
//   BM_Lookup/N    reads the shared table; builds it in front of the timing when it is not there
//   BM_Sweep       clears the shared table behind itself (the polluter)
//   BM_Late/N      reads the shared table; builds it inside the timing when it is not there: alone
//                  and behind BM_Sweep it is slow, behind BM_Lookup fast
// SUITE_ADD, words with commas between, registers more: crash, hang, exit (status 0, without a
// word), fail, twins (one name twice), quotes, newline, changing (a name with the process id),
// facts (a counter that differs from run to run). SUITE_KIB: memory that BM_Small keeps.
#include <benchmark/benchmark.h>
#include <signal.h>
#include <unistd.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

namespace {

constexpr std::size_t kTable = 1 << 16;
std::unique_ptr<std::vector<double>> shared_table;
std::vector<char> held;

std::vector<double>& table() {
  if (!shared_table) {
    shared_table = std::make_unique<std::vector<double>>(kTable);
    double x = 1;
    for (int pass = 0; pass < 20; ++pass)
      for (double& value : *shared_table) value += x = x * 1.0000001 + 1e-9;
  }
  return *shared_table;
}

double read_table(std::size_t n) {
  double sum = 0;
  for (std::size_t i = 0; i < n; ++i) sum += table()[(i * 7919) % kTable];
  return sum;
}

bool is_asked(const std::string& word) {
  const char* words = std::getenv("SUITE_ADD");
  return words != nullptr &&
         ("," + std::string(words) + ",").find("," + word + ",") != std::string::npos;
}

void BM_Small(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(std::string(std::size_t(state.range(0)), 'x'));
  if (const char* kib = std::getenv("SUITE_KIB"))
    held.assign(std::size_t(std::atol(kib)) << 10, 'x');
}
BENCHMARK(BM_Small)->Arg(8)->Arg(64);

void BM_Lookup(benchmark::State& state) {
  table();
  for (auto _ : state) benchmark::DoNotOptimize(read_table(std::size_t(state.range(0))));
  state.counters["entries"] = double(is_asked("facts") ? getpid() : kTable);
}
BENCHMARK(BM_Lookup)->Arg(8)->Arg(512);

void BM_Sweep(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(read_table(8));
  shared_table.reset();
}
BENCHMARK(BM_Sweep);

void BM_Late(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(read_table(std::size_t(state.range(0))));
}
BENCHMARK(BM_Late)->Arg(16)->Iterations(20);

void add_asked() {
  const auto add = [](const std::string& name, auto body) {
    benchmark::RegisterBenchmark(name.c_str(), body)->Iterations(1);
  };
  const auto fine = [](benchmark::State& state) {
    for (auto _ : state) benchmark::DoNotOptimize(read_table(8));
  };
  if (is_asked("crash")) {
    add("BM_Crash/before", fine);
    add("BM_Crash/here", [](benchmark::State&) { raise(SIGSEGV); });
    add("BM_Crash/behind", fine);
  }
  if (is_asked("hang"))
    add("BM_Hang", [](benchmark::State&) {
      for (;;) pause();
    });
  if (is_asked("exit")) add("BM_Exit", [](benchmark::State&) { _exit(0); });
  if (is_asked("fail"))
    add("BM_Fail", [](benchmark::State& state) { state.SkipWithError("no such state"); });
  if (is_asked("twins")) {
    add("BM_Twin", fine);
    add("BM_Twin", fine);
  }
  if (is_asked("quotes")) add("BM_\"quoted\" 'too' \\ (a|b)*[c]/x", fine);
  if (is_asked("newline")) add("BM_New\nLine", fine);
  if (is_asked("changing")) add("BM_Changing/" + std::to_string(getpid()), fine);
}

}  // namespace

int main(int argc, char** argv) {
  add_asked();
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
