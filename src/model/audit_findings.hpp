// SPDX-License-Identifier: Apache-2.0
// What `suite audit` found: benchmarks whose time depends on what ran before them, who did that to
// them and how, what a run says against itself, and what the units keep in memory. Units are
// indices into SuitePlan::units; times are seconds an iteration.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/suite.hpp"

namespace assay {

// What a run says against itself, for free.
enum class DoubtKind {
  single,        // one iteration, or a tenth of what another run of it made
  over_budget,   // timed far longer than the other benchmarks
  first_sample,  // more than half of the timed total
  skewed,        // mean of the samples above 1.5 times their median
  missing,       // did not come out, and the process ended with status 0
  facts,         // the workload is not the same in all runs
  setup,         // near what the others are timed for
  too_fast       // an iteration takes less than a nanosecond
};

struct AuditDoubt {
  DoubtKind kind = DoubtKind::single;
  std::uint32_t unit = 0;
  std::string id = {};
  double figure = 0;      // the number that `text` states: iterations, times, a share, seconds
  std::string text = {};  // a clause: "its first sample is 97 % of the timed total"

  bool operator==(const AuditDoubt&) const = default;
};

// In which order of the suite a benchmark is not what it is alone.
enum class AuditOrder {
  suite,     // its own
  reversed,  // the last unit first
  random,    // shuffled
  twice      // right behind itself
};

enum class Mechanism {
  not_shown,
  workload,         // a fact that the benchmark reports has another value
  setup_in_timing,  // a cost that comes once lies inside the timed region
  setup_in_budget,  // setup takes the time that iterations should have had
  garbage,          // collecting or allocating inside the timed region
  cache             // the same instructions take more cycles: caches or layout
};

// Units that change a benchmark when they run in front of it; several = only together.
struct Polluter {
  std::vector<std::uint32_t> units = {};
  double factor = 1;       // behind them / alone
  std::uint32_t runs = 0;  // a side, of the confirmation; 0 = not confirmed
  bool confirmed = false;  // [polluter, victim] against [victim], fresh runs
  bool shared = false;     // the other victims of this polluter ran in the same processes
  bool operator==(const Polluter&) const = default;
};

struct AuditVictim {
  std::uint32_t unit = 0;
  std::string id = {};
  bool slower = true;  // than alone: a victim; false: faster, brittle
  AuditOrder order = AuditOrder::suite;
  double alone_s = 0, behind_s = 0;  // medians
  double factor = 1;                 // behind / alone
  double threshold = 1.1;            // the factor (or its inverse) that counts here
  double p = 1;                      // after Benjamini-Hochberg
  double alone_n = 0, behind_n = 0;  // iterations behind a value, fewest
  std::vector<Polluter> polluters = {};
  std::vector<std::vector<std::uint32_t>> cleaners = {};  // between polluter and victim: harmless
  Mechanism mechanism = Mechanism::not_shown;
  std::string evidence = {};  // the number behind the mechanism, or what was looked at
  std::string open = {};      // why no polluter is named, when none is
  bool reproduced = false;    // again in a fresh run of the same order

  bool operator==(const AuditVictim&) const = default;
};

// A benchmark without a verdict.
struct AuditOpen {
  std::uint32_t unit = 0;
  std::string id = {};
  std::optional<double> factor = {};  // in the suite / alone, when both are known
  std::string why = {};               // "n = 1 alone, 30 are needed"

  bool operator==(const AuditOpen&) const = default;
};

struct AuditMissing {
  std::uint32_t unit = 0;
  std::string id = {};
  bool alone = false, in_suite = false;  // where it did not come out
  bool exit_zero = false;                // and the process said that all was well
  std::string message = {};              // what the run said, when it said something

  bool operator==(const AuditMissing&) const = default;
};

// What a unit keeps and what it needs for a while; bytes. Nothing where the suite does not tell.
struct UnitMemory {
  std::uint32_t unit = 0;
  std::optional<double> retained = {};   // held behind it more than before it, in the suite
  std::optional<double> transient = {};  // peak of its own process above what is held in the end
  std::optional<double> peak = {};       // of its own process
  std::optional<double> held = {};       // behind it, in the suite
  bool crosses = false;                  // with it the suite goes over the budget
  bool fills = false;                    // among those that fill the budget in front of that unit

  bool operator==(const UnitMemory&) const = default;
};

// Why a benchmark differs between two revisions.
enum class MovedBy {
  nothing,
  code,      // its time alone moved
  suite,     // only its time in the suite moved
  workload,  // its facts are others
  coverage   // it is gone
};

struct AuditMoved {
  std::uint32_t unit = 0;
  std::string id = {};
  MovedBy by = MovedBy::nothing;
  std::optional<double> alone = {}, in_suite = {};  // candidate / baseline
  std::string text = {};                            // "validators 250000 -> 10000"

  bool operator==(const AuditMoved&) const = default;
};

// A benchmark that measured something else behind others: a fact that it reports has one value
// alone and another there. Facts do not vary as times do: no test stands behind it, only the runs.
struct AuditChanged {
  std::uint32_t unit = 0;
  std::string id = {};
  std::string text = {};                   // "validators 4096 -> 256"
  std::vector<std::uint32_t> behind = {};  // each of these explains all runs, one did it
  std::uint32_t changed = 0, same = 0;     // runs with the other value, and with its own

  bool operator==(const AuditChanged&) const = default;
};

// What the pairs say of every benchmark, whether or not it was found guilty of anything.
struct AuditTimes {
  std::uint32_t unit = 0;
  std::string id = {};
  std::optional<double> alone_s = {}, behind_s = {};  // medians, behind in the suite's own order
  double alone_n = 0, behind_n = 0;  // iterations behind a value, fewest; 0: unknown
  std::uint32_t alone_runs = 0, behind_runs = 0;
  double least_seen = 0;  // the smallest factor that would have counted; 0: unknown
  bool judged = false;    // it has an answer: it is not among `open`

  bool operator==(const AuditTimes&) const = default;
};

// What a stage of the audit cost.
struct AuditCost {
  std::string stage = {};  // "alone", "suite", "orders", "twice", "search", "memory"
  std::uint32_t runs = 0;
  double seconds = 0;

  bool operator==(const AuditCost&) const = default;
};

struct AuditFinding {
  std::uint32_t benchmarks = 0;  // with values on both sides
  std::uint32_t judged = 0;      // of them: with an answer, none of `open`
  double spread = 0;             // median over the benchmarks of the largest A/A difference, log
  double shift = 1;              // median of in-suite / alone over the benchmarks
  double suite_s = 0;            // of one run of the whole suite, median
  std::vector<AuditVictim> victims = {};  // the largest factor first
  std::vector<AuditOpen> open = {};
  std::vector<AuditDoubt> doubts = {};
  std::vector<AuditMissing> missing = {};
  std::vector<UnitMemory> memory = {};  // in the suite's order
  std::vector<AuditMoved> moved = {};   // two revisions; those that moved
  std::vector<AuditCost> costs = {};
  std::vector<std::string> left_out = {};  // what could not be asked, with the reason
  std::string unfinished = {};             // a clause: where it was ended; empty: it was not
  double least_seen = 0;  // the smallest factor that counts for the typical benchmark; 0: unknown
  std::uint32_t more_repeats = 0;  // with so many --repeats about `least_seen_then`; 0: no advice
  double least_seen_then = 0;
  std::vector<AuditChanged> changed = {};  // the victims whose mechanism it is are not repeated
  std::vector<AuditTimes> times = {};      // all benchmarks, in the suite's order

  bool operator==(const AuditFinding&) const = default;
};

// A factor in 3 digits and without an exponent: 12.9, 1010, 0.0262.
std::string factor_text(double factor);

}  // namespace assay
