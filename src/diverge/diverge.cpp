// SPDX-License-Identifier: Apache-2.0
#include "diverge/diverge.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <set>
#include <utility>

#include "diverge/comparer.hpp"

namespace assay::diverge {
namespace {

// Read ahead, so that one wild step (a height of 10^18) does not hold its participant back.
constexpr std::size_t kAhead = 256;

// The next answers of one participant, and the lowest step among them.
class Queue {
 public:
  explicit Queue(NextAnswer& answers) : answers_(&answers) {}

  Result<void> fill() {
    while (!ended_ && pending_.size() < kAhead) {
      Result<std::optional<Observation>> next = (*answers_)();
      if (!next) return fail(next.error());
      if (!*next) {
        ended_ = true;
        break;
      }
      while (!lowest_.empty() && lowest_.back() > (*next)->step) lowest_.pop_back();
      lowest_.push_back((*next)->step);
      pending_.push_back(std::move(**next));
    }
    return {};
  }

  std::optional<std::int64_t> lowest() const {
    return lowest_.empty() ? std::nullopt : std::optional(lowest_.front());
  }

  Observation take() {
    Observation first = std::move(pending_.front());
    pending_.pop_front();
    if (lowest_.front() == first.step) lowest_.pop_front();
    return first;
  }

 private:
  NextAnswer* answers_;
  std::deque<Observation> pending_ = {};
  std::deque<std::int64_t> lowest_ = {};  // ascending: minima of what follows each place
  bool ended_ = false;
};

ControlSays says(const RunFindings& control, std::int64_t split) {
  if (control.first_disagreed) return ControlSays::splits;
  if (!control.last_agreed) return ControlSays::nothing;
  return control.last_agreed->step < split ? ControlSays::ends_before : ControlSays::agrees;
}

// The kinds on each side of a disagreement.
std::map<std::string, std::set<std::string>> sides_of_kinds(
    const StepAnswers& split, std::span<const Participant> participants,
    std::vector<std::string>& order) {
  std::map<std::string, std::set<std::string>> sides;  // kind -> answers
  for (std::size_t p = 0; p < participants.size(); ++p) {
    if (!split.answers[p]) continue;
    const std::string& kind = participants[p].kind;
    if (std::ranges::find(order, kind) == order.end()) order.push_back(kind);
    sides[kind].insert(split.answers[p]->value);
  }
  return sides;
}

}  // namespace

Result<RunFindings> compare_run(std::span<NextAnswer> participants) {
  std::vector<Queue> queues;
  for (NextAnswer& answers : participants) queues.emplace_back(answers);
  Comparer comparer(participants.size());
  for (;;) {
    std::size_t behind = queues.size();
    for (std::size_t p = 0; p < queues.size(); ++p) {
      if (const auto filled = queues[p].fill(); !filled) return fail(filled.error());
      if (!queues[p].lowest()) continue;
      if (behind == queues.size() || *queues[p].lowest() < *queues[behind].lowest()) behind = p;
    }
    if (behind == queues.size()) return comparer.finish();
    comparer.add(behind, queues[behind].take());
  }
}

Implication implication_of(const RunFindings& run, std::span<const Participant> participants,
                           std::span<const Control> controls,
                           std::span<const RunFindings> control_runs) {
  Implication result;
  if (!run.first_disagreed) {
    for (const RunFindings& control : control_runs)
      result.controls.push_back(says(control, run.last_agreed ? run.last_agreed->step : 0));
    return result;
  }
  const StepAnswers& split = *run.first_disagreed;
  const auto sides = sides_of_kinds(split, participants, result.kinds);
  for (const auto& [kind, answers] : sides)
    if (answers.size() > 1) result.split_kinds.push_back(kind);
  if (!result.split_kinds.empty()) result.between = Between::across_kinds;
  for (std::size_t c = 0; c < controls.size(); ++c) {
    const ControlSays said = says(control_runs[c], split.step);
    result.controls.push_back(said);
    if (!sides.contains(controls[c].kind)) continue;
    if (said == ControlSays::agrees) result.confirmed.push_back(controls[c].kind);
    if (said != ControlSays::splits || result.between == Between::across_kinds) continue;
    result.between = Between::within_kind;
    result.split_kinds.push_back(controls[c].kind);
  }
  for (const std::string& kind : result.kinds)
    if (std::ranges::find(result.confirmed, kind) == result.confirmed.end())
      result.not_run.push_back(kind);
  if (result.between != Between::nobody) return result;
  const bool is_named =
      std::ranges::any_of(participants, [](const Participant& p) { return p.kind != p.name; });
  result.between = is_named || !controls.empty() ? Between::kinds : Between::participants;
  return result;
}

}  // namespace assay::diverge
