// SPDX-License-Identifier: Apache-2.0
#include "model/trial.hpp"

#include <set>

namespace assay {

bool has_repeats(const Trial& trial) {
  return std::set(trial.units.begin(), trial.units.end()).size() < trial.units.size();
}

}  // namespace assay
