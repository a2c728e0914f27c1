// SPDX-License-Identifier: Apache-2.0
#include "report/suite_audit_view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "base/text.hpp"
#include "report/plain.hpp"
#include "report/wording.hpp"

namespace assay::report {
namespace {

constexpr std::size_t kMostFillers = 5;
constexpr std::size_t kMostNamed = 3;  // units of which one did it
constexpr double kSameShift = 0.005;   // prints as 1.00

}  // namespace

AuditTeller::AuditTeller(const Record& record, const Conclusion& conclusion)
    : plan_(record.plan),
      names_(record.plan.suite),
      conclusion_(conclusion),
      found_(conclusion.audit.value_or(AuditFinding{})) {}

std::string AuditTeller::names_of(const std::vector<std::uint32_t>& units) const {
  std::string text;
  for (const std::uint32_t unit : units) text += (text.empty() ? "" : " with ") + names_.unit(unit);
  return text;
}

// "BM_Query looks 785 times slower behind others than alone, not confirmed (and 3 more).": of an
// audit that was ended.
std::string AuditTeller::suspect_sentence() const {
  const AuditOpen* worst = nullptr;
  std::size_t count = 0;
  const auto size = [](const AuditOpen& one) { return std::fabs(std::log(*one.factor)); };
  for (const AuditOpen& one : found_.open) {
    if (!one.factor || !(*one.factor > 0)) continue;
    ++count;
    if (worst == nullptr || size(one) > size(*worst)) worst = &one;
  }
  if (worst == nullptr) return {};
  const bool slower = *worst->factor > 1;
  return fmt::format(
      "{} looks {} times {} behind others than alone, not confirmed{}.", names_.whole(worst->id),
      factor_text(slower ? *worst->factor : 1 / *worst->factor), slower ? "slower" : "faster",
      count > 1 ? fmt::format(" (and {} more)", count - 1) : "");
}

std::vector<std::string> AuditTeller::sentences() const {
  std::vector<std::string> all;
  if (!conclusion_.failure.empty()) all.push_back("FAILED: " + plain(conclusion_.failure) + ".");
  const bool unfinished = !found_.unfinished.empty();
  if (unfinished) {
    const std::string suspect = suspect_sentence();
    all.push_back(fmt::format("UNFINISHED: {}{}{} {}.", suspect, suspect.empty() ? "" : " ",
                              conclusion_.ended_by == EndedBy::time_budget
                                  ? "The time budget ended it"
                                  : "It was stopped",
                              plain(found_.unfinished)));
  }
  const std::vector<std::string> parts = found_parts();
  if (found_.benchmarks > 0 && (!unfinished || found_.judged > 0 || !parts.empty()))
    all.push_back(fmt::format("{} of {} judged{}.", counted(found_.judged, "benchmark"),
                              found_.benchmarks,
                              !parts.empty() ? ": " + join_and(parts)
                              : unfinished   ? ""
                                             : ": nothing found"));
  else if (!parts.empty())
    all.push_back(join_and(parts) + ".");
  else if (all.empty())
    all.push_back("Nothing was judged: no unit runs behind another one in a process.");
  if (!found_.moved.empty())
    all.push_back(counted(found_.moved.size(), "benchmark") + " moved between the two revisions.");
  if (found_.benchmarks == 0) return all;
  std::string limit;
  if (found_.least_seen > 0)
    limit = fmt::format("A difference below {} would not have been seen",
                        times_text(found_.least_seen));
  if (found_.more_repeats > 0)
    limit += fmt::format(" (with --repeats {}, unless single runs are far off, one below about {})",
                         found_.more_repeats, times_text(found_.least_seen_then));
  all.push_back(fmt::format("{}{} of the same kind the typical benchmark differs by {:.1f} %.",
                            limit, limit.empty() ? "Between runs" : ": between runs",
                            100 * std::expm1(found_.spread)));
  const double off = std::fabs(found_.shift - 1);
  all.push_back(
      off < kSameShift
          ? "In the suite the typical benchmark takes as long as alone."
          : fmt::format("In the suite the typical benchmark takes {} times as long as alone.",
                        factor_text(found_.shift)));
  return all;
}

// "small_state", "load or small_state", "others".
std::string AuditTeller::who_of(const AuditChanged& changed) const {
  if (changed.behind.empty() || changed.behind.size() > kMostNamed) return "others";
  std::string text;
  for (const std::uint32_t unit : changed.behind)
    text += (text.empty() ? "" : " or ") + names_.unit(unit);
  return text;
}

// What was found, a clause each.
std::vector<std::string> AuditTeller::found_parts() const {
  const auto slower = std::ranges::count(found_.victims, true, &AuditVictim::slower);
  const auto faster = static_cast<std::ptrdiff_t>(found_.victims.size()) - slower;
  std::vector<std::string> parts;
  if (slower > 0)
    parts.push_back(fmt::format("{} slower behind others than alone (VICTIM)", slower));
  if (faster > 0) parts.push_back(fmt::format("{} faster (BRITTLE)", faster));
  if (!found_.missing.empty())
    parts.push_back(fmt::format("{} did not come out (MISSING)", found_.missing.size()));
  std::set<std::pair<std::uint32_t, std::string_view>> changed;
  for (const AuditChanged& one : found_.changed) changed.emplace(one.unit, one.id);
  if (changed.empty()) return parts;
  std::set<std::string> behind, texts;
  for (const AuditChanged& one : found_.changed) {
    behind.insert(who_of(one));
    texts.insert(plain(one.text));
  }
  const bool more = std::ranges::any_of(found_.victims, [](const AuditVictim& victim) {
    return victim.mechanism == Mechanism::workload;
  });
  parts.push_back(fmt::format("{} {}measured another workload behind {} (WORKLOAD{})",
                              changed.size(), more ? "more " : "",
                              behind.size() == 1 ? *behind.begin() : "others",
                              texts.size() == 1 ? ": " + *texts.begin() : ""));
  return parts;
}

std::vector<std::string> AuditTeller::clauses_of(const AuditVictim& victim) const {
  std::vector<std::string> all;
  if (victim.order != AuditOrder::suite) all.emplace_back(phrase_of(victim.order));
  for (const Polluter& one : victim.polluters) {
    std::string how =
        one.confirmed  ? fmt::format("{}, {} + {} fresh runs{}", times_text(one.factor), one.runs,
                                     one.runs, one.shared ? " shared with its other victims" : "")
        : one.runs > 0 ? "suspected, not confirmed by fresh runs"
                       : "suspected, not confirmed: the search ended";
    all.push_back(fmt::format("by {} ({})", names_of(one.units), how));
  }
  for (const auto& units : victim.cleaners)
    all.push_back(fmt::format("undone by {}", names_of(units)));
  if (!victim.open.empty()) all.push_back(plain(victim.open));
  all.push_back(
      fmt::format("mechanism {}: {}", phrase_of(victim.mechanism), plain(victim.evidence)));
  if (victim.behind_n > 0 && victim.alone_n > 0 && victim.behind_n < victim.alone_n / 10)
    all.push_back(
        fmt::format("n = {:.0f} of {:.0f} iterations alone", victim.behind_n, victim.alone_n));
  return all;
}

std::vector<std::string> AuditTeller::memory_sentences() const {
  std::vector<std::string> all;
  const auto budget = plan_.suite ? plan_.suite->memory_budget : std::nullopt;
  if (!budget) return all;
  const auto at = std::ranges::find(found_.memory, true, &UnitMemory::crosses);
  if (at == found_.memory.end())
    return {fmt::format("The suite stays within {}.", format_bytes(*budget))};
  all.push_back(
      fmt::format("With {} the suite goes over {}.", names_.unit(at->unit), format_bytes(*budget)));
  std::vector<const UnitMemory*> fillers;
  for (const UnitMemory& one : found_.memory)
    if (one.fills) fillers.push_back(&one);
  const bool kept =
      std::ranges::any_of(fillers, [](const UnitMemory* one) { return one->retained.has_value(); });
  const auto size = [&](const UnitMemory* one) {
    return (kept ? one->retained : one->peak).value_or(0);
  };
  std::ranges::stable_sort(fillers, std::greater<>(), size);
  std::vector<std::string> names;
  for (std::size_t i = 0; i < std::min(fillers.size(), kMostFillers); ++i)
    names.push_back(
        fmt::format("{} ({})", names_.unit(fillers[i]->unit), format_bytes(size(fillers[i]))));
  if (fillers.size() > kMostFillers)
    names.push_back(counted(fillers.size() - kMostFillers, "other"));
  if (!names.empty())
    all.push_back(kept ? fmt::format("What fills it, by what stays behind: {}.", join_and(names))
                       : fmt::format("The suite does not tell what stays; the largest peaks alone "
                                     "are {}.",
                                     join_and(names)));
  return all;
}

std::string AuditTeller::cost_sentence() const {
  std::size_t runs = 0;
  double seconds = 0;
  for (const AuditCost& cost : found_.costs) {
    runs += cost.runs;
    seconds += cost.seconds;
  }
  if (runs == 0) return {};
  std::string text = fmt::format("{} in {}", counted(runs, "process"), format_duration(seconds));
  if (found_.suite_s > 0) {
    text += fmt::format(", {} times the suite's own {}", factor_text(seconds / found_.suite_s),
                        format_seconds(found_.suite_s));
    for (const AuditCost& cost : found_.costs)
      if (cost.stage == "search")
        text += fmt::format("; the search took {} times it",
                            factor_text(cost.seconds / found_.suite_s));
  }
  return text + ".";
}

std::string_view word_of(const AuditVictim& victim) { return victim.slower ? "VICTIM" : "BRITTLE"; }

std::string_view phrase_of(AuditOrder order) {
  switch (order) {
    case AuditOrder::suite:
      return "in the suite's own order";
    case AuditOrder::reversed:
      return "only in the reversed order";
    case AuditOrder::random:
      return "only in a random order";
    case AuditOrder::twice:
      return "right behind itself";
  }
  return "";
}

std::string_view phrase_of(Mechanism mechanism) {
  switch (mechanism) {
    case Mechanism::not_shown:
      return "not shown";
    case Mechanism::workload:
      return "another workload";
    case Mechanism::setup_in_timing:
      return "setup inside the timing";
    case Mechanism::setup_in_budget:
      return "setup inside the time budget";
    case Mechanism::garbage:
      return "garbage collection inside the timing";
    case Mechanism::cache:
      return "caches or layout";
  }
  return "";
}

std::string times_text(double factor) { return "x " + factor_text(factor); }

}  // namespace assay::report
