// SPDX-License-Identifier: Apache-2.0
// What the reports compute from a record's trials. Warm-ups never count.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "model/record.hpp"

namespace assay::report {

// Every trial in order, warm-ups included: the index is that of Conclusion::failed_trial.
std::vector<const Trial*> trials_of(const Record& record);

// The values of metric `metric` of arm `arm`, in run order, base units; runs without a finite value
// are left out.
std::vector<double> values_of(const Record& record, std::uint32_t arm, std::uint32_t metric);

// Index of the metric called `name`; nothing when the plan has none.
std::optional<std::uint32_t> metric_index(const Plan& plan, std::string_view name);

// What kept the runs of some arms waiting, as shares of their wall time (medians over the runs).
struct Waiting {
  std::optional<double> idle;      // 1 - cpu / wall; nothing unless both metrics are there
  std::optional<double> pressure;  // PSI "some" of the CPU plus steal
  std::optional<double> delay;     // runnable but not running
  std::optional<double> disk;      // PSI "some" of I/O
  bool busy = false;               // the machine had other work: pressure or delay >= 10 %
};
Waiting waiting_of(const Record& record, std::span<const std::uint32_t> arms);

// Mean machine time of one run of every arm together, seconds; nothing before every arm has run.
std::optional<double> round_seconds(const Record& record);

}  // namespace assay::report
