// SPDX-License-Identifier: Apache-2.0
#include "prover/engine/reaper.hpp"

#include <utility>

#include "prover/engine/names.hpp"

namespace prover {

Reaper::Reaper(bool thread) {
  if (thread) thread_ = std::thread([this] { run(); });
}

Reaper::~Reaper() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
    changed_.notify_all();
  }
  thread_.join();
}

void Reaper::free(PartitionPtr partition) {
  if (!thread_.joinable()) {
    const assay::emit::Span span(names().free, assay::emit::Kind::other, partition->item());
    partition.reset();
    return;
  }
  partition->waiting.reset();  // spans end on the thread that ends them
  partition->flight.leave();
  partition->permit.release();
  const std::lock_guard lock(mutex_);
  waiting_.push_back(std::move(partition));
  ++pending_;
  changed_.notify_all();
}

void Reaper::drain() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return pending_ == 0; });
}

std::size_t Reaper::pending() const {
  const std::lock_guard lock(mutex_);
  return pending_;
}

void Reaper::run() {
  assay::emit::name_thread("free", 0);
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return ending_ || !waiting_.empty(); });
    if (waiting_.empty()) return;
    PartitionPtr partition = std::move(waiting_.front());
    waiting_.pop_front();
    lock.unlock();
    {
      const assay::emit::Span span(names().free, assay::emit::Kind::other, partition->item());
      partition.reset();
    }
    lock.lock();
    --pending_;
    changed_.notify_all();
  }
}

}  // namespace prover
