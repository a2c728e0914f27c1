// SPDX-License-Identifier: Apache-2.0
// The second half of ChromeBuilder: what can be said only when all events are known.
#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "trace/importers/chrome_builder.hpp"
#include "trace/importers/json_scan.hpp"

namespace assay::trace {
namespace {

constexpr Nanos kYear2001 = 1'000'000'000'000'000'000;

}  // namespace

Trace ChromeBuilder::finish(int decimals) {
  clip_open();
  name_workers();
  const std::size_t links = trace_.links.size();
  link_launches(trace_, std::move(launches_), device_spans_);
  // The correlation says the same as these arrows, and exactly.
  if (trace_.links.size() == links) {
    flows_.insert(flows_.end(), launch_flows_.begin(), launch_flows_.end());
  }
  if (!flows_.empty()) {
    const std::size_t all = flows_.size();
    const std::size_t loose = link_flows(trace_, std::move(flows_));
    if (loose > 0) {
      trace_.warn(
          TraceWarningKind::other,
          fmt::format("{} of {} points of flow arrows touch no span of their thread and are "
                      "left out",
                      loose, all));
    }
  }
  state_clock(decimals);
  return std::move(trace_);
}

void ChromeBuilder::clip_open() {
  for (const std::uint32_t span : endless_) {
    trace_.spans.end[span] = std::max(trace_.spans.begin[span], last_);
  }
  const auto clip = [&](std::vector<Open>& open, std::uint32_t worker_id) {
    for (; !open.empty(); open.pop_back()) {
      const Open& span = open.back();
      ++trace_.lost(Loss::missing_end);
      if (worker_id != kNone) note_stage(worker_id, span.stage);
      trace_.spans.push(span.begin, std::max(span.begin, last_), span.item, span.stage, worker_id,
                        span.kind, Quality::clipped);
    }
  };
  for (Track& track : tracks_) clip(track.open, track.worker);
  // By begin, so that the order does not depend on the hash.
  std::vector<std::vector<Open>> left;
  for (auto& [key, open] : async_) left.push_back(std::move(open));
  std::sort(left.begin(), left.end(), [](const std::vector<Open>& a, const std::vector<Open>& b) {
    return std::tuple(a.front().begin, a.front().stage, a.size()) <
           std::tuple(b.front().begin, b.front().stage, b.size());
  });
  for (std::vector<Open>& open : left) clip(open, kNone);
}

std::string ChromeBuilder::label_of(const Id& id) const {
  if (!id.is_text) return std::to_string(id.value);
  bool is_bad = false;
  return json::to_text(id_texts_.at(static_cast<std::uint32_t>(id.value)), &is_bad);
}

// A thread's name, or its number; with its process where there are several; with its number where
// two would be called the same.
void ChromeBuilder::name_workers() {
  bool has_several = false;
  for (const std::uint32_t number : worker_tracks_) {
    has_several |= tracks_[number].pid != tracks_[worker_tracks_.front()].pid;
  }
  std::unordered_map<std::string, int> uses;
  for (std::size_t i = 0; i < worker_tracks_.size(); ++i) {
    const Track& track = tracks_[worker_tracks_[i]];
    std::string label = track.name.empty() ? "thread " + label_of(track.tid) : track.name;
    if (has_several) {
      std::string process = "process " + label_of(track.pid);
      for (const auto& [id, name] : process_names_) {
        if (id == track.pid) process = name;
      }
      label.insert(0, process + " / ");
    }
    ++uses[label];
    trace_.workers[i].label = std::move(label);
    if (trace_.workers[i].stage == kNone - 1) trace_.workers[i].stage = kNone;
  }
  for (std::size_t i = 0; i < worker_tracks_.size(); ++i) {
    std::string& label = trace_.workers[i].label;
    const Track& track = tracks_[worker_tracks_[i]];
    if (uses[label] > 1) label += fmt::format(" ({}/{})", label_of(track.pid), label_of(track.tid));
  }
}

void ChromeBuilder::state_clock(int decimals) {
  Clock& clock = trace_.clock;
  const Nanos base = base_.value_or(0);
  clock.resolution_ns = decimals >= 3 ? 1 : decimals == 2 ? 10 : decimals == 1 ? 100 : 1000;
  clock.source = "trace, us";
  const bool is_unix = base >= kYear2001;
  Nanos epoch = base;
  if (is_unix) {
    clock.source = "unix";
    clock.epoch_ns = base;
  } else if (base_time_ && !__builtin_add_overflow(*base_time_, base, &epoch)) {
    clock.source = "unix, us since a base time";
    clock.epoch_ns = epoch;
  }
  // Years between the first and the last event.
  constexpr Nanos kTwoClocks = kYear2001 / 4;
  if (first_ < last_ && last_ / 2 - first_ / 2 > kTwoClocks / 2) {
    trace_.warn(TraceWarningKind::two_clocks,
                fmt::format("the timestamps span {} years, so they come from two clocks: compare "
                            "times of one process only",
                            (last_ / 2 - first_ / 2) / 15'778'800'000'000'000));
  }
}

}  // namespace assay::trace
