// SPDX-License-Identifier: Apache-2.0
#include "prover/engine/budget.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "prover/engine/permits.hpp"

namespace prover {
namespace {

TEST(Budget, CountsWhatIsHeldInPartsAndAsAWhole) {
  ByteBudget budget(100);
  {
    auto first = budget.acquire(60, {});
    ASSERT_TRUE(first);
    EXPECT_EQ(budget.reserved(), 60u);
    first->release_part(45);
    EXPECT_EQ(budget.reserved(), 15u);
    EXPECT_EQ(first->bytes(), 15u);
    Reservation moved = std::move(*first);
    EXPECT_EQ(budget.reserved(), 15u);
    EXPECT_EQ(first->bytes(),
              0u);  // NOLINT(bugprone-use-after-move): that it is empty is the point
    auto second = budget.acquire(85, {});
    ASSERT_TRUE(second);
    moved = std::move(*second);
    EXPECT_EQ(budget.reserved(), 85u) << "what is assigned over is given back";
  }
  EXPECT_EQ(budget.reserved(), 0u);
  EXPECT_EQ(budget.peak(), 100u);
}

TEST(Budget, MoreThanTheLimitIsRefusedAtOnce) {
  ByteBudget budget(100);
  EXPECT_FALSE(budget.acquire(101, {}));
  EXPECT_TRUE(budget.acquire(100, {}));
  ByteBudget unlimited(std::nullopt);
  EXPECT_TRUE(unlimited.acquire(~std::uint64_t{0} / 2, {}));
}

TEST(Budget, AWaiterGetsWhatIsGivenBackInParts) {
  ByteBudget budget(100);
  auto held = budget.acquire(90, {});
  std::atomic<bool> got{false};
  std::thread waiter([&] { got = budget.acquire(50, {}).has_value(); });
  held->release_part(20);
  held->release_part(20);
  waiter.join();
  EXPECT_TRUE(got);
}

TEST(Budget, AStoppedWaiterGoesWithoutAnything) {
  ByteBudget budget(10);
  auto held = budget.acquire(10, {});
  std::stop_source stop;
  std::atomic<bool> got{true};
  std::thread waiter([&] { got = budget.acquire(1, stop.get_token()).has_value(); });
  stop.request_stop();
  waiter.join();
  EXPECT_FALSE(got);
  EXPECT_EQ(budget.reserved(), 10u);
  EXPECT_FALSE(budget.acquire(0, stop.get_token())) << "stopped before it asked";
}

TEST(Budget, NeverHoldsMoreThanItsLimitWhoeverAsks) {
  ByteBudget budget(100);
  std::vector<std::thread> threads;
  for (std::uint64_t t = 0; t < 4; ++t)
    threads.emplace_back([&budget, t] {
      for (std::uint64_t i = 0; i < 500; ++i) {
        auto held = budget.acquire(1 + (i * 7 + t * 13) % 60, {});
        ASSERT_TRUE(held);
        held->release_part(held->bytes() / 2);
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_LE(budget.peak(), 100u);
  EXPECT_EQ(budget.reserved(), 0u);
}

TEST(Permits, AreGivenBackOnceAndByWhoeverHoldsThem) {
  Permits permits(2);
  auto first = permits.acquire({});
  auto second = permits.acquire({});
  EXPECT_EQ(permits.taken(), 2u);
  std::stop_source stop;
  std::atomic<bool> got{true};
  std::thread waiter([&] { got = permits.acquire(stop.get_token()).has_value(); });
  stop.request_stop();
  waiter.join();
  EXPECT_FALSE(got);
  first->release();
  first->release();
  EXPECT_EQ(permits.taken(), 1u);
  *first = std::move(*second);
  EXPECT_EQ(permits.taken(), 1u);
  first.reset();
  EXPECT_EQ(permits.taken(), 0u);
}

}  // namespace
}  // namespace prover
