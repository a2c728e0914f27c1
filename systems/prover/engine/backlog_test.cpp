// SPDX-License-Identifier: Apache-2.0
#include "prover/engine/backlog.hpp"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace prover {
namespace {

using Pairs = std::vector<std::pair<std::uint64_t, std::uint32_t>>;

Pairs drain(Backlog& backlog) {
  Pairs all;
  while (const auto task = backlog.pop())
    all.emplace_back(static_cast<std::uint64_t>(task->job), task->partition);
  return all;
}

TEST(Backlog, PriorityTakesJobByJob) {
  Backlog backlog(Order::priority);
  backlog.add(JobId{1}, 2);
  backlog.add(JobId{2}, 1);
  backlog.add(JobId{3}, 2);
  EXPECT_EQ(drain(backlog), (Pairs{{1, 0}, {1, 1}, {2, 0}, {3, 0}, {3, 1}}));
  EXPECT_TRUE(backlog.empty());
}

TEST(Backlog, FifoLetsTheJobsTakeTurns) {
  Backlog backlog(Order::fifo);
  backlog.add(JobId{1}, 3);
  backlog.add(JobId{2}, 1);
  backlog.add(JobId{3}, 2);
  EXPECT_EQ(drain(backlog), (Pairs{{1, 0}, {2, 0}, {3, 0}, {1, 1}, {3, 1}, {1, 2}}));
}

TEST(Backlog, ForgetsARemovedJobAndNoOther) {
  for (const Order order : {Order::priority, Order::fifo}) {
    Backlog backlog(order);
    backlog.add(JobId{1}, 2);
    backlog.add(JobId{2}, 2);
    EXPECT_EQ(backlog.pop(), (Task{JobId{1}, 0}));
    backlog.remove(JobId{1});
    backlog.remove(JobId{9});
    EXPECT_EQ(drain(backlog), (Pairs{{2, 0}, {2, 1}}));
  }
}

TEST(Backlog, AJobOfNothingIsNeverThere) {
  Backlog backlog(Order::priority);
  backlog.add(JobId{1}, 0);
  EXPECT_TRUE(backlog.empty());
  EXPECT_FALSE(backlog.pop());
}

}  // namespace
}  // namespace prover
