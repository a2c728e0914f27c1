// SPDX-License-Identifier: Apache-2.0
// `calibrate`: the noise floor, what repeating one pair of binaries cannot see (rule.md section 5).
// K comparisons of the command against copies of itself that differ in layout or path alone, 36
// runs a side each, without stopping; identical copies must come out near zero, else the harness is
// broken.
#pragma once

#include <vector>

#include "experiment/blocks.hpp"
#include "experiment/experiment.hpp"
#include "verdict/noise_floor.hpp"

namespace assay::experiment {

inline constexpr std::uint32_t kBlocksPerFloor = 6;  // 36 runs a side

class Calibrate final : public Experiment {
 public:
  // Arm 0 is the command; comparison k (from 0) is against arm 1 + k % (arms - 1).
  explicit Calibrate(Plan plan);
  Step next(std::span<const Entry> entries, std::size_t jobs_in_flight) override;
  Progress progress() const override;

 private:
  std::vector<Run> schedule(std::uint32_t block) const;
  std::uint32_t copy_of(std::uint32_t comparison) const;
  void end_block(std::uint32_t block, std::span<const Trial* const> trials);
  std::vector<Conclusion::Floor> floors() const;

  Plan plan_;
  std::vector<std::vector<verdict::Calibration>> sides_;  // [metric][comparison]
  Blocks blocks_;
};

}  // namespace assay::experiment
