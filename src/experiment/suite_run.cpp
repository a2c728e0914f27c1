// SPDX-License-Identifier: Apache-2.0
#include "experiment/suite_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <string_view>

#include "base/text.hpp"
#include "experiment/blocks.hpp"
#include "experiment/order.hpp"
#include "experiment/suite_audit_signs.hpp"
#include "stats/interval.hpp"
#include "stats/order.hpp"

namespace assay::experiment {
namespace {

constexpr std::uint32_t kTriesAtFirst = 2;  // of a unit that never worked; each may hang for long
constexpr double kLargeSpread = 0.5;        // among rounds of the same benchmark

double span_of(const Trial& trial) { return std::chrono::duration<double>(trial.duration).count(); }

std::string ending_of(const Trial& trial, const Plan& plan) {
  switch (trial.exit.how) {
    case Ending::exited:
      return fmt::format("its process exited with status {}", trial.exit.code);
    case Ending::signalled:
      return fmt::format("its process was killed by signal {}", trial.exit.code);
    case Ending::timed_out:
      return "its process timed out after " +
             format_seconds(plan.run.timeout_s > 0 ? std::min(plan.run.timeout_s, span_of(trial))
                                                   : span_of(trial));
    case Ending::not_started:
      break;
  }
  return "its process could not be started";
}

// What one benchmark gave, trial by trial.
struct Gathered {
  BenchmarkRow row;
  std::vector<double> values, setups;
};

void take_measurement(const Measurement& measurement, Gathered& to) {
  BenchmarkRow& row = to.row;
  switch (measurement.status) {
    case MeasurementStatus::ok:
      ++row.ok;
      if (measurement.value) to.values.push_back(*measurement.value);
      if (measurement.setup_s) to.setups.push_back(*measurement.setup_s);
      if (measurement.iterations)
        row.iterations = std::min(row.iterations.value_or(HUGE_VAL), *measurement.iterations);
      row.facts = measurement.facts;
      break;
    case MeasurementStatus::failed:
      ++row.failed;
      break;
    case MeasurementStatus::missing:
      ++row.missing;
      break;
    case MeasurementStatus::skipped:
      ++row.skipped;
      break;
  }
  if (!measurement.message.empty()) row.message = measurement.message;
}

void conclude_row(Gathered& from) {
  BenchmarkRow& row = from.row;
  const std::vector<double> ascending = stats::sorted(from.values);
  row.median = stats::median_of_sorted(ascending);
  row.setup_s = stats::median(from.setups);
  if (const auto interval = stats::median_interval(ascending, stats::Confidence(0.95))) {
    row.lo = interval->lo;
    row.hi = interval->hi;
  }
  if (ascending.size() >= 2 && ascending.front() > 0)
    row.spread = ascending.back() / ascending.front() - 1;
  if (row.ok > 0 && from.values.empty()) row.doubts.push_back("it reported no time");
  if (row.spread && *row.spread > kLargeSpread)
    row.doubts.push_back(fmt::format("its runs differ by {:.0f} %", 100 * *row.spread));
}

class Analyst {
 public:
  explicit Analyst(const Plan& plan) : plan_(plan), suite_(*plan.suite) {
    for (std::uint32_t u = 0; u < suite_.units.size(); ++u)
      for (const std::string& id : suite_.units[u].ids) row_of(u, id).listed = true;
    const bool whole = suite_.isolation == Isolation::suite;
    processes_.resize(whole ? 1 : suite_.units.size());
    for (std::uint32_t u = 0; u < processes_.size(); ++u) processes_[u].row.unit = u;
    wall_ = metric_at("wall");
    memory_ = metric_at("peak_mem");
  }

  void take(const Trial& trial) {
    for (const Measurement& measurement : trial.measurements) {
      if (measurement.position >= trial.units.size()) continue;
      const std::uint32_t unit = trial.units[measurement.position];
      if (unit >= suite_.units.size()) continue;
      row_of(unit, measurement.id);
      take_measurement(measurement, gathered_[{unit, measurement.id}]);
    }
    if (trial.units.empty()) return;
    if (trial.units.front() >= suite_.units.size()) return;
    Process& process = process_of(trial.units.front());
    ++process.row.runs;
    if (process_failed(trial, plan_)) {
      ++process.row.failed;
      process.row.message = ending_of(trial, plan_);
    } else {
      add(trial, wall_, process.walls);
      add(trial, memory_, process.memories);
    }
  }

  SuiteRunFinding finish(std::uint32_t rounds) {
    SuiteRunFinding found{.rounds = rounds};
    for (const Key& key : order_) {
      Gathered& gathered = gathered_[key];
      // A suite that is not listed: what came out once and not again has vanished too.
      BenchmarkRow& row = gathered.row;
      const std::uint32_t runs = process_of(key.first).row.runs;
      const std::uint32_t seen = row.ok + row.failed + row.missing + row.skipped;
      if (runs > seen) row.missing += runs - seen;
      conclude_row(gathered);
      found.benchmarks.push_back(std::move(gathered.row));
    }
    for (Process& process : processes_) {
      process.row.wall = stats::median(process.walls);
      process.row.peak_memory = stats::median(process.memories);
      process.row.given_up = process.row.runs > 0 && process.row.failed == process.row.runs &&
                             process.row.runs < plan_.runs;
      found.units.push_back(std::move(process.row));
    }
    return found;
  }

 private:
  using Key = std::pair<std::uint32_t, std::string>;
  struct Process {
    UnitRow row;
    std::vector<double> walls, memories;
  };

  Process& process_of(std::uint32_t unit) {
    return processes_[suite_.isolation == Isolation::suite ? 0 : unit];
  }

  BenchmarkRow& row_of(std::uint32_t unit, const std::string& id) {
    const Key key{unit, id};
    const auto [at, fresh] = gathered_.try_emplace(key);
    if (fresh) {
      order_.push_back(key);
      at->second.row = {.unit = unit, .id = id, .listed = false};
    }
    return at->second.row;
  }

  std::optional<std::size_t> metric_at(std::string_view name) const {
    const auto at = std::ranges::find(plan_.metrics, name, &Metric::name);
    if (at == plan_.metrics.end()) return std::nullopt;
    return static_cast<std::size_t>(at - plan_.metrics.begin());
  }
  static void add(const Trial& trial, std::optional<std::size_t> metric, std::vector<double>& to) {
    if (metric && *metric < trial.values.size() && trial.values[*metric])
      to.push_back(*trial.values[*metric]);
  }

  const Plan& plan_;
  const SuitePlan& suite_;
  std::optional<std::size_t> wall_, memory_;
  std::vector<Process> processes_;
  std::vector<Key> order_;
  std::map<Key, Gathered> gathered_;
};

std::string count_of(std::size_t n, std::string_view what) { return fmt::format("{} {}", n, what); }

// "2 of 40 benchmarks failed, 1 gave nothing"; empty when all is well.
std::string trouble_of(const SuiteRunFinding& found) {
  std::size_t failed = 0, missing = 0, dead = 0;
  for (const BenchmarkRow& row : found.benchmarks) {
    if (row.failed > 0) ++failed;
    if (row.failed == 0 && row.missing > 0) ++missing;
  }
  for (const UnitRow& row : found.units) dead += row.failed > 0 ? 1 : 0;
  std::vector<std::string> parts;
  if (failed > 0) parts.push_back(count_of(failed, "failed"));
  if (missing > 0) parts.push_back(count_of(missing, "went missing"));
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : ", ") + part;
  if (!text.empty()) return fmt::format("of {} benchmarks {}", found.benchmarks.size(), text);
  if (dead > 0)
    return fmt::format("{} of {} processes of the suite did not end well", dead,
                       found.units.size());
  const bool ran =
      std::ranges::any_of(found.units, [](const UnitRow& row) { return row.runs > 0; });
  return found.benchmarks.empty() && ran ? "no unit of the suite gave a benchmark" : "";
}

bool all_measured(const SuiteRunFinding& found) {
  return std::ranges::all_of(found.benchmarks, [](const BenchmarkRow& row) {
    return row.ok + row.failed + row.missing + row.skipped > 0;
  });
}

}  // namespace

bool process_failed(const Trial& trial, const Plan& plan) { return has_failed(trial, plan); }

SuiteRunFinding analyse_suite_run(const Plan& plan, std::span<const Entry> entries,
                                  std::uint32_t rounds) {
  Analyst analyst(plan);
  std::vector<const Trial*> trials;
  for (const Entry& entry : entries)
    if (const auto* trial = std::get_if<Trial>(&entry); trial && trial->arm == 0)
      trials.push_back(trial);
  for (const Trial* trial : trials) analyst.take(*trial);
  SuiteRunFinding found = analyst.finish(rounds);
  for (AuditDoubt& doubt : free_signs(*plan.suite, trials)) {
    if (doubt.kind == DoubtKind::missing) continue;  // counted in a column of its own
    const auto row = std::ranges::find_if(found.benchmarks, [&](const BenchmarkRow& one) {
      return one.unit == doubt.unit && one.id == doubt.id;
    });
    if (row != found.benchmarks.end()) row->doubts.push_back(std::move(doubt.text));
  }
  return found;
}

SuiteRun::SuiteRun(Plan plan) : plan_(std::move(plan)) { open_round(1); }

bool SuiteRun::is_given_up(std::uint32_t unit) const {
  const auto at = units_.find({unit});
  return at != units_.end() && !at->second.worked && at->second.failed_first >= kTriesAtFirst;
}

void SuiteRun::open_round(std::uint32_t round) {
  round_ = round;
  std::vector<std::uint32_t> all(plan_.suite->units.size());
  std::iota(all.begin(), all.end(), 0u);
  if (plan_.suite->isolation == Isolation::suite) {
    runs_ = shuffled_block(plan_.seed, plan_.id_for_order, round, {0}, 1);
    runs_.front().units = all;
  } else {
    std::erase_if(all, [&](std::uint32_t unit) { return is_given_up(unit); });
    runs_ = shuffled_block(plan_.seed, plan_.id_for_order, round, all, 1);
    for (Run& run : runs_) {
      run.units = {run.arm};
      run.arm = 0;
    }
  }
  for (Run& run : runs_) run = limited(std::move(run));
  made_.assign(runs_.size(), false);
}

// One that takes ten times as long as it ever did hangs.
Run SuiteRun::limited(Run run) const {
  const auto at = units_.find(run.units);
  if (at != units_.end() && at->second.longest > 0)
    run.limit_s = std::max(10 * at->second.longest, at->second.longest + 5);
  return run;
}

void SuiteRun::take(const Trial& trial) {
  ++runs_done_;
  const double seconds = span_of(trial);
  seconds_ += seconds;
  Unit& unit = units_[trial.units];
  ++unit.runs;
  if (process_failed(trial, plan_)) {
    if (!unit.worked) ++unit.failed_first;
  } else {
    unit.worked = true;
    unit.longest = std::max(unit.longest, seconds);
  }
  if (trial.block == round_ && trial.slot < made_.size()) made_[trial.slot] = true;
}

Step SuiteRun::next(std::span<const Entry> entries, std::size_t jobs_in_flight) {
  for (; entries_read_ < entries.size(); ++entries_read_) {
    const Entry& entry = entries[entries_read_];
    if (const auto* build = std::get_if<Build>(&entry))
      seconds_ += std::chrono::duration<double>(build->duration).count();
    const auto* trial = std::get_if<Trial>(&entry);
    if (trial == nullptr) continue;
    take(*trial);
    if (std::ranges::find(made_, false) == made_.end()) {
      rounds_seconds_ = seconds_;
      open_round(round_ + 1);
    }
  }
  const std::uint32_t complete = round_ - 1;
  const bool stopped = is_stopped(entries);
  const bool done = complete >= plan_.runs || runs_.empty();
  const double mean = runs_done_ > 0 ? seconds_ / runs_done_ : 0;
  const bool over = plan_.time_budget_s > 0 && seconds_ + mean > plan_.time_budget_s;
  if (!stopped && !done && !over) {
    if (jobs_in_flight > 0) return Wait{};
    const auto slot = static_cast<std::size_t>(std::ranges::find(made_, false) - made_.begin());
    const bool last = std::ranges::count(made_, false) == 1;
    return Job{.runs = {runs_[slot]}, .ends_block = last};
  }
  Conclusion conclusion;
  conclusion.ended_by = stopped ? EndedBy::interrupted
                        : done  ? EndedBy::runs_done
                                : EndedBy::time_budget;
  conclusion.suite_run = analyse_suite_run(plan_, entries, std::min(complete, plan_.runs));
  conclusion.failure = trouble_of(*conclusion.suite_run);
  conclusion.overall = !conclusion.failure.empty()           ? Verdict::failed
                       : all_measured(*conclusion.suite_run) ? Verdict::equivalent
                                                             : Verdict::undecided;
  conclusion.answer =
      conclusion.failure.empty()
          ? fmt::format("{} benchmarks, {} rounds", conclusion.suite_run->benchmarks.size(),
                        conclusion.suite_run->rounds)
          : conclusion.failure;
  return conclusion;
}

Progress SuiteRun::progress() const {
  Progress progress;
  progress.blocks_done = round_ - 1;
  progress.runs_done = runs_done_;
  progress.seconds_used = seconds_;
  const auto open = static_cast<std::size_t>(std::ranges::find(made_, false) - made_.begin());
  if (runs_done_ > 0) {
    const double mean = seconds_ / runs_done_;
    const auto left_here = static_cast<double>(std::ranges::count(made_, false));
    const double rounds_left = plan_.runs > round_ ? plan_.runs - round_ : 0;
    double left = mean * (left_here + rounds_left * static_cast<double>(runs_.size()));
    if (plan_.time_budget_s > 0)
      left = std::min(left, std::max(0.0, plan_.time_budget_s - seconds_));
    progress.seconds_left = left;
    progress.block_seconds = mean * static_cast<double>(runs_.size());
  }
  if (open < runs_.size()) {
    const std::vector<std::uint32_t>& units = runs_[open].units;
    progress.status =
        fmt::format("round {} of {}, {} of {}: {}", round_, plan_.runs, open + 1, runs_.size(),
                    units.size() == 1 ? plan_.suite->units[units.front()].name
                                      : std::string("the whole suite"));
  }
  return progress;
}

}  // namespace assay::experiment
