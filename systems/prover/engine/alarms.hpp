// SPDX-License-Identifier: Apache-2.0
// A thread that calls back at given times: deadlines of jobs, batches that waited long enough.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <thread>
#include <utility>

#include "prover/engine/work.hpp"

namespace prover {

class Alarms {
 public:
  // Throws std::system_error when there is no thread to be had.
  Alarms();
  // Forgets what has not rung.
  ~Alarms();
  Alarms(const Alarms&) = delete;
  Alarms& operator=(const Alarms&) = delete;

  struct Id {
    TimePoint when{};
    std::uint64_t number = 0;  // 0: none
    auto operator<=>(const Id&) const = default;
  };

  // Calls `ring` once, at `when` or as soon after as it can: at once when that has passed. One call
  // at a time, on the thread of the alarms, which may set others meanwhile.
  Id set(TimePoint when, std::function<void()> ring);
  // Forgets one, unless it rings already: that is not waited for.
  void clear(const Id& id);
  std::size_t pending() const;

 private:
  void run();

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::map<Id, std::function<void()>> alarms_;
  std::uint64_t last_ = 0;
  bool ending_ = false;
  std::thread thread_;
};

}  // namespace prover
