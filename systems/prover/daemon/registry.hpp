// SPDX-License-Identifier: Apache-2.0
// The circuits of the configuration, opened: their sizes are known, their keys are read when the
// first job needs them.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "prover/daemon/job.hpp"

namespace prover::daemon {

class Registry final : public Circuits {
 public:
  // Errors: the first circuit that cannot be opened, by its name.
  static Result<std::unique_ptr<Registry>> open(std::span<const work::CircuitSource> sources);

  Result<JobSpec> spec_of(const JobRequest& request) const override;
  Result<JobSpec> resources_of(const std::string& circuit) const override;
  Result<std::vector<work::PartitionJson>> answers(const JobSpec& spec,
                                                   const Proof& proof) const override;
  std::vector<CircuitStatus> list() const override;

 private:
  using CircuitPtr = std::shared_ptr<const work::Circuit>;
  Result<CircuitPtr> find(const std::string& name) const;
  std::map<std::string, CircuitPtr> circuits_;
};

}  // namespace prover::daemon
