// SPDX-License-Identifier: Apache-2.0
// For tests: circuits that prove nothing, for the engine's FakeWork.
#pragma once

#include <fmt/format.h>

#include <condition_variable>
#include <mutex>

#include "prover/daemon/service.hpp"
#include "prover/engine/fake_work.hpp"

namespace prover::test {

// "fake" takes everything; "picky" refuses every witness; others are not there.
class FakeCircuits final : public daemon::Circuits {
 public:
  Result<JobSpec> spec_of(const daemon::JobRequest& request) const override {
    if (request.circuit == "picky")
      return fail(ErrorKind::usage, "the witness is of another circuit", "witness 0");
    if (request.circuit != "fake")
      return fail(ErrorKind::not_found, fmt::format("there is no circuit '{}'", request.circuit));
    return JobSpec{.partitions = request.partitions};
  }
  Result<JobSpec> resources_of(const std::string& circuit) const override {
    return spec_of({.circuit = circuit});
  }
  // FakeWork's parts are two bytes: the engine's job and the partition.
  Result<std::vector<work::PartitionJson>> answers(const JobSpec& spec,
                                                   const Proof& proof) const override {
    std::vector<work::PartitionJson> answers;
    for (std::uint32_t i = 0; i < spec.partitions; ++i)
      answers.push_back({fmt::format("proof {}", proof.bytes[2 * i + 1]), "publics"});
    return answers;
  }
  std::vector<daemon::CircuitStatus> list() const override { return {{.name = "fake"}}; }
};

// Where a callback leaves what a test waits for.
template <class T>
class Box {
 public:
  void put(T value) {
    const std::lock_guard lock(mutex_);
    value_ = std::move(value);
    changed_.notify_all();
  }
  bool is_full() const {
    const std::lock_guard lock(mutex_);
    return value_.has_value();
  }
  T take() {
    std::unique_lock lock(mutex_);
    const bool came =
        changed_.wait_for(lock, std::chrono::seconds(60), [&] { return value_.has_value(); });
    PROVER_CHECK(came, "what the test waits for comes");
    return std::move(*value_);
  }

 private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<T> value_;
};

// A service with FakeWork over a journal that can outlive it.
class ServiceRig {
 public:
  explicit ServiceRig(const std::string& journal = "memory", const daemon::Limits& limits = {},
                      const Options& options = {})
      : limits_(limits), options_(options), rig_(options) {
    auto opened = daemon::Journal::open(journal);
    PROVER_CHECK(opened.has_value(), "the test's journal opens");
    journal_ = std::move(*opened);
  }
  // The gates are open when the service drains.
  ~ServiceRig() {
    work().synthesis_gate.open();
    work().start_gate.open();
    service_.reset();
    rig_.end();
  }

  FakeWork& work() { return rig_.work; }
  daemon::Journal& journal() { return *journal_; }
  Engine& engine() { return rig_.engine(); }
  std::atomic<daemon::UnixMs> now{1000000};

  daemon::Service& service() {
    if (!service_) {
      auto started = daemon::Service::start({.engine = rig_.engine(),
                                             .circuits = circuits_,
                                             .journal = *journal_,
                                             .work = rig_.work,
                                             .memory = memory_,
                                             .limits = limits_,
                                             .options = options_,
                                             .now = [this] { return now.load(); },
                                             .log =
                                                 [this](const std::string& line) {
                                                   const std::lock_guard lock(log_mutex_);
                                                   log_.push_back(line);
                                                 }});
      PROVER_CHECK(started.has_value(), "the service starts");
      service_ = std::move(*started);
    }
    return *service_;
  }

  std::vector<std::string> log() const {
    const std::lock_guard lock(log_mutex_);
    return log_;
  }

  std::string submit(std::uint32_t partitions = 1, const std::string& request = {}) {
    const auto done = service().submit(
        {.circuit = "fake", .seed = 1, .partitions = partitions, .request_id = request});
    PROVER_CHECK(done.has_value(), "the job is taken");
    return done->id;
  }
  Result<daemon::JobEnd> await(const std::string& id) {
    auto box = std::make_shared<Box<Result<daemon::JobEnd>>>();
    service().await(id, [box](Result<daemon::JobEnd> end) { box->put(std::move(end)); });
    return box->take();
  }

 private:
  const daemon::Limits limits_;
  const Options options_;
  FakeCircuits circuits_;
  mutable std::mutex log_mutex_;
  std::vector<std::string> log_;
  ResidentMemory memory_;
  std::unique_ptr<daemon::Journal> journal_;
  Rig rig_;
  std::unique_ptr<daemon::Service> service_;
};

}  // namespace prover::test
