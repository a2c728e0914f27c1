// SPDX-License-Identifier: Apache-2.0
// What an experiment found, as plain data. The rule is docs/statistics.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/audit_findings.hpp"
#include "model/findings.hpp"
#include "model/suite_compare_findings.hpp"
#include "model/suite_findings.hpp"

namespace assay {

enum class Verdict { equivalent, faster, undecided, slower, invalid, failed };

enum class Sign { none, slower, faster };

// Why a verdict is what it is. `decided` and `exact` belong to decisions, the others to UNDECIDED,
// INVALID or FAILED.
enum class Reason {
  decided,
  exact,
  borderline,
  noisy,
  too_few,
  noise_floor,
  non_positive,
  missing_metric,
  unreplicated_baseline,
  run_failed,
  timed_out,
  control_moved,
  sampled_too_little,
  workload_differs
};

// The rule's reading of one metric of one pair, in log units (ratio = exp). Higher = worse: a
// metric where more is better has been inverted before.
struct Reading {
  std::uint32_t runs = 0;                // per side, at the look that decided or the last look
  std::optional<double> estimate = {};   // log(candidate / baseline)
  std::optional<double> lo99{}, hi99{};  // nothing when the look gives no bound
  std::optional<double> lo95{}, hi95{};
  Sign sign = Sign::none;
  double p_seq = 1;
  std::optional<std::uint32_t> more =
      {};              // total runs per side predicted; nothing = not decidable here
  bool guard = false;  // the spread guard was on
  std::optional<double> tail_z = {};

  bool operator==(const Reading&) const = default;
};

struct MetricFinding {
  std::uint32_t arm = 1;     // the candidate's index into Plan::arms
  std::uint32_t metric = 0;  // index into Plan::metrics
  Verdict verdict = Verdict::undecided;
  Reason reason = Reason::too_few;
  Reading reading = {};
  bool judged = true;    // false: informational, a number without a word
  bool by_holm = false;  // decided by Holm at the end, not at a look
  std::optional<double> since_then =
      {};                      // log ratio of all runs when sampling went on past the look
  std::uint32_t all_runs = 0;  // per side, all complete blocks
  double baseline_median = 0, candidate_median = 0;  // of the runs of the reading, base units

  bool operator==(const MetricFinding&) const = default;
};

// The service of one stage of a candidate's runs against the baseline's: the mean over a run's
// spans is one value. The stages of a comparison are a family of their own (Holm), beside the
// gates.
struct StageFinding {
  std::string stage = {};
  MetricFinding finding = {};  // .metric counts the stages

  bool operator==(const StageFinding&) const = default;
};

// One benchmark of a suite, its candidate's time against the baseline's.
struct SuiteCompareRow {
  std::uint32_t unit = 0;  // index into SuitePlan::units
  std::string id = {};
  bool control = false;  // one that the change cannot reach
  Presence presence = Presence::both;
  MetricFinding finding = {};          // .metric counts the rows
  std::vector<FactChange> facts = {};  // not empty: the sides did not do the same work
  std::string trouble = {};            // why it has no verdict: "failed in run 7 (B)"

  bool operator==(const SuiteCompareRow&) const = default;
};

struct SuiteCompareFinding {
  std::uint32_t family = 0;  // benchmarks that share the 1 %; controls are a family of their own
  std::vector<SuiteCompareRow> rows = {};    // in the suite's order
  std::vector<SuiteCompareUnit> units = {};  // one each; with the suite in one process: one
  // exp of the mean estimate of the rows that are no controls and did the same work; a number
  // beside the verdicts, without a word.
  std::optional<double> geometric_mean = {};
  std::uint32_t mean_of = 0;

  bool operator==(const SuiteCompareFinding&) const = default;
};

enum class WarningKind {
  drift,
  position,
  bimodal,
  outliers,
  contention,
  outputs_differ,
  tails,
  short_runs,
  torn_log,
  control,
  left_behind,
  reruns,
  few_memory_samples,
  budget,
  spread,
  not_isolated,
  host,
  exit_codes,
  noise_floor,
  interrupted,
  counters,
  events,
  suite
};

struct Warning {
  WarningKind kind = WarningKind::host;
  std::string text = {};

  bool operator==(const Warning&) const = default;
};

enum class EndedBy { decided, max_runs, time_budget, futility, interrupted, failure, runs_done };

struct Conclusion {
  Verdict overall = Verdict::undecided;  // worst of the gating findings
  EndedBy ended_by = EndedBy::decided;
  std::vector<MetricFinding> findings = {};  // candidates in order, metrics in the plan's order
  std::vector<StageFinding> stages = {};     // with --events: candidates in order, stages in order
  std::vector<Warning> warnings = {};
  bool withheld = false;                         // the control arm moved: no verdict counts
  bool exploratory = false;                      // rejudged with other settings
  std::optional<std::size_t> failed_trial = {};  // index among the trials, when overall is failed
  std::string failure = {};                      // one clause: "run 5 (B) exited with status 2"
  // calibrate: floors per metric; empty otherwise
  struct Floor {
    std::uint32_t metric = 0;
    double sys_sigma = 0;
    int sys_k = 0;
    double pair_sigma = 0;
    double mdt_198 = 0;  // smallest tolerance that can be called EQUIVALENT at 198 runs a side
    bool operator==(const Floor&) const = default;
  };
  std::vector<Floor> floors = {};
  // Experiments over many arms.
  std::string answer = {};  // one clause: "STEP at cap=4", "3fa1c2d (97 %)"; empty = none
  std::vector<BrokenArm> broken = {};
  std::optional<SweepFinding> sweep = {};
  std::optional<AblateFinding> ablate = {};
  std::optional<BisectFinding> bisect = {};
  std::optional<TimelineFinding> timeline = {};
  std::optional<SuiteRunFinding> suite_run = {};
  std::optional<SuiteCompareFinding> suite_compare = {};
  std::optional<AuditFinding> audit = {};

  bool operator==(const Conclusion&) const = default;
};

}  // namespace assay
