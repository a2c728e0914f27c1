// SPDX-License-Identifier: Apache-2.0
#include "prover/engine/channel.hpp"

#include <gtest/gtest.h>

#include <thread>

namespace prover {
namespace {

class ChannelTest : public ::testing::Test {
 protected:
  PartitionPtr partition(std::uint64_t job, std::uint32_t index) {
    auto made = std::make_unique<Partition>();
    made->job = job_;
    made->task = {JobId{job}, index};
    made->permit = std::move(*permits_.acquire({}));
    made->flight = Flight::Token(flight_, Place::unsent);
    return made;
  }
  static Task receive(Channel& channel) {
    const PartitionPtr got = channel.receive(0);
    return got ? got->task : Task{};
  }

  static void send(Channel& channel, PartitionPtr partition) {
    EXPECT_TRUE(channel.send(partition));
  }
  static void send_later(Channel& channel, PartitionPtr partition) {
    EXPECT_TRUE(channel.send_later(partition));
  }

  std::shared_ptr<Job> job_ =
      std::make_shared<Job>();  // of all of them: only its stop is looked at
  ResidentMemory resident_;
  Flight flight_{resident_};
  Permits permits_{100};
  Timeline timeline_;
  Log log_{LogSink::off};
  Events events_{timeline_, log_};
};

TEST_F(ChannelTest, PriorityOrdersTheQueueAndWhatWaitsBeforeIt) {
  Channel channel(2, Order::priority, events_);
  const Task sent[] = {{JobId{3}, 0}, {JobId{2}, 1}, {JobId{2}, 0}, {JobId{1}, 5}, {JobId{4}, 0}};
  for (const Task& task : sent)
    send_later(channel, partition(static_cast<std::uint64_t>(task.job), task.partition));
  EXPECT_EQ(flight_.now()[Place::queued], 2u);
  EXPECT_EQ(flight_.now()[Place::unsent], 3u);
  EXPECT_EQ(permits_.taken(), 3u) << "admission ends a permit";
  // The queue holds what came while there was room; the smallest that waits comes in next.
  EXPECT_EQ(receive(channel), (Task{JobId{2}, 1}));
  EXPECT_EQ(receive(channel), (Task{JobId{1}, 5}));
  EXPECT_EQ(receive(channel), (Task{JobId{2}, 0}));
  EXPECT_EQ(receive(channel), (Task{JobId{3}, 0}));
  EXPECT_EQ(receive(channel), (Task{JobId{4}, 0}));
  EXPECT_EQ(permits_.taken(), 0u);
}

TEST_F(ChannelTest, AJobOfHigherPriorityGoesFirst) {
  Channel channel(4, Order::priority, events_);
  for (const std::int32_t priority : {0, -1, 7, 2}) {
    PartitionPtr one = partition(static_cast<std::uint64_t>(10 - priority), 0);
    one->job = std::make_shared<Job>();
    one->job->spec.priority = priority;
    send_later(channel, std::move(one));
  }
  for (const std::uint64_t job : {3u, 8u, 10u, 11u}) EXPECT_EQ(receive(channel).job, JobId{job});
}

TEST_F(ChannelTest, FifoKeepsTheOrderOfArrival) {
  Channel channel(2, Order::fifo, events_);
  for (const std::uint64_t job : {5u, 1u, 3u, 2u}) send_later(channel, partition(job, 0));
  for (const std::uint64_t job : {5u, 1u, 3u, 2u}) EXPECT_EQ(receive(channel).job, JobId{job});
}

TEST_F(ChannelTest, ASenderWaitsUntilItsPartitionIsInTheQueue) {
  Channel channel(1, Order::priority, events_);
  send(channel, partition(1, 0));
  std::atomic<bool> sent{false};
  std::thread sender([&] {
    send(channel, partition(1, 1));
    sent = true;
  });
  while (channel.waiting() == 0) std::this_thread::yield();
  EXPECT_FALSE(sent);
  EXPECT_EQ(receive(channel), (Task{JobId{1}, 0}));
  sender.join();
  EXPECT_EQ(receive(channel), (Task{JobId{1}, 1}));
}

TEST_F(ChannelTest, TakingAJobOutFreesItsSendersAndMakesRoomForOthers) {
  Channel channel(1, Order::priority, events_);
  send(channel, partition(1, 0));
  std::thread sender([&] { send(channel, partition(1, 1)); });
  while (channel.waiting() == 0) std::this_thread::yield();
  send_later(channel, partition(2, 0));
  EXPECT_EQ(channel.take_job(JobId{1}).size(), 2u);
  sender.join();
  EXPECT_EQ(receive(channel), (Task{JobId{2}, 0}));
  EXPECT_TRUE(channel.take_job(JobId{2}).empty());
  EXPECT_EQ(flight_.now().total(), 0u);
  EXPECT_EQ(permits_.taken(), 0u);
}

TEST_F(ChannelTest, APartitionOfAStoppedJobIsNotTaken) {
  Channel channel(1, Order::priority, events_);
  job_->stop.request_stop();
  PartitionPtr refused = partition(1, 0);
  EXPECT_FALSE(channel.send(refused));
  EXPECT_FALSE(channel.send_later(refused));
  EXPECT_TRUE(refused) << "it is still its sender's";
  EXPECT_EQ(flight_.now()[Place::unsent], 1u);
}

TEST_F(ChannelTest, WhatIsInAClosedChannelIsStillReceived) {
  Channel channel(1, Order::priority, events_);
  send_later(channel, partition(1, 0));
  send_later(channel, partition(1, 1));
  std::vector<Task> got;
  std::thread receiver([&] {
    while (const PartitionPtr one = channel.receive(0)) got.push_back(one->task);
  });
  channel.close();
  receiver.join();
  EXPECT_EQ(got, (std::vector<Task>{{JobId{1}, 0}, {JobId{1}, 1}}));
}

}  // namespace
}  // namespace prover
