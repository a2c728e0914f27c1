// SPDX-License-Identifier: Apache-2.0
// The bounded, ordered queue between synthesis and proving.
//
// A partition is sent, waits before the queue while that is full, is admitted into it, and is
// received. Admission ends its permit. A sender either waits for the admission (backpressure) or
// goes on and leaves its partition waiting (send_later): then finished partitions pile up before
// the queue, however small that is. Both places are ordered alike: by (priority, job, partition),
// or by arrival.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>
#include <tuple>
#include <vector>

#include "prover/engine/job.hpp"
#include "prover/engine/log.hpp"
#include "prover/engine/options.hpp"

namespace prover {

class Channel {
 public:
  Channel(std::uint32_t capacity, Order order, const Events& events);

  // Returns when the partition is in the queue, or was taken out by take_job. False, and the
  // partition is left to the caller, when its job was stopped: whoever stops a job and then calls
  // take_job leaves nothing of it in here.
  bool send(PartitionPtr& partition);
  // The same, and returns at once.
  bool send_later(PartitionPtr& partition);
  // Waits for the first partition; null once the channel is closed and empty. `worker` is the prove
  // worker that asks.
  PartitionPtr receive(int worker);
  // Removes what waits of a job, in the queue and before it.
  std::vector<PartitionPtr> take_job(JobId job);
  // How many partitions wait before the queue.
  std::size_t waiting() const;
  // No more sends; what is inside can still be received.
  void close();

 private:
  using Rank = std::tuple<std::int64_t, std::uint64_t, std::uint32_t>;
  using Line = std::map<Rank, PartitionPtr>;

  // mutex_ is held in all of these.
  Rank park(PartitionPtr partition);
  void admit();
  void take_from(Line& line, JobId job, std::vector<PartitionPtr>& taken);

  const std::uint32_t capacity_;
  const Order order_;
  const Events events_;
  mutable std::mutex mutex_;
  std::condition_variable ready_, admitted_;
  Line queue_, senders_;
  std::uint64_t arrivals_ = 0;
  bool closed_ = false;
};

}  // namespace prover
