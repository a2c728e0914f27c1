// SPDX-License-Identifier: Apache-2.0
// The paths through the experiments that end in a verdict word, each as scenarios that can be
// simulated: a plan as the command line makes it, noise, and what is true. A path that prints a
// verdict word has a row here; one without a row prints a number without a word.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "experiment/noise_models.hpp"
#include "model/plan.hpp"

namespace assay::experiment {

// Where a metric's values come from. A rate is one over the wall time.
enum class Channel { wall, cpu, memory, rate };

struct Scenario {
  std::string path;    // name of its SimulatedPath
  std::string detail;  // what tells it from others of the path: "5 sessions a side"; may be empty
  NoiseModel noise;
  double ratio = 1;                        // true ratio candidate / baseline, > 1 = worse
  Plan plan;                               // its seed is drawn for every comparison
  std::vector<Channel> channels;           // of the plan's metrics
  std::vector<std::vector<double>> worse;  // [arm][metric]: true ratio to the baseline, > 1 = worse
  std::vector<double> stages = {};         // --events: true ratio of each stage of arm 1
  std::optional<double> run_seconds;  // recorded length of the typical run; nothing = wall time
  double layout_sd = 0;  // of each build's own offset, log units: alike for all of its runs
  // `compare --imported`: plan.runs processes a side that took turns, ABBA..., judged by their
  // dates.
  bool imported = false;
  bool calibrated = false;  // a noise floor was measured before, on other builds of the baseline
  std::optional<double> rejudged_at;  // tolerance at which the finished comparison is read again
  double tolerance = 0.02;            // what the verdict that counts is held against
  std::uint32_t times = 1;  // how often the same comparison is made, each with the past in its plan
};

struct SimulatedPath {
  std::string_view name;
  std::string_view about;  // a sentence without full stop
};

// In the order in which they are printed; the first is what `assay compare A B` does.
std::span<const SimulatedPath> simulated_paths();

struct ScenarioOptions {
  std::vector<std::string> paths = {};   // empty: the first alone; "all"
  std::vector<std::string> noises = {};  // empty: those of the path
  std::vector<double> ratios = {};       // empty: those of the path
  double tolerance = 0.02;
  std::uint32_t max_runs = 198;
};

// The scenarios that the options describe, in printing order. Errors: unknown paths or noise
// models (with the nearest one), ratios that are not positive, a plan that could not be run.
Result<std::vector<Scenario>> make_scenarios(const ScenarioOptions& options);

}  // namespace assay::experiment
