// SPDX-License-Identifier: Apache-2.0
// Operating characteristics: how often are the verdicts right? The shipped experiments themselves
// are asked for jobs and given synthetic runs, many thousand times, and what they conclude is held
// against what is true. Nothing of the rule is repeated here.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "experiment/simulate_paths.hpp"
#include "model/conclusion.hpp"

namespace assay::experiment {

// What was concluded about one thing over all comparisons of a scenario.
struct Tally {
  std::string what;  // "wall", "overall", "B overall", "withheld"
  double ratio = 1;  // true, > 1 = worse
  // The right answer: EQUIVALENT inside the tolerance, SLOWER or FASTER at or beyond it. Nothing
  // for a yes-or-no question ("withheld"), whose right answer is `wanted_yes`.
  std::optional<Verdict> wanted = {};
  bool wanted_yes = false;

  std::uint64_t comparisons = 0;
  std::array<std::uint64_t, 6> verdicts{};  // by Verdict; all 0 for a yes-or-no question
  std::uint64_t right = 0;                  // came out as wanted
  // At ratio 1 SLOWER or FASTER (of any gate, in the overall rows); otherwise a sign that was
  // proven and is the opposite of the truth. For a yes-or-no question: yes where no was wanted.
  std::uint64_t wrong = 0;
  std::uint64_t signs = 0;      // a sign was proven, right or wrong
  std::uint64_t intervals = 0;  // 99 % intervals at the last look (none in the overall rows)
  std::uint64_t covered = 0;    // of them: contain the true ratio
  std::uint64_t runs = 0;       // per side, summed: at the metric's last look, or all (overall)

  std::uint64_t count(Verdict verdict) const { return verdicts[static_cast<std::size_t>(verdict)]; }
  bool operator==(const Tally&) const = default;
};

struct SimulatedRow {
  Scenario scenario;
  std::vector<Tally> tallies;
};

// The tallies that a scenario will have, with nothing counted.
std::vector<Tally> blank_tallies(const Scenario& scenario);

struct SimulateOptions {
  std::uint64_t repetitions = 2000;
  std::uint64_t seed = 1;
  unsigned threads = 1;
  const std::atomic<bool>* stop = nullptr;  // set by others to end early
  // Called from the calling thread only, now and then, with the comparisons done.
  std::function<void(std::uint64_t done)> on_progress;
};

// One row. Comparison k draws from its own generator, seeded by the seed, the scenario's names and
// k: the result depends neither on the number of threads nor on what else is simulated. Nothing
// when stopped.
std::optional<SimulatedRow> simulate(const Scenario& scenario, const SimulateOptions& options);

// Wilson's 95 % interval of a rate that was seen `count` times in `of` >= 1 trials.
struct RateInterval {
  double lo = 0, hi = 1;
};
RateInterval rate_interval(std::uint64_t count, std::uint64_t of);

}  // namespace assay::experiment
