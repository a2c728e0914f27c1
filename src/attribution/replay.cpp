// SPDX-License-Identifier: Apache-2.0
#include "attribution/replay.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

#include "base/check.hpp"

namespace assay::attribution {
namespace {

constexpr std::uint32_t kWake = 0xffffffffU;     // an event that only asks the source again
constexpr std::uint32_t kRelease = 0xfffffffeU;  // as a part: the sender is free again

}  // namespace

void Replayer::Queue::clear(bool by_order) {
  slots.clear();
  head = 0;
  smallest_first = by_order;
}

void Replayer::Queue::push(std::uint32_t slot) {
  if (head == slots.size()) {
    slots.clear();
    head = 0;
  }
  slots.push_back(slot);
  if (smallest_first) std::push_heap(slots.begin(), slots.end(), std::greater<>());
}

std::uint32_t Replayer::Queue::pop() {
  if (!smallest_first) return slots[head++];
  std::pop_heap(slots.begin(), slots.end(), std::greater<>());
  const std::uint32_t slot = slots.back();
  slots.pop_back();
  return slot;
}

void Replayer::prepare(const ReplayInput& input) {
  input_ = &input;
  const std::size_t count = input.stages.size();
  stations_.resize(count);
  std::size_t columns = 0;
  for (const ReplayStage& stage : input.stages) columns += stage.part_servers.size();
  ASSAY_CHECK(columns == input.services.size(), "one column of services a part");
  parts_.resize(columns);
  std::uint32_t column = 0;
  for (std::size_t s = 0; s < count; ++s) {
    const ReplayStage& stage = input.stages[s];
    ASSAY_CHECK(stage.servers > 0 && !stage.part_servers.empty(), "a stage serves");
    Station& station = stations_[s];
    station.idle = stage.servers;
    station.permits = stage.permits;
    station.has_permits = stage.permits > 0;
    station.first_part = column;
    station.parts = static_cast<std::uint32_t>(stage.part_servers.size());
    station.queue.clear(stage.by_order);
    station.sending.clear(false);
    station.hold = input.holds.empty() ? std::span<const Nanos>() : input.holds[s];
    for (const std::uint32_t servers : stage.part_servers) {
      Part& part = parts_[column];
      part.service = input.services[column];
      part.delay = input.delays.empty() ? std::span<const Nanos>() : input.delays[column];
      part.locked = servers > 0 && servers < stage.servers;
      part.free = servers;
      part.waiting.clear(false);
      ++column;
    }
  }
  heap_.clear();
  jobs_done_ = next_ = order_ = 0;
  waked_for_ = kWake;
  now_ = last_ = 0;
  const ReplaySource* source = input.source;
  if (source == nullptr || source->jobs_in_flight == 0) {
    job_left_.clear();
    return;
  }
  ASSAY_CHECK(source->job.size() == input.entry.size(), "every place has its job");
  job_left_.assign(source->job.empty() ? 0 : 1 + std::size_t{source->job.back()}, 0);
  for (const std::uint32_t job : source->job) {
    if (job >= job_left_.size()) job_left_.resize(job + std::size_t{1}, 0);
    ++job_left_[job];
  }
}

void Replayer::schedule(Nanos at, std::uint32_t stage, std::uint32_t part, std::uint32_t slot) {
  heap_.push_back({at, order_++, stage, part, slot});
  std::push_heap(heap_.begin(), heap_.end(), [](const Event& l, const Event& r) {
    return l.at != r.at ? l.at > r.at : l.order > r.order;
  });
}

void Replayer::serve(std::uint32_t stage, std::uint32_t part, std::uint32_t slot) {
  const Part& here = parts_[stations_[stage].first_part + part];
  const std::uint32_t row = input_->entry[slot];
  schedule(now_ + (here.delay.empty() ? 0 : here.delay[row]) + here.service[row], stage, part,
           slot);
}

void Replayer::enter_part(std::uint32_t stage, std::uint32_t part, std::uint32_t slot) {
  const Station& station = stations_[stage];
  if (part == station.parts) return finish(stage, slot);
  Part& here = parts_[station.first_part + part];
  if (here.locked) {
    if (here.free == 0) return here.waiting.push(slot);
    --here.free;
  }
  serve(stage, part, slot);
}

void Replayer::leave_part(std::uint32_t stage, std::uint32_t part) {
  Part& here = parts_[stations_[stage].first_part + part];
  if (!here.locked) return;
  if (here.waiting.size() == 0) {
    ++here.free;
    return;
  }
  serve(stage, part, here.waiting.pop());
}

void Replayer::finish(std::uint32_t stage, std::uint32_t slot) {
  Station& station = stations_[stage];
  const bool last = stage + 1 == stations_.size();
  const ReplayStage& rules = input_->stages[stage];
  if (last || !rules.server_through_send) ++station.idle;
  if (last || !rules.permit_through_send) ++station.permits;
  if (last) {
    complete(slot);
  } else {
    station.sending.push(slot);
  }
}

void Replayer::complete(std::uint32_t slot) {
  last_ = now_;
  if (job_left_.empty()) return;
  if (--job_left_[input_->source->job[slot]] == 0) ++jobs_done_;
}

bool Replayer::source_has_next() {
  if (next_ >= input_->entry.size()) return false;
  const ReplaySource* source = input_->source;
  if (source == nullptr) return true;
  if (!job_left_.empty() && source->job[next_] >= jobs_done_ + source->jobs_in_flight) return false;
  if (source->arrival.empty() || source->arrival[next_] <= now_) return true;
  if (waked_for_ != next_) schedule(source->arrival[next_], kWake, 0, 0);
  waked_for_ = next_;
  return false;
}

bool Replayer::start(std::uint32_t stage) {
  Station& station = stations_[stage];
  bool moved = false;
  while (station.idle > 0 && (!station.has_permits || station.permits > 0)) {
    std::uint32_t slot = 0;
    if (stage == 0) {
      if (!source_has_next()) break;
      slot = next_++;
    } else {
      if (station.queue.size() == 0) break;
      slot = station.queue.pop();
    }
    --station.idle;
    if (station.has_permits) --station.permits;
    moved = true;
    enter_part(stage, 0, slot);
  }
  return moved;
}

void Replayer::release_sender(std::uint32_t stage) {
  const ReplayStage& rules = input_->stages[stage];
  if (rules.server_through_send) ++stations_[stage].idle;
  if (rules.permit_through_send) ++stations_[stage].permits;
}

bool Replayer::send(std::uint32_t stage) {
  Station& station = stations_[stage];
  Station& next = stations_[stage + 1];
  const std::uint64_t capacity = input_->stages[stage + 1].capacity;
  bool moved = false;
  while (station.sending.size() > 0) {
    // A queue without places hands over to a server that waits for it.
    const bool hand_over = capacity == 0 && next.queue.size() == 0 && next.idle > 0 &&
                           (!next.has_permits || next.permits > 0);
    if (next.queue.size() >= capacity && !hand_over) break;
    const std::uint32_t slot = station.sending.pop();
    next.queue.push(slot);
    const Nanos hold = station.hold.empty() ? 0 : station.hold[input_->entry[slot]];
    if (hold > 0) {
      schedule(now_ + hold, stage, kRelease, slot);
    } else {
      release_sender(stage);
    }
    moved = true;
  }
  return moved;
}

void Replayer::settle() {
  for (bool moved = true; moved;) {
    moved = false;
    for (std::size_t s = stations_.size(); s-- > 0;) {
      const auto stage = static_cast<std::uint32_t>(s);
      if (start(stage)) moved = true;
      if (s + 1 < stations_.size() && send(stage)) moved = true;
    }
  }
}

Nanos Replayer::makespan(const ReplayInput& input) {
  ++replays_;
  if (input.stages.empty() || input.entry.empty()) return 0;
  prepare(input);
  settle();
  Nanos first = heap_.empty() ? 0 : heap_.front().at;
  first = next_ > 0 ? 0 : first;  // nothing had arrived at 0: the first arrival is the begin
  while (!heap_.empty() || next_ < input.entry.size()) {
    if (heap_.empty()) {
      // A job waits for jobs that come after it: places were taken from another run's source.
      job_left_.clear();
      settle();
      ASSAY_CHECK(!heap_.empty(), "an empty pipeline takes an item");
    }
    std::pop_heap(heap_.begin(), heap_.end(), [](const Event& l, const Event& r) {
      return l.at != r.at ? l.at > r.at : l.order > r.order;
    });
    const Event event = heap_.back();
    heap_.pop_back();
    now_ = event.at;
    if (event.part == kRelease) {
      release_sender(event.stage);
    } else if (event.stage != kWake) {
      leave_part(event.stage, event.part);
      enter_part(event.stage, event.part + 1, event.slot);
    }
    settle();
  }
  return last_ - first;
}

Nanos replay(Replayer& replayer, const RunModel& model) {
  std::vector<std::span<const Nanos>> services(model.services.begin(), model.services.end());
  std::vector<std::uint32_t> entry(model.keys.size());
  std::iota(entry.begin(), entry.end(), 0U);
  const std::vector<std::span<const Nanos>> delays(model.hand_over.begin(), model.hand_over.end());
  const std::vector<std::span<const Nanos>> holds(model.send_delay.begin(), model.send_delay.end());
  return replayer.makespan({model.stages, services, entry, &model.source, delays, holds});
}

}  // namespace assay::attribution
