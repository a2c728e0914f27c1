// SPDX-License-Identifier: Apache-2.0
#include "report/suite_audit_view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "report/plain.hpp"
#include "report/wording.hpp"

namespace assay::report {
namespace {

constexpr std::size_t kMostFillers = 5;

std::string count_of(std::size_t n, std::string_view noun) {
  return fmt::format("{} {}{}", n, noun, n == 1 ? "" : "s");
}

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

std::vector<std::string> AuditTeller::sentences() const {
  std::vector<std::string> all;
  if (!conclusion_.failure.empty()) all.push_back("FAILED: " + plain(conclusion_.failure) + ".");
  const auto slower = std::ranges::count(found_.victims, true, &AuditVictim::slower);
  const auto faster = static_cast<std::ptrdiff_t>(found_.victims.size()) - slower;
  std::vector<std::string> parts;
  if (slower > 0)
    parts.push_back(fmt::format("{} slower behind others than alone (VICTIM)", slower));
  if (faster > 0) parts.push_back(fmt::format("{} faster (BRITTLE)", faster));
  if (!found_.missing.empty())
    parts.push_back(fmt::format("{} did not come out (MISSING)", found_.missing.size()));
  if (found_.benchmarks > 0)
    all.push_back(
        fmt::format("{} of {} judged: {}.", count_of(found_.judged, "benchmark"), found_.benchmarks,
                    parts.empty() ? "none depends on what ran before it" : join_and(parts)));
  else if (!parts.empty())
    all.push_back(join_and(parts) + ".");
  if (!found_.moved.empty())
    all.push_back(count_of(found_.moved.size(), "benchmark") + " moved between the two revisions.");
  if (found_.benchmarks > 0)
    all.push_back(fmt::format(
        "Between runs of the same kind the typical benchmark differs by {:.1f} %; in the suite it "
        "takes {:.3g} times as long as alone.",
        100 * std::expm1(found_.spread), found_.shift));
  return all;
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
    names.push_back(count_of(fillers.size() - kMostFillers, "other"));
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
  std::string text = fmt::format("{} in {}", count_of(runs, "process"), format_duration(seconds));
  if (runs != 1) text.replace(text.find("processs"), 8, "processes");
  if (found_.suite_s > 0) {
    text += fmt::format(", {:.3g} times the suite's own {}", seconds / found_.suite_s,
                        format_seconds(found_.suite_s));
    for (const AuditCost& cost : found_.costs)
      if (cost.stage == "search")
        text += fmt::format("; the search took {:.3g} times it", cost.seconds / found_.suite_s);
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

std::string times_text(double factor) { return fmt::format("x {:.3g}", factor); }

}  // namespace assay::report
