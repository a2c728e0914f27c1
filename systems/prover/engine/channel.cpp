// SPDX-License-Identifier: Apache-2.0
#include "prover/engine/channel.hpp"

#include <utility>

#include "prover/engine/names.hpp"

namespace prover {

using assay::emit::Kind;
using assay::emit::Span;

Channel::Channel(std::uint32_t capacity, Order order, const Events& events)
    : capacity_(capacity), order_(order), events_(events) {
  PROVER_CHECK(capacity >= 1, "a queue holds at least one partition");
}

bool Channel::send(PartitionPtr& partition) {
  // Ended by this thread, so that the time is on the worker that lost it.
  const Span blocked(names().synth, Kind::blocked_send, partition->item());
  std::unique_lock lock(mutex_);
  if (partition->stopped()) return false;
  const Rank rank = park(std::move(partition));
  admit();
  admitted_.wait(lock, [&] { return !senders_.contains(rank); });
  return true;
}

bool Channel::send_later(PartitionPtr& partition) {
  const std::lock_guard lock(mutex_);
  if (partition->stopped()) return false;
  partition->waiting.emplace(names().synth, Kind::blocked_send, partition->item());
  park(std::move(partition));
  admit();
  return true;
}

Channel::Rank Channel::park(PartitionPtr partition) {
  PROVER_CHECK(!closed_, "nothing is sent after the channel is closed");
  const Task& task = partition->task;
  const Rank rank = order_ == Order::priority
                        ? Rank(-std::int64_t{partition->job->spec.priority},
                               static_cast<std::uint64_t>(task.job), task.partition)
                        : Rank(0, arrivals_++, 0);
  const bool fresh = senders_.emplace(rank, std::move(partition)).second;
  PROVER_CHECK(fresh, "a partition is sent once");
  return rank;
}

void Channel::admit() {
  bool any = false;
  while (queue_.size() < capacity_ && !senders_.empty()) {
    auto node = senders_.extract(senders_.begin());
    Partition& partition = *node.mapped();
    partition.waiting.reset();
    partition.times.sent = events_.mark(partition.task, {.name = "CHAN_SEND",
                                                         .worker = partition.sender,
                                                         .duration = "blocked_ms",
                                                         .since = partition.times.synth_end});
    events_.mark(partition.task, {.name = "GPU_QUEUE"});
    partition.flight.move_to(Place::queued);
    partition.waiting.emplace(names().prove, Kind::queue_wait, partition.item());
    // Only now: a permit that is free while its partition is still counted as unsent would let one
    // more in than permits + capacity.
    partition.permit.release();
    queue_.insert(std::move(node));
    any = true;
  }
  if (!any) return;
  ready_.notify_all();
  admitted_.notify_all();
}

PartitionPtr Channel::receive(int worker) {
  std::unique_lock lock(mutex_);
  ready_.wait(lock, [&] { return closed_ || !queue_.empty(); });
  if (queue_.empty()) return nullptr;
  PartitionPtr partition = std::move(queue_.extract(queue_.begin()).mapped());
  partition->waiting.reset();
  partition->times.picked_up =
      events_.mark(partition->task, {.name = "GPU_PICKUP", .worker = worker});
  partition->flight.move_to(Place::proving);
  admit();
  return partition;
}

void Channel::take_from(Line& line, JobId job, std::vector<PartitionPtr>& taken) {
  for (auto at = line.begin(); at != line.end();) {
    if (at->second->task.job != job) {
      ++at;
      continue;
    }
    // What is admitted in its place must not be counted beside it.
    at->second->waiting.reset();
    at->second->flight.leave();
    taken.push_back(std::move(at->second));
    at = line.erase(at);
  }
}

std::vector<PartitionPtr> Channel::take_job(JobId job) {
  std::vector<PartitionPtr> taken;
  const std::lock_guard lock(mutex_);
  taken.reserve(queue_.size() + senders_.size());  // nothing may throw once partitions move
  take_from(queue_, job, taken);
  take_from(senders_, job, taken);
  admitted_.notify_all();
  admit();
  return taken;
}

std::size_t Channel::waiting() const {
  const std::lock_guard lock(mutex_);
  return senders_.size();
}

void Channel::close() {
  const std::lock_guard lock(mutex_);
  closed_ = true;
  ready_.notify_all();
}

}  // namespace prover
