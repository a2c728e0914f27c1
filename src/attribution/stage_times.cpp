// SPDX-License-Identifier: Apache-2.0
#include "attribution/stage_times.hpp"

#include <algorithm>

namespace assay::attribution {
namespace {

const Visit* visit_at(const Pipeline& pipeline, const FirstVisits& first, std::size_t stage,
                      std::uint32_t item) {
  if (stage >= first.size() || item >= first[stage].size()) return nullptr;
  const std::uint32_t visit = first[stage][item];
  return visit == kNone ? nullptr : &pipeline.visits[stage][visit];
}

}  // namespace

FirstVisits first_visits(const Pipeline& pipeline, std::size_t items) {
  FirstVisits first(pipeline.visits.size());
  for (std::size_t s = 0; s < first.size(); ++s) {
    first[s].assign(items, kNone);
    const std::vector<Visit>& visits = pipeline.visits[s];
    for (std::size_t v = visits.size(); v-- > 0;) {
      if (visits[v].item < items) first[s][visits[v].item] = static_cast<std::uint32_t>(v);
    }
  }
  return first;
}

Nanos leave_of(const Pipeline& pipeline, const FirstVisits& first, std::size_t stage,
               const Visit& visit) {
  if (visit.sent) return std::max(*visit.sent, visit.end);
  const Visit* below = visit_at(pipeline, first, stage + 1, visit.item);
  if (below != nullptr && below->queued) return std::max(*below->queued, visit.end);
  return visit.end;
}

std::optional<Nanos> arrive_of(const Pipeline& pipeline, const FirstVisits& first,
                               std::size_t stage, const Visit& visit) {
  if (visit.queued) return std::min(*visit.queued, visit.begin);
  if (stage == 0) return std::nullopt;
  const Visit* above = visit_at(pipeline, first, stage - 1, visit.item);
  if (above == nullptr) return std::nullopt;
  return std::min(above->sent ? std::max(*above->sent, above->end) : above->end, visit.begin);
}

StageTimes stage_times(const Pipeline& pipeline, const FirstVisits& first, std::size_t stage) {
  const std::vector<Visit>& visits = pipeline.visits[stage];
  StageTimes times;
  times.arrivals_known = !visits.empty();
  for (auto* column : {&times.arrive, &times.begin, &times.end, &times.leave})
    column->reserve(visits.size());
  for (const Visit& visit : visits) {
    const std::optional<Nanos> arrive = arrive_of(pipeline, first, stage, visit);
    if (!arrive) times.arrivals_known = false;
    times.arrive.push_back(arrive.value_or(visit.begin));
    times.begin.push_back(visit.begin);
    times.end.push_back(visit.end);
    times.leave.push_back(leave_of(pipeline, first, stage, visit));
  }
  for (auto* column : {&times.arrive, &times.begin, &times.end, &times.leave}) sort_times(*column);
  return times;
}

Bound servers_of(const trace::Trace& run, const Pipeline& pipeline, const StageTimes& times,
                 std::size_t stage) {
  const PipelineStage& of = pipeline.stages[stage];
  if (of.servers && *of.servers > 0) {
    const std::string& from = of.stage < run.stages.size() ? run.stages[of.stage].servers_from : "";
    return {*of.servers, from.empty() ? "declared" : from};
  }
  if (of.permits && *of.permits > 0) return {*of.permits, "permits"};
  return {levels_of({times.begin, times.end}).most, "observed: the most at once"};
}

void Stretches::add(Nanos from, Nanos to) {
  before_.push_back(from_.empty() ? 0 : before_.back() + difference(from_.back(), to_.back()));
  from_.push_back(from);
  to_.push_back(to);
}

Wide Stretches::within(Nanos from, Nanos to) const {
  // Total length up to a time.
  const auto until = [&](Nanos at) -> Wide {
    const auto next = std::upper_bound(from_.begin(), from_.end(), at) - from_.begin();
    if (next == 0) return 0;
    const auto i = static_cast<std::size_t>(next) - 1;
    return before_[i] + difference(from_[i], std::min(at, to_[i]));
  };
  return from_.empty() || to <= from ? 0 : until(to) - until(from);
}

Stretches without_input(const Pipeline& pipeline, const StageTimes& times, std::size_t stage) {
  Stretches result;
  if (times.begin.empty()) return result;
  if (stage > 0 && times.arrivals_known) {
    if (times.arrive.front() > pipeline.begin) result.add(pipeline.begin, times.arrive.front());
    walk(std::array{Steps{times.arrive, times.begin}},
         [&](Nanos from, Nanos to, const std::array<std::int64_t, 1>& waiting) {
           if (waiting[0] <= 0) result.add(from, to);
         });
  }
  if (times.begin.back() < pipeline.end) result.add(times.begin.back(), pipeline.end);
  return result;
}

Idle idle_of(const Pipeline& pipeline, const StageTimes& times, std::size_t stage,
             std::uint64_t servers, bool held) {
  Idle idle;
  if (times.begin.empty()) return idle;
  const auto count = static_cast<std::int64_t>(
      std::min<std::uint64_t>(servers, std::uint64_t{std::numeric_limits<std::uint32_t>::max()}));
  const bool known = stage > 0 && times.arrivals_known;
  const std::vector<Nanos>& ends = held ? times.leave : times.end;
  const Nanos last_begin = times.begin.back();
  const auto add = [&](Nanos from, Nanos to, std::int64_t waiting, std::int64_t busy) {
    const std::int64_t free = count - busy;
    if (free <= 0 || to <= from) return;
    const bool empty = from >= last_begin || (known && waiting <= 0);
    (empty ? idle.starved : idle.other) += difference(from, to) * free;
  };
  const Nanos first = std::min(times.arrive.front(), times.begin.front());
  add(pipeline.begin, first, 0, 0);
  Nanos last = first;
  walk(std::array{Steps{times.arrive, times.begin}, Steps{times.begin, ends}},
       [&](Nanos from, Nanos to, const std::array<std::int64_t, 2>& counts) {
         add(from, std::min(to, pipeline.end), counts[0], counts[1]);
         last = to;
       });
  add(std::max(last, last_begin), pipeline.end, 0, 0);
  return idle;
}

}  // namespace assay::attribution
