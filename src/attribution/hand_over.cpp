// SPDX-License-Identifier: Apache-2.0
// The replay lets everything happen at the moment it may: a worker takes the next item at once, an
// item has its place as soon as there is one. Here the same moments are worked out from the
// measured times, and what the log shows beyond each is the hand-over: a thread that wakes, a lock,
// an upload, an allocation. Replayed with its own, a run repeats its log.
#include <fmt/format.h>

#include <functional>
#include <numeric>
#include <queue>

#include "attribution/replay_table.hpp"
#include "base/text.hpp"

namespace assay::attribution {
namespace {

// Who takes items, by the time at which each is free again.
struct Holders {
  std::priority_queue<Nanos, std::vector<Nanos>, std::greater<>> free = {};

  void fill(std::size_t count, Nanos since) {
    for (std::size_t i = 0; i < count; ++i) free.push(since);
  }
  bool none() const { return free.empty(); }  // not limited
  Nanos next() const { return free.top(); }
  void take(Nanos until) {
    free.pop();
    free.push(until);
  }
};

std::vector<std::size_t> sorted_rows(std::size_t rows,
                                     const std::function<Nanos(std::size_t)>& time) {
  std::vector<std::size_t> order(rows);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t l, std::size_t r) { return time(l) < time(r); });
  return order;
}

// The earliest time at which the source gives each row.
std::vector<Nanos> source_times(const VisitTable& table, const ReplaySource& source) {
  std::vector<Nanos> out(table.rows, table.begin);
  for (std::size_t row = 0; row < source.arrival.size(); ++row)
    out[row] = table.begin + source.arrival[row];
  if (source.jobs_in_flight == 0) return out;
  std::vector<Nanos> done;
  for (std::size_t row = 0; row < table.rows; ++row) {
    if (source.job[row] >= done.size()) done.resize(source.job[row] + std::size_t{1}, table.begin);
    done[source.job[row]] = std::max(done[source.job[row]], table.at.back()[row]->end);
  }
  std::sort(done.begin(), done.end());
  for (std::size_t row = 0; row < table.rows; ++row) {
    if (source.job[row] >= source.jobs_in_flight)
      out[row] = std::max(out[row], done[source.job[row] - source.jobs_in_flight]);
  }
  return out;
}

// One stage of one run.
class StageTimes {
 public:
  StageTimes(const VisitTable& table, const RunModel& model, std::size_t s)
      : table_(table), stages_(model.stages), s_(s), last_(s + 1 == model.stages.size()) {}

  // Does the log tell when a server is free, and when an item was in the queue?
  bool known() const {
    for (std::size_t row = 0; row < table_.rows; ++row) {
      if (s_ > 0 && !visit(row).queued) return false;
      if (!last_ && held() && !table_.left(s_, row)) return false;
    }
    return true;
  }

  // When the replay would give each item its place in the queue, and to a server.
  void run(std::vector<Nanos> given);
  Nanos placed(std::size_t row) const { return placed_[row]; }
  Nanos taken(std::size_t row) const { return taken_[row]; }

  // When the server that sent the item on is free; the permit, where permits are fewer.
  Nanos sent(std::size_t row) const {
    const ReplayStage& stage = stages_[s_];
    const Visit& next = *table_.at[s_ + 1][row];
    const bool by_permit = stage.permits > 0 && stage.permits < stage.servers;
    if (by_permit && next.queued) return std::max(*next.queued, visit(row).end);
    return table_.left(s_, row).value_or(visit(row).end);
  }
  bool held() const {
    const ReplayStage& stage = stages_[s_];
    return stage.server_through_send || (stage.permits > 0 && stage.permit_through_send);
  }

 private:
  const Visit& visit(std::size_t row) const { return *table_.at[s_][row]; }
  Nanos released(std::size_t row, bool through_send) const {
    return last_ || !through_send ? visit(row).end : sent(row);
  }
  void place_until(std::size_t count, const std::vector<Nanos>& pick_ups);

  const VisitTable& table_;
  const std::vector<ReplayStage>& stages_;
  std::size_t s_;
  bool last_;
  std::vector<Nanos> placed_, taken_;
  std::vector<std::size_t> sends_;  // rows in the order in which they entered the queue
  std::size_t next_send_ = 0;
};

// Places the first `count` items that were sent; pick-ups make room.
void StageTimes::place_until(std::size_t count, const std::vector<Nanos>& pick_ups) {
  const std::uint64_t capacity = stages_[s_].capacity;
  for (; next_send_ < std::min(count, table_.rows); ++next_send_) {
    const std::size_t row = sends_[next_send_];
    Nanos at = table_.at[s_ - 1][row]->end;
    if (next_send_ >= capacity) at = std::max(at, pick_ups[next_send_ - capacity]);
    placed_[row] = std::min(at, placed_[row]);
  }
}

void StageTimes::run(std::vector<Nanos> given) {
  const ReplayStage& stage = stages_[s_];
  placed_ = std::move(given);
  taken_.assign(table_.rows, table_.begin);
  if (s_ > 0) {
    const auto queued = [&](std::size_t row) { return *visit(row).queued; };
    for (std::size_t row = 0; row < table_.rows; ++row) placed_[row] = queued(row);
    sends_ = sorted_rows(table_.rows, queued);
  }
  Holders servers, permits;
  servers.fill(std::min<std::size_t>(stage.servers, table_.rows), table_.begin);
  permits.fill(std::min<std::size_t>(stage.permits, table_.rows), table_.begin);
  std::vector<Nanos> pick_ups;
  for (const std::size_t row :
       sorted_rows(table_.rows, [&](std::size_t r) { return visit(r).begin; })) {
    Nanos free = servers.next();
    if (!permits.none()) free = std::max(free, permits.next());
    if (s_ > 0) {
      // Whoever is picked up as number k was sent among the first k + capacity.
      const std::uint64_t most = table_.rows;
      place_until(pick_ups.size() + std::min(stage.capacity, most), pick_ups);
      if (stage.capacity == 0)
        placed_[row] = std::min(std::max(table_.at[s_ - 1][row]->end, free), placed_[row]);
    }
    taken_[row] =
        std::min(std::max({placed_[row], free, pick_ups.empty() ? free : pick_ups.back()}),
                 visit(row).begin);
    pick_ups.push_back(taken_[row]);
    servers.take(released(row, stage.server_through_send));
    if (!permits.none()) permits.take(released(row, stage.permit_through_send));
  }
}

// A column that is nothing but rounding is left out.
void keep(std::vector<Nanos> column, Nanos rounding, std::vector<Nanos>& out) {
  bool any = false;
  for (Nanos& value : column) {
    if (value <= rounding) value = 0;
    any = any || value > 0;
  }
  if (any) out = std::move(column);
}

// From the moment when item, worker and device were there to the begin of each part.
void delays_of(const VisitTable& table, const StageTimes& times, std::size_t s, bool split,
               std::size_t first, RunModel& model) {
  const std::vector<std::uint32_t>& locks = model.stages[s].part_servers;
  std::vector<Nanos> at(table.rows);  // begin of the part at hand, then its end
  for (std::size_t p = 0; p < locks.size(); ++p) {
    const bool locked = locks[p] > 0 && locks[p] < model.stages[s].servers;
    std::vector<Nanos> ready(table.rows), column(table.rows, 0);
    for (std::size_t row = 0; row < table.rows; ++row) {
      const Visit& visit = *table.at[s][row];
      if (p == 0) at[row] = visit.begin;
      ready[row] = p == 0 ? times.taken(row) : at[row];
      // A gap before the first part belongs to the visit, unless it is the wait for a lock.
      if (split && (p > 0 || locked)) at[row] += std::min(visit.part_wait[p], visit.end - at[row]);
      column[row] = at[row] - ready[row];
    }
    if (locked) {
      Holders devices;
      devices.fill(std::min<std::size_t>(locks[p], table.rows), table.begin);
      for (const std::size_t row : sorted_rows(table.rows, [&](std::size_t r) { return at[r]; })) {
        column[row] = std::max<Nanos>(at[row] - std::max(ready[row], devices.next()), 0);
        devices.take(at[row] + model.services[first + p][row]);
      }
    }
    for (std::size_t row = 0; row < table.rows; ++row) at[row] += model.services[first + p][row];
    keep(std::move(column), table.rounding(), model.hand_over[first + p]);
  }
}

// More than a quarter of the service is not what a machine takes between two steps but a pipeline
// other than the stated one. Kept, it would repeat any log; so it is left out, and the replay
// misses.
bool drop_if_too_long(std::size_t s, std::size_t first, RunModel& model) {
  const auto sum = [](const std::vector<Nanos>& of) {
    return std::accumulate(of.begin(), of.end(), 0.0,
                           [](double total, Nanos value) { return total + double(value); });
  };
  double between = 0, service = 0;
  const std::size_t end = first + model.stages[s].part_servers.size();
  for (std::size_t c = first; c < end; ++c) {
    between += sum(model.hand_over[c]);
    service += sum(model.services[c]);
  }
  if (between <= service / 4) return false;
  for (std::size_t c = first; c < end; ++c) model.hand_over[c].clear();
  model.notes.push_back(fmt::format(
      "{} pass between the steps of {} beside {} of service: more than hand-overs take, "
      "and not replayed (fewer servers than stated, or waits that no event shows)",
      format_seconds(between * 1e-9), model.stage_names[s], format_seconds(service * 1e-9)));
  return true;
}

}  // namespace

void find_hand_overs(const VisitTable& table, const std::vector<bool>& split, RunModel& model) {
  model.hand_over.assign(model.columns.size(), {});
  model.send_delay.assign(model.stages.size(), {});
  if (table.rows == 0) return;
  std::size_t first = 0;
  for (std::size_t s = 0; s < model.stages.size(); ++s) {
    StageTimes times(table, model, s);
    if (times.known()) {
      times.run(s == 0 ? source_times(table, model.source) : std::vector<Nanos>(table.rows));
      delays_of(table, times, s, split[s], first, model);
      const bool dropped = drop_if_too_long(s, first, model);
      const StageTimes before(table, model, s == 0 ? 0 : s - 1);
      // Places were worked out from the pick-ups: where those are wrong, so are the sends.
      if (s > 0 && before.held() && !dropped) {
        std::vector<Nanos> column;
        for (std::size_t row = 0; row < table.rows; ++row)
          column.push_back(before.sent(row) - times.placed(row));
        keep(std::move(column), table.rounding(), model.send_delay[s - 1]);
      }
    }
    first += model.stages[s].part_servers.size();
  }
}

}  // namespace assay::attribution
