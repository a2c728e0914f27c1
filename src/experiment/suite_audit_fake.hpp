// SPDX-License-Identifier: Apache-2.0
// A suite that runs nothing: units with times, whatever ran in front of them changes them as it was
// planted. For tests, and for `assay simulate audit`, which asks how often the audit names what is
// true.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "model/job.hpp"
#include "model/plan.hpp"
#include "model/trial.hpp"

namespace assay::experiment {

struct FakeSuite {
  // What a benchmark gives at a place: everything but its noise.
  struct Says {
    double value_s = 1e-3;
    double n = 1000;  // iterations
    std::vector<Fact> facts = {};
    double setup_s = 0, gc_s = 0;
    double first_extra_s = 0;  // of the first sample; with it samples are given
    double retained = 0;       // bytes held behind it more than before; 0 everywhere = silent
    MeasurementStatus status = MeasurementStatus::ok;
  };
  using Front = std::span<const std::uint32_t>;  // units that ran before, in order
  // Changes what unit `unit` says behind `front`.
  using Change = std::function<void(std::uint32_t unit, Front front, Says& says)>;

  std::uint32_t units = 8;
  double unit_s = 1;          // of a process's time for one unit
  double process_s = 0.1;     // beside its units
  double base_memory = 64e6;  // bytes
  std::vector<Change> changes = {};

  // An audit of it.
  Plan plan() const;
  // The trial of a run; `noise` gives the factor of one time, and one of the whole process.
  Trial run(const Run& run, const std::function<double()>& noise) const;
};

// Planted: `victim` takes `factor` times as long when all of `polluters` ran before it and none of
// `cleaners` behind the last of them.
FakeSuite::Change pollution(std::vector<std::uint32_t> polluters, std::uint32_t victim,
                            double factor, std::vector<std::uint32_t> cleaners = {});

}  // namespace assay::experiment
