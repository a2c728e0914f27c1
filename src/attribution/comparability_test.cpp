// SPDX-License-Identifier: Apache-2.0
#include "attribution/comparability.hpp"

#include <gtest/gtest.h>

#include <functional>

#include "tests/support/traces.hpp"

namespace assay::attribution {
namespace {

trace::Trace traced(std::size_t items = 30, std::uint32_t permits = 5) {
  const auto stages = testing::two_stages(items, permits, 3, 1);
  return testing::trace_of(stages, testing::simulate(stages));
}

Comparability compared(const trace::Trace& a, const trace::Trace& b) {
  const auto left = build_pipeline(a), right = build_pipeline(b);
  const trace::Trace* runs[2] = {&a, &b};
  return compare_sides({runs, 1}, {runs + 1, 1}, left ? &*left : nullptr,
                       right ? &*right : nullptr);
}

std::string text_of(const Comparability& sides) {
  std::string text;
  for (const Difference& each : sides.differences) {
    text += each.what + ": " + each.a + " | " + each.b + (each.forbids ? " FORBIDS" : "") + "\n";
  }
  return text;
}

TEST(Comparability, WhatDiffersIsListedAndWhatForbidsIsLittle) {
  struct Case {
    const char* name;
    std::function<void(trace::Trace&)> change;
    const char* expected;
    bool comparable = true;
  };
  const auto lose = [](trace::Loss kind) {
    return [kind](trace::Trace& run) { run.lost(kind) = 7; };
  };
  const std::vector<Case> cases = {
      {"same", [](trace::Trace&) {}, ""},
      {"workers", [](trace::Trace& run) { run.stages[1].servers = 2; }, "workers of gpu: 1 | 2\n"},
      {"permits", [](trace::Trace& run) { run.stages[0].permits.reset(); },
       "permits of synth: 5 | not stated\n"},
      {"capacity", [](trace::Trace& run) { run.stages[1].capacity = 1; },
       "capacity of gpu: 3 | 1\n"},
      {"setting", [](trace::Trace& run) { run.set("lookahead", "4"); },
       "setting lookahead: not given | 4\n"},
      {"a setting that changed",
       [](trace::Trace& run) { run.set("lookahead", "4"), run.set("lookahead", "5"); },
       "setting lookahead: not given | 5 (changed within the run)\n"},
      {"clock",
       [](trace::Trace& run) { run.clock.source = "tsc", run.clock.resolution_ns = 1'000'000; },
       "clock: unknown, step 1.00 ns | tsc, step 1.00 ms\n"},
      {"host", [](trace::Trace& run) { run.host = "h\x1b[1m"; }, "host: unknown | h\\x1b[1m\n"},
      {"build", [](trace::Trace& run) { run.build = "abc"; }, "build: unknown | abc\n"},
      {"lost begins", lose(trace::Loss::missing_begin), "lost events: 0 | 7 FORBIDS\n", false},
      {"lost ends", lose(trace::Loss::missing_end), "lost events: 0 | 7 FORBIDS\n", false},
      {"dropped", lose(trace::Loss::dropped_by_writer), "lost events: 0 | 7 FORBIDS\n", false},
      {"counts",
       [](trace::Trace& run) {
         run.warn(trace::TraceWarningKind::counts_disagree, "150 were expected");
       },
       "lost events: 0 | some FORBIDS\n", false},
      {"a torn line", lose(trace::Loss::torn_line), ""},
      {"a missing CHAN_SEND",
       [](trace::Trace& run) { run.warn(trace::TraceWarningKind::never_occurs, "CHAN_SEND"); }, ""},
  };
  const trace::Trace a = traced();
  for (const Case& c : cases) {
    trace::Trace b = traced();
    c.change(b);
    const Comparability sides = compared(a, b);
    EXPECT_EQ(text_of(sides), c.expected) << c.name;
    EXPECT_EQ(sides.comparable, c.comparable) << c.name;
    EXPECT_EQ(sides.because.empty(), c.comparable) << c.name;
  }
}

TEST(Comparability, ItemsThatBothHave) {
  const auto fewer = compared(traced(30), traced(25));
  EXPECT_EQ(text_of(fewer), "items: 30 | 25\n");
  EXPECT_TRUE(fewer.comparable);
  EXPECT_NEAR(fewer.items_matched, 25.0 / 30, 1e-12);
  const auto renamed = [](std::size_t items) {
    trace::Trace run = traced(items);
    for (std::size_t i = 0; i < items; ++i) {
      run.items.key[i] = run.strings.intern("other" + std::to_string(i));
    }
    return run;
  };
  const auto same_number = compared(traced(30), renamed(30));
  EXPECT_TRUE(same_number.comparable);
  EXPECT_EQ(same_number.items_matched, 0);
  EXPECT_EQ(text_of(same_number), "keys of items: 0 of 30 also in B | 0 of 30 also in A\n");
  const auto other_work = compared(traced(30), renamed(20));
  EXPECT_FALSE(other_work.comparable);
  EXPECT_EQ(text_of(other_work), "items: 30 | 20 FORBIDS\n");
}

TEST(Comparability, StagesThatBothHave) {
  const auto rename = [](bool both) {
    auto stages = testing::two_stages(10, 2, 1, 1);
    stages[1].name = "cpu";
    if (both) stages[0].name = "load";
    return testing::trace_of(stages, testing::simulate(stages));
  };
  const auto some = compared(traced(10, 2), rename(false));
  EXPECT_TRUE(some.comparable);
  EXPECT_NEAR(some.stages_matched, 1.0 / 3, 1e-12);
  EXPECT_EQ(text_of(some), "stages on one side only: gpu | cpu\n");
  const auto none = compared(traced(10, 2), rename(true));
  EXPECT_FALSE(none.comparable);
  EXPECT_EQ(none.stages_matched, 0);
}

TEST(Comparability, RunsOfOneSideMayVary) {
  trace::Trace a = traced(), again = traced(), b = traced();
  a.set("workers", "3");
  again.set("workers", "4");
  b.set("workers", "3");
  const trace::Trace* left[] = {&a, &again};
  const trace::Trace* right[] = {&b};
  const Comparability sides = compare_sides(left, right, nullptr, nullptr);
  EXPECT_EQ(text_of(sides), "setting workers: 3, 4 | 3\n");
}

TEST(Comparability, PressureOfTheMachine) {
  const auto with = [](double value) {
    trace::Trace run = traced();
    for (int i = 0; i < 4; ++i) {
      run.counters.at.push_back(i);
      run.counters.name.push_back(run.strings.intern("psi.cpu"));
      run.counters.value.push_back(value);
    }
    return run;
  };
  EXPECT_EQ(text_of(compared(with(1), with(2.5))), "");
  EXPECT_EQ(text_of(compared(with(1), with(31))), "pressure psi.cpu: 1.0 | 31.0\n");
}

}  // namespace
}  // namespace assay::attribution
