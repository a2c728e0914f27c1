// SPDX-License-Identifier: Apache-2.0
// `--events`: a TrialRunner around the one that measures, which finds each run's events, reads them
// into the trial's stages and keeps the trace beside the store. All of it happens between the runs.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "measure/trial_runner.hpp"
#include "trace/events.hpp"

namespace assay::lab {

class EventsRunner : public measure::TrialRunner {
 public:
  // As TrialRunner::start, for a plan with `events`. Errors besides: rules that do not parse, an
  // events file that is there already (each run must write it anew, and it is removed after each).
  static Result<std::unique_ptr<EventsRunner>> start(const Plan& plan,
                                                     const std::atomic<bool>& interrupted);
  // Where the traces of the runs that count go, one file a run; made when the first one is written.
  virtual void keep_in(const std::string& folder) = 0;
};

// events/RECORD beside the store, and in it the file of one run.
std::string events_folder(const std::string& store_path, const std::string& record_id);
std::string events_file(const std::string& folder, std::uint32_t block, std::uint32_t slot);

// Removes the traces of the records that `is_kept` does not know; bytes that they took (with
// `dry_run`: would give back).
std::uint64_t remove_events(const std::string& store_path,
                            const std::function<bool(const std::string& record_id)>& is_kept,
                            bool dry_run);

// What a trace says of each stage; stages without service spans are left out. Clipped spans do not
// count.
std::vector<StageReading> stage_readings(const trace::Trace& trace);

}  // namespace assay::lab
