// SPDX-License-Identifier: Apache-2.0
#include "trace/importers/chrome_links.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace assay::trace {
namespace {

// The spans of each worker that has flow points, by begin; outer before inner.
std::vector<std::uint32_t> spans_in_order(const Trace& trace,
                                          const std::vector<FlowPoint>& points) {
  std::vector<bool> is_wanted(trace.workers.size());
  for (const FlowPoint& point : points) {
    if (point.worker != kNone) is_wanted[point.worker] = true;
  }
  const Spans& spans = trace.spans;
  std::vector<std::uint32_t> order;
  for (std::uint32_t i = 0; i < spans.size(); ++i) {
    if (spans.worker[i] != kNone && is_wanted[spans.worker[i]]) order.push_back(i);
  }
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return std::tuple(spans.worker[a], spans.begin[a], ~spans.end[a], a) <
           std::tuple(spans.worker[b], spans.begin[b], ~spans.end[b], b);
  });
  return order;
}

// The span of each point, which are sorted by worker and time.
std::vector<std::uint32_t> spans_of_points(const Trace& trace,
                                           const std::vector<FlowPoint>& points) {
  const Spans& spans = trace.spans;
  const std::vector<std::uint32_t> order = spans_in_order(trace, points);
  std::vector<std::uint32_t> found(points.size(), kNone);
  std::vector<std::uint32_t> open;
  std::size_t next = 0;
  std::uint32_t worker = kNone;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const FlowPoint& point = points[i];
    if (point.worker != worker) {
      worker = point.worker;
      open.clear();
    }
    while (next < order.size() &&
           (spans.worker[order[next]] < worker ||
            (spans.worker[order[next]] == worker && spans.begin[order[next]] <= point.at))) {
      if (spans.worker[order[next]] == worker) open.push_back(order[next]);
      ++next;
    }
    while (!open.empty() && spans.end[open.back()] < point.at) open.pop_back();
    const std::uint32_t enclosing = open.empty() ? kNone : open.back();
    std::uint32_t following = kNone;
    if (!open.empty() && spans.begin[open.back()] == point.at) {
      following = open.back();
    } else if (next < order.size() && spans.worker[order[next]] == worker) {
      following = order[next];
    }
    const bool looks_ahead = point.phase == 'f' && !point.binds_enclosing;
    found[i] = looks_ahead && following != kNone ? following : enclosing;
  }
  return found;
}

}  // namespace

std::size_t link_flows(Trace& trace, std::vector<FlowPoint> points) {
  std::sort(points.begin(), points.end(), [](const FlowPoint& a, const FlowPoint& b) {
    return std::tuple(a.worker, a.at) < std::tuple(b.worker, b.at);
  });
  const std::vector<std::uint32_t> span = spans_of_points(trace, points);
  std::vector<std::uint32_t> order(points.size());
  std::iota(order.begin(), order.end(), 0U);
  const auto rank = [](char phase) { return phase == 's' ? 0 : phase == 't' ? 1 : 2; };
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return std::tuple(points[a].flow, points[a].at, rank(points[a].phase), a) <
           std::tuple(points[b].flow, points[b].at, rank(points[b].phase), b);
  });
  std::size_t loose = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::uint32_t to = order[i];
    if (span[to] == kNone) ++loose;
    if (i == 0 || points[to].phase == 's') continue;
    const std::uint32_t from = order[i - 1];
    if (points[from].flow != points[to].flow || points[from].phase == 'f') continue;
    if (span[from] == kNone || span[to] == kNone || span[from] == span[to]) continue;
    trace.links.push_back({span[from], span[to], LinkKind::enqueue});
  }
  return loose;
}

void link_launches(Trace& trace, std::vector<Correlation> launches,
                   const std::vector<Correlation>& device_spans) {
  if (launches.empty() || device_spans.empty()) return;
  const auto is_before = [](const Correlation& a, const Correlation& b) {
    return a.number < b.number;
  };
  // Numbers grow with time, so mostly both are in order, and a step from the last place found does.
  if (!std::is_sorted(launches.begin(), launches.end(), is_before)) {
    std::stable_sort(launches.begin(), launches.end(), is_before);
  }
  auto at = launches.begin();
  for (const Correlation& device : device_spans) {
    const bool is_behind = at != launches.end() && at->number <= device.number;
    if (!is_behind || (at + 1 != launches.end() && (at + 1)->number < device.number)) {
      at = std::lower_bound(launches.begin(), launches.end(), device, is_before);
    } else if (at->number < device.number) {
      ++at;
    }
    if (at != launches.end() && at->number == device.number) {
      trace.links.push_back({at->span, device.span, LinkKind::launch});
    }
  }
}

}  // namespace assay::trace
