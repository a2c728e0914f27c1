// SPDX-License-Identifier: Apache-2.0
// What recording costs, in ns: warm (the ring's pages are there), with the page faults of a fresh
// ring, and switched off. One clock a process, so it runs itself once for each:
//
//   emitter_bench            all three, as a table
//   emitter_bench one        with the environment as it is
//
// Bars: an event, warm, <= 12 ns with the time-stamp counter and <= 30 ns with CLOCK_MONOTONIC. A
// span is two events, its beginning and its end: it reads the clock twice. Figures are the median
// of the batches' means (warm, off) and the mean of all (with faults).
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <assay/trace.hpp>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

namespace {

using assay::emit::Item;
using assay::emit::Kind;
using assay::emit::Name;
using assay::emit::Span;
using Clock = std::chrono::steady_clock;

constexpr int kBatch = 1000;
constexpr int kBatches = 300;

const Name kStage{"stage"};
const Name kMoment{"moment"};
const Name kValue{"value"};

double ns_since(Clock::time_point begin) {
  return std::chrono::duration<double, std::nano>(Clock::now() - begin).count();
}

// Populates what is left of this thread's chunk, and takes a new one when that is not enough.
void warm_up(int events) {
#ifdef MADV_POPULATE_WRITE
  const int advice = MADV_POPULATE_WRITE;
#else
  const int advice = 23;
#endif
  auto& writer = assay::emit::detail::writer;
  while (writer.limit - writer.cursor < events) assay::emit::instant(kMoment);
  const auto page = ~static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE) - 1);
  const auto from = reinterpret_cast<std::uintptr_t>(writer.cursor) & page;
  const auto to = reinterpret_cast<std::uintptr_t>(writer.cursor + events);
  madvise(reinterpret_cast<void*>(from), to - from, advice);
  for (auto* slot = writer.cursor; slot != writer.cursor + events; ++slot) slot->end = 0;
}

template <class Event>
double median(Event event, bool warm) {
  std::vector<double> means;
  for (int batch = 0; batch < kBatches; ++batch) {
    if (warm) warm_up(kBatch);
    const Clock::time_point begin = Clock::now();
    for (int i = 0; i < kBatch; ++i) event(static_cast<std::uint64_t>(i));
    means.push_back(ns_since(begin) / kBatch);
  }
  std::nth_element(means.begin(), means.begin() + kBatches / 2, means.end());
  return means[kBatches / 2];
}

// As a program writes it.
const auto span = [](std::uint64_t i) { const Span of(kStage, Kind::service, Item{i, 1}); };
const auto moment = [](std::uint64_t i) { assay::emit::instant(kMoment, Item{i, 1}); };
const auto value = [](std::uint64_t i) { assay::emit::counter(kValue, static_cast<double>(i)); };
const auto reading = [](std::uint64_t) { static_cast<void>(assay::emit::detail::now()); };

double with_faults() {
  const int count = 1000000;
  const Clock::time_point begin = Clock::now();
  for (int i = 0; i < count; ++i) span(static_cast<std::uint64_t>(i));
  return ns_since(begin) / count;
}

void row(const char* what, double ns, double events) {
  std::printf("  %-22s %7.2f ns   %6.2f ns an event\n", what, ns, ns / events);
}

int measure(const std::string& title) {
  const bool on = assay::emit::enabled();
  std::printf("%s\n", title.c_str());
  row(on ? "span, warm" : "span, off", median(span, on), 2);
  row(on ? "instant, warm" : "instant, off", median(moment, on), 1);
  row(on ? "counter, warm" : "counter, off", median(value, on), 1);
  if (on) row("the clock alone", median(reading, false), 1);
  if (on) row("span, with page faults", with_faults(), 2);
  std::fflush(stdout);
  return 0;
}

void remove_folder(const std::string& folder) {
  const std::string command = "rm -r '" + folder + "'";
  if (std::system(command.c_str()) != 0) std::fprintf(stderr, "%s is left\n", folder.c_str());
}

int all(const char* self) {
  char folder[] = "/tmp/emitter-bench-XXXXXX";
  if (mkdtemp(folder) == nullptr) return 1;
  const std::string events = std::string("ASSAY_EVENTS_RING=256M ASSAY_EVENTS=") + folder;
  const std::string commands[] = {
      events + " '" + self + "' one 'time-stamp counter'",
      events + " ASSAY_EVENTS_CLOCK=steady '" + self + "' one CLOCK_MONOTONIC",
      std::string("env -u ASSAY_EVENTS '") + self + "' one 'switched off'"};
  int failed = 0;
  for (const std::string& command : commands) failed += std::system(command.c_str()) != 0;
  remove_folder(folder);
  return failed == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc >= 2 && std::strcmp(argv[1], "one") == 0) {
    return measure(argc > 2 ? argv[2] : "as the environment says");
  }
  return all(argv[0]);
}
