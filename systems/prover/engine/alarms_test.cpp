// SPDX-License-Identifier: Apache-2.0
#include "prover/engine/alarms.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <vector>

#include "prover/engine/fake_work.hpp"

namespace prover {
namespace {

using std::chrono::hours;
using test::comes_true;

TEST(Alarms, RingInTheOrderOfTheirTimesAndOnce) {
  std::mutex mutex;
  std::vector<int> rung;
  const auto note = [&](int number) {
    return [&, number] {
      const std::lock_guard lock(mutex);
      rung.push_back(number);
    };
  };
  const auto count = [&] {
    const std::lock_guard lock(mutex);
    return rung.size();
  };
  Alarms alarms;
  const TimePoint now = std::chrono::steady_clock::now();
  test::Gate gate;
  gate.shut();
  // Holds the thread up until all are set.
  alarms.set(now - hours(9), [&] { gate.pass({}); });
  alarms.set(now - hours(1), note(2));
  alarms.set(now - hours(2), note(1));
  const auto forgotten = alarms.set(now - hours(2), note(8));
  alarms.set(now + hours(9), note(9));
  alarms.set(now - hours(1), [&] { alarms.set(now - hours(5), note(3)); });
  alarms.clear(forgotten);
  alarms.clear({});
  gate.open();
  ASSERT_TRUE(comes_true([&] { return count() == 3; }));
  ASSERT_TRUE(comes_true([&] { return alarms.pending() == 1; }));
  EXPECT_EQ(rung, (std::vector<int>{1, 2, 3}));
}

TEST(Alarms, AnEarlierOneWakesTheThread) {
  Alarms alarms;
  std::atomic<bool> rung{false};
  alarms.set(std::chrono::steady_clock::now() + hours(1), [] {});
  alarms.set(std::chrono::steady_clock::now() + std::chrono::milliseconds(2), [&] { rung = true; });
  EXPECT_TRUE(comes_true([&] { return rung.load(); }));
}

}  // namespace
}  // namespace prover
