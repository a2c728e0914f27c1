// SPDX-License-Identifier: Apache-2.0
#include "prover/engine/backlog.hpp"

namespace prover {

void Backlog::add(JobId job, std::uint32_t count) {
  if (count > 0) line_.push_back({job, 0, count});
}

std::optional<Task> Backlog::pop() {
  if (line_.empty()) return std::nullopt;
  Entry& head = line_.front();
  const Task task{head.job, head.next};
  if (++head.next == head.count)
    line_.pop_front();
  else if (order_ == Order::fifo)
    line_.splice(line_.end(), line_, line_.begin());
  return task;
}

void Backlog::remove(JobId job) {
  line_.remove_if([&](const Entry& entry) { return entry.job == job; });
}

}  // namespace prover
