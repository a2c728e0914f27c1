// SPDX-License-Identifier: Apache-2.0
// What a proof's time goes into. Each stage is a span of the trace (assay/trace.hpp), and its wall
// and CPU time are kept for the report. The stages of one proof follow one another; inside, several
// threads work.
#pragma once

#include <assay/trace.hpp>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace prover::groth16 {

struct StageTime {
  std::string name;
  double wall_s = 0;
  double cpu_s = 0;  // of all threads of the process
};

// Where stages of several proofs are told. From any thread.
class StageTotals {
 public:
  void add(const StageTime& time) {
    const std::lock_guard lock(mutex_);
    times_.push_back(time);
  }
  // Those since the last time, in the order of their ends.
  std::vector<StageTime> take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(times_, {});
  }

 private:
  std::mutex mutex_;
  std::vector<StageTime> times_;
};

class Stages {
 public:
  // `item`: what the spans are of, where several proofs are made at once. `totals`: who is told of
  // each stage; or null.
  explicit Stages(assay::emit::Item item = {}, StageTotals* totals = nullptr)
      : item_(item), totals_(totals) {}

  // A stage from here to its end.
  class Scope {
   public:
    Scope(Stages& stages, const char* name);
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    Stages& stages_;
    const char* name_;
    double wall_s_, cpu_s_;
    assay::emit::Name stage_;
    assay::emit::Span span_;
  };

  const std::vector<StageTime>& times() const { return times_; }

 private:
  assay::emit::Item item_;
  StageTotals* totals_;
  std::vector<StageTime> times_;
};

}  // namespace prover::groth16
