// SPDX-License-Identifier: Apache-2.0
// Benchmarks that measured something else behind others: facts with one value alone and another
// there. A fact that is not the same in two runs behind the same units is measured itself, and no
// workload; such a name is left out everywhere. Who did it is read off all runs: the units that
// stood in front whenever the value was the other one, and never when it was its own.
#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "base/text.hpp"
#include "experiment/suite_audit.hpp"

namespace assay::experiment {
namespace {

using UnitSet = std::set<std::uint32_t>;

constexpr std::size_t kFewestOwn = 2;  // runs with nothing in front
// Runs with the other value; where few units explain them fewer are enough.
constexpr std::size_t kFewestChanged = 3, kFewestExplained = 2, kFewUnits = 3;

// One benchmark in one run.
struct FactsSeen {
  std::vector<std::uint32_t> front;
  const std::vector<Fact>* facts = nullptr;
};

using SeenFacts = std::map<std::pair<std::uint32_t, std::string>, std::vector<FactsSeen>>;

SeenFacts facts_of(std::span<const Trial* const> trials) {
  SeenFacts seen;
  for (const Trial* trial : trials) {
    // Of a unit that ran twice a tool may tell one value, the last.
    if (has_repeats(*trial)) continue;
    for (const Measurement& one : trial->measurements) {
      if (one.position >= trial->units.size() || one.status != MeasurementStatus::ok) continue;
      seen[{trial->units[one.position], one.id}].push_back(
          {{trial->units.begin(), trial->units.begin() + one.position}, &one.facts});
    }
  }
  return seen;
}

// Names whose value is not settled by what stands in front.
std::set<std::string> unsettled_names(const SeenFacts& seen) {
  std::set<std::string> names;
  for (const auto& [key, runs] : seen) {
    std::map<std::pair<std::vector<std::uint32_t>, std::string>, double> before;
    for (const FactsSeen& one : runs)
      for (const Fact& fact : *one.facts) {
        const auto [at, fresh] = before.emplace(std::pair(one.front, fact.name), fact.value);
        if (!fresh && at->second != fact.value) names.insert(fact.name);
      }
  }
  return names;
}

// Its facts with nothing in front, those that are workload.
std::vector<Fact> own_facts(const std::vector<FactsSeen>& runs,
                            const std::set<std::string>& unsettled) {
  std::size_t count = 0;
  std::vector<Fact> own;
  for (const FactsSeen& one : runs) {
    if (!one.front.empty()) continue;
    if (count++ > 0) continue;
    for (const Fact& fact : *one.facts)
      if (!is_counter(fact.name) && !unsettled.contains(fact.name)) own.push_back(fact);
  }
  if (count < kFewestOwn) own.clear();
  return own;
}

// "validators 4096 -> 256"; empty: as alone.
std::string change_text(const std::vector<Fact>& own, const std::vector<Fact>& now) {
  const SuiteReading alone{.facts = own}, behind{.facts = now};
  const SuiteReading *a = &alone, *b = &behind;
  return changed_facts({&a, 1}, {&b, 1});
}

UnitSet in_both(const UnitSet& a, const UnitSet& b) {
  UnitSet both;
  std::ranges::set_intersection(a, b, std::inserter(both, both.end()));
  return both;
}

struct FoundChange {
  AuditChanged what;
  UnitSet suspects;  // that explain its runs
};

// The changes of one benchmark, one for each other set of values.
std::vector<FoundChange> changes_of(const std::pair<std::uint32_t, std::string>& key,
                                    const std::vector<FactsSeen>& runs,
                                    const std::vector<Fact>& own) {
  std::map<std::string, FoundChange> changes;
  UnitSet harmless;
  std::uint32_t same = 0;
  for (const FactsSeen& one : runs) {
    const std::string text = change_text(own, *one.facts);
    const UnitSet front(one.front.begin(), one.front.end());
    if (text.empty()) {
      ++same;
      harmless.insert(front.begin(), front.end());
      continue;
    }
    const auto [at, fresh] = changes.try_emplace(text);
    FoundChange& change = at->second;
    ++change.what.changed;
    change.suspects = fresh ? front : in_both(change.suspects, front);
  }
  std::vector<FoundChange> found;
  for (auto& [text, change] : changes) {
    std::erase_if(change.suspects, [&](std::uint32_t unit) { return harmless.contains(unit); });
    change.what.unit = key.first;
    change.what.id = key.second;
    change.what.text = text;
    change.what.same = same;
    found.push_back(std::move(change));
  }
  return found;
}

// What one unit did to many is the same change: together they tell more than each.
void name_suspects(std::vector<FoundChange>& found) {
  std::map<std::string_view, UnitSet> common;
  for (const FoundChange& one : found) {
    if (one.suspects.empty()) continue;
    const auto [at, fresh] = common.emplace(one.what.text, one.suspects);
    if (!fresh)
      if (UnitSet both = in_both(at->second, one.suspects); !both.empty())
        at->second = std::move(both);
  }
  for (FoundChange& one : found) {
    if (one.suspects.size() > 1)
      if (const UnitSet both = in_both(one.suspects, common[one.what.text]); !both.empty())
        one.suspects = both;
    one.what.behind.assign(one.suspects.begin(), one.suspects.end());
  }
}

}  // namespace

std::vector<AuditChanged> changed_behind(const AuditTable& table,
                                         std::span<const Trial* const> trials) {
  const SeenFacts seen = facts_of(trials);
  const std::set<std::string> unsettled = unsettled_names(seen);
  std::vector<FoundChange> found;
  for (std::size_t i = 0; i < table.size(); ++i) {
    const auto at = seen.find({table[i].unit, table[i].id});
    if (at == seen.end()) continue;
    const std::vector<Fact> own = own_facts(at->second, unsettled);
    if (own.empty()) continue;
    for (FoundChange& one : changes_of(at->first, at->second, own)) found.push_back(std::move(one));
  }
  name_suspects(found);
  std::vector<AuditChanged> all;
  for (FoundChange& one : found) {
    const bool explained = !one.suspects.empty() && one.suspects.size() <= kFewUnits;
    if (one.what.changed >= (explained ? kFewestExplained : kFewestChanged))
      all.push_back(std::move(one.what));
  }
  return all;
}

void add_changed(const AuditTable& table, std::span<const Trial* const> trials,
                 AuditFinding& found) {
  const std::vector<AuditChanged> all = changed_behind(table, trials);
  const auto is_same = [](const auto& a, const auto& b) {
    return a.unit == b.unit && a.id == b.id;
  };
  for (const AuditChanged& one : all)
    if (std::ranges::none_of(found.victims, [&](const AuditVictim& victim) {
          return victim.mechanism == Mechanism::workload && is_same(victim, one);
        }))
      found.changed.push_back(one);
  std::erase_if(found.doubts, [&](const AuditDoubt& doubt) {
    return doubt.kind == DoubtKind::facts &&
           std::ranges::any_of(all, [&](const AuditChanged& one) { return is_same(doubt, one); });
  });
}

}  // namespace assay::experiment
