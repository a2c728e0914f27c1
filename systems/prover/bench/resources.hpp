// SPDX-License-Identifier: Apache-2.0
// What jobs need loaded, without the engine's cache: kept as long as this lives.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "prover/engine/work.hpp"

namespace prover::bench {

class Resources {
 public:
  explicit Resources(Work& work) : work_(work) {}

  // Those of Work::needs, in that order; loads what is missing.
  Result<std::vector<ResourcePtr>> of(const JobSpec& spec) {
    std::vector<ResourcePtr> all;
    for (const ResourceNeed& need : work_.needs(spec)) {
      ResourcePtr& resource = loaded_[need.name];
      if (resource == nullptr) {
        auto fresh = work_.load(spec, need, {});
        if (!fresh) return fail(fresh.error());
        resource = std::move(*fresh);
      }
      all.push_back(resource);
    }
    return all;
  }

 private:
  Work& work_;
  std::map<std::string, ResourcePtr> loaded_;
};

}  // namespace prover::bench
