// SPDX-License-Identifier: Apache-2.0
#include "prover/bench/critical_path.hpp"

#include <algorithm>

namespace prover::bench {
namespace {

enum Kind : std::size_t { kAdmission, kSynth, kStart, kFinish, kHandOver, kCheck, kKinds };

struct Activity {
  Kind kind = kSynth;
  std::size_t partition = 0;
  TimePoint begin, end;
};

std::vector<Activity> activities_of(const JobOutcome& outcome) {
  std::vector<Activity> all;
  for (std::size_t i = 0; i < outcome.times.size(); ++i) {
    const PartitionTimes& times = outcome.times[i];
    all.push_back({kSynth, i, times.synth_start, times.synth_end});
    all.push_back({kStart, i, times.prove_start, times.start_end});
    all.push_back({kFinish, i, times.start_end, times.finish_end});
  }
  return all;
}

// The activity that let `next` begin: the last to end before it that can have. Null: none did.
const Activity* before(const std::vector<Activity>& all, const Activity& next) {
  const Activity* last = nullptr;
  for (const Activity& one : all) {
    if (&one == &next || one.end > next.begin) continue;
    // A synthesis lets no other partition's start begin: what is picked up next is in the queue.
    const bool own = one.partition == next.partition;
    if (next.kind == kStart && one.kind == kSynth && !own) continue;
    if (next.kind == kFinish && !(own && one.kind == kStart)) continue;
    if (last == nullptr || one.end > last->end) last = &one;
  }
  return last;
}

}  // namespace

std::vector<PathPart> critical_path(const JobOutcome& outcome) {
  if (!outcome.proof || outcome.times.empty()) return {};
  std::vector<PathPart> parts(kKinds);
  const char* const names[] = {"admission", "synth", "start", "finish", "hand_over", "check"};
  for (std::size_t i = 0; i < kKinds; ++i) parts[i].name = names[i];
  const auto add = [&](Kind kind, TimePoint from, TimePoint to) {
    parts[kind].n += from < to ? 1 : 0;
    parts[kind].ms += milliseconds(from, to);
  };

  const std::vector<Activity> all = activities_of(outcome);
  const Activity* at = &*std::ranges::max_element(all, {}, &Activity::end);
  add(kCheck, at->end, outcome.done);
  while (at != nullptr) {
    add(at->kind, at->begin, at->end);
    const Activity* earlier = before(all, *at);
    if (earlier != nullptr && earlier->begin >= at->begin) earlier = nullptr;  // of no duration
    if (earlier == nullptr)
      add(kAdmission, outcome.submitted, at->begin);
    else
      add(kHandOver, earlier->end, at->begin);
    at = earlier;
  }
  return parts;
}

}  // namespace prover::bench
