// SPDX-License-Identifier: Apache-2.0
// A TrialRunner around the one that measures, for plans with a suite: it starts the process that
// runs the units that a Run names, and puts what each benchmark said into the Trial.
#pragma once

#include <atomic>
#include <memory>

#include "base/result.hpp"
#include "measure/trial_runner.hpp"

namespace assay::suite {

class SuiteRunner : public measure::TrialRunner {
 public:
  // As TrialRunner::start, for a plan with `suite`. Errors besides: the adapter's, no folder for
  // results. A run whose results cannot be read is a Trial whose benchmarks are missing.
  static Result<std::unique_ptr<SuiteRunner>> start(const Plan& plan,
                                                    const std::atomic<bool>& interrupted);
};

}  // namespace assay::suite
