// SPDX-License-Identifier: Apache-2.0
// From a plan to a conclusion on this machine: builds, the machine's lock, the arms' setup and
// cleanup, the store, the loop. The commands compare, measure, calibrate and resume all go through
// run_plan.
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <string>

#include "base/result.hpp"
#include "lab/loop.hpp"
#include "model/record.hpp"

namespace assay::lab {

struct SessionOptions {
  std::string store_path;
  std::string purpose;           // for others who wait for the machine: "compare './old' './new'"
  bool wait_for_machine = true;  // false: refuse when another experiment is timing (--no-wait)
};

// What a session tells while it works; every member may be empty.
struct SessionEvents {
  std::function<void(const std::string& holder)> on_wait;  // another experiment holds the machine
  std::function<void(const std::string& line)> on_build_line;  // output of a build
  std::function<void(const std::string& text)> on_build;       // "building main (3fa1c2d)"
  std::function<void(const std::string& text)> on_built;       // "built main (3fa1c2d) in 40 s"
  std::function<void(const Record&)> on_start;                 // the record's id is known
  OnProgress on_progress;
};

// A new experiment. The returned record holds the conclusion. A build that fails is a conclusion
// (FAILED), not an Error.
Result<Record> run_plan(Plan plan, const SessionOptions& options, const SessionEvents& events,
                        const std::atomic<bool>& interrupted);

// Goes on where the stored record `id` (a prefix will do; empty = the newest that can be resumed)
// stopped.
Result<Record> resume_record(const std::string& id, const SessionOptions& options,
                             const SessionEvents& events, const std::atomic<bool>& interrupted);

}  // namespace assay::lab
