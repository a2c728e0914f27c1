// SPDX-License-Identifier: Apache-2.0
// A sentence is put together from clauses, one function each: the lead (the metric that decides the
// overall verdict), what the other gating metrics say, why, and what would decide.
#include "report/sentence.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/text.hpp"
#include "report/wording.hpp"

namespace assay::report {
namespace {

using Rows = std::vector<const Row*>;

constexpr double kFarBound = 2;  // a bound beyond twice the value says nothing useful

// How bad a verdict is for the overall one (docs/design.md, "Exit codes and voice").
int badness(Verdict verdict) {
  switch (verdict) {
    case Verdict::equivalent:
      return 0;
    case Verdict::faster:
      return 1;
    case Verdict::undecided:
      return 2;
    case Verdict::slower:
      return 3;
    case Verdict::invalid:
      return 4;
    case Verdict::failed:
      return 5;
  }
  return 0;
}

std::string within(const Row& row) { return percent(row.tolerance); }

// "B is slower by 6.9 %", "B uses 7.0 % more CPU", "peak memory of B is higher by 39 %".
std::string change_clause(const std::string& who, const Row& row) {
  const bool up = *row.ratio > 1;
  const std::string size = size_of_change(*row.ratio);
  switch (family_of(row.metric)) {
    case Family::wall:
      return fmt::format("{} is {} by {}", who, up ? "slower" : "faster", size);
    case Family::cpu:
      return fmt::format("{} uses {} {} CPU", who, size, up ? "more" : "less");
    default:
      return fmt::format("{} of {} is {} by {}", subject_of(row.metric), who,
                         up ? "higher" : "lower", size);
  }
}

// " (99 % interval +5.1 to +8.8 %)"; empty without an interval.
std::string interval_clause(const Row& row) {
  if (!row.lo99 || !row.hi99) return {};
  return fmt::format(" (99 % interval {})", range(*row.lo99, *row.hi99));
}

// "the wall time"; where several candidates are told of, "the wall time of ./b".
std::string noun_in(const Teller& teller, const Metric& metric) {
  return teller.several ? fmt::format("{} of {}", noun_of(metric), teller.candidate)
                        : noun_of(metric);
}
std::string subject_in(const Teller& teller, const Metric& metric) {
  return teller.several ? fmt::format("{} of {}", subject_of(metric), teller.candidate)
                        : subject_of(metric);
}

// Whether a bound on how much worse it may be is too far away to help anybody.
bool is_useless(double bound, const Metric& metric) {
  return metric.better == Better::higher ? bound < 1 / kFarBound : bound > kFarBound;
}

// "No slowdown above 5.8 % (99 %)"; nothing without a bound.
std::optional<std::string> bound_clause(const Teller& teller, const Row& row) {
  if (!row.bound99) return std::nullopt;
  if (is_useless(*row.bound99, row.metric))
    return "Nothing useful is certain yet about " + noun_in(teller, row.metric);
  const std::string size = size_of_change(*row.bound99);
  switch (family_of(row.metric)) {
    case Family::wall:
      return teller.several
                 ? fmt::format("No slowdown of {} above {} (99 %)", teller.candidate, size)
                 : fmt::format("No slowdown above {} (99 %)", size);
    case Family::cpu:
      return teller.several
                 ? fmt::format("{} uses at most {} more CPU (99 %)", teller.candidate, size)
                 : fmt::format("At most {} more CPU (99 %)", size);
    case Family::rate:
      return fmt::format("No loss of {} above {} (99 %)", noun_in(teller, row.metric), size);
    default:
      return fmt::format("No growth of {} above {} (99 %)", noun_in(teller, row.metric), size);
  }
}

// The sign is known, the size is not: "B is slower by at least 0.4 % and at most 3.1 % (99 %);
// whether beyond the tolerance of 2 % is open".
std::string sign_clause(const std::string& who, const Row& row) {
  double near = *row.lo99, far = *row.hi99;
  const bool up = near >= 1;
  if (!up) std::swap(near, far);
  std::string size = "at least " + size_of_change(near);
  if (!is_useless(far, row.metric)) size += " and at most " + size_of_change(far);
  std::string text;
  switch (family_of(row.metric)) {
    case Family::wall:
      text = fmt::format("{} is {} by {} (99 %)", who, up ? "slower" : "faster", size);
      break;
    case Family::cpu:
      text = fmt::format("{} uses {} {} CPU (99 %)", who, size, up ? "more" : "less");
      break;
    default:
      text = fmt::format("{} of {} is {} by {} (99 %)", subject_of(row.metric), who,
                         up ? "higher" : "lower", size);
  }
  if (std::fabs(std::log(near)) >= std::log1p(row.tolerance)) return text + "; not decided yet";
  return fmt::format("{}; whether beyond the tolerance of {} is open", text, within(row));
}

std::string open_clause(const Teller& teller, const Row& row) {
  if (row.has_direction() && row.lo99 && row.hi99) return sign_clause(teller.candidate, row);
  if (const auto bound = bound_clause(teller, row)) return *bound;
  if (row.runs < 6)
    return fmt::format("Too few runs to say anything about {}: {} a side, the first look needs 6",
                       noun_in(teller, row.metric), row.runs);
  return fmt::format("{} is undecided after {} runs a side", subject_in(teller, row.metric),
                     row.runs);
}

// "The wall time cannot be judged: ...", and the way out.
std::string invalid_clause(const Teller& teller, const Row& row) {
  const std::string clause =
      fmt::format("{} cannot be judged: {}", subject_in(teller, row.metric), clause_of(row.reason));
  switch (row.reason) {
    case Reason::non_positive:
      return clause + "; a ratio needs values above 0";
    case Reason::missing_metric:
      return row.metric.origin == MetricOrigin::output
                 ? clause + "; try its --metric rule on the command's output"
                 : clause;
    case Reason::sampled_too_little:
      return clause + "; --gate peak_mem does not depend on samples";
    default:
      return clause;
  }
}

std::string equivalent_lead(const Teller& teller, const Rows& rows) {
  std::vector<std::string> nouns;
  const bool same = std::all_of(rows.begin(), rows.end(),
                                [&](const Row* row) { return within(*row) == within(*rows[0]); });
  for (const Row* row : rows) {
    const bool bare = family_of(row->metric) == Family::wall && rows.size() > 1;
    const std::string noun = bare ? "wall" : noun_of(row->metric);
    nouns.push_back(same ? noun : fmt::format("{} within {}", noun, within(*row)));
  }
  return fmt::format("{} is equivalent to {}: {} {}{}", teller.candidate, teller.baseline,
                     join_and(nouns), rows.size() > 1 ? "agree" : "agrees",
                     same ? " within " + within(*rows[0]) : "");
}

// "Measurably +0.5 % in the wall time, within tolerance"; empty when nothing is measurable.
std::string measurable_clause(const Rows& rows) {
  std::vector<std::string> parts;
  for (const Row* row : rows)
    if (row->has_direction())
      parts.push_back(fmt::format("{} in {}", format_change(*row->ratio), noun_of(row->metric)));
  return parts.empty() ? "" : fmt::format("Measurably {}, within tolerance", join_and(parts));
}

std::string lead_clause(const Teller& teller, const Row& row) {
  switch (row.verdict) {
    case Verdict::slower:
    case Verdict::faster:
      if (!row.ratio) break;
      return change_clause(teller.candidate, row) + interval_clause(row);
    case Verdict::undecided:
      return open_clause(teller, row);
    case Verdict::invalid:
      return invalid_clause(teller, row);
    default:
      break;
  }
  return fmt::format("{} of {}: {}", subject_of(row.metric), teller.candidate, row.word);
}

// "B uses 2.1 % more CPU, within the tolerance".
std::string small_clause(const std::string& who, const Row& row) {
  return change_clause(who, row) + ", within the tolerance";
}

// What CPU time says when the sentence is about the wall time.
std::string cpu_beside_wall(const std::string& who, const Row& wall, const Row& cpu) {
  const bool slower = wall.verdict == Verdict::slower, faster = wall.verdict == Verdict::faster;
  const std::string waits = slower ? "waits longer" : faster ? "waits less" : "";
  if (cpu.verdict == Verdict::equivalent) {
    if (cpu.has_direction())
      return small_clause(who, cpu) + (waits.empty() ? "" : ", and " + waits);
    return fmt::format("{} uses the same CPU (within {}){}", who, within(cpu),
                       waits.empty() ? "" : " and " + waits);
  }
  if (cpu.verdict == wall.verdict && (slower || faster)) return {};
  if ((cpu.verdict == Verdict::slower || cpu.verdict == Verdict::faster) && cpu.ratio)
    return change_clause(who, cpu) + (waits.empty() ? "" : " and " + waits);
  return {};
}

// Whether the clause about a row has the candidate as its subject, so that "It" may follow.
bool is_about_candidate(const Row& row) {
  const Family family = family_of(row.metric);
  if (family != Family::wall && family != Family::cpu) return false;
  const bool decided = row.verdict == Verdict::slower || row.verdict == Verdict::faster;
  return (decided && row.ratio) || (row.is_open() && row.has_direction());
}

// What another gating metric says beside the lead; empty when there is nothing to add. `who` is the
// candidate's name, or "It" directly behind a clause about the candidate.
std::string also_clause(const Teller& teller, const std::string& who, const Row& lead,
                        const Row& row) {
  const Family family = family_of(row.metric);
  const std::string& subject =
      family == Family::wall || family == Family::cpu ? who : teller.candidate;
  const bool beside_wall = family == Family::cpu && family_of(lead.metric) == Family::wall;
  if (beside_wall && row.verdict != Verdict::invalid && !row.is_open())
    return cpu_beside_wall(who, lead, row);
  switch (row.verdict) {
    case Verdict::equivalent:
      if (row.has_direction()) return small_clause(subject, row);
      return fmt::format("{} is the same (within {})", subject_in(teller, row.metric), within(row));
    case Verdict::slower:
    case Verdict::faster:
      if (!row.ratio) return {};
      if (family == Family::wall)
        return fmt::format("{} finishes {} {}", who, size_of_change(*row.ratio),
                           *row.ratio > 1 ? "later" : "sooner");
      return change_clause(subject, row);
    case Verdict::undecided:
      return open_clause(teller, row);
    case Verdict::invalid:
      return invalid_clause(teller, row);
    case Verdict::failed:
      return {};
  }
  return {};
}

std::string share(double part) { return fmt::format("{:.0f} %", part * 100); }

// Why the wall time is undecided, when the machine tells.
std::string why_clause(const Waiting& waiting) {
  const double idle = waiting.idle.value_or(0);
  if (waiting.busy) {
    if (idle >= 0.1)
      return fmt::format("This machine is busy: waiting makes up {} of the wall time", share(idle));
    const double pressure = std::max(waiting.pressure.value_or(0), waiting.delay.value_or(0));
    return fmt::format(
        "This machine is busy: something waited for a CPU during {} of the wall time",
        share(std::min(pressure, 1.0)));
  }
  if (idle < 0.2) return {};
  if (waiting.disk.value_or(0) >= 0.1)
    return fmt::format("Waiting, for the disk among others, makes up {} of the wall time",
                       share(idle));
  return fmt::format("Waiting makes up {} of the wall time", share(idle));
}

// What would decide the open rows; empty when nothing is open or nothing helps to say.
std::string decide_clause(const Teller& teller, const Rows& open) {
  std::uint32_t more = 0;
  for (const Row* row : open) {
    if (row->more) {
      more = std::max(more, *row->more);
    } else if (row->reason == Reason::noise_floor) {
      return "Not decidable here: the noise floor of this machine is as large as the question, and "
             "more runs do not lower it";
    } else if (row->reason == Reason::unreplicated_baseline) {
      return "A single stored session may have been lucky: measure the baseline again, interleaved";
    } else if (row->reason != Reason::too_few) {
      return "Not decidable here: lower the noise ('assay doctor' says how) or change the "
             "tolerance";
    }
  }
  if (more == 0) return {};
  const bool sessions = teller.plan.kind == PlanKind::sessions;
  const std::string options = options_for(teller.plan, teller.round_seconds, more);
  return fmt::format("About {} {} a side would decide{}", more, sessions ? "sessions" : "runs",
                     options.empty() ? "" : ":" + options);
}

void add(std::string& text, const std::string& clause) {
  if (clause.empty()) return;
  if (!text.empty()) text += ' ';
  text += clause + ".";
}

// "45 runs (18 + 18 runs in complete blocks)": warm-ups do not count, and the table speaks of
// complete blocks only. Empty when nothing was measured.
std::string measured_text(const Record& record, std::span<const MetricFinding> findings) {
  std::size_t runs = 0;
  for (const Trial* trial : trials_of(record)) runs += !trial->warmup;
  if (runs == 0) return {};
  std::string text = fmt::format("{} {}", runs, runs == 1 ? "run" : "runs");
  std::uint32_t complete = 0;  // runs a side
  for (const MetricFinding& finding : findings)
    complete = std::max({complete, finding.all_runs, finding.reading.runs});
  const std::size_t arms = record.plan.arms.size();
  if (record.plan.kind != PlanKind::compare || complete == 0 || complete * arms >= runs)
    return text;
  std::string sides;
  for (std::size_t arm = 0; arm < arms; ++arm)
    sides += fmt::format("{}{}", arm == 0 ? "" : " + ", complete);
  return fmt::format("{} ({} runs in complete blocks)", text, sides);
}

std::string interrupted_remark(const Record& record, std::span<const MetricFinding> findings) {
  const Stop* stop = record.entries.empty() ? nullptr : std::get_if<Stop>(&record.entries.back());
  const bool full = stop != nullptr && stop->reason == StopReason::disk_full;
  std::string when = measured_text(record, findings);
  when = when.empty() ? "before the first measured run" : "after " + when;
  return full ? fmt::format(
                    "Stopped {} because the disk was full; make room, then 'assay resume {}' goes "
                    "on.",
                    when, plain(record.id))
              : fmt::format("Interrupted {}; 'assay resume {}' goes on where it stopped.", when,
                            plain(record.id));
}

std::string futility_remark(const Record& record, std::span<const MetricFinding> findings) {
  std::uint32_t more = 0;
  for (const MetricFinding& finding : findings) {
    if (finding.metric >= record.plan.metrics.size()) continue;
    if (finding.judged && finding.verdict == Verdict::undecided &&
        record.plan.metrics[finding.metric].gating)
      more = std::max(more, finding.reading.more.value_or(0));
  }
  const std::string options =
      more == 0 ? "" : options_for(record.plan, round_seconds(record), more);
  if (options.empty()) return "Sampling stopped early: an answer needs more runs than are allowed.";
  return fmt::format(
      "Sampling stopped early: an answer needs about {} runs a side, more than are allowed:{}.",
      more, options);
}

}  // namespace

std::string sentence_of(const Teller& teller, std::span<const Row> rows) {
  Rows gating;
  for (const Row& row : rows)
    if (row.judged && row.metric.gating) gating.push_back(&row);
  if (gating.empty())
    for (const Row& row : rows)
      if (row.judged) gating.push_back(&row);
  if (gating.empty())
    return fmt::format("Nothing was judged about {}: no gating metric has a verdict.",
                       teller.candidate);

  const Row& lead = **std::max_element(
      gating.begin(), gating.end(),
      [](const Row* a, const Row* b) { return badness(a->verdict) < badness(b->verdict); });
  std::string text;
  if (lead.verdict == Verdict::equivalent) {
    add(text, equivalent_lead(teller, gating));
    add(text, measurable_clause(gating));
    return text;
  }
  add(text, lead_clause(teller, lead));
  Rows open;
  std::string who = is_about_candidate(lead) ? "It" : teller.candidate;
  for (const Row* row : gating) {
    if (row->is_open()) open.push_back(row);
    if (row == &lead) continue;
    const std::string clause = also_clause(teller, who, lead, *row);
    add(text, clause);
    if (!clause.empty()) who = teller.candidate;
  }
  const auto is_wall = [](const Row* row) { return family_of(row->metric) == Family::wall; };
  if (!teller.busy_warned && std::any_of(open.begin(), open.end(), is_wall))
    add(text, why_clause(teller.waiting));
  add(text, decide_clause(teller, open));
  return text;
}

std::string withheld_sentence(std::span<const Row> control) {
  std::string moved;
  for (const Row& row : control) {
    const bool decided = row.verdict == Verdict::slower || row.verdict == Verdict::faster;
    if (moved.empty() && row.metric.gating && decided && row.ratio)
      moved = fmt::format(" by {}{} in {}", format_change(*row.ratio), interval_clause(row),
                          noun_of(row.metric));
  }
  return fmt::format(
      "Verdicts are withheld: the control, a copy of the baseline under another path, differs from "
      "it{}. A difference between the candidate and the baseline need not come from the change.",
      moved);
}

std::string ending_remark(const Record& record, const Conclusion& conclusion) {
  const Plan& plan = record.plan;
  std::vector<MetricFinding> findings;
  for (const MetricFinding& finding : conclusion.findings)
    if (plan.control != finding.arm) findings.push_back(finding);
  const auto open = [](const MetricFinding& f) {
    return f.judged && f.verdict == Verdict::undecided;
  };
  switch (conclusion.ended_by) {
    case EndedBy::interrupted:
      return interrupted_remark(record, findings);
    case EndedBy::time_budget: {
      if (!findings.empty() && std::none_of(findings.begin(), findings.end(), open)) return {};
      const std::string budget = format_duration(plan.time_budget_s);
      const bool no_look = std::all_of(findings.begin(), findings.end(), [](const auto& f) {
        return f.reading.runs < 6 && f.reading.estimate == std::nullopt;
      });
      if (!no_look || plan.kind == PlanKind::sessions)
        return fmt::format("The time budget of {} ended the sampling.", budget);
      const auto round = round_seconds(record);
      if (!round)
        return fmt::format(
            "The time budget of {} ended before every side had run once: "
            "--time-budget allows more.",
            budget);
      // A warm-up and six runs of every arm, and a tenth to spare.
      const double need = 7 * 1.1 * *round;
      return fmt::format(
          "The time budget of {} ended before the 6 runs a side of the first look, "
          "which take about {}: --time-budget {}.",
          budget, format_duration(need), option_duration(std::max(need, plan.time_budget_s)));
    }
    case EndedBy::futility:
      return futility_remark(record, findings);
    default:
      return {};
  }
}

}  // namespace assay::report
