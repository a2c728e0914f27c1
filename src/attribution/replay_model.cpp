// SPDX-License-Identifier: Apache-2.0
// What the replay needs and the log shows only indirectly. Each question is answered from the
// visits alone: when was a server free although nothing began (the source had nothing)? were more
// items begun and not yet sent than there are servers or permits (released before the send)? does a
// queue give out the oldest, or the item that entered the pipeline first?
#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <queue>
#include <set>

#include "attribution/replay.hpp"
#include "attribution/replay_table.hpp"
#include "attribution/times.hpp"
#include "base/text.hpp"

namespace assay::attribution {
namespace {

// Longest stretch that a replay adds up without overflow, with room for every exchange: 11 years.
constexpr std::uint64_t kLongest = std::uint64_t{1} << 58;

bool sums_fit(const Pipeline& pipeline) {
  if (elapsed(pipeline.begin, pipeline.end) > kLongest) return false;
  std::uint64_t total = 0;
  for (const auto& of : pipeline.visits) {
    for (const Visit& visit : of) {
      total += elapsed(visit.begin, visit.end);
      if (total > kLongest) return false;
    }
  }
  return true;
}

Result<VisitTable> table_of(const Pipeline& pipeline, const trace::Trace& run) {
  VisitTable table;
  if (!sums_fit(pipeline)) {
    return fail("the spans are longer than 9 years in all", run.source,
                "their unit, or one of their clocks, is wrong");
  }
  table.begin = pipeline.begin;
  table.end = pipeline.end;
  table.resolution = std::clamp<Nanos>(run.clock.resolution_ns, 1, 1'000'000'000);
  std::vector<std::uint32_t> row_of(run.items.size(), kNone);
  std::vector<const Visit*> first;
  for (const Visit& visit : pipeline.visits.front()) first.push_back(&visit);
  // The order of items that begin at one tick of the clock is not in the log.
  std::stable_sort(first.begin(), first.end(), [](const Visit* l, const Visit* r) {
    return l->begin != r->begin ? l->begin < r->begin : l->item < r->item;
  });
  for (const Visit* visit : first) {
    std::uint32_t& row = row_of[visit->item];
    if (row != kNone) {
      return fail(fmt::format("item '{}' passes {} more than once",
                              printable(run.strings.at(run.items.key[visit->item])),
                              pipeline.stages.front().name),
                  run.source, "the item's key must name one passage: add a field to 'item'");
    }
    row = static_cast<std::uint32_t>(table.rows++);
  }
  table.at.push_back(std::move(first));
  for (std::size_t s = 1; s < pipeline.stages.size(); ++s) {
    std::vector<const Visit*>& column = table.at.emplace_back(table.rows, nullptr);
    std::size_t strangers = 0, twice = 0;
    for (const Visit& visit : pipeline.visits[s]) {
      const std::uint32_t row = row_of[visit.item];
      if (row == kNone) {
        ++strangers;
      } else if (column[row] != nullptr) {
        ++twice;
      } else {
        column[row] = &visit;
      }
    }
    const auto missing =
        static_cast<std::size_t>(std::count(column.begin(), column.end(), nullptr));
    if (strangers + twice + missing > 0) {
      return fail(fmt::format("of {} items {} miss {}, {} are only there and {} pass it twice",
                              table.rows, missing, pipeline.stages[s].name, strangers, twice),
                  run.source, "a replay needs each item once in every stage");
    }
  }
  return table;
}

// Total time that more than `limit` of the intervals were open at once.
Nanos time_above(std::vector<std::pair<Nanos, int>>& steps, std::int64_t limit) {
  std::sort(steps.begin(), steps.end());  // ends (-1) before begins (+1) at one time
  std::int64_t open = 0;
  Nanos total = 0;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (open > limit && i > 0) total += steps[i].first - steps[i - 1].first;
    open += steps[i].second;
  }
  return total;
}

// Were more than `holders` items begun in stage s and not yet sent on? Where the sends are not in
// the log: more than holders + capacity begun here and not yet in service downstream, where each
// server may have one in hand that it took and has not begun.
bool released_before_send(const VisitTable& table, std::size_t s, std::int64_t holders,
                          std::uint64_t capacity, std::uint32_t next_servers) {
  if (s + 1 >= table.at.size()) return false;
  std::vector<std::pair<Nanos, int>> steps;
  std::int64_t limit = holders;
  bool sends = true;
  for (std::size_t row = 0; row < table.rows && sends; ++row)
    sends = table.left(s, row).has_value();
  if (!sends) {
    if (capacity > table.rows) return false;  // never full
    limit = holders + static_cast<std::int64_t>(capacity) + next_servers;
  }
  for (std::size_t row = 0; row < table.rows; ++row) {
    const Visit& visit = *table.at[s][row];
    const Nanos leaves = sends ? *table.left(s, row) : table.at[s + 1][row]->begin;
    // A tick earlier: what the clock's rounding makes of a hand-over is no overlap.
    const Nanos until = leaves - 2 * table.resolution;
    if (until <= visit.begin) continue;
    steps.emplace_back(visit.begin, 1);
    steps.emplace_back(until, -1);
  }
  return time_above(steps, limit) * 1000 > table.end - table.begin;
}

// Does the queue before stage s give out the item that entered the pipeline first, rather than the
// oldest? Counted over the items that waited: by whom were they overtaken?
bool gives_by_order(const VisitTable& table, std::size_t s) {
  std::vector<std::size_t> by_begin(table.rows);
  std::iota(by_begin.begin(), by_begin.end(), std::size_t{0});
  for (const std::size_t row : by_begin) {
    if (!table.at[s][row]->queued) return false;
  }
  std::stable_sort(by_begin.begin(), by_begin.end(), [&](std::size_t l, std::size_t r) {
    return table.at[s][l]->begin < table.at[s][r]->begin;
  });
  std::vector<std::size_t> by_queued = by_begin;
  std::stable_sort(by_queued.begin(), by_queued.end(), [&](std::size_t l, std::size_t r) {
    return *table.at[s][l]->queued < *table.at[s][r]->queued;
  });
  // The items that wait at each begin: the smallest place and the earliest queued among them.
  std::size_t fifo = 0, ordered = 0, next = 0;
  std::set<std::size_t> waiting_rows;
  std::set<std::pair<Nanos, std::size_t>> waiting_times;
  for (const std::size_t row : by_begin) {
    const Visit& visit = *table.at[s][row];
    while (next < by_queued.size() && *table.at[s][by_queued[next]]->queued <= visit.begin) {
      waiting_rows.insert(by_queued[next]);
      waiting_times.emplace(*table.at[s][by_queued[next]]->queued, by_queued[next]);
      ++next;
    }
    if (!waiting_rows.empty() && *waiting_rows.begin() < row) ++ordered;
    if (!waiting_times.empty() && waiting_times.begin()->first < *visit.queued) ++fifo;
    waiting_rows.erase(row);
    waiting_times.erase({*visit.queued, row});
  }
  return ordered < fifo;
}

struct Late {
  std::vector<std::uint32_t> rows = {};  // began although a server had been free before
  Nanos total = 0;
  std::size_t holders = 1;
};

// The holders of the first stage: a begin that comes later than the release that made it possible
// waited for the source.
Late late_begins(const VisitTable& table, const ReplayStage& stage) {
  const std::size_t holders =
      stage.permits > 0 ? std::min(stage.permits, stage.servers) : stage.servers;
  const bool held = stage.permits > 0 && stage.permits <= stage.servers ? stage.permit_through_send
                                                                        : stage.server_through_send;
  std::vector<Nanos> services;
  for (const Visit* visit : table.at.front()) services.push_back(visit->end - visit->begin);
  const auto middle = services.begin() + static_cast<std::ptrdiff_t>(services.size() / 2);
  std::nth_element(services.begin(), middle, services.end());
  const Nanos slack = std::max<Nanos>(2 * table.resolution, *middle / 50);
  std::priority_queue<Nanos, std::vector<Nanos>, std::greater<>> free;
  for (std::size_t i = 0; i < std::min(holders, table.rows); ++i) free.push(table.begin);
  Late late;
  late.holders = holders;
  for (std::size_t row = 0; row < table.rows; ++row) {
    const Visit& visit = *table.at.front()[row];
    const Nanos since = free.top();
    free.pop();
    if (visit.begin - since > slack) {
      late.rows.push_back(static_cast<std::uint32_t>(row));
      late.total += visit.begin - since;
    }
    Nanos release = visit.end;
    if (held && table.at.size() > 1) {
      // Without sends in the log the release is not known: then nobody is called late.
      const auto left = table.left(0, row);
      if (!left) return {};
      release = *left;
    }
    free.push(std::max(release, visit.begin));
  }
  return late;
}

// Jobs in order of their first item, and how many were open at once.
struct Jobs {
  std::vector<std::uint32_t> of_row = {};
  std::vector<Nanos> done = {};  // ascending
  std::uint32_t most = 0, count = 0;
};

Jobs jobs_of(const VisitTable& table, const std::vector<std::string>& keys) {
  Jobs jobs;
  std::vector<std::string_view> names;
  std::vector<std::pair<std::string_view, std::uint32_t>> sorted;
  for (std::uint32_t row = 0; row < table.rows; ++row) {
    const std::string_view key = keys[row];
    sorted.emplace_back(key.substr(0, std::min(key.rfind('/'), key.size())), row);
  }
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& l, const auto& r) { return l.first < r.first; });
  std::vector<std::uint32_t> group(table.rows, 0);  // the first row of the item's job
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    const bool same = i > 0 && sorted[i - 1].first == sorted[i].first;
    group[sorted[i].second] = same ? group[sorted[i - 1].second] : sorted[i].second;
  }
  std::vector<std::uint32_t> number(table.rows, kNone);
  std::vector<Nanos> begin, end;
  for (std::uint32_t row = 0; row < table.rows; ++row) {
    std::uint32_t& job = number[group[row]];
    if (job == kNone) {
      job = jobs.count++;
      begin.push_back(table.at.front()[row]->begin);
      end.push_back(table.at.back()[row]->end);
    }
    end[job] = std::max(end[job], table.at.back()[row]->end);
    jobs.of_row.push_back(job);
  }
  std::vector<std::pair<Nanos, int>> steps;
  for (std::size_t j = 0; j < begin.size(); ++j) {
    steps.emplace_back(begin[j], 1);
    steps.emplace_back(std::max(end[j] - 2 * table.resolution, begin[j]), -1);
  }
  std::sort(steps.begin(), steps.end());
  std::int64_t open = 0;
  for (const auto& step : steps) {
    open += step.second;
    jobs.most = std::max(jobs.most, static_cast<std::uint32_t>(std::max<std::int64_t>(open, 0)));
  }
  jobs.done = std::move(end);
  std::sort(jobs.done.begin(), jobs.done.end());
  return jobs;
}

// What the source withheld. Waits below a twentieth of the servers' time are the machine's (a
// thread that wakes, a lock), not the source's.
void find_source(const VisitTable& table, RunModel& model) {
  const Late late = late_begins(table, model.stages.front());
  const Nanos wall = table.end - table.begin;
  const double idle = static_cast<double>(late.total) /
                      (static_cast<double>(late.holders) * static_cast<double>(wall));
  if (late.rows.size() * 100 < table.rows || !(idle >= 0.05)) return;
  const Jobs jobs = jobs_of(table, model.keys);
  std::size_t explained = 0;
  if (jobs.count > jobs.most && jobs.most > 0) {
    for (const std::uint32_t row : late.rows) {
      const std::uint32_t job = jobs.of_row[row];
      if (job < jobs.most) continue;
      const Nanos gap = table.at.front()[row]->begin - jobs.done[job - jobs.most];
      if (gap >= -2 * table.resolution && gap <= std::max(2 * table.resolution, wall / 500)) {
        ++explained;
      }
    }
  }
  if (explained * 5 >= late.rows.size() * 4) {
    model.source.job = jobs.of_row;
    model.source.jobs_in_flight = jobs.most;
    model.notes.push_back(
        fmt::format("the source lets {} of {} jobs in at a time (from the log): a job enters when "
                    "another has left",
                    jobs.most, jobs.count));
    return;
  }
  model.source.arrival.assign(table.rows, 0);
  for (const std::uint32_t row : late.rows) {
    model.source.arrival[row] = table.at.front()[row]->begin - table.begin;
  }
  model.notes.push_back(
      fmt::format("{} of {} items began later than {} could have taken them ({} in all): the "
                  "source had nothing "
                  "to give, and their arrival times are kept as the log has them",
                  late.rows.size(), table.rows, model.stage_names.front(),
                  format_seconds(static_cast<double>(late.total) * 1e-9)));
}

// Whether a stage is replayed part by part.
bool is_split(const PipelineStage& stage, std::span<const std::string> whole) {
  return !stage.parts.empty() && std::find(whole.begin(), whole.end(), stage.name) == whole.end();
}

Result<std::vector<ReplayStage>> stages_of(const Pipeline& pipeline, const trace::Trace& run,
                                           std::span<const std::string> whole) {
  std::vector<ReplayStage> stages;
  std::string missing;
  const auto miss = [&](std::string_view what, const std::string& stage) {
    missing += fmt::format("{}{} of {}", missing.empty() ? "" : ", ", what, stage);
  };
  constexpr std::uint32_t kMost = 1U << 20;
  for (std::size_t s = 0; s < pipeline.stages.size(); ++s) {
    const PipelineStage& from = pipeline.stages[s];
    ReplayStage stage;
    if (!from.servers && !from.permits) miss(s == 0 ? "servers or permits" : "servers", from.name);
    stage.permits = std::min(from.permits.value_or(0), kMost);
    stage.servers = std::min(from.servers.value_or(from.permits.value_or(1)), kMost);
    if ((from.servers && *from.servers == 0) || (from.permits && *from.permits == 0)) {
      return fail(fmt::format("{} is stated to have 0 {}", from.name,
                              from.servers == 0U ? "servers" : "permits"),
                  run.source, "a stage that served items has one at least");
    }
    if (s > 0 && !from.capacity) miss("capacity", from.name);
    stage.capacity = from.capacity.value_or(UINT64_MAX);
    if (is_split(from, whole)) {
      stage.part_servers.clear();
      for (const std::uint32_t part : from.parts) {
        stage.part_servers.push_back(pipeline.parts[part].servers.value_or(0));
      }
    }
    stages.push_back(std::move(stage));
  }
  if (missing.empty()) return stages;
  return fail("the log does not say " + missing, run.source,
              "state them in --rules, in the [[stage]] of that name: servers = 2, capacity = 10, "
              "permits = \"setting(NAME)\"");
}

void add_services(const Pipeline& pipeline, const VisitTable& table, std::size_t s, bool split,
                  RunModel& model) {
  const PipelineStage& stage = pipeline.stages[s];
  const std::vector<std::uint32_t>& locks = model.stages[s].part_servers;
  const auto stage_index = static_cast<std::uint32_t>(s);
  if (!split) {
    model.columns.push_back({stage_index, 0, stage.name});
    std::vector<Nanos>& column = model.services.emplace_back();
    for (const Visit* visit : table.at[s]) column.push_back(visit->end - visit->begin);
    return;
  }
  const std::size_t first = model.services.size();
  for (std::size_t p = 0; p < locks.size(); ++p) {
    const std::string& name = pipeline.parts[stage.parts[p]].name;
    model.columns.push_back({stage_index, static_cast<std::uint32_t>(p),
                             name.starts_with(stage.name) ? name : stage.name + "." + name});
    model.services.emplace_back(table.rows, 0);
  }
  for (std::size_t row = 0; row < table.rows; ++row) {
    const Visit& visit = *table.at[s][row];
    Nanos rest = visit.end - visit.begin;
    for (std::size_t p = 0; p < locks.size(); ++p) {
      // Before a lock a gap is a wait; between parts it is the hand-over (find_hand_overs); before
      // the first part, work without a name.
      const bool locked = locks[p] > 0 && locks[p] < model.stages[s].servers;
      const Nanos wait = std::min(visit.part_wait[p], rest);
      rest -= wait;
      const Nanos work = std::min(visit.part_service[p], rest);
      rest -= work;
      const bool between = p > 0 && wait > table.rounding();
      model.services[first + p][row] = work + (locked || between ? 0 : wait);
    }
    if (rest > 0) model.services[first + locks.size() - 1][row] += rest;
  }
}

}  // namespace

Result<RunModel> model_of(const Pipeline& pipeline, const trace::Trace& run,
                          std::span<const std::string> whole) {
  auto stages = stages_of(pipeline, run, whole);
  if (!stages) return fail(stages.error());
  const auto table = table_of(pipeline, run);
  if (!table) return fail(table.error());
  RunModel model;
  model.stages = std::move(*stages);
  model.measured = pipeline.end - pipeline.begin;
  model.resolution = table->resolution;
  for (const Visit* visit : table->at.front()) {
    model.keys.emplace_back(run.strings.at(run.items.key[visit->item]));
  }
  std::vector<bool> split;
  for (std::size_t s = 0; s < pipeline.stages.size(); ++s) {
    ReplayStage& stage = model.stages[s];
    model.stage_names.push_back(pipeline.stages[s].name);
    split.push_back(is_split(pipeline.stages[s], whole));
    add_services(pipeline, *table, s, split.back(), model);
    if (s > 0) stage.by_order = gives_by_order(*table, s);
    if (s + 1 == pipeline.stages.size()) continue;
    const std::uint64_t capacity = model.stages[s + 1].capacity;
    const std::uint32_t next_servers = model.stages[s + 1].servers;
    stage.server_through_send =
        !released_before_send(*table, s, stage.servers, capacity, next_servers);
    stage.permit_through_send =
        stage.permits == 0 ||
        !released_before_send(*table, s, stage.permits, capacity, next_servers);
    if (stage.permits > 0 && !stage.permit_through_send) {
      model.notes.push_back(
          fmt::format("{} permits of {} did not bound the items begun there and not yet sent: they "
                      "are released "
                      "before the send",
                      stage.permits, pipeline.stages[s].name));
    }
  }
  find_source(*table, model);
  find_hand_overs(*table, split, model);
  return model;
}

}  // namespace assay::attribution
