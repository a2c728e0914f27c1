// SPDX-License-Identifier: Apache-2.0
#include "experiment/simulate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <system_error>
#include <thread>

#include "base/check.hpp"
#include "base/random.hpp"
#include "experiment/calibrate.hpp"
#include "experiment/experiment.hpp"
#include "experiment/order.hpp"
#include "experiment/pairs.hpp"
#include "verdict/family.hpp"
#include "verdict/imported.hpp"

namespace assay::experiment {
namespace {

constexpr std::uint64_t kChunk = 16;       // comparisons that a thread takes at a time
constexpr std::uint32_t kFloorCopies = 5;  // differently laid-out copies of `assay calibrate`
constexpr double kTie = 1e-12;             // log units, as in the rule

// --- a machine that runs nothing

// The factor on each metric of each arm, truth and layout together.
using Factors = std::vector<std::vector<double>>;

class Machine {
 public:
  Machine(const Scenario& scenario, Factors factors, std::size_t runs, std::uint64_t seed)
      : scenario_(scenario), factors_(std::move(factors)), noise_(scenario.noise, runs, seed) {
    for (std::size_t stage = 0; stage < scenario.stages.size(); ++stage)
      stage_noise_.emplace_back(scenario.noise, runs, seed + 1 + stage);
  }

  Trial run(const Run& run) {
    const NoisyRun noisy = noise_.next();
    Trial trial;
    trial.arm = run.arm;
    trial.block = run.block;
    trial.slot = run.slot;
    trial.pad = run.pad;
    trial.warmup = run.warmup;
    trial.values.reserve(scenario_.channels.size());
    for (std::size_t m = 0; m < scenario_.channels.size(); ++m)
      trial.values.emplace_back(value(noisy, m, factors_[run.arm][m]));
    for (std::size_t stage = 0; stage < stage_noise_.size(); ++stage)
      trial.stages.push_back({.stage = fmt::format("stage {}", stage + 1),
                              .spans = 1,
                              .service_s = stage_noise_[stage].next().wall_s *
                                           (run.arm == 1 ? scenario_.stages[stage] : 1)});
    const double scale =
        scenario_.run_seconds ? *scenario_.run_seconds / scenario_.noise.typical.wall_s : 1;
    trial.duration = std::chrono::nanoseconds(std::llround(1e9 * scale * noisy.wall_s));
    return trial;
  }

 private:
  double value(const NoisyRun& noisy, std::size_t metric, double factor) const {
    switch (scenario_.channels[metric]) {
      case Channel::wall:
        return noisy.wall_s * factor;
      case Channel::cpu:
        return noisy.cpu_s * factor;
      case Channel::memory:
        return noisy.peak_bytes * factor;
      case Channel::rate:
        return 1 / (noisy.wall_s * factor);
    }
    return 0;
  }

  const Scenario& scenario_;
  Factors factors_;
  Noise noise_;
  std::vector<Noise> stage_noise_;  // each stage varies by itself
};

// How many runs a plan can ask for.
std::size_t most_runs(const Plan& plan) {
  const std::size_t arms = plan.arms.size();
  switch (plan.kind) {
    case PlanKind::compare:
      return arms * (1 + plan.max_runs);
    case PlanKind::sessions:
      return arms * plan.runs;
    case PlanKind::calibrate:
      return arms + 2 * kRunsPerArm * kBlocksPerFloor * plan.runs;
    case PlanKind::measure:
      return arms * plan.runs;
    default:
      break;  // simulate_design.hpp
  }
  return arms;
}

// --- one comparison, or several of one question

class Game {
 public:
  Game(const Scenario& scenario, Random random) : scenario_(scenario), random_(random) {}

  // The conclusions of the comparisons, in order; the last one, when read again, instead of the
  // original.
  std::vector<Conclusion> play(std::vector<Entry>& entries) {
    Plan plan = scenario_.plan;
    draw_layouts();
    if (scenario_.calibrated) plan.floors = calibrate(entries);
    std::vector<Conclusion> conclusions;
    for (std::uint32_t i = 0; i < scenario_.times; ++i) {
      conclusions.push_back(drive(plan, factors_, entries));
      if (scenario_.times > 1) plan.earlier_p.push_back(smallest_p(plan, conclusions.back()));
    }
    if (scenario_.rejudged_at) conclusions.back() = rejudge(plan, entries);
    return conclusions;
  }

 private:
  double layout() { return std::exp(scenario_.layout_sd * random_.normal()); }

  void draw_layouts() {
    factors_ = scenario_.worse;
    if (scenario_.layout_sd == 0) return;
    for (auto& arm : factors_) {
      const double offset = layout();
      for (double& factor : arm) factor *= offset;
    }
  }

  // Asks for jobs and makes their runs until the experiment concludes.
  Conclusion drive(Plan& plan, const Factors& factors, std::vector<Entry>& entries) {
    plan.seed = random_.next();
    Machine machine(scenario_, factors, most_runs(plan), random_.next());
    if (scenario_.imported) return imported(plan, machine, entries);
    const auto experiment = make_experiment(plan);
    entries.clear();
    for (;;) {
      Step step = experiment->next(entries, 0);
      if (auto* conclusion = std::get_if<Conclusion>(&step)) return std::move(*conclusion);
      const Job* job = std::get_if<Job>(&step);
      ASSAY_CHECK(job != nullptr, "nothing is in flight, so there is a job or an answer");
      for (const Run& run : job->runs) entries.emplace_back(machine.run(run));
    }
  }

  // What `compare --imported` says of files that were made in turn, one process each, a second
  // apart.
  static Conclusion imported(const Plan& plan, Machine& machine, std::vector<Entry>& entries) {
    entries.clear();
    std::vector<verdict::ImportedProcess> sides[2];
    for (std::uint32_t i = 0; i < 2 * plan.runs; ++i) {
      const std::uint32_t arm = (i + 1) / 2 % 2;  // ABBA
      Trial trial = machine.run({.arm = arm, .block = i / 2 + 1, .slot = i % 2});
      trial.started_at_ms = std::int64_t{i} * 1000;
      sides[arm].push_back({*trial.values.front(), trial.started_at_ms});
      entries.emplace_back(std::move(trial));
    }
    const auto found = verdict::judge_imported(sides[0], sides[1], {plan.tolerance, 0.01});
    Conclusion conclusion;
    conclusion.overall = found.decision.verdict;
    conclusion.ended_by = EndedBy::runs_done;
    conclusion.findings = {{.verdict = found.decision.verdict,
                            .reason = found.decision.reason,
                            .reading = found.decision.reading,
                            .all_runs = plan.runs}};
    return conclusion;
  }

  // Other builds of the baseline against the one that is compared later.
  std::vector<NoiseFloor> calibrate(std::vector<Entry>& entries) {
    Plan plan = scenario_.plan;
    plan.kind = PlanKind::calibrate;
    plan.runs = kFloorCopies;
    plan.arms.assign(1 + kFloorCopies, scenario_.plan.arms[0]);
    Factors factors = {factors_[0]};
    for (std::uint32_t copy = 0; copy < kFloorCopies; ++copy)
      factors.emplace_back(plan.metrics.size(), layout());
    std::vector<NoiseFloor> floors;
    for (const Conclusion::Floor& floor : drive(plan, factors, entries).floors)
      floors.push_back({.metric = plan.metrics[floor.metric].name,
                        .sys_sigma = floor.sys_sigma,
                        .sys_k = floor.sys_k,
                        .pair_sigma = floor.pair_sigma});
    return floors;
  }

  // What the store remembers of a comparison for the next one of the same kind.
  static double smallest_p(const Plan& plan, const Conclusion& conclusion) {
    double p = 1;
    for (const MetricFinding& found : conclusion.findings)
      if (plan.metrics[found.metric].gating) p = std::min(p, found.reading.p_seq);
    return p;
  }

  // `assay rejudge`: the runs are what they are, and end where they end.
  Conclusion rejudge(Plan plan, std::vector<Entry>& entries) const {
    plan.tolerance = *scenario_.rejudged_at;
    plan.time_budget_s = 0;
    const auto experiment = make_experiment(plan);
    Step step = experiment->next(entries, 0);
    if (!std::holds_alternative<Conclusion>(step)) {
      entries.emplace_back(Stop{});
      step = experiment->next(entries, 0);
    }
    return std::get<Conclusion>(std::move(step));
  }

  const Scenario& scenario_;
  Random random_;
  Factors factors_;
};

// --- held against the truth

Verdict wanted_verdict(double worse, double tolerance) {
  const double effect = std::log(worse), edge = std::log1p(tolerance) - kTie;
  return effect >= edge ? Verdict::slower : effect <= -edge ? Verdict::faster : Verdict::equivalent;
}

bool is_claim(Verdict verdict) { return verdict == Verdict::slower || verdict == Verdict::faster; }

Sign sign_of(double worse) {
  return worse > 1 ? Sign::slower : worse < 1 ? Sign::faster : Sign::none;
}

// A false alarm where nothing is different, else a direction that is not the true one.
bool is_wrong(const MetricFinding& found, double worse) {
  if (worse == 1) return is_claim(found.verdict);
  return found.reading.sign != Sign::none && found.reading.sign != sign_of(worse);
}

// The tallies of a scenario: one of each finding (the control's too), one of the whole, and one of
// the yes-or-no question that the scenario asks.
class Scorer {
 public:
  explicit Scorer(const Scenario& scenario) : scenario_(scenario) {
    const Plan& plan = scenario.plan;
    Verdict worst = Verdict::equivalent;
    for (std::uint32_t arm = 1; arm < plan.arms.size(); ++arm) {
      const std::string prefix = plan.arms.size() > 2 ? arm_letter(arm, plan) + " " : "";
      for (std::uint32_t m = 0; m < plan.metrics.size(); ++m) {
        const double worse = scenario.worse[arm][m];
        const Verdict wanted = wanted_verdict(worse, tolerance_of(m));
        if (plan.metrics[m].gating && plan.control != arm) worst = std::max(worst, wanted);
        metrics_.push_back(
            {.what = prefix + plan.metrics[m].name, .ratio = worse, .wanted = wanted});
      }
    }
    overall_ = {.what = "overall", .ratio = scenario.worse[1][0], .wanted = worst};
    for (std::size_t stage = 0; stage < scenario.stages.size(); ++stage) {
      const double worse = scenario.stages[stage];
      stages_.push_back({.what = fmt::format("stage {}", stage + 1),
                         .ratio = worse,
                         .wanted = wanted_verdict(worse, scenario.tolerance)});
    }
    if (!stages_.empty()) any_stage_ = Tally{.what = "a stage that did not change", .ratio = 1};
    if (plan.control) {
      const double worse = scenario.worse[*plan.control][0];
      question_ = Tally{.what = "withheld", .ratio = worse, .wanted_yes = worse != 1};
    } else if (scenario.times > 1) {
      question_ = Tally{.what = fmt::format("any of {} claims", scenario.times),
                        .ratio = scenario.ratio,
                        .wanted_yes = is_claim(worst)};
    }
  }

  void score(const std::vector<Conclusion>& conclusions) {
    const Conclusion& last = conclusions.back();
    ASSAY_CHECK(last.findings.size() == metrics_.size(), "a finding of every arm and metric");
    bool any_wrong = false, any_sign = false;
    for (std::size_t i = 0; i < metrics_.size(); ++i) {
      const MetricFinding& found = last.findings[i];
      score_finding(found, metrics_[i]);
      if (!scenario_.plan.metrics[found.metric].gating || scenario_.plan.control == found.arm)
        continue;
      any_wrong = any_wrong || is_wrong(found, metrics_[i].ratio);
      any_sign = any_sign || found.reading.sign != Sign::none;
    }
    ++overall_.comparisons;
    ++overall_.verdicts[static_cast<std::size_t>(last.overall)];
    overall_.right += last.overall == overall_.wanted;
    overall_.wrong += any_wrong;
    overall_.signs += any_sign;
    overall_.runs += last.findings.front().all_runs;
    if (any_stage_) score_stages(last.stages);
    if (question_) answer(conclusions);
  }

  std::vector<Tally> tallies() const {
    std::vector<Tally> all = metrics_;
    all.push_back(overall_);
    all.insert(all.end(), stages_.begin(), stages_.end());
    if (any_stage_) all.push_back(*any_stage_);
    if (question_) all.push_back(*question_);
    return all;
  }

 private:
  double tolerance_of(std::uint32_t m) const {
    if (scenario_.channels[m] != Channel::memory) return scenario_.tolerance;
    return verdict::memory_tolerance(scenario_.tolerance, scenario_.noise.typical.peak_bytes);
  }

  static void score_finding(const MetricFinding& found, Tally& tally) {
    const Reading& reading = found.reading;
    ++tally.comparisons;
    ++tally.verdicts[static_cast<std::size_t>(found.verdict)];
    tally.right += found.verdict == tally.wanted;
    tally.wrong += is_wrong(found, tally.ratio);
    tally.signs += reading.sign != Sign::none;
    tally.runs += reading.runs;
    if (!reading.lo99 || !reading.hi99) return;
    const double truth = std::log(tally.ratio);
    ++tally.intervals;
    tally.covered += *reading.lo99 <= truth + kTie && *reading.hi99 >= truth - kTie;
  }

  // Each stage by itself, and whether any claim was made of one that did not change.
  void score_stages(const std::vector<StageFinding>& found) {
    ASSAY_CHECK(found.size() == stages_.size(), "a finding of every stage");
    bool any = false;
    for (std::size_t i = 0; i < stages_.size(); ++i) {
      score_finding(found[i].finding, stages_[i]);
      any = any || (stages_[i].ratio == 1 && is_claim(found[i].finding.verdict));
    }
    ++any_stage_->comparisons;
    any_stage_->right += !any;
    any_stage_->wrong += any;
  }

  void answer(const std::vector<Conclusion>& conclusions) {
    const auto claims = [&](const Conclusion& conclusion) {
      return std::any_of(
          conclusion.findings.begin(), conclusion.findings.end(), [&](const MetricFinding& found) {
            return scenario_.plan.metrics[found.metric].gating && is_claim(found.verdict);
          });
    };
    const bool yes = scenario_.plan.control
                         ? conclusions.back().withheld
                         : std::any_of(conclusions.begin(), conclusions.end(), claims);
    ++question_->comparisons;
    question_->right += yes == question_->wanted_yes;
    question_->wrong += yes && !question_->wanted_yes;
  }

  const Scenario& scenario_;
  std::vector<Tally> metrics_;  // in the order of the findings
  Tally overall_;
  std::vector<Tally> stages_;       // --events
  std::optional<Tally> any_stage_;  // yes-or-no: a claim where nothing changed
  std::optional<Tally> question_;
};

void add(std::vector<Tally>& sum, const std::vector<Tally>& part) {
  for (std::size_t i = 0; i < sum.size(); ++i) {
    Tally& to = sum[i];
    const Tally& from = part[i];
    to.comparisons += from.comparisons;
    for (std::size_t v = 0; v < to.verdicts.size(); ++v) to.verdicts[v] += from.verdicts[v];
    to.right += from.right;
    to.wrong += from.wrong;
    to.signs += from.signs;
    to.intervals += from.intervals;
    to.covered += from.covered;
    to.runs += from.runs;
  }
}

// --- many comparisons on many threads

class Crowd {
 public:
  Crowd(const Scenario& scenario, const SimulateOptions& options)
      : scenario_(scenario),
        options_(options),
        seed_(options.seed ^ fnv1a64(fmt::format("{}|{}|{}|{}", scenario.path, scenario.detail,
                                                 scenario.noise.name, scenario.ratio))) {}

  std::optional<std::vector<Tally>> run() {
    const unsigned threads = std::max(1u, options_.threads);
    std::vector<Scorer> scorers(threads, Scorer(scenario_));
    std::vector<std::thread> helpers;
    for (unsigned i = 1; i < threads; ++i) {
      try {
        helpers.emplace_back([this, &scorer = scorers[i]] { work(scorer, false); });
      } catch (const std::system_error&) {
        break;  // no more threads to be had: fewer do the same work
      }
    }
    work(scorers[0], true);
    for (std::thread& helper : helpers) helper.join();
    if (done_ < options_.repetitions) return std::nullopt;
    std::vector<Tally> sum = scorers[0].tallies();
    for (unsigned i = 1; i < threads; ++i) add(sum, scorers[i].tallies());
    return sum;
  }

 private:
  void work(Scorer& scorer, bool tells) {
    std::vector<Entry> entries;
    for (;;) {
      if (options_.stop != nullptr && *options_.stop) return;
      const std::uint64_t first = taken_.fetch_add(kChunk);
      if (first >= options_.repetitions) return;
      const std::uint64_t end = std::min(first + kChunk, options_.repetitions);
      for (std::uint64_t k = first; k < end; ++k)
        scorer.score(Game(scenario_, Random(seed_ ^ k)).play(entries));
      done_ += end - first;
      if (tells && options_.on_progress) options_.on_progress(done_);
    }
  }

  const Scenario& scenario_;
  const SimulateOptions& options_;
  std::uint64_t seed_;
  std::atomic<std::uint64_t> taken_{0}, done_{0};
};

}  // namespace

std::vector<Tally> blank_tallies(const Scenario& scenario) { return Scorer(scenario).tallies(); }

std::optional<SimulatedRow> simulate(const Scenario& scenario, const SimulateOptions& options) {
  auto tallies = Crowd(scenario, options).run();
  if (!tallies) return std::nullopt;
  return SimulatedRow{scenario, std::move(*tallies)};
}

RateInterval rate_interval(std::uint64_t count, std::uint64_t of) {
  ASSAY_CHECK(of >= 1 && count <= of, "a rate among trials");
  constexpr double kZ = 1.959964;  // two-sided normal quantile of 95 %
  const double n = static_cast<double>(of), rate = static_cast<double>(count) / n;
  const double middle = (rate + kZ * kZ / (2 * n)) / (1 + kZ * kZ / n);
  const double half =
      kZ / (1 + kZ * kZ / n) * std::sqrt(rate * (1 - rate) / n + kZ * kZ / (4 * n * n));
  return {count == 0 ? 0 : middle - half, count == of ? 1 : middle + half};
}

}  // namespace assay::experiment
