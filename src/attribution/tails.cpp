// SPDX-License-Identifier: Apache-2.0
#include "attribution/tails.hpp"

#include <algorithm>
#include <map>

#include "attribution/sweep.hpp"

namespace assay::attribution {
namespace {

using trace::Trace;

// A component: a stage's name and a kind. The order is that of the rows.
using Component = std::pair<std::string, std::size_t>;

struct Item {
  const Trace* run = nullptr;
  std::size_t groups = 0;  // which of the side's runs
  std::uint32_t id = 0;
  double latency_s = 0;
};

// The items of one side, by class ("" = every item).
struct Side {
  std::vector<const Trace*> runs;
  std::vector<Groups> groups;
  std::map<std::string, std::vector<Item>, std::less<>> by_label;
};

Side side_of(std::span<const Trace* const> runs) {
  Side side;
  for (const Trace* run : runs) {
    side.runs.push_back(run);
    side.groups.emplace_back(run->spans.item, run->items.size(), false);
    const std::size_t index = side.groups.size() - 1;
    for (std::uint32_t id = 0; id < run->items.size(); ++id) {
      const std::span<std::uint32_t> of = side.groups.back().of(id);
      if (of.empty()) continue;
      Nanos first = run->spans.begin[of.front()], last = run->spans.end[of.front()];
      for (const std::uint32_t span : of) {
        first = std::min(first, run->spans.begin[span]);
        last = std::max(last, run->spans.end[span]);
      }
      const Item item = {run, index, id, seconds_between(first, last)};
      side.by_label[""].push_back(item);
      if (run->items.label[id] != kNone)
        side.by_label[std::string(run->strings.at(run->items.label[id]))].push_back(item);
    }
  }
  return side;
}

struct Tail {
  double p99_s = 0;
  std::uint64_t items = 0;
  std::map<Component, double> mean_s;  // of the items at or above p99
  double gap_s = 0;
};

Tail tail_of(Side& side, std::vector<Item>& items) {
  Tail tail;
  std::vector<double> latencies;
  latencies.reserve(items.size());
  for (const Item& item : items) latencies.push_back(item.latency_s);
  tail.p99_s = distribution_of(std::move(latencies)).p99;
  std::map<Component, Wide> sums;
  Wide gap = 0;
  for (const Item& item : items) {
    if (item.latency_s < tail.p99_s) continue;
    ++tail.items;
    const Trace& run = *item.run;
    const std::span<std::uint32_t> of = side.groups[item.groups].of(item.id);
    sort_by_begin(of, run.spans);
    Sweep sweep(run.spans, Overlap::later_wins, std::numeric_limits<Nanos>::min(),
                std::numeric_limits<Nanos>::max(), 0);
    Nanos last = run.spans.end[of.front()];
    for (const std::uint32_t span : of) last = std::max(last, run.spans.end[span]);
    gap += elapsed(run.spans.begin[of.front()], last);
    sweep.run(of, {}, [&](const Swept& swept) {
      const std::uint32_t stage = run.spans.stage[swept.span];
      const std::string name = stage < run.stages.size() ? run.stages[stage].name : std::string();
      sums[{name, static_cast<std::size_t>(run.spans.kind[swept.span])}] += swept.self;
      gap -= swept.self;
    });
  }
  const auto count = static_cast<double>(std::max<std::uint64_t>(tail.items, 1));
  for (const auto& [component, nanos] : sums) tail.mean_s[component] = seconds(nanos) / count;
  tail.gap_s = seconds(gap) / count;
  return tail;
}

}  // namespace

std::vector<TailDelta> tail_deltas(std::span<const Trace* const> a,
                                   std::span<const Trace* const> b) {
  Side sides[2] = {side_of(a), side_of(b)};
  std::vector<TailDelta> result;
  std::size_t labels = 0;
  for (const auto& [label, items] : sides[0].by_label)
    if (!label.empty() && sides[1].by_label.contains(label)) ++labels;
  for (auto& [label, items] : sides[0].by_label) {
    const auto other = sides[1].by_label.find(label);
    if (other == sides[1].by_label.end()) continue;
    if (!label.empty() && labels < 2) continue;  // one class is all items
    const Tail tail_a = tail_of(sides[0], items), tail_b = tail_of(sides[1], other->second);
    TailDelta delta;
    delta.label = label;
    delta.p99_a_s = tail_a.p99_s;
    delta.p99_b_s = tail_b.p99_s;
    delta.items_a = tail_a.items;
    delta.items_b = tail_b.items;
    delta.gap_a_s = tail_a.gap_s;
    delta.gap_b_s = tail_b.gap_s;
    std::map<Component, TailRow> rows;
    const auto row = [&](const Component& of) -> TailRow& {
      TailRow& found = rows[of];
      found.stage = of.first;
      found.kind = static_cast<trace::SpanKind>(of.second);
      return found;
    };
    for (const auto& [component, mean] : tail_a.mean_s) row(component).a_s = mean;
    for (const auto& [component, mean] : tail_b.mean_s) row(component).b_s = mean;
    for (auto& [component, found] : rows) delta.rows.push_back(std::move(found));
    // What differs most first.
    std::stable_sort(delta.rows.begin(), delta.rows.end(), [](const TailRow& l, const TailRow& r) {
      return std::abs(l.b_s - l.a_s) > std::abs(r.b_s - r.a_s);
    });
    result.push_back(std::move(delta));
  }
  return result;
}

}  // namespace assay::attribution
