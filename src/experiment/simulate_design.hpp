// SPDX-License-Identifier: Apache-2.0
// How often do the experiments over many arms name what is true? As simulate.hpp: the shipped
// experiments are asked, and get synthetic runs. d = effect / noise of one run, both in log units.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/random.hpp"
#include "experiment/noise_models.hpp"
#include "experiment/simulate.hpp"
#include "model/conclusion.hpp"
#include "model/job.hpp"
#include "model/plan.hpp"
#include "model/record.hpp"

namespace assay::experiment {

// What one simulated experiment answered, held against the truth.
struct Outcome {
  enum class Answer { right, wrong, undecided } answer = Answer::undecided;
  std::optional<double> stated = {};  // the probability that the answer gives for itself
  std::uint64_t search_runs = 0;      // runs of the search alone, as the bars count them
  std::uint64_t claims = 0, of = 0;   // audit: false words, and benchmarks that could get one
};

// One draw of the truth.
struct DesignTruth {
  std::function<double(std::uint32_t arm)> effect;  // log units, on top of the noise
  std::function<Outcome(const Conclusion&)> judge;
  std::function<bool(std::uint32_t arm)> builds = nullptr;  // nothing = every arm does
  // Instead of `effect`: the whole trial; `noise` gives the factor of one time.
  std::function<Trial(const Run& run, const std::function<double()>& noise)> run = nullptr;
  // Instead of `judge`, for what needs the runs beside the conclusion.
  std::function<Outcome(const Record&)> judge_record = nullptr;
};

struct DesignScenario {
  std::string kind;    // "ablate"
  std::string detail;  // "k = 5, one cause, d = 2"
  NoiseModel noise;
  Plan plan;  // its seed is drawn for every experiment; one metric, which is CPU time
  double build_seconds = 0;  // recorded for the first run of an arm that has a build
  std::function<DesignTruth(Random& random)> draw;
};

struct DesignRow {
  std::string kind, detail, noise;
  std::uint64_t repetitions = 0, right = 0, wrong = 0, undecided = 0;
  std::uint64_t stated = 0, stated_right = 0;    // answers that give a probability, and right ones
  double stated_sum = 0;                         // of those probabilities
  double search_runs = 0, runs = 0, builds = 0;  // means; builds = arms that were run
  std::uint64_t claims = 0, of = 0;              // as of Outcome, sums
};

// The scenarios of `assay simulate KIND`, in printing order. `noises`: empty = independent
// lognormal 1 %. Errors: an unknown noise model.
Result<std::vector<DesignScenario>> sweep_scenarios(const std::vector<std::string>& noises);
Result<std::vector<DesignScenario>> timeline_scenarios(const std::vector<std::string>& noises);
Result<std::vector<DesignScenario>> ablate_scenarios(const std::vector<std::string>& noises);
Result<std::vector<DesignScenario>> bisect_scenarios(const std::vector<std::string>& noises);
Result<std::vector<DesignScenario>> suite_compare_scenarios(const std::vector<std::string>& noises);
Result<std::vector<DesignScenario>> audit_scenarios(const std::vector<std::string>& noises);
// Words of `assay case`. Empty = lognormal 1 % and 3 %, and recorded CPU time.
Result<std::vector<DesignScenario>> case_scenarios(const std::vector<std::string>& noises);

// One row; nothing when stopped. The result depends on the seed alone, not on the threads.
std::optional<DesignRow> simulate(const DesignScenario& scenario, const SimulateOptions& options);

// A plan of one deciding metric and `arms` arms, for scenarios: no budget, no hooks. With `built`
// every arm has a build.
Plan bare_design_plan(PlanKind kind, std::size_t arms, Design design, bool built);

}  // namespace assay::experiment
