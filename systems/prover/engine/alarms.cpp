// SPDX-License-Identifier: Apache-2.0
#include "prover/engine/alarms.hpp"

#include <assay/trace.hpp>

namespace prover {

Alarms::Alarms() : thread_([this] { run(); }) {}

Alarms::~Alarms() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
    changed_.notify_all();
  }
  thread_.join();
}

Alarms::Id Alarms::set(TimePoint when, std::function<void()> ring) {
  const std::lock_guard lock(mutex_);
  const Id id{when, ++last_};
  const auto at = alarms_.emplace(id, std::move(ring)).first;
  if (at == alarms_.begin()) changed_.notify_all();
  return id;
}

void Alarms::clear(const Id& id) {
  const std::lock_guard lock(mutex_);
  alarms_.erase(id);
}

std::size_t Alarms::pending() const {
  const std::lock_guard lock(mutex_);
  return alarms_.size();
}

void Alarms::run() {
  assay::emit::name_thread("alarms", 0);
  std::unique_lock lock(mutex_);
  while (!ending_) {
    if (alarms_.empty()) {
      changed_.wait(lock);
      continue;
    }
    const TimePoint when = alarms_.begin()->first.when;
    if (std::chrono::steady_clock::now() < when) {
      changed_.wait_until(lock, when);
      continue;
    }
    auto due = alarms_.extract(alarms_.begin());
    lock.unlock();
    due.mapped()();
    due = {};  // what it holds goes without the lock
    lock.lock();
  }
}

}  // namespace prover
