// SPDX-License-Identifier: Apache-2.0
// For tests only: one comparison for every verdict, reason and ending that reports know.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "tests/support/records.hpp"

namespace assay::report {

struct CompareCase {
  std::string name;
  Record record;
  Conclusion conclusion;
};

inline Record busy_record() {
  Record record = support::record_of(support::compare_plan());
  support::add_runs(record, 36, {{0.038, 0.0181, 43e6}, {0.039, 0.0181, 43e6}});
  for (Entry& entry : record.entries) std::get<Trial>(entry).contention.psi_cpu_s = 0.015;
  return record;
}

inline Record quiet_record() {
  Record record = support::record_of(support::compare_plan());
  support::add_runs(record, 18, {{2.28, 2.25, 43e6}, {2.43, 2.4, 60e6}});
  return record;
}

inline CompareCase slower_case() {
  using support::finding;
  CompareCase c{"slower", quiet_record(), {}};
  c.conclusion = support::conclusion(
      Verdict::slower,
      {finding({0, Verdict::slower, Reason::decided, 18, 1.069, 1.051, 1.088, 2.31, 2.47}),
       finding({1, Verdict::slower, Reason::decided, 12, 1.07, 1.064, 1.075, 2.28, 2.44}),
       finding({2, Verdict::slower, Reason::exact, 18, 1.39, 1.39, 1.39, 43e6, 60e6})});
  c.conclusion.warnings = {
      {WarningKind::outputs_differ, "outputs differ between the sides (sha256 3fa1... / 9c0e...)"}};
  return c;
}

inline CompareCase undecided_case() {
  using support::finding;
  CompareCase c{"undecided", busy_record(), {}};
  c.conclusion = support::conclusion(
      Verdict::undecided,
      {finding({0, Verdict::undecided, Reason::noisy, 36, 1.022, .981, 1.058, .038, .039, 420}),
       finding({1, Verdict::equivalent, Reason::decided, 18, 1.001, .991, 1.01, .0181, .0181})});
  c.conclusion.ended_by = EndedBy::max_runs;
  return c;
}

inline CompareCase failed_case(Exit exit, std::string stderr_tail) {
  CompareCase c{"failed", quiet_record(), {}};
  c.record.entries.resize(4);
  auto& trial = std::get<Trial>(c.record.entries.back());
  trial.exit = exit;
  trial.output.stderr_tail = std::move(stderr_tail);
  c.conclusion = support::conclusion(Verdict::failed, {});
  c.conclusion.ended_by = EndedBy::failure;
  c.conclusion.failed_trial = 3;
  return c;
}

// The verdicts of wall and cpu, for the tables of sentences.
struct Two {
  support::FindingSpec wall, cpu;
};
inline CompareCase two(std::string name, Verdict overall, Two specs) {
  CompareCase c{std::move(name), quiet_record(), {}};
  specs.wall.metric = 0;
  specs.cpu.metric = 1;
  c.conclusion =
      support::conclusion(overall, {support::finding(specs.wall), support::finding(specs.cpu)});
  return c;
}

inline support::FindingSpec equal_spec() {
  return {0, Verdict::equivalent, Reason::decided, 18, 1.001, .991, 1.01, 2, 2};
}
inline support::FindingSpec slower_spec() {
  return {0, Verdict::slower, Reason::decided, 18, 1.07, 1.05, 1.09, 2, 2.14};
}
inline support::FindingSpec faster_spec() {
  return {0, Verdict::faster, Reason::decided, 18, .93, .91, .95, 2, 1.86};
}
inline support::FindingSpec open_spec() {
  return {0, Verdict::undecided, Reason::noisy, 18, 1.01, .98, 1.04, 2, 2.02, 60};
}

inline std::vector<CompareCase> all_cases() {
  std::vector<CompareCase> cases = {slower_case(), undecided_case()};
  const struct {
    Verdict verdict;
    support::FindingSpec spec;
  } kinds[] = {{Verdict::equivalent, equal_spec()},
               {Verdict::slower, slower_spec()},
               {Verdict::faster, faster_spec()},
               {Verdict::undecided, open_spec()}};
  for (const auto& wall : kinds)
    for (const auto& cpu : kinds)
      cases.push_back(
          two("wall and cpu", std::max(wall.verdict, cpu.verdict), {wall.spec, cpu.spec}));
  for (int reason = 0; reason <= static_cast<int>(Reason::sampled_too_little); ++reason) {
    for (const Verdict verdict : {Verdict::undecided, Verdict::invalid}) {
      auto spec = open_spec();
      spec.verdict = verdict;
      spec.reason = static_cast<Reason>(reason);
      spec.more.reset();
      cases.push_back(two("reason", verdict, {spec, equal_spec()}));
    }
  }
  for (int ended = 0; ended <= static_cast<int>(EndedBy::runs_done); ++ended) {
    cases.push_back(two("ended by", Verdict::undecided, {open_spec(), open_spec()}));
    cases.back().conclusion.ended_by = static_cast<EndedBy>(ended);
  }
  for (const Ending how :
       {Ending::exited, Ending::signalled, Ending::timed_out, Ending::not_started})
    cases.push_back(failed_case({how, 2}, "first\nlast\n"));
  cases.push_back(slower_case());
  cases.back().conclusion.withheld = true;
  cases.push_back(slower_case());
  cases.back().conclusion.exploratory = true;
  // Nothing at all, and findings that name what the plan does not have.
  cases.push_back({"empty", support::record_of(support::compare_plan()), {}});
  cases.push_back({"no plan", {}, slower_case().conclusion});
  // Three candidates; one is a rate, one of them informational.
  CompareCase many{"several candidates",
                   support::record_of(support::compare_plan({"./a", "./b", "./c -x"})),
                   {}};
  many.record.plan.metrics = {support::wall_metric(),
                              support::output_metric("req_rate", "req/s", Better::higher),
                              support::output_metric("errors", "1", Better::lower)};
  support::add_runs(many.record, 12, {{1, 100, 0}, {1, 90, 1}, {0.9, 110, 0}});
  many.record.plan.metrics[1].gating = true;
  auto errors = support::finding({2, Verdict::invalid, Reason::non_positive, 12, 1, 1, 1, 0, 1});
  errors.judged = false;
  errors.reading.estimate = errors.reading.lo99 = errors.reading.hi99 = std::nullopt;
  many.conclusion = support::conclusion(
      Verdict::slower,
      {support::finding({0, Verdict::equivalent, Reason::decided, 12, 1, .99, 1.01, 1, 1}),
       support::finding({1, Verdict::slower, Reason::decided, 12, 1 / .9, 1.1, 1.13, 100, 90}),
       errors,
       support::finding({0, Verdict::faster, Reason::decided, 12, .9, .89, .91, 1, .9, {}, 2}),
       support::finding(
           {1, Verdict::undecided, Reason::noisy, 12, .99, .97, 1.02, 100, 101, 24, 2})});
  cases.push_back(many);
  return cases;
}

}  // namespace assay::report
