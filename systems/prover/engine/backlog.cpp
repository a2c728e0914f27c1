// SPDX-License-Identifier: Apache-2.0
#include "prover/engine/backlog.hpp"

#include <algorithm>

namespace prover {

void Backlog::add(JobId job, std::int32_t priority, std::uint32_t count) {
  if (count == 0) return;
  const Rank rank = order_ == Order::priority ? Rank(-std::int64_t{priority}, std::uint64_t(job))
                                              : Rank(0, ++turn_);
  line_.emplace(rank, Entry{job, 0, count});
  size_ += count;
}

Backlog::Line::const_iterator Backlog::next() const {
  if (!jobs_at_once_ || open_.size() < *jobs_at_once_) return line_.begin();
  return std::find_if(line_.begin(), line_.end(),
                      [&](const auto& one) { return open_.contains(one.second.job); });
}

std::optional<Task> Backlog::pop() {
  const auto at = next();
  if (at == line_.end()) return std::nullopt;
  auto node = line_.extract(at);
  Entry& entry = node.mapped();
  const Task task{entry.job, entry.next};
  if (entry.next == 0) open_[entry.job] = entry.count;
  --size_;
  if (++entry.next == entry.count) return task;
  if (order_ == Order::fifo) node.key() = Rank(0, ++turn_);
  line_.insert(std::move(node));
  return task;
}

void Backlog::synthesised(JobId job) {
  const auto open = open_.find(job);
  if (open != open_.end() && --open->second == 0) open_.erase(open);
}

void Backlog::remove(JobId job) {
  const auto at = std::find_if(line_.begin(), line_.end(),
                               [&](const auto& one) { return one.second.job == job; });
  if (at == line_.end()) return;
  const std::uint32_t left = at->second.count - at->second.next;
  size_ -= left;
  line_.erase(at);
  const auto open = open_.find(job);
  if (open != open_.end() && (open->second -= left) == 0) open_.erase(open);
}

bool Backlog::holds(JobId job) const {
  return std::any_of(line_.begin(), line_.end(),
                     [&](const auto& one) { return one.second.job == job; });
}

bool Backlog::holds_all(JobId job) const {
  return std::any_of(line_.begin(), line_.end(), [&](const auto& one) {
    return one.second.job == job && one.second.next == 0;
  });
}

}  // namespace prover
