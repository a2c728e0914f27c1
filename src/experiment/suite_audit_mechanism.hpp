// SPDX-License-Identifier: Apache-2.0
// By what does a benchmark change behind others? A mechanism is named only with its number, which
// must account for half of the difference at least; otherwise it is "not shown", with what was
// looked at.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "experiment/suite_audit_signs.hpp"
#include "model/audit_findings.hpp"

namespace assay::experiment {

struct ShownMechanism {
  Mechanism mechanism = Mechanism::not_shown;
  std::string evidence = {};  // a clause with the number, or what was looked at
};

// alone, behind: readings of one benchmark. again_s: its time right behind itself, after the same
// polluter (nothing = not tried).
ShownMechanism mechanism_of(std::span<const SuiteReading* const> alone,
                            std::span<const SuiteReading* const> behind,
                            std::optional<double> again_s);

}  // namespace assay::experiment
