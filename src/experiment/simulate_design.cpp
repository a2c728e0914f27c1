// SPDX-License-Identifier: Apache-2.0
#include "experiment/simulate_design.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <system_error>
#include <thread>

#include "base/check.hpp"
#include "experiment/experiment.hpp"

namespace assay::experiment {
namespace {

constexpr std::size_t kMostRuns = 4096;  // for recorded noise: the length of a stretch
constexpr std::size_t kMostSteps = 100'000;

struct Played {
  Outcome outcome;
  std::uint64_t runs = 0, builds = 0;
};

// One experiment on a machine that runs nothing.
class Game {
 public:
  Game(const DesignScenario& scenario, Random random)
      : scenario_(scenario),
        random_(random),
        truth_(scenario.draw(random_)),
        noise_(scenario.noise, kMostRuns, random_.next()),
        built_(scenario.plan.arms.size(), false) {}

  Played play() {
    Plan plan = scenario_.plan;
    plan.seed = random_.next() >> 11;
    const auto experiment = make_experiment(plan);
    Played played;
    for (std::size_t step = 0; step < kMostSteps; ++step) {
      const Step next = experiment->next(entries_, 0);
      if (const auto* conclusion = std::get_if<Conclusion>(&next)) {
        played.outcome = truth_.judge_record == nullptr ? truth_.judge(*conclusion)
                                                        : judge_record(plan, *conclusion);
        played.builds = static_cast<std::uint64_t>(std::count(built_.begin(), built_.end(), true));
        return played;
      }
      const auto* job = std::get_if<Job>(&next);
      ASSAY_CHECK(job != nullptr && !job->runs.empty(), "an experiment asks or concludes");
      for (const Run& run : job->runs) {
        if (!prepare(run.arm)) break;
        entries_.emplace_back(trial_of(run));
        ++played.runs;
      }
    }
    ASSAY_CHECK(false, "an experiment ends");
    return played;
  }

 private:
  Outcome judge_record(const Plan& plan, const Conclusion& conclusion) {
    Record record;
    record.plan = plan;
    record.entries = std::move(entries_);
    record.conclusion = conclusion;
    return truth_.judge_record(record);
  }

  bool prepare(std::uint32_t arm) {
    if (built_[arm]) return true;
    const bool builds = truth_.builds == nullptr || truth_.builds(arm);
    if (scenario_.plan.arms[arm].build)
      entries_.emplace_back(
          Build{.arm = arm,
                .commit = scenario_.plan.arms[arm].build->commit,
                .ok = builds,
                .duration = std::chrono::nanoseconds(std::llround(1e9 * scenario_.build_seconds))});
    built_[arm] = builds;
    return builds;
  }

  Trial trial_of(const Run& run) {
    if (truth_.run != nullptr)
      return truth_.run(run,
                        [this] { return noise_.next().cpu_s / scenario_.noise.typical.cpu_s; });
    const double value = noise_.next().cpu_s * std::exp(truth_.effect(run.arm));
    Trial trial;
    trial.arm = run.arm;
    trial.block = run.block;
    trial.slot = run.slot;
    trial.pad = run.pad;
    trial.warmup = run.warmup;
    trial.values = {value};
    trial.duration = std::chrono::nanoseconds(std::llround(1e9 * value));
    return trial;
  }

  const DesignScenario& scenario_;
  Random random_;
  DesignTruth truth_;
  Noise noise_;
  std::vector<bool> built_;
  std::vector<Entry> entries_;
};

DesignRow add_up(const DesignScenario& scenario, const std::vector<Played>& all) {
  DesignRow row{.kind = scenario.kind, .detail = scenario.detail, .noise = scenario.noise.name};
  row.repetitions = all.size();
  for (const Played& played : all) {
    const Outcome& outcome = played.outcome;
    const bool right = outcome.answer == Outcome::Answer::right;
    row.right += right;
    row.wrong += outcome.answer == Outcome::Answer::wrong;
    row.undecided += outcome.answer == Outcome::Answer::undecided;
    if (outcome.stated) {
      ++row.stated;
      row.stated_right += right;
      row.stated_sum += *outcome.stated;
    }
    row.search_runs += static_cast<double>(outcome.search_runs);
    row.claims += outcome.claims;
    row.of += outcome.of;
    row.runs += static_cast<double>(played.runs);
    row.builds += static_cast<double>(played.builds);
  }
  const auto n = static_cast<double>(all.size());
  row.search_runs /= n;
  row.runs /= n;
  row.builds /= n;
  return row;
}

}  // namespace

std::optional<DesignRow> simulate(const DesignScenario& scenario, const SimulateOptions& options) {
  const std::uint64_t seed =
      options.seed ^
      fnv1a64(fmt::format("{}|{}|{}", scenario.kind, scenario.detail, scenario.noise.name));
  std::vector<Played> all(options.repetitions);
  std::atomic<std::uint64_t> taken{0}, done{0};
  const auto work = [&](bool tells) {
    for (;;) {
      if (options.stop != nullptr && *options.stop) return;
      const std::uint64_t k = taken.fetch_add(1);
      if (k >= all.size()) return;
      all[k] = Game(scenario, Random(seed ^ k)).play();
      ++done;
      if (tells && options.on_progress) options.on_progress(done);
    }
  };
  std::vector<std::thread> helpers;
  for (unsigned i = 1; i < std::max(1u, options.threads); ++i) {
    try {
      helpers.emplace_back(work, false);
    } catch (const std::system_error&) {
      break;  // fewer threads do the same work
    }
  }
  work(true);
  for (std::thread& helper : helpers) helper.join();
  if (done < all.size()) return std::nullopt;
  return add_up(scenario, all);
}

Plan bare_design_plan(PlanKind kind, std::size_t arms, Design design, bool built) {
  Plan plan;
  plan.kind = kind;
  plan.time_budget_s = 0;
  plan.metrics = {Metric{.name = "cpu", .unit = "s", .gating = true}};
  plan.design = std::move(design);
  plan.id_for_order = "simulate";
  for (std::size_t i = 0; i < arms; ++i) {
    Subject subject{.label = fmt::format("arm {}", i), .argv = {"subject"}};
    if (built) subject.build = BuildSpec{.revision = subject.label, .commit = std::string(40, '0')};
    plan.arms.push_back(std::move(subject));
  }
  return plan;
}

}  // namespace assay::experiment
