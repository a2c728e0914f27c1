// SPDX-License-Identifier: Apache-2.0
#include "prover/groth16/stages.hpp"

#include <ctime>

namespace prover::groth16 {
namespace {

double seconds(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

}  // namespace

Stages::Scope::Scope(Stages& stages, const char* name)
    : stages_(stages),
      name_(name),
      wall_s_(seconds(CLOCK_MONOTONIC)),
      cpu_s_(seconds(CLOCK_PROCESS_CPUTIME_ID)),
      stage_(name),
      span_(stage_, assay::emit::Kind::service, stages.item_) {}

Stages::Scope::~Scope() {
  span_.end();
  stages_.times_.push_back(
      {name_, seconds(CLOCK_MONOTONIC) - wall_s_, seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu_s_});
  if (stages_.totals_ != nullptr) stages_.totals_->add(stages_.times_.back());
}

}  // namespace prover::groth16
