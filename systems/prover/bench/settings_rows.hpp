// SPDX-License-Identifier: Apache-2.0
// The parts that the table of settings is made of.
#pragma once

#include <vector>

#include "prover/bench/settings.hpp"

namespace prover::bench {

extern const Belongs kSyntheticWork, kRealWork;

std::vector<Setting> load_rows();       // what is proved, and its key
std::vector<Setting> synthetic_rows();  // the synthetic work
std::vector<Setting> output_rows();

}  // namespace prover::bench
