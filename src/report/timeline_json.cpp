// SPDX-License-Identifier: Apache-2.0
#include "report/timeline_json.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <unordered_map>
#include <vector>

namespace assay::report {
namespace {

using trace::kNone;
using trace::Nanos;
using trace::Trace;

// Unsigned, so that no timestamp of a broken log overflows; `at` is not before `begin`.
std::uint64_t distance(Nanos begin, Nanos at) {
  return static_cast<std::uint64_t>(at) - static_cast<std::uint64_t>(begin);
}

double seconds_since(Nanos begin, Nanos at) {
  return static_cast<double>(distance(begin, at)) / 1e9;
}

Nanos begin_of(const Trace& run) {
  Nanos begin = std::numeric_limits<Nanos>::max();
  for (const Nanos at : run.spans.begin) begin = std::min(begin, at);
  for (const trace::MemorySeries& series : run.memory)
    if (run.spans.size() == 0 && !series.at.empty()) begin = std::min(begin, series.at.front());
  return begin == std::numeric_limits<Nanos>::max() ? 0 : begin;
}

// Which spans are drawn, in the order of their begin.
std::vector<std::uint32_t> drawn_spans(const Trace& run, std::size_t limit) {
  std::vector<std::uint32_t> ids(run.spans.size());
  std::iota(ids.begin(), ids.end(), 0U);
  const auto by_begin = [&](std::uint32_t a, std::uint32_t b) {
    return run.spans.begin[a] != run.spans.begin[b] ? run.spans.begin[a] < run.spans.begin[b]
                                                    : a < b;
  };
  if (ids.size() > limit) {
    const std::size_t longest = limit / 2;
    const auto length = [&](std::uint32_t id) {
      return distance(run.spans.begin[id], run.spans.end[id]);
    };
    const auto middle = ids.begin() + static_cast<std::ptrdiff_t>(longest);
    std::nth_element(ids.begin(), middle, ids.end(), [&](std::uint32_t a, std::uint32_t b) {
      return length(a) != length(b) ? length(a) > length(b) : a < b;
    });
    std::sort(middle, ids.end(), by_begin);
    const std::size_t others = ids.size() - longest, room = limit - longest;
    for (std::size_t k = 0; k < room; ++k)  // k * others / room >= k: never overtakes the reading
      ids[longest + k] = ids[longest + k * others / room];
    ids.resize(limit);
  }
  std::sort(ids.begin(), ids.end(), by_begin);
  return ids;
}

// Dense numbers for the ids that occur.
class Renumbering {
 public:
  int of(std::uint32_t id) {
    if (id == kNone) return -1;
    const auto [it, is_new] = numbers_.try_emplace(id, static_cast<int>(order_.size()));
    if (is_new) order_.push_back(id);
    return it->second;
  }
  const std::vector<std::uint32_t>& order() const { return order_; }

 private:
  std::unordered_map<std::uint32_t, int> numbers_;
  std::vector<std::uint32_t> order_;
};

// Indices into `values` that draw the same line: the least and the most of each of limit/2 pieces.
template <class Value>
std::vector<std::size_t> thinned(const std::vector<Value>& values, std::size_t limit) {
  std::vector<std::size_t> kept;
  const std::size_t n = values.size();
  if (n <= limit) {
    kept.resize(n);
    std::iota(kept.begin(), kept.end(), std::size_t{0});
    return kept;
  }
  const std::size_t pieces = std::max<std::size_t>(limit / 2, 1);
  for (std::size_t piece = 0; piece < pieces; ++piece) {
    const std::size_t from = piece * n / pieces, to = (piece + 1) * n / pieces;
    const auto first = values.begin() + static_cast<std::ptrdiff_t>(from);
    const auto last = values.begin() + static_cast<std::ptrdiff_t>(to);
    auto [least, most] = std::minmax_element(first, last);
    auto a = static_cast<std::size_t>(least - values.begin());
    auto b = static_cast<std::size_t>(most - values.begin());
    kept.push_back(std::min(a, b));
    if (a != b) kept.push_back(std::max(a, b));
  }
  return kept;
}

// Items that are queued, served or blocked in a stage at once: from the first begin to the last end
// of an item's spans there. Spans without an item count for themselves.
Json in_flight_json(const Trace& run, Nanos begin, std::size_t limit) {
  struct Stay {
    Nanos from, to;
  };
  const std::size_t stages = run.stages.size();
  std::vector<std::vector<std::pair<Nanos, int>>> steps(stages);
  std::unordered_map<std::uint64_t, Stay> stays;
  for (std::size_t i = 0; i < run.spans.size(); ++i) {
    const std::uint32_t stage = run.spans.stage[i], item = run.spans.item[i];
    const trace::SpanKind kind = run.spans.kind[i];
    if (stage >= stages || kind == trace::SpanKind::starved || kind == trace::SpanKind::wait_permit)
      continue;
    const Nanos from = run.spans.begin[i], to = run.spans.end[i];
    if (item == kNone) {
      steps[stage].push_back({from, 1});
      steps[stage].push_back({to, -1});
      continue;
    }
    const auto [it, is_new] = stays.try_emplace(std::uint64_t{stage} << 32 | item, Stay{from, to});
    if (is_new) continue;
    it->second.from = std::min(it->second.from, from);
    it->second.to = std::max(it->second.to, to);
  }
  for (const auto& [key, stay] : stays) {
    auto& own = steps[static_cast<std::size_t>(key >> 32)];
    own.push_back({stay.from, 1});
    own.push_back({stay.to, -1});
  }
  Json list = Json::array();
  for (std::size_t stage = 0; stage < stages; ++stage) {
    if (steps[stage].empty()) continue;
    std::sort(steps[stage].begin(), steps[stage].end());  // at one instant, ends before begins
    std::vector<Nanos> at;
    std::vector<int> n;
    int now = 0;
    for (const auto& [when, change] : steps[stage]) {
      now += change;
      if (!at.empty() && at.back() == when) {
        n.back() = now;
      } else {
        at.push_back(when);
        n.push_back(now);
      }
    }
    Json t = Json::array(), count = Json::array();
    for (const std::size_t i : thinned(n, limit)) {
      t.push(seconds_since(begin, at[i]));
      count.push(n[i]);
    }
    Json entry = Json::object();
    entry.set("stage", run.stages[stage].name);
    entry.set("t", std::move(t)).set("n", std::move(count));
    list.push(std::move(entry));
  }
  return list;
}

Json memory_json(const Trace& run, Nanos begin, std::size_t limit) {
  Json list = Json::array();
  for (const trace::MemorySeries& series : run.memory) {
    Json t = Json::array(), bytes = Json::array();
    for (const std::size_t i : thinned(series.bytes, limit)) {
      if (i >= series.at.size()) break;
      t.push(seconds_since(begin, series.at[i]));
      bytes.push(series.bytes[i]);
    }
    Json entry = Json::object();
    entry.set("scope", series.scope).set("method", series.method);
    entry.set("t", std::move(t)).set("bytes", std::move(bytes));
    list.push(std::move(entry));
  }
  return list;
}

}  // namespace

Json timeline_json(const Trace& run, std::string_view side, const TimelineLimits& limits) {
  const Nanos begin = begin_of(run);
  const std::vector<std::uint32_t> drawn = drawn_spans(run, limits.spans);
  Renumbering workers, items;
  Json t0 = Json::array(), dur = Json::array(), stage = Json::array(), worker = Json::array(),
       kind = Json::array(), item = Json::array();
  for (const std::uint32_t id : drawn) {
    const trace::Spans& spans = run.spans;
    t0.push(seconds_since(begin, spans.begin[id]));
    dur.push(seconds_since(spans.begin[id], spans.end[id]));
    stage.push(spans.stage[id] == kNone ? Json(-1) : Json(std::uint64_t{spans.stage[id]}));
    worker.push(workers.of(spans.worker[id] < run.workers.size() ? spans.worker[id] : kNone));
    kind.push(static_cast<int>(spans.kind[id]));
    item.push(items.of(spans.item[id] < run.items.size() ? spans.item[id] : kNone));
  }
  Json worker_list = Json::array(), item_list = Json::array(), stage_list = Json::array(),
       kind_list = Json::array();
  for (const std::uint32_t id : workers.order()) {
    const trace::Worker& own = run.workers[id];
    worker_list.push(
        Json::object()
            .set("stage", own.stage == kNone ? Json(-1) : Json(std::uint64_t{own.stage}))
            .set("label", own.label));
  }
  for (const std::uint32_t id : items.order())
    item_list.push(std::string(run.strings.at(run.items.key[id])));
  for (const trace::Stage& own : run.stages) stage_list.push(own.name);
  for (std::size_t k = 0; k < trace::kSpanKinds; ++k)
    kind_list.push(trace::to_word(static_cast<trace::SpanKind>(k)));
  Json spans = Json::object();
  spans.set("t0", std::move(t0)).set("dur", std::move(dur)).set("stage", std::move(stage));
  spans.set("worker", std::move(worker)).set("kind", std::move(kind)).set("item", std::move(item));
  Json json = Json::object();
  json.set("side", side).set("source", run.source);
  const auto unix_begin =
      static_cast<Nanos>(static_cast<std::uint64_t>(run.clock.epoch_ns.value_or(0)) +
                         static_cast<std::uint64_t>(begin));
  json.set("begin_ns", std::to_string(unix_begin));
  json.set("workers", std::move(worker_list)).set("spans", std::move(spans));
  json.set("stages", std::move(stage_list)).set("kinds", std::move(kind_list));
  json.set("items", std::move(item_list));
  json.set("in_flight", in_flight_json(run, begin, limits.points));
  json.set("memory", memory_json(run, begin, limits.points));
  json.set("thinned", drawn.size() == run.spans.size()
                          ? Json()
                          : Json::object()
                                .set("kept", static_cast<std::uint64_t>(drawn.size()))
                                .set("of", static_cast<std::uint64_t>(run.spans.size()))
                                .set("rule", "the longest half, and the others evenly over time"));
  return json;
}

}  // namespace assay::report
