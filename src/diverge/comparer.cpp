// SPDX-License-Identifier: Apache-2.0
#include "diverge/comparer.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/check.hpp"

namespace assay::diverge {
namespace {

template <class T>
void keep(std::vector<T>& list, T item, std::size_t most = kMostKept) {
  if (list.size() < most) list.push_back(std::move(item));
}

// Lengthens the last range when it ends at `before`, the step settled before; else begins one.
void add_step(std::vector<Range>& ranges, std::optional<std::int64_t> before, std::int64_t step) {
  if (!ranges.empty() && ranges.back().to == before)
    ranges.back() = {ranges.back().from, step, ranges.back().steps + 1};
  else
    keep(ranges, Range{step, step, 1});
}

std::size_t count_present(const std::vector<std::optional<Answer>>& answers) {
  return static_cast<std::size_t>(
      std::ranges::count_if(answers, [](const auto& a) { return a.has_value(); }));
}

// Groups by equal answers, numbered in the order of participants.
std::vector<std::optional<std::uint32_t>> groups_of(
    const std::vector<std::optional<Answer>>& answers) {
  std::vector<std::optional<std::uint32_t>> groups(answers.size());
  std::uint32_t count = 0;
  for (std::size_t p = 0; p < answers.size(); ++p) {
    if (!answers[p]) continue;
    for (std::size_t q = 0; q < p && !groups[p]; ++q)
      if (answers[q] && answers[q]->value == answers[p]->value) groups[p] = groups[q];
    if (!groups[p]) groups[p] = count++;
  }
  return groups;
}

// Whether two who answered `split` differently are both in `answers`.
bool rejoins(const StepAnswers& split, const std::vector<std::optional<Answer>>& answers) {
  const Answer* first = nullptr;
  for (std::size_t p = 0; p < answers.size(); ++p) {
    if (!answers[p] || !split.answers[p]) continue;
    if (first != nullptr && first->value != split.answers[p]->value) return true;
    if (first == nullptr) first = &*split.answers[p];
  }
  return false;
}

// The grouping that holds for both, when they do not contradict one another: those whom both know
// are together in both or in neither, and who is new is with somebody whom both know.
std::optional<std::vector<std::optional<std::uint32_t>>> merged(
    const std::vector<std::optional<std::uint32_t>>& a,
    const std::vector<std::optional<std::uint32_t>>& b) {
  std::map<std::uint32_t, std::uint32_t> a_of_b, b_of_a;
  for (std::size_t p = 0; p < a.size(); ++p) {
    if (!a[p] || !b[p]) continue;
    if (a_of_b.try_emplace(*b[p], *a[p]).first->second != *a[p]) return {};
    if (b_of_a.try_emplace(*a[p], *b[p]).first->second != *b[p]) return {};
  }
  std::vector<std::optional<std::uint32_t>> both = a;
  for (std::size_t p = 0; p < a.size(); ++p) {
    if (a[p] || !b[p]) continue;
    const auto known = a_of_b.find(*b[p]);
    if (known == a_of_b.end()) return {};
    both[p] = known->second;
  }
  return both;
}

}  // namespace

Comparer::Comparer(std::size_t participants, std::size_t most_open)
    : most_open_(most_open), states_(participants) {
  ASSAY_CHECK(participants > 0 && most_open > 0, "somebody answers, and a step can be open");
  findings_.participants.resize(participants);
}

void Comparer::close_rewind(std::size_t participant) {
  State& state = states_[participant];
  if (!std::exchange(state.rewound, false)) return;
  ++findings_.participants[participant].rewind_count;
  keep(findings_.participants[participant].rewinds, state.rewind);
}

void Comparer::close_stall(std::size_t participant) {
  State& state = states_[participant];
  if (state.highest_repeats < kStall) return;
  ++findings_.participants[participant].stall_count;
  keep(findings_.participants[participant].stalls, Stall{.step = state.highest,
                                                         .first_line = state.highest_first,
                                                         .last_line = state.highest_last,
                                                         .repeats = state.highest_repeats});
}

// Order: growth, rewinds, stalls.
void Comparer::follow(std::size_t participant, const Observation& seen) {
  State& state = states_[participant];
  ParticipantFindings& found = findings_.participants[participant];
  ++found.answers;
  if (state.any && seen.step < state.previous) {
    close_rewind(participant);
    state.rewound = true;
    state.rewind = {.from = state.previous, .to = seen.step, .line = seen.line};
  } else if (state.rewound && seen.step > state.rewind.from) {
    close_rewind(participant);
  }
  if (!state.any || seen.step > state.highest) {
    if (state.any) close_stall(participant);
    state.highest = found.last_step = seen.step;
    state.highest_first = state.highest_last = found.last_line = seen.line;
    state.highest_repeats = 0;
  } else if (seen.step == state.highest) {
    ++state.highest_repeats;
    state.highest_last = seen.line;
  }
  found.first_step = state.any ? std::min(found.first_step, seen.step) : seen.step;
  state.previous = seen.step;
  state.any = true;
}

void Comparer::add(std::size_t participant, Observation seen) {
  follow(participant, seen);
  State& state = states_[participant];
  ParticipantFindings& found = findings_.participants[participant];
  auto place = open_.find(seen.step);
  if (place == open_.end() && settled_to_ && seen.step <= *settled_to_) {
    if (found.late_count++ == 0) found.late_line = seen.line;
    return;
  }
  if (place == open_.end()) place = open_.emplace(seen.step, Answers(states_.size())).first;
  std::optional<Answer>& answer = place->second[participant];
  if (answer) {
    const bool is_changed = answer->value != seen.value;
    if (state.rewound) {
      ++state.rewind.repeated;
      state.rewind.changed += is_changed ? 1 : 0;
    }
    if (is_changed) {
      ++found.changed_count;
      keep(found.changed, Changed{seen.step, *answer, {seen.value, seen.line}});
    } else {
      ++found.repeated_count;
    }
  }
  // Of an answer that came again unchanged the first line is the one to look at.
  if (!answer || answer->value != seen.value) answer = Answer{std::move(seen.value), seen.line};
  while (open_.size() > most_open_) {
    settle(open_.begin()->first, open_.begin()->second);
    open_.erase(open_.begin());
  }
}

void Comparer::settle(std::int64_t step, const Answers& answers) {
  const std::optional<std::int64_t> before = std::exchange(settled_to_, step);
  ++findings_.steps;
  const std::size_t present = count_present(answers);
  for (std::size_t p = 0; p < answers.size(); ++p) {
    ParticipantFindings& found = findings_.participants[p];
    if (!answers[p]) {
      ++found.missing_count;
      add_step(found.missing, before, step);
    } else if (present == 1 && answers.size() > 1) {
      ++found.alone_count;
      add_step(found.alone, before, step);
    }
  }
  if (present >= 2) settle_common(step, answers);
}

void Comparer::settle_common(std::int64_t step, const Answers& answers) {
  ++findings_.common;
  const auto groups = groups_of(answers);
  const bool is_agreed =
      std::ranges::all_of(groups, [](const auto& group) { return group.value_or(0) == 0; });
  if (!is_agreed) {
    ++findings_.disagreements;
    findings_.agrees_since.reset();
    if (!findings_.first_disagreed) findings_.first_disagreed = StepAnswers{step, answers};
  } else if (findings_.first_disagreed) {
    agree_again(step, answers);
  } else {
    findings_.last_agreed = StepAnswers{step, answers};
  }
  extend_phase(step, answers);
}

// Steps at which nobody meets whom he left neither begin such a range nor end it.
void Comparer::agree_again(std::int64_t step, const Answers& answers) {
  if (!rejoins(*findings_.first_disagreed, answers)) return;
  std::vector<Range>& ranges = findings_.agreed_again;
  if (!findings_.agrees_since) {
    findings_.agrees_since = step;
    ++findings_.agreed_again_count;
    keep(ranges, Range{step, step, 1});
  } else if (findings_.agreed_again_count == ranges.size()) {
    ranges.back() = {ranges.back().from, step, ranges.back().steps + 1};
  }
}

void Comparer::extend_phase(std::int64_t step, const Answers& answers) {
  auto groups = groups_of(answers);
  std::vector<Phase>& phases = findings_.phases;
  if (!phases.empty() && findings_.phases_left_out == 0) {
    if (auto both = merged(phases.back().groups, groups)) {
      phases.back() = {phases.back().from, step, phases.back().steps + 1, std::move(*both)};
      return;
    }
  }
  if (phases.size() < kMostPhases)
    phases.push_back({step, step, 1, std::move(groups)});
  else
    ++findings_.phases_left_out;
}

// Who ends lower than another.
void Comparer::find_stops() {
  std::optional<std::int64_t> highest;
  for (const State& state : states_)
    if (state.any) highest = std::max(highest.value_or(state.highest), state.highest);
  for (std::size_t p = 0; p < states_.size(); ++p) {
    const State& state = states_[p];
    if (state.any && state.highest < *highest)
      findings_.participants[p].stops = Stall{.step = state.highest,
                                              .first_line = state.highest_first,
                                              .last_line = state.highest_last,
                                              .repeats = state.highest_repeats};
  }
}

// Where everybody waits nobody is left behind: a slot without a block, a network that stands still.
void Comparer::drop_shared_stalls() {
  std::map<std::int64_t, std::size_t> count;
  for (const ParticipantFindings& found : findings_.participants)
    for (const Stall& stall : found.stalls) ++count[stall.step];
  for (ParticipantFindings& found : findings_.participants)
    found.stall_count -=
        std::erase_if(found.stalls, [&](const Stall& stall) { return count[stall.step] > 1; });
}

RunFindings Comparer::finish() {
  for (const auto& [step, answers] : open_) settle(step, answers);
  open_.clear();
  for (std::size_t p = 0; p < states_.size(); ++p) close_rewind(p);
  find_stops();
  drop_shared_stalls();
  return std::move(findings_);
}

}  // namespace assay::diverge
