// SPDX-License-Identifier: Apache-2.0
// A sentence is put together from clauses, one function each: the lead (the metric that decides the
// overall verdict), what the other gating metrics say, why, and what would decide.
#include "report/sentence.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/text.hpp"
#include "report/wording.hpp"

namespace assay::report {
namespace {

using Rows = std::vector<const Row*>;

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

// A noun that starts a sentence; names that the user gave stay as they are.
std::string subject_of(const Metric& metric) {
  return metric.origin == MetricOrigin::builtin ? capitalised(noun_of(metric)) : noun_of(metric);
}

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

// "No slowdown above 5.8 % (99 %)"; nothing without a bound.
std::optional<std::string> bound_clause(const Row& row) {
  if (!row.bound99) return std::nullopt;
  const std::string size = size_of_change(*row.bound99);
  switch (family_of(row.metric)) {
    case Family::wall:
      return fmt::format("No slowdown above {} (99 %)", size);
    case Family::cpu:
      return fmt::format("At most {} more CPU (99 %)", size);
    case Family::rate:
      return fmt::format("No loss of {} above {} (99 %)", noun_of(row.metric), size);
    default:
      return fmt::format("No growth of {} above {} (99 %)", noun_of(row.metric), size);
  }
}

// The sign is proven, the size is not: "B is slower, by 0.4 to 3.1 % (99 %); whether it is beyond
// the tolerance of 2 % is open".
std::string sign_clause(const std::string& who, const Row& row) {
  double near = *row.lo99, far = *row.hi99;
  const bool up = near >= 1;
  if (!up) std::swap(near, far);
  std::string near_text = format_change_number(near).substr(1);
  const std::string far_text = size_of_change(far);
  std::string head;
  switch (family_of(row.metric)) {
    case Family::wall:
      head = fmt::format("{} is {}", who, up ? "slower" : "faster");
      break;
    case Family::cpu:
      head = fmt::format("{} uses {} CPU", who, up ? "more" : "less");
      break;
    default:
      head = fmt::format("{} of {} is {}", subject_of(row.metric), who, up ? "higher" : "lower");
  }
  return fmt::format("{}, by {} to {} (99 %); whether beyond the tolerance of {} is open", head,
                     near_text, far_text, within(row));
}

std::string open_clause(const std::string& who, const Row& row) {
  if (row.sign != Sign::none && row.lo99 && row.hi99) return sign_clause(who, row);
  if (const auto bound = bound_clause(row)) return *bound;
  if (row.runs < 6)
    return fmt::format("Too few runs to say anything about {}: {} a side, the first look needs 6",
                       noun_of(row.metric), row.runs);
  return fmt::format("{} is undecided after {} runs a side", subject_of(row.metric), row.runs);
}

// "The wall time cannot be judged: ...", and the way out.
std::string invalid_clause(const Row& row) {
  const std::string clause =
      fmt::format("{} cannot be judged: {}", subject_of(row.metric), clause_of(row.reason));
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

std::string lead_clause(const Teller& teller, const Row& row) {
  switch (row.verdict) {
    case Verdict::slower:
    case Verdict::faster:
      if (!row.ratio) break;
      return change_clause(teller.candidate, row) + interval_clause(row);
    case Verdict::undecided:
      return open_clause(teller.candidate, row);
    case Verdict::invalid:
      return invalid_clause(row);
    default:
      break;
  }
  return fmt::format("{} of {}: {}", subject_of(row.metric), teller.candidate, row.word);
}

// What CPU time says when the sentence is about the wall time.
std::string cpu_beside_wall(const Row& wall, const Row& cpu) {
  const bool slower = wall.verdict == Verdict::slower, faster = wall.verdict == Verdict::faster;
  const std::string waits = slower ? ", waits longer" : faster ? ", waits less" : "";
  if (cpu.verdict == Verdict::equivalent)
    return slower || faster
               ? fmt::format("It uses the same CPU{} (CPU within {})", waits, within(cpu))
               : fmt::format("It uses the same CPU (within {})", within(cpu));
  if (cpu.verdict == wall.verdict && (slower || faster)) return {};
  if ((cpu.verdict == Verdict::slower || cpu.verdict == Verdict::faster) && cpu.ratio)
    return fmt::format("It uses {} {} CPU{}", size_of_change(*cpu.ratio),
                       *cpu.ratio > 1 ? "more" : "less", waits);
  if (cpu.is_open() && cpu.bound99 && cpu.sign == Sign::none)
    return fmt::format("At most {} more CPU (99 %)", size_of_change(*cpu.bound99));
  return {};
}

// What another gating metric says beside the lead; empty when there is nothing to add.
std::string also_clause(const Teller& teller, const Row& lead, const Row& row) {
  const Family family = family_of(row.metric);
  const bool beside_wall = family == Family::cpu && family_of(lead.metric) == Family::wall;
  if (beside_wall && row.verdict != Verdict::invalid) {
    const std::string clause = cpu_beside_wall(lead, row);
    if (!clause.empty() || !row.is_open()) return clause;
  }
  switch (row.verdict) {
    case Verdict::equivalent:
      return fmt::format("{} is the same (within {})",
                         family == Family::cpu ? "CPU time" : subject_of(row.metric), within(row));
    case Verdict::slower:
    case Verdict::faster:
      if (!row.ratio) return {};
      if (family == Family::wall)
        return fmt::format("It finishes {} {}", size_of_change(*row.ratio),
                           *row.ratio > 1 ? "later" : "sooner");
      if (family == Family::cpu) return change_clause("It", row);
      return change_clause(teller.candidate, row);
    case Verdict::undecided:
      return open_clause(teller.candidate, row);
    case Verdict::invalid:
      return invalid_clause(row);
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

// " --max-runs 420 --time-budget 48m": what of it the plan does not allow yet.
std::string options_for(const Teller& teller, std::uint32_t more) {
  if (teller.plan.kind == PlanKind::sessions) return fmt::format(" --sessions {}", more);
  std::string options;
  if (more > teller.plan.max_runs) options += fmt::format(" --max-runs {}", more);
  const double budget = teller.plan.time_budget_s;
  const double need = teller.round_seconds.value_or(0) * (more + 1);
  if (budget > 0 && need > budget) options += " --time-budget " + option_duration(need * 1.1);
  return options;
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
  const std::string options = options_for(teller, more);
  return fmt::format("About {} {} a side would decide{}", more, sessions ? "sessions" : "runs",
                     options.empty() ? "" : ":" + options);
}

void add(std::string& text, const std::string& clause) {
  if (clause.empty()) return;
  if (!text.empty()) text += ' ';
  text += clause + ".";
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
    return text;
  }
  const bool name_it = teller.several && lead.is_open();
  text = name_it ? teller.candidate + ":" : "";
  add(text, lead_clause(teller, lead));
  Rows open;
  for (const Row* row : gating) {
    if (row->is_open()) open.push_back(row);
    if (row != &lead) add(text, also_clause(teller, lead, *row));
  }
  const auto is_wall = [](const Row* row) { return family_of(row->metric) == Family::wall; };
  if (std::any_of(open.begin(), open.end(), is_wall)) add(text, why_clause(teller.waiting));
  add(text, decide_clause(teller, open));
  return text;
}

std::string withheld_sentence(std::span<const Row> control) {
  std::string moved;
  for (const Row& row : control) {
    const bool decided = row.verdict == Verdict::slower || row.verdict == Verdict::faster;
    if (moved.empty() && decided && row.ratio)
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
  const auto runs = trials_of(record).size();
  const auto open = [](const MetricFinding& f) {
    return f.judged && f.verdict == Verdict::undecided;
  };
  const auto& findings = conclusion.findings;
  switch (conclusion.ended_by) {
    case EndedBy::interrupted: {
      const Stop* stop =
          record.entries.empty() ? nullptr : std::get_if<Stop>(&record.entries.back());
      if (stop != nullptr && stop->reason == StopReason::disk_full)
        return fmt::format(
            "Stopped after {} runs because the disk was full; make room, then 'assay "
            "resume {}' goes on.",
            runs, plain(record.id));
      return fmt::format("Interrupted after {} runs; 'assay resume {}' goes on where it stopped.",
                         runs, plain(record.id));
    }
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
      return "Sampling stopped early: an answer needs more runs than are allowed.";
    default:
      return {};
  }
}

}  // namespace assay::report
