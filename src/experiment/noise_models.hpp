// SPDX-License-Identifier: Apache-2.0
// What disturbs the runs of a simulated experiment. Synthetic models are those of
// tests/conformance/noise.py; recorded ones replay stretches of real runs.
//
// A synthetic run has CPU time exp(x) and wall time exp(x + y / 2): x and y are independent draws
// of the model, so that wall time follows CPU time and has noise of its own. Its peak memory moves
// by 0.2 % in steps of 4 KiB. A recorded run gives the three values that were measured together.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/random.hpp"
#include "base/result.hpp"
#include "experiment/recorded_noise.hpp"

namespace assay::experiment {

struct NoisyRun {
  double wall_s = 0, cpu_s = 0, peak_bytes = 0;
};

enum class NoiseShape {
  lognormal,  // independent, `sd` in log units
  heavy,      // 1 %, and 5 % of the runs 1.3 to 3 times as long
  bimodal,    // 1 %, and 30 % of the runs 8 % longer
  drift,      // AR(1) with rho = .9 and sd 2 %, 1 % white, a trend of .02 % a run, rare 4 % steps
  position,   // 1 %, and every second run 2 % shorter
  lindrift,   // 0.5 %, and each run .1 % longer than the one before
  levels,     // no noise but two values, .2 % apart, equally often: a counter with two states
  recorded    // contiguous runs of `series` from a random place, a new place after 500
};

struct NoiseModel {
  std::string name;
  std::string about;  // a clause for people
  NoiseShape shape = NoiseShape::lognormal;
  double sd = 0;                           // lognormal only
  const RecordedSeries* series = nullptr;  // recorded only
  NoisyRun typical;                        // median run
};

// Those that `assay simulate` uses unless told otherwise.
std::span<const NoiseModel> noise_models();

// A model by name; also "lnX" for independent lognormal runs of X % and "levels". Unknown names are
// an Error with the nearest one.
Result<NoiseModel> parse_noise(std::string_view name);

// The runs of one experiment, in execution order.
class Noise {
 public:
  // `runs` = how many there will be at most: recorded stretches are chosen to be that long, if they
  // can. `model` must outlive it.
  Noise(const NoiseModel& model, std::size_t runs, std::uint64_t seed);
  NoisyRun next();

 private:
  // One synthetic series of log values.
  struct Series {
    double level = 0;  // AR(1) state, and the sum of the steps
    double steps = 0;
    double trend = 0;  // per run
  };
  double draw(Series& series);

  const NoiseModel& model_;
  Random random_;
  std::size_t at_ = 0;      // runs made
  std::size_t window_ = 0;  // recorded: length of a contiguous stretch
  std::size_t next_row_ = 0;
  std::array<Series, 2> series_;  // CPU time; what wall time has on top
};

}  // namespace assay::experiment
