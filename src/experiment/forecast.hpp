// SPDX-License-Identifier: Apache-2.0
// What an experiment will cost, before anything runs.
#pragma once

#include <cstdint>
#include <string>

#include "model/plan.hpp"

namespace assay::experiment {

// Over all arms, warm-up included. Likely = what simulation says for an effect of two sigma.
struct Forecast {
  std::uint64_t likely_runs = 0, most_runs = 0;
  std::uint64_t likely_builds = 0, most_builds = 0;  // 0 when no arm has a build
};

Forecast forecast(const Plan& plan);

}  // namespace assay::experiment
