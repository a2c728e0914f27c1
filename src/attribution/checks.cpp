// SPDX-License-Identifier: Apache-2.0
#include "attribution/checks.hpp"

#include <algorithm>
#include <cmath>

namespace assay::attribution {
namespace {

constexpr double kTolerance = 0.05;

LawCheck check(std::string law, std::string stage, double left, double right, double noise) {
  LawCheck result = {std::move(law), std::move(stage), left, right, 0, false};
  const double larger = std::max(std::fabs(left), std::fabs(right));
  const double gap = std::fabs(left - right);
  if (larger > 0) result.difference = gap / larger;
  result.violated = result.difference > kTolerance && gap > noise;
  return result;
}

// Busy time in which no worker is counted twice, and how many workers were seen. Where workers have
// no names: as recorded, and the most at once.
struct Busy {
  Wide nanos = 0;
  std::uint64_t workers = 0;
};
Busy busy_of(const trace::Trace& run, const std::vector<Visit>& visits, const StageTimes& times) {
  Busy busy;
  std::vector<Nanos> covered(run.workers.size(), std::numeric_limits<Nanos>::min());
  bool named = true;
  for (const Visit& visit : visits) {
    if (visit.worker >= run.workers.size()) {
      named = false;
      break;
    }
    Nanos& until = covered[visit.worker];
    if (until == std::numeric_limits<Nanos>::min()) ++busy.workers;
    if (visit.end > until) busy.nanos += elapsed(std::max(visit.begin, until), visit.end);
    until = std::max(until, visit.end);
  }
  if (named) return busy;
  busy = {};
  for (const Visit& visit : visits) busy.nanos += elapsed(visit.begin, visit.end);
  busy.workers = levels_of({times.begin, times.end}).most;
  return busy;
}

// U = X S / c: how busy the workers were seen to be, against the items' rate times their service.
std::optional<LawCheck> utilisation_law(const trace::Trace& run, const Pipeline& pipeline,
                                        const StageTimes& times, std::size_t stage, double span_s,
                                        double items) {
  const std::vector<Visit>& visits = pipeline.visits[stage];
  if (!pipeline.stages[stage].servers || *pipeline.stages[stage].servers == 0) return std::nullopt;
  const std::uint64_t servers = *pipeline.stages[stage].servers;
  const Busy busy = busy_of(run, visits, times);
  Wide service = 0;
  for (const Visit& visit : visits) service += elapsed(visit.begin, visit.end);
  // Fewer workers than stated are believed only when items waited for the missing ones.
  std::uint64_t seen = servers;
  if (busy.workers > servers) {
    seen = busy.workers;
  } else if (busy.workers < servers && busy.workers > 0) {
    const Idle idle = idle_of(pipeline, times, stage, servers, true);
    if (seconds(idle.other) > kTolerance * span_s * static_cast<double>(servers) && stage > 0)
      seen = busy.workers;
  }
  const double rate = items / span_s;
  const double mean_s = seconds(service) / static_cast<double>(visits.size());
  return check("U = X S / c", pipeline.stages[stage].name,
               seconds(busy.nanos) / (span_s * static_cast<double>(seen)),
               rate * mean_s / static_cast<double>(servers), 0);
}

// L = X W of the queue: items sent less items begun, counted over time from all records of either
// side, against the items' rate times the wait of those whose queueing was recorded.
std::optional<LawCheck> queue_law(const trace::Trace& run, const Pipeline& pipeline,
                                  const StageTimes& times, std::size_t stage, double span_s,
                                  double items) {
  if (stage == 0) return std::nullopt;
  Wide waited = 0;
  std::uint64_t matched = 0;
  for (const Visit& visit : pipeline.visits[stage]) {
    if (!visit.queued || *visit.queued > visit.begin) continue;
    waited += elapsed(*visit.queued, visit.begin);
    ++matched;
  }
  std::vector<Nanos> sent;
  for (const Visit& visit : pipeline.visits[stage - 1]) {
    if (!visit.sent) continue;
    sent.push_back(*visit.sent);
  }
  // Only where every visit above was seen to send: else the counts are of different things.
  if (matched == 0 || sent.size() != pipeline.visits[stage - 1].size()) return std::nullopt;
  sort_times(sent);
  // The integral of (sent - begun) up to the last event, begun counted as it comes.
  Wide integral = 0;
  for (const Nanos t : sent) integral += difference(t, pipeline.end);
  for (const Nanos t : times.begin) integral -= difference(t, pipeline.end);
  const double wait_s = seconds(waited) / static_cast<double>(matched);
  const double tick_s = seconds(std::max<Nanos>(run.clock.resolution_ns, 1));
  return check("L = X W", pipeline.stages[stage].name, seconds(integral) / span_s,
               items / span_s * wait_s, 2 * tick_s * items / span_s + 1e-9);
}

}  // namespace

std::optional<PhaseTimes> phases_of(const Pipeline& pipeline) {
  if (pipeline.visits.empty() || pipeline.visits.front().empty() || pipeline.visits.back().empty())
    return std::nullopt;
  PhaseTimes result;
  Nanos first = std::numeric_limits<Nanos>::max(), last = std::numeric_limits<Nanos>::min();
  for (const Visit& visit : pipeline.visits.back()) {
    first = std::min(first, visit.end);
    last = std::max(last, visit.end);
  }
  result.fill_end = first;
  result.last_completion = last;
  result.drain_begin = std::clamp(pipeline.visits.front().back().begin, first, last);
  Phases& phases = result.phases;
  phases.fill_s = phases.first_completion_s = seconds_between(pipeline.begin, first);
  // The intervals between completions telescope: their sum is the last less the first, to the ns.
  phases.interval_sum_s = seconds_between(first, last);
  phases.makespan_s = phases.first_completion_s + phases.interval_sum_s;
  phases.steady_s = seconds_between(first, result.drain_begin);
  phases.drain_s = seconds_between(result.drain_begin, last);
  return result;
}

std::vector<double> intervals_between(std::span<const Nanos> ends) {
  std::vector<double> intervals;
  if (ends.size() < 2) return intervals;
  intervals.reserve(ends.size() - 1);
  for (std::size_t i = 1; i < ends.size(); ++i)
    intervals.push_back(seconds(elapsed(ends[i - 1], ends[i])));
  return intervals;
}

std::vector<LawCheck> laws_of(const trace::Trace& run, const Pipeline& pipeline,
                              const FirstVisits& first, const StageTimes& times, std::size_t stage,
                              std::uint64_t items) {
  std::vector<LawCheck> laws;
  const double span_s = seconds_between(pipeline.begin, pipeline.end);
  const double count = static_cast<double>(items);
  std::uint64_t here = 0;
  for (const std::uint32_t visit : first[stage]) here += visit != kNone ? 1 : 0;
  laws.push_back(
      check("N in = N out", pipeline.stages[stage].name, static_cast<double>(here), count, 0));
  if (span_s <= 0 || pipeline.visits[stage].empty()) return laws;
  if (auto law = utilisation_law(run, pipeline, times, stage, span_s, count))
    laws.push_back(std::move(*law));
  if (auto law = queue_law(run, pipeline, times, stage, span_s, count))
    laws.push_back(std::move(*law));
  return laws;
}

std::optional<PermitCheck> permits_of(const trace::Trace& run, const Pipeline& pipeline,
                                      const FirstVisits& first, std::size_t stage, bool lossless) {
  const PipelineStage& of = pipeline.stages[stage];
  if (!of.permits || stage + 1 >= pipeline.stages.size()) return std::nullopt;
  const std::optional<std::uint64_t> capacity = pipeline.stages[stage + 1].capacity;
  if (!capacity) return std::nullopt;
  PermitCheck result;
  result.stage = of.name;
  result.permits = *of.permits;
  result.capacity = *capacity;
  result.in_hand = pipeline.stages[stage + 1].servers.value_or(0);
  std::vector<Nanos> begun, gone;
  for (const Visit& visit : pipeline.visits[stage]) {
    const std::uint32_t below = first[stage + 1][visit.item];
    if (below == kNone && !lossless) continue;
    const Nanos left = below == kNone ? pipeline.end : pipeline.visits[stage + 1][below].begin;
    if (left <= visit.begin) continue;
    begun.push_back(visit.begin);
    gone.push_back(left);
  }
  sort_times(gone);
  // Threads stamp their events at slightly different instants: what counts lasted for a while.
  const std::uint64_t tick =
      static_cast<std::uint64_t>(std::max<Nanos>(run.clock.resolution_ns, 1));
  const std::uint64_t while_ns = std::max(2 * tick, elapsed(pipeline.begin, pipeline.end) / 1000);
  const Levels levels = levels_of({begun, gone}, while_ns);
  result.most = levels.most;
  result.at_s = levels.most == 0 ? 0 : seconds_between(pipeline.begin, levels.most_at);
  const std::uint64_t room = result.permits + result.in_hand;  // both 32 bits wide
  result.exceeded = result.most > room && result.most - room > result.capacity;
  return result;
}

}  // namespace assay::attribution
