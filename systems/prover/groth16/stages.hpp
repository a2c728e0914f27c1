// SPDX-License-Identifier: Apache-2.0
// What a proof's time goes into. Each stage is a span of the trace (assay/trace.hpp), and its wall
// and CPU time are kept for the report. The stages of one proof follow one another; inside, several
// threads work.
#pragma once

#include <assay/trace.hpp>
#include <string>
#include <vector>

namespace prover::groth16 {

struct StageTime {
  std::string name;
  double wall_s = 0;
  double cpu_s = 0;  // of all threads of the process
};

class Stages {
 public:
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
  std::vector<StageTime> times_;
};

}  // namespace prover::groth16
