// SPDX-License-Identifier: Apache-2.0
#include "attribution/bottleneck.hpp"

#include <algorithm>

namespace assay::attribution {
namespace {

constexpr std::size_t kWindows = 20;
// Two stages whose utilisations in a window are nearer than this share the lead.
constexpr double kLead = 0.02;

// The start of window w; w = kWindows is the end.
Nanos edge(const Pipeline& pipeline, std::size_t w) {
  const Wide length = difference(pipeline.begin, pipeline.end);
  return static_cast<Nanos>(Wide{pipeline.begin} + length * static_cast<std::int64_t>(w) /
                                                       static_cast<std::int64_t>(kWindows));
}

// Busy time of a stage in each window, ns.
std::vector<Wide> busy_by_window(const Pipeline& pipeline, const std::vector<Visit>& visits) {
  std::vector<Nanos> edges(kWindows + 1);
  for (std::size_t w = 0; w <= kWindows; ++w) edges[w] = edge(pipeline, w);
  std::vector<Wide> busy(kWindows, 0);
  for (const Visit& visit : visits) {
    const auto after = std::upper_bound(edges.begin(), edges.end(), visit.begin) - edges.begin();
    std::size_t w = after == 0 ? 0 : static_cast<std::size_t>(after) - 1;
    for (; w < kWindows && edges[w] < visit.end; ++w) {
      const Nanos from = std::max(visit.begin, edges[w]), to = std::min(visit.end, edges[w + 1]);
      if (to > from) busy[w] += elapsed(from, to);
    }
  }
  return busy;
}

}  // namespace

std::optional<Bottleneck> bottleneck_of(const Pipeline& pipeline,
                                        const std::vector<StageLoad>& loads,
                                        const std::optional<PhaseTimes>& phases) {
  if (loads.empty() || pipeline.end <= pipeline.begin) return std::nullopt;
  std::size_t first = 0;
  for (std::size_t s = 1; s < loads.size(); ++s)
    if (loads[s].utilisation > loads[first].utilisation) first = s;
  if (loads[first].utilisation <= 0) return std::nullopt;
  Bottleneck result;
  result.stage = loads[first].name;
  result.utilisation = loads[first].utilisation;
  if (first > 0) result.upstream_blocked = loads[first - 1].blocked;
  if (first + 1 < loads.size()) result.downstream_starved = loads[first + 1].starved;
  std::optional<std::size_t> second;
  for (std::size_t s = 0; s < loads.size(); ++s) {
    if (s == first) continue;
    if (!second || loads[s].utilisation > loads[*second].utilisation) second = s;
  }
  if (second) {
    result.next = loads[*second].name;
    result.headroom = 1 - loads[*second].utilisation / loads[first].utilisation;
  }

  std::vector<std::vector<Wide>> busy;
  for (const auto& visits : pipeline.visits) busy.push_back(busy_by_window(pipeline, visits));
  for (std::size_t w = 0; w < kWindows; ++w) {
    const Nanos from = edge(pipeline, w), to = edge(pipeline, w + 1);
    const double length = seconds_between(from, to);
    std::size_t busiest = 0;
    std::vector<double> share(loads.size(), 0);
    for (std::size_t s = 0; s < loads.size(); ++s) {
      if (length > 0 && loads[s].servers > 0)
        share[s] = seconds(busy[s][w]) / (length * loads[s].servers);
      if (share[s] > share[busiest]) busiest = s;
    }
    result.window_stage.push_back(share[busiest] > 0 ? loads[busiest].name : std::string());
    result.window_utilisation.push_back(share[busiest]);
    const bool steady = phases && from >= phases->fill_end && to <= phases->drain_begin;
    if (steady && busiest != first && share[busiest] > share[first] + kLead) result.moves = true;
  }
  return result;
}

}  // namespace assay::attribution
