// SPDX-License-Identifier: Apache-2.0
// The search is run from its beginning at every answer, and stops at the first question that has
// none: no state but the answers, and the text reads as the method does. `question_` set means that
// it has stopped.
#include "experiment/suite_audit_search.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace assay::experiment {
namespace {

using SearchUnits = PolluterSearch::Units;

SearchUnits part_of(const SearchUnits& units, std::size_t from, std::size_t to) {
  return {units.begin() + static_cast<std::ptrdiff_t>(from),
          units.begin() + static_cast<std::ptrdiff_t>(to)};
}

SearchUnits leave_out(const SearchUnits& units, std::size_t from, std::size_t to) {
  SearchUnits rest = part_of(units, 0, from);
  rest.insert(rest.end(), units.begin() + static_cast<std::ptrdiff_t>(to), units.end());
  return rest;
}

}  // namespace

PolluterSearch::PolluterSearch(Units sequence, std::vector<Units> known)
    : sequence_(std::move(sequence)), known_(std::move(known)), suspects_(sequence_.size()) {
  std::erase_if(known_, [&](const Units& set) {
    return set.empty() || std::ranges::any_of(set, [&](std::uint32_t unit) {
             return std::ranges::find(sequence_, unit) == sequence_.end();
           });
  });
  if (!sequence_.empty()) answers_[sequence_] = true;
  solve();
}

void PolluterSearch::answer(const Units& part, bool polluted) {
  answers_[part] = polluted;
  solve();
}

// Nothing when the answer is not known yet: that is the next question.
std::optional<bool> PolluterSearch::ask(const Units& part) {
  if (part.empty()) return false;
  if (const auto at = answers_.find(part); at != answers_.end()) return at->second;
  question_ = part;
  return std::nullopt;
}

void PolluterSearch::solve() {
  question_.reset();
  found_.clear();
  suspects_ = sequence_.size();
  if (sequence_.empty()) return;
  if (const auto found = try_known()) {
    found_ = *found;
  } else if (!question_) {
    if (const auto one = halve())
      found_ = *one;
    else if (!question_)
      found_ = narrow();
    if (!question_) found_ = minimise(std::move(found_));
  }
  if (question_)
    found_.clear();
  else
    suspects_ = found_.size();
}

// Those that polluted others, and the predecessor.
std::optional<SearchUnits> PolluterSearch::try_known() {
  for (const Units& set : known_) {
    const auto polluted = ask(set);
    if (!polluted) return std::nullopt;
    if (*polluted) return set;
  }
  const Units last = {sequence_.back()};
  const auto polluted = ask(last);
  return polluted && *polluted ? std::optional(last) : std::nullopt;
}

// The one unit that is enough, or nothing: not known yet, or not one.
std::optional<SearchUnits> PolluterSearch::halve() {
  // Without those that were tried alone in front: the same ones at every answer.
  Units left;
  for (const std::uint32_t unit : sequence_)
    if (unit != sequence_.back() && std::ranges::find(known_, Units{unit}) == known_.end())
      left.push_back(unit);
  while (left.size() > 1) {
    suspects_ = left.size();
    const Units later = part_of(left, left.size() / 2, left.size());
    const auto polluted = ask(later);
    if (!polluted) return std::nullopt;
    left = *polluted ? later : part_of(left, 0, left.size() / 2);
  }
  suspects_ = left.size();
  const auto polluted = ask(left);
  return polluted && *polluted ? std::optional(left) : std::nullopt;
}

// Several are needed. Each turn finds the shortest beginning that still pollutes together with
// those known to be needed: its last unit is needed too. log2 n runs for each; ddmin on the whole
// sequence took 100 to 200 for three of 100 units. Its value counts only when no question is open.
SearchUnits PolluterSearch::narrow() {
  Units needed, left = sequence_;
  const auto with = [&](std::size_t count) {
    Units part = part_of(left, 0, count);
    part.insert(part.end(), needed.begin(), needed.end());  // all of them stand behind `left`
    return part;
  };
  while (!left.empty()) {
    suspects_ = left.size() + needed.size();
    if (!needed.empty()) {
      const auto enough = ask(needed);
      if (!enough || *enough) return needed;
    }
    std::size_t low = 0, high = left.size();  // with(high) pollutes, with(low) does not
    while (high - low > 1) {
      const std::size_t middle = low + (high - low) / 2;
      const auto polluted = ask(with(middle));
      if (!polluted) return needed;
      (*polluted ? high : low) = middle;
    }
    needed.insert(needed.begin(), left[high - 1]);
    left = part_of(left, 0, high - 1);
  }
  return needed;
}

// ddmin, to a set from which none can be left out. Its value counts only when no question is open.
SearchUnits PolluterSearch::minimise(SearchUnits units) {
  std::size_t parts = 2;
  while (units.size() > 1) {
    suspects_ = units.size();
    bool smaller = false;
    const auto edge = [&](std::size_t i) { return units.size() * i / parts; };
    for (std::size_t i = parts; i-- > 0 && !smaller;) {
      const Units part = part_of(units, edge(i), edge(i + 1));
      const auto polluted = ask(part);
      if (!polluted) return units;
      if (!*polluted) continue;
      units = part;
      parts = 2;
      smaller = true;
    }
    for (std::size_t i = 0; i < parts && !smaller && parts > 2; ++i) {
      const Units rest = leave_out(units, edge(i), edge(i + 1));
      const auto polluted = ask(rest);
      if (!polluted) return units;
      if (!*polluted) continue;
      units = rest;
      parts = std::max<std::size_t>(parts - 1, 2);
      smaller = true;
    }
    if (smaller) continue;
    if (parts >= units.size()) break;
    parts = std::min(2 * parts, units.size());
  }
  return units;
}

}  // namespace assay::experiment
