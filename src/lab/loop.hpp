// SPDX-License-Identifier: Apache-2.0
// The lab loop: ask the experiment, run what it asks for, commit every trial before the next one
// starts. Everything that costs machine time goes through here, new and resumed alike.
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <vector>

#include "base/result.hpp"
#include "experiment/experiment.hpp"
#include "history/store.hpp"
#include "measure/trial_runner.hpp"
#include "model/record.hpp"

namespace assay::lab {

// What the loop tells while it works. Called between runs, never inside one.
using OnProgress = std::function<void(const experiment::Progress&, const Record&)>;

// Makes an arm ready in front of its runs: the builds that this took, if any, the last one telling
// whether the arm can run; nothing when it was interrupted. Cheap for an arm that is ready. May be
// empty: all arms are ready.
using PrepareArm = std::function<Result<std::optional<std::vector<Build>>>(std::uint32_t arm)>;

// Runs `record` (already created in the store, its entries already replayed or empty) to a
// conclusion, which is stored and put into the record. Interrupted: a Stop is stored and the
// conclusion is what the complete blocks say, ended_by interrupted. Errors: the harness or the
// store could not go on; everything acknowledged before is in the store.
Result<Conclusion> run_experiment(experiment::Experiment& experiment, Record& record,
                                  measure::TrialRunner& runner, history::Store& store,
                                  const std::atomic<bool>& interrupted,
                                  const OnProgress& on_progress,
                                  const PrepareArm& prepare_arm = nullptr);

// The entries that a resumed experiment is asked with: all but the Stops, which ended an earlier
// asking.
std::vector<Entry> entries_to_resume(std::vector<Entry> entries);

}  // namespace assay::lab
