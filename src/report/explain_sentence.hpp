// SPDX-License-Identifier: Apache-2.0
// What an explanation says in one sentence: the same in the text, the JSON and the page.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "attribution/delta.hpp"
#include "attribution/description.hpp"

namespace assay::report {

// "gpu is busy 97 % of the time and bounds the run; synth stands blocked 31 % of it."
std::string sentence_of(const attribution::RunDescription& run);
// "B takes 281 s longer (+10 %): gpu.service accounts for +281 s, synth.service for 0 s."
std::string sentence_of(const attribution::DeltaDescription& delta);

// Why two sides carry no verdict word: "unreplicated"; empty when both have several logs.
std::string reason_of(const attribution::DeltaDescription& delta);

// Median makespan of the runs of a side; nothing without runs.
std::optional<double> makespan_of(const std::vector<attribution::RunDescription>& side);
// Makespan of B less that of A, the attribution's where there is one.
double delta_of(const attribution::DeltaDescription& delta);

// How many items a memory budget allows in the stage that costs most, all others as they were at
// the peak. Nothing when the model has no term with a cost.
struct BudgetAnswer {
  std::string stage = {};
  std::optional<std::uint32_t> permits = {};  // of the stage, as measured
  std::uint64_t fits = 0;                     // items; 0: not even one
  double fits_bytes = 0, next_bytes = 0;      // by the model, with that many and with one more
  double observed = 0;                        // items of the stage at the peak
};
std::optional<BudgetAnswer> budget_answer(const attribution::RunDescription& run,
                                          const attribution::MemoryModel& model, double budget);
// "permits of synth = 12 fits 400 GiB (about 396 GiB); 13 does not (416 GiB)."
std::string sentence_of(const BudgetAnswer& answer, const attribution::MemoryModel& model,
                        double budget);

}  // namespace assay::report
