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
  Backlog backlog(Order::priority, {});
  backlog.add(JobId{1}, 0, 2);
  backlog.add(JobId{2}, 0, 1);
  backlog.add(JobId{3}, 0, 2);
  EXPECT_EQ(drain(backlog), (Pairs{{1, 0}, {1, 1}, {2, 0}, {3, 0}, {3, 1}}));
  EXPECT_FALSE(backlog.ready());
}

TEST(Backlog, PriorityBeforeTheOrderOfJobs) {
  Backlog backlog(Order::priority, {});
  backlog.add(JobId{1}, 0, 2);
  backlog.add(JobId{2}, -5, 1);
  EXPECT_EQ(backlog.pop(), (Task{JobId{1}, 0}));
  backlog.add(JobId{3}, 9, 2);
  EXPECT_EQ(backlog.size(), 4u);
  EXPECT_EQ(drain(backlog), (Pairs{{3, 0}, {3, 1}, {1, 1}, {2, 0}}));
  Backlog turns(Order::fifo, {});
  turns.add(JobId{1}, 0, 1);
  turns.add(JobId{2}, 9, 1);
  EXPECT_EQ(drain(turns), (Pairs{{1, 0}, {2, 0}})) << "fifo knows no priorities";
}

TEST(Backlog, SoManyJobsAreInSynthesisAtOnce) {
  for (const Order order : {Order::priority, Order::fifo}) {
    Backlog backlog(order, 2);
    for (const std::uint64_t job : {1u, 2u, 3u}) backlog.add(JobId{job}, 0, 2);
    for (int i = 0; i < 4; ++i) EXPECT_LE(static_cast<int>(backlog.pop()->job), 2);
    EXPECT_FALSE(backlog.ready()) << "1 and 2 are not synthesised";
    EXPECT_FALSE(backlog.pop());
    backlog.synthesised(JobId{2});
    EXPECT_FALSE(backlog.ready());
    backlog.synthesised(JobId{2});
    EXPECT_EQ(backlog.pop(), (Task{JobId{3}, 0}));
    backlog.add(JobId{4}, 0, 1);
    EXPECT_TRUE(backlog.holds(JobId{3}));
    backlog.remove(JobId{3});
    EXPECT_FALSE(backlog.holds(JobId{3}));
    EXPECT_FALSE(backlog.ready()) << "one of 3 is in synthesis still";
    backlog.synthesised(JobId{3});
    EXPECT_EQ(drain(backlog), (Pairs{{4, 0}}));
    EXPECT_EQ(backlog.size(), 0u);
  }
}

TEST(Backlog, FifoLetsTheJobsTakeTurns) {
  Backlog backlog(Order::fifo, {});
  backlog.add(JobId{1}, 0, 3);
  backlog.add(JobId{2}, 0, 1);
  backlog.add(JobId{3}, 0, 2);
  EXPECT_EQ(drain(backlog), (Pairs{{1, 0}, {2, 0}, {3, 0}, {1, 1}, {3, 1}, {1, 2}}));
}

TEST(Backlog, ForgetsARemovedJobAndNoOther) {
  for (const Order order : {Order::priority, Order::fifo}) {
    Backlog backlog(order, {});
    backlog.add(JobId{1}, 0, 2);
    backlog.add(JobId{2}, 0, 2);
    EXPECT_EQ(backlog.pop(), (Task{JobId{1}, 0}));
    backlog.remove(JobId{1});
    backlog.remove(JobId{9});
    EXPECT_EQ(drain(backlog), (Pairs{{2, 0}, {2, 1}}));
  }
}

TEST(Backlog, AJobOfNothingIsNeverThere) {
  Backlog backlog(Order::priority, {});
  backlog.add(JobId{1}, 0, 0);
  EXPECT_FALSE(backlog.ready());
  EXPECT_FALSE(backlog.pop());
}

}  // namespace
}  // namespace prover
