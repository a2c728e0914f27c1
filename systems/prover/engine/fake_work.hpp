// SPDX-License-Identifier: Apache-2.0
// Work and device for the engine's tests: takes no time, fails and stops where it is told to, and
// watches what the engine promises.
#pragma once

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "prover/engine/engine.hpp"

namespace prover::test {

// A point that is passed at once, or where everybody waits until it is opened or stopped.
class Gate {
 public:
  void shut() {
    const std::lock_guard lock(mutex_);
    open_ = false;
  }
  void open() {
    const std::lock_guard lock(mutex_);
    open_ = true;
    changed_.notify_all();
  }
  void pass(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, stop, [&] { return open_; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable_any changed_;
  bool open_ = true;
};

enum class Step { synthesize, upload, start, finish, check };

class FakeWork final : public Work, public Device {
 public:
  Footprint size{.vectors = 80, .rest = 20};
  // The error of a step of a task (partition 0 of the job for check), if it shall fail.
  std::function<std::optional<Error>(Step, const Task&)> failure;
  // The task that finish() claims to have proved.
  std::function<Task(const Task&)> answers_for = [](const Task& task) { return task; };
  // What a job's partitions need loaded, and the error of loading one of it.
  std::function<std::vector<ResourceNeed>(const JobSpec&)> needs_of;
  std::function<std::optional<Error>(const ResourceNeed&)> load_failure;
  Gate synthesis_gate, start_gate, finish_gate, load_gate;
  Gate free_gate;  // what a synthesis made waits here to be freed
  // What the process holds beside all that is reserved.
  std::atomic<std::uint64_t> unaccounted{0};

  std::uint64_t bytes_held() const { return held_; }
  std::uint64_t most_bytes_held() const { return most_held_; }
  int most_in_start() const { return most_in_start_; }
  int synthesised() const { return synthesised_; }
  int in_finish() const { return in_finish_; }
  int most_on_device() const { return most_on_device_; }  // starts and finishes
  int loads() const { return loads_; }
  std::vector<std::size_t> checks() const {  // how many claims each had
    const std::lock_guard lock(mutex_);
    return checks_;
  }
  int most_loading() const { return most_loading_; }
  std::vector<Task> order() const {
    const std::lock_guard lock(mutex_);
    return order_;
  }

  Footprint footprint(const JobSpec&, const Task&) const override { return size; }

  std::vector<ResourceNeed> needs(const JobSpec& spec) const override {
    return needs_of ? needs_of(spec) : std::vector<ResourceNeed>();
  }

  Result<ResourcePtr> load(const JobSpec&, const ResourceNeed& need,
                           const std::stop_token& stop) override {
    most_loading_ = std::max(most_loading_.load(), ++loading_);
    auto made = std::make_shared<Loaded>(*this, need);
    load_gate.pass(stop);
    --loading_;
    if (stop.stop_requested()) return fail(ErrorKind::cancelled, "stopped");
    if (auto error = load_failure ? load_failure(need) : std::nullopt) return fail(*error);
    ++loads_;
    return ResourcePtr(std::move(made));
  }

  Result<std::unique_ptr<Assignment>> synthesize(const Source& source,
                                                 const std::stop_token& stop) override {
    const Task& task = source.task;
    const auto needs = this->needs(source.spec);
    PROVER_CHECK(needs.size() == source.resources.size(), "a partition has what it needs");
    for (std::size_t i = 0; i < needs.size(); ++i)
      PROVER_CHECK(static_cast<const Loaded&>(*source.resources[i]).name == needs[i].name,
                   "in the order of its needs");
    {
      const std::lock_guard lock(mutex_);
      order_.push_back(task);
    }
    auto made = std::make_unique<Held>(*this);
    synthesis_gate.pass(stop);
    if (auto error = fails(Step::synthesize, task)) return fail(*error);
    ++synthesised_;
    return std::unique_ptr<Assignment>(std::move(made));
  }

  Result<std::unique_ptr<DeviceProof>> upload(const Source& source,
                                              std::unique_ptr<Assignment> assignment) override {
    const Task& task = source.task;
    if (auto error = fails(Step::upload, task)) return fail(*error);
    return std::unique_ptr<DeviceProof>(
        std::make_unique<OnDevice>(*this, task, std::move(assignment)));
  }

  std::vector<Result<void>> check(std::span<const Claim> claims) override {
    {
      const std::lock_guard lock(mutex_);
      checks_.push_back(claims.size());
    }
    std::vector<Result<void>> answers;
    for (const Claim& claim : claims) {
      auto error = fails(Step::check, {claim.proof.job, 0});
      answers.push_back(error ? Result<void>(fail(*error)) : Result<void>());
    }
    return answers;
  }

  static std::vector<std::uint8_t> part(const Task& task) {
    return {static_cast<std::uint8_t>(task.job), static_cast<std::uint8_t>(task.partition)};
  }

 private:
  std::optional<Error> fails(Step step, const Task& task) const {
    return failure ? failure(step, task) : std::nullopt;
  }

  void hold(std::uint64_t bytes) {
    const std::uint64_t now = held_ += bytes;
    std::uint64_t most = most_held_;
    while (most < now && !most_held_.compare_exchange_weak(most, now)) {
    }
  }

  struct Loaded final : Resource {
    Loaded(FakeWork& of, const ResourceNeed& need) : work(of), name(need.name), bytes(need.bytes) {
      work.hold(bytes);
    }
    ~Loaded() override { work.held_ -= bytes; }
    FakeWork& work;
    const std::string name;
    const std::uint64_t bytes;
  };

  // The memory of a partition, as far as it is counted.
  struct Held final : Assignment {
    explicit Held(FakeWork& of) : work(of), vectors(of.size.vectors), rest(of.size.rest) {
      work.hold(vectors + rest);
    }
    ~Held() override {
      work.free_gate.pass({});
      work.held_ -= vectors + rest;
    }
    FakeWork& work;
    std::uint64_t vectors, rest;
  };

  class OnDevice final : public DeviceProof {
   public:
    OnDevice(FakeWork& work, const Task& task, std::unique_ptr<Assignment> assignment)
        : work_(work), task_(task), held_(static_cast<Held*>(assignment.release())) {}

    Result<void> start(const std::stop_token& stop) override {
      raise(work_.most_in_start_, ++work_.in_start_);
      const OnIt on_it(work_);
      work_.start_gate.pass(stop);
      for (int i = 0; i < 3; ++i) std::this_thread::yield();  // whoever may come in, comes in now
      --work_.in_start_;
      if (auto error = work_.fails(Step::start, task_)) return fail(*error);
      return {};
    }

    void free_vectors() override {
      work_.held_ -= held_->vectors;
      held_->vectors = 0;
    }

    Result<PartProof> finish(const std::stop_token& stop) override {
      const OnIt on_it(work_);
      ++work_.in_finish_;
      work_.finish_gate.pass(stop);
      --work_.in_finish_;
      if (auto error = work_.fails(Step::finish, task_)) return fail(*error);
      return PartProof{work_.answers_for(task_), part(task_)};
    }

   private:
    // A call that works on the device.
    struct OnIt {
      explicit OnIt(FakeWork& of) : work(of) { raise(work.most_on_device_, ++work.on_device_); }
      ~OnIt() { --work.on_device_; }
      FakeWork& work;
    };

    static void raise(std::atomic<int>& most, int now) {
      int known = most;
      while (known < now && !most.compare_exchange_weak(known, now)) {
      }
    }
    FakeWork& work_;
    const Task task_;
    std::unique_ptr<Held> held_;
  };

  std::atomic<std::uint64_t> held_{0}, most_held_{0};
  std::atomic<int> in_start_{0}, most_in_start_{0}, synthesised_{0};
  std::atomic<int> on_device_{0}, most_on_device_{0}, in_finish_{0};
  std::atomic<int> loads_{0}, loading_{0}, most_loading_{0};
  mutable std::mutex mutex_;
  std::vector<Task> order_;
  std::vector<std::size_t> checks_;
};

// An engine with a FakeWork, and the outcomes of what was submitted to it.
class Rig {
 public:
  explicit Rig(const Options& options = {}) : options_(options) {}
  ~Rig() {
    work.synthesis_gate.open();
    work.start_gate.open();
    work.finish_gate.open();
    work.load_gate.open();
    work.free_gate.open();
  }

  FakeWork work;

  Engine& engine() {
    if (!engine_) {
      auto started = Engine::start(options_, work, work, timeline_, resident_);
      PROVER_CHECK(started.has_value(), started.error().to_text().c_str());
      engine_ = std::move(*started);
    }
    return *engine_;
  }

  Result<JobId> submit(std::uint32_t partitions) { return submit(JobSpec{partitions}); }
  Result<JobId> submit(const JobSpec& spec) {
    return engine().submit(spec, [this](JobOutcome outcome) {
      const std::lock_guard lock(mutex_);
      outcomes_.push_back(std::move(outcome));
    });
  }

  std::vector<JobOutcome> outcomes() const {
    const std::lock_guard lock(mutex_);
    return outcomes_;
  }
  std::optional<JobOutcome> outcome(JobId job) const {
    for (JobOutcome& one : outcomes())
      if (one.job == job) return std::move(one);
    return std::nullopt;
  }

  // Destroys the engine.
  void end() { engine_.reset(); }

 private:
  const Options options_;
  Timeline timeline_;
  ResidentMemory resident_{
      [this] { return options_.resident_bytes + work.bytes_held() + work.unaccounted; }};
  mutable std::mutex mutex_;
  std::vector<JobOutcome> outcomes_;
  std::unique_ptr<Engine> engine_;  // last: its threads use all of the above
};

// Waits for something that must come; the limit is only there so that a bug ends the test.
inline bool comes_true(const std::function<bool()>& condition) {
  const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > limit) return false;
    std::this_thread::yield();
  }
  return true;
}

// Waits until one partition is on the device, one is queued and so many wait in their sends.
inline bool is_full(Rig& rig, std::uint32_t unsent) {
  return comes_true([&] {
    const FlightCounts now = rig.engine().snapshot().in_flight;
    return now[Place::proving] == 1 && now[Place::queued] == 1 && now[Place::unsent] == unsent;
  });
}

// Nothing is held any more.
inline bool is_idle(const Snapshot& now, std::uint64_t resident) {
  return now.jobs_in_flight == 0 && now.in_flight.total() == 0 && now.reserved == resident &&
         now.permits_taken == 0 && now.slots_taken == 0 && now.jobs_collecting == 0 &&
         now.partitions_waiting == 0 && now.partitions_freeing == 0;
}

// A proof that is exactly the parts 0..k-1 of its own job.
inline bool is_whole(const JobOutcome& outcome, std::uint32_t partitions) {
  if (!outcome.proof || outcome.error || outcome.proof->job != outcome.job) return false;
  std::vector<std::uint8_t> expected;
  for (std::uint32_t i = 0; i < partitions; ++i)
    for (const std::uint8_t byte : FakeWork::part({outcome.job, i})) expected.push_back(byte);
  return outcome.proof->bytes == expected;
}

}  // namespace prover::test
