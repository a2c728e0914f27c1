// SPDX-License-Identifier: Apache-2.0
// What the experiments over many arms found, as plain data. Effects are in log units (ratio = exp);
// higher = worse: a metric where more is better has been inverted before. Arms, changes and commits
// are indices into the plan and its design. The methods: docs/experiments.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace assay {

enum class Shape { flat, trend, step, undecided };

struct Estimate {
  double value = 0;                  // log units
  std::optional<double> lo{}, hi{};  // nothing when the data give no bound

  bool operator==(const Estimate&) const = default;
};

// An arm that gave no more runs: a result like any other.
struct BrokenArm {
  std::uint32_t arm = 0;
  bool built = true;  // false: it could not even be built
  std::string why =
      {};  // a clause: "does not build", "exited with status 3", "timed out after 2 s"

  bool operator==(const BrokenArm&) const = default;
};

// One arm beside the reference arm.
struct ArmFinding {
  std::uint32_t arm = 0;
  std::uint32_t runs = 0;             // that count
  double median = 0;                  // of the metric, base units
  Estimate effect = {};               // against the reference arm
  std::optional<double> memory = {};  // median peak, bytes
  std::optional<Estimate> memory_effect = {};

  bool operator==(const ArmFinding&) const = default;
};

// --- sweep

struct ParameterFinding {
  std::uint32_t parameter = 0;
  Shape shape = Shape::undecided;
  std::optional<std::uint32_t> at = {};  // STEP: index of the first level behind it
  std::vector<double> z = {};  // of the contrasts: [0] trend, [j] step in front of level j
  std::vector<double> p_holm = {};
  Estimate effect = {};  // STEP: levels behind it against those in front; else last against first

  bool operator==(const ParameterFinding&) const = default;
};

// Two parameters: the arm whose value is farthest from what the two alone would give together.
struct Interaction {
  std::uint32_t arm = 0;
  Estimate effect = {};  // beyond the sum of both

  bool operator==(const Interaction&) const = default;
};

// Peak memory = base + slope * level, by least squares over the medians of the levels.
struct MemoryLine {
  double base = 0, slope = 0;                     // bytes, bytes per unit of the level
  double largest_residual = 0;                    // bytes
  std::optional<std::uint32_t> largest_fit = {};  // arm: the largest level measured within budget
  std::optional<double> predicted_fit = {};       // level at which the line crosses the budget

  bool operator==(const MemoryLine&) const = default;
};

struct SweepFinding {
  std::uint32_t rounds = 0;
  std::vector<ParameterFinding> parameters = {};
  std::vector<ArmFinding> levels = {};     // arms in order, against the first
  std::vector<std::uint32_t> pareto = {};  // arms that no other beats in both metric and memory
  std::optional<std::uint32_t> knee = {};  // arm
  std::optional<MemoryLine> memory = {};
  std::optional<Interaction> interaction = {};  // two parameters, none of whose arms is broken

  bool operator==(const SweepFinding&) const = default;
};

// --- ablate

// One cause: a change, or two that act only together (AND), or alike alone and together (OR).
struct Term {
  std::vector<std::uint32_t> changes = {};
  bool either = false;                        // OR
  Estimate effect = {};                       // on against off
  double probability = 0;                     // posterior
  bool named = false;                         // confirmed, or its interval clears the tolerance
  std::optional<std::uint32_t> finding = {};  // index into Conclusion::findings: the confirmation
  // What switching it off in the all-on state gives; of an AND: its first change alone.
  std::optional<Estimate> reverting = {};

  bool operator==(const Term&) const = default;
};

// A main effect or interaction as classical description (rule.md section 6).
struct EffectRow {
  std::uint32_t changes = 0;  // bit mask
  Estimate effect = {};
  std::optional<double> p_holm = {};  // only on a full factorial with enough rounds

  bool operator==(const EffectRow&) const = default;
};

enum class Reproduced { yes, no, better, unknown };  // better: all on is the faster side

// Why configurations fail: those with all of `on` on and all of `off` off (bit masks). "A without B
// does not build" is {A, B}.
struct FailureRule {
  std::uint32_t on = 0, off = 0;

  bool operator==(const FailureRule&) const = default;
};

struct AblateFinding {
  Reproduced reproduced = Reproduced::unknown;
  bool revert_all = false;                      // all off is the best configuration
  std::vector<Term> terms = {};                 // decided ones, the largest effect first
  std::vector<Term> undecided = {};             // neither in nor out
  std::optional<std::uint32_t> more_runs = {};  // that would decide those, predicted
  double certainty = 0;  // posterior of the answer: just these terms, beside such as do not matter
  std::vector<ArmFinding> configurations = {};  // measured ones, against all off
  std::vector<EffectRow> effects = {};
  std::uint32_t best = 0;     // arm
  Estimate best_effect = {};  // against all on
  Estimate remainder = {};    // of all-on against all-off that the terms do not explain
  std::uint32_t runs = 0;     // of the design, without reproduction and confirmation
  std::vector<FailureRule> failures = {};

  bool operator==(const AblateFinding&) const = default;
};

// --- bisect

struct CommitFinding {
  std::uint32_t commit = 0;
  std::uint32_t runs = 0;
  double median = 0;       // of the metric, base units; 0 without runs
  double probability = 0;  // that the change came with this commit

  bool operator==(const CommitFinding&) const = default;
};

struct Culprit {
  std::uint32_t commit = 0;
  double probability = 0;
  Estimate effect = {};                 // this commit against its parent side
  std::vector<std::uint32_t> set = {};  // smallest set with 97 %
  bool named = false;  // one commit, and its comparison, if there was one, has the same sign
  std::optional<std::uint32_t> finding = {};   // index into Conclusion::findings: the confirmation
  std::optional<std::uint32_t> reverted = {};  // the same: the bad end without it

  bool operator==(const Culprit&) const = default;
};

struct BisectFinding {
  Reproduced reproduced = Reproduced::unknown;  // better: the bad end is the faster one
  Estimate anchors = {};                        // bad against good
  std::vector<Culprit> culprits = {};           // the likeliest, or largest, first
  std::vector<CommitFinding> commits = {};      // of the path that was searched, oldest first
  std::uint32_t runs = 0;                       // of anchors and search, without confirmation
  std::optional<std::uint32_t> more_runs = {};  // that would name what is not named, predicted

  bool operator==(const BisectFinding&) const = default;
};

// --- timeline

struct TimelineCommit {
  ArmFinding to_first = {};
  Estimate to_parent = {};
  std::optional<Estimate> memory_to_parent = {};
  bool step = false;  // the metric changed with this commit
  bool memory_step = false;
  // A step's size: the commits behind it, up to the next step, against those in front of it.
  std::optional<Estimate> step_effect = {};
  std::optional<Estimate> memory_step_effect = {};
  std::optional<std::uint32_t> undone_by = {};  // arm of the later step that took this one back

  // What the step made of the metric, of peak memory; nothing without a step. Records of before
  // these sizes were kept have the change to the parent alone.
  std::optional<Estimate> step_change() const {
    return !step ? std::nullopt : step_effect ? step_effect : std::optional(to_parent);
  }
  std::optional<Estimate> memory_step_change() const {
    return !memory_step ? std::nullopt : memory_step_effect ? memory_step_effect : memory_to_parent;
  }

  bool operator==(const TimelineCommit&) const = default;
};

struct TimelineFinding {
  std::uint32_t rounds = 0;
  std::vector<TimelineCommit> commits = {};  // arms in order
  bool back_at_first = false;                // the last one equals the first within the tolerance

  bool operator==(const TimelineFinding&) const = default;
};

}  // namespace assay
