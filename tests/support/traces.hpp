// SPDX-License-Identifier: Apache-2.0
// Runs of a simulated pipeline, as the traces that a log of them would give: a chain of stages,
// each with servers and a bounded queue before it. Times are exact, so that a test knows the truth.
//
//   auto stages = two_stages(400, 5, 3, 1);          // synth, 5 permits -> 3 places -> gpu
//   auto schedule = simulate(stages);                // what happened
//   auto run = trace_of(stages, schedule, {});       // what the log says of it
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <deque>
#include <optional>
#include <queue>
#include <string>
#include <tuple>
#include <vector>

#include "base/random.hpp"
#include "trace/events.hpp"

namespace assay::testing {

using trace::Nanos;

struct SimStage {
  std::string name = {};
  std::vector<double> service_s = {};  // by item
  std::uint32_t servers = 1;
  // Places in the queue before it; absent = no bound. Of no meaning for the first stage.
  std::optional<std::uint64_t> capacity = {};
  // The server waits until its item has a place in the next queue; else it goes on at once, and the
  // item waits on its own (a permit released before the send).
  bool hold_through_send = true;
  // From the moment a server takes an item to its begin, and (held through the send) from the
  // item's place in the next queue to the server's release; by item, empty = at once.
  std::vector<double> hand_over_s = {}, send_delay_s = {};
};

struct SimVisit {
  Nanos queued = 0, begin = 0, end = 0, sent = 0;
  std::uint32_t server = 0;
};

struct Schedule {
  std::vector<std::vector<SimVisit>> visits = {};  // [stage][item]
  Nanos makespan = 0;                              // the first item begins at 0
};

// What the log leaves out, and how it is written.
struct SimLog {
  bool blocked_send = true;       // spans of the blocking
  bool queue_wait = true;         // spans of the waiting in queues
  bool name_producers = false;    // workers of the first stage are named (those of the others are)
  bool topology = true;           // servers, capacity, permits and edges are stated
  double lose = 0;                // probability that the record of a begin or of an end is lost
  std::uint64_t seed = 1;         // of what is lost
  Nanos resolution_ns = 1;        // times are rounded to it
  std::uint32_t partitions = 10;  // items are "job/partition"
};

// Log-normal values with this mean and coefficient of variation.
inline std::vector<double> lognormal(std::size_t n, double mean, double cv, std::uint64_t seed) {
  Random random(seed);
  const double sigma = std::sqrt(std::log1p(cv * cv)), mu = std::log(mean) - sigma * sigma / 2;
  std::vector<double> values(n);
  for (double& value : values) value = std::exp(mu + sigma * random.normal());
  return values;
}

inline std::vector<double> scaled(std::vector<double> values, double factor) {
  for (double& value : values) value *= factor;
  return values;
}

// `synth` with `permits` producers (29 s an item) -> a queue of `capacity` -> `gpu` (7 s an item).
inline std::vector<SimStage> two_stages(std::size_t items, std::uint32_t permits,
                                        std::uint64_t capacity, std::uint32_t servers) {
  return {{"synth", lognormal(items, 29, .15, 2), permits, {}, true},
          {"gpu", lognormal(items, 7, .1, 3), servers, capacity, true}};
}

inline Schedule simulate(const std::vector<SimStage>& stages) {
  struct Event {
    Nanos at;
    std::uint64_t order;
    std::size_t stage, item;
    bool released;  // the sender after its send; else a service has ended
    bool operator>(const Event& other) const {
      return std::tie(at, order) > std::tie(other.at, other.order);
    }
  };
  const std::size_t items = stages.empty() ? 0 : stages.front().service_s.size();
  Schedule schedule;
  schedule.visits.assign(stages.size(), std::vector<SimVisit>(items));
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events;
  std::vector<std::deque<std::size_t>> queue(stages.size()), sending(stages.size());
  std::vector<std::vector<std::uint32_t>> idle(stages.size());
  for (std::size_t s = 0; s < stages.size(); ++s)
    for (std::uint32_t k = stages[s].servers; k > 0; --k) idle[s].push_back(k - 1);
  for (std::size_t i = 0; i < items; ++i) queue[0].push_back(i);
  std::uint64_t order = 0;
  const auto nanos = [](double seconds) { return static_cast<Nanos>(std::llround(seconds * 1e9)); };
  const auto release = [&](std::size_t s, std::size_t i) {
    idle[s].push_back(schedule.visits[s][i].server);
    std::sort(idle[s].rbegin(), idle[s].rend());
  };
  const auto send = [&](std::size_t s, Nanos now) {
    const auto room = [&] {
      return !stages[s + 1].capacity || queue[s + 1].size() < *stages[s + 1].capacity;
    };
    bool moved = false;
    while (!sending[s].empty() && room()) {
      const std::size_t i = sending[s].front();
      sending[s].pop_front();
      schedule.visits[s][i].sent = schedule.visits[s + 1][i].queued = now;
      queue[s + 1].push_back(i);
      if (stages[s].hold_through_send && !stages[s].send_delay_s.empty()) {
        schedule.visits[s][i].sent += nanos(stages[s].send_delay_s[i]);
        events.push({schedule.visits[s][i].sent, order++, s, i, true});
      } else if (stages[s].hold_through_send) {
        release(s, i);
      }
      moved = true;
    }
    return moved;
  };
  const auto start = [&](std::size_t s, Nanos now) {
    bool moved = false;
    while (!idle[s].empty() && !queue[s].empty()) {
      const std::size_t i = queue[s].front();
      queue[s].pop_front();
      SimVisit& visit = schedule.visits[s][i];
      visit.server = idle[s].back();
      idle[s].pop_back();
      visit.begin = now + (stages[s].hand_over_s.empty() ? 0 : nanos(stages[s].hand_over_s[i]));
      visit.end = visit.begin + nanos(stages[s].service_s[i]);
      events.push({visit.end, order++, s, i, false});
      moved = true;
    }
    return moved;
  };
  const auto settle = [&](Nanos now) {
    for (bool moved = true; moved;) {
      moved = false;
      for (std::size_t s = stages.size(); s-- > 0;) {
        if (start(s, now)) moved = true;
        if (s + 1 < stages.size() && send(s, now)) moved = true;
      }
    }
  };
  if (items > 0) settle(0);
  while (!events.empty()) {
    const Event event = events.top();
    events.pop();
    if (event.released) {
      release(event.stage, event.item);
      settle(event.at);
      continue;
    }
    const bool last = event.stage + 1 == stages.size();
    if (last) {
      schedule.visits[event.stage][event.item].sent = event.at;
    } else {
      sending[event.stage].push_back(event.item);
    }
    if (last || !stages[event.stage].hold_through_send) release(event.stage, event.item);
    schedule.makespan = std::max(schedule.makespan, event.at);
    settle(event.at);
  }
  return schedule;
}

// Key of an item: "0000002a/3".
inline std::string item_key(std::size_t item, std::uint32_t partitions) {
  constexpr char kHex[] = "0123456789abcdef";
  std::string job(8, '0');
  std::size_t number = item / partitions;
  for (std::size_t i = 8; i-- > 0; number /= 16) job[i] = kHex[number % 16];
  return job + '/' + std::to_string(item % partitions);
}

// The trace of it. Spans are in the order of their ends, as an importer makes them; a lost end
// leaves a clipped span up to the log's end, a lost begin leaves none, and both are counted.
inline trace::Trace trace_of(const std::vector<SimStage>& stages, const Schedule& schedule,
                             const SimLog& log = {}) {
  using trace::kNone;
  using trace::Loss;
  using trace::Quality;
  using trace::SpanKind;
  trace::Trace run;
  run.source = "simulated";
  run.format = "simulation";
  run.clock.resolution_ns = log.resolution_ns;
  const auto rounded = [&](Nanos t) {
    return (t + log.resolution_ns / 2) / log.resolution_ns * log.resolution_ns;
  };
  for (std::size_t s = 0; s < stages.size(); ++s) {
    const std::uint32_t id = run.stage_id(stages[s].name);
    if (!log.topology) continue;
    run.stages[id].servers = stages[s].servers;
    run.stages[id].servers_from = "declared";
    if (s > 0) run.stages[id].capacity = stages[s].capacity;
    if (s == 0) run.stages[id].permits = stages[s].servers;
    if (s > 0) run.edges.push_back({id - 1, id});
  }
  struct Record {
    Nanos from, to;
    std::size_t item, stage;
    std::uint32_t worker;
    SpanKind kind;
  };
  std::vector<Record> records;
  for (std::size_t s = 0; s < stages.size(); ++s) {
    for (std::size_t i = 0; i < schedule.visits[s].size(); ++i) {
      const SimVisit& visit = schedule.visits[s][i];
      const bool named = s > 0 || log.name_producers;
      const std::uint32_t worker =
          named ? run.worker_id(static_cast<std::uint32_t>(s), std::to_string(visit.server))
                : kNone;
      if (s > 0 && log.queue_wait)
        records.push_back({visit.queued, visit.begin, i, s, kNone, SpanKind::queue_wait});
      records.push_back({visit.begin, visit.end, i, s, worker, SpanKind::service});
      if (s + 1 < stages.size() && log.blocked_send)
        records.push_back({visit.end, visit.sent, i, s,
                           stages[s].hold_through_send ? worker : kNone, SpanKind::blocked_send});
    }
  }
  std::stable_sort(records.begin(), records.end(),
                   [](const Record& a, const Record& b) { return a.to < b.to; });
  Random random(log.seed);
  const std::size_t items = stages.empty() ? 0 : stages.front().service_s.size();
  for (std::size_t i = 0; i < items; ++i)
    run.items.intern(run.strings.intern(item_key(i, log.partitions)));
  for (const Record& record : records) {
    const bool no_begin = log.lose > 0 && random.uniform() < log.lose;
    const bool no_end = log.lose > 0 && random.uniform() < log.lose;
    if (no_begin && no_end) continue;
    if (no_begin) ++run.lost(Loss::missing_begin);
    if (no_end) ++run.lost(Loss::missing_end);
    if (no_begin) continue;
    run.spans.push(rounded(record.from), rounded(no_end ? schedule.makespan : record.to),
                   static_cast<std::uint32_t>(record.item),
                   static_cast<std::uint32_t>(record.stage), record.worker, record.kind,
                   no_end ? Quality::clipped : Quality::exact);
  }
  return run;
}

// Memory of such a run: base + the sum over the stages of bytes x items there (queued, in service
// or blocked), every `step` ns.
inline trace::MemorySeries memory_of(const Schedule& schedule, double base,
                                     const std::vector<double>& bytes_per_item, Nanos step) {
  trace::MemorySeries series;
  series.scope = "tree";
  series.method = "simulated";
  for (Nanos t = 0; t <= schedule.makespan; t += step) {
    double bytes = base;
    for (std::size_t s = 0; s < schedule.visits.size(); ++s) {
      for (const SimVisit& visit : schedule.visits[s]) {
        const Nanos from = s == 0 ? visit.begin : visit.queued;
        if (from <= t && t < visit.sent) bytes += bytes_per_item[s];
      }
    }
    series.at.push_back(t);
    series.bytes.push_back(static_cast<std::uint64_t>(std::llround(bytes)));
  }
  return series;
}

}  // namespace assay::testing
