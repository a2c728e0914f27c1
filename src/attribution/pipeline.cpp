// SPDX-License-Identifier: Apache-2.0
// Spans -> visits in three passes over the columns: the services (and who has any), then what
// joins them by item: waits before, sends after, parts inside. Then the stages are put in order.
#include "attribution/pipeline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "attribution/times.hpp"

namespace assay::attribution {
namespace {

using trace::SpanKind;
using trace::Trace;

// Clocks may be wrong: a length that does not fit is the longest that does.
Nanos length_of(Nanos from, Nanos to) {
  return static_cast<Nanos>(
      std::min<std::uint64_t>(elapsed(from, to), static_cast<std::uint64_t>(INT64_MAX)));
}
Nanos plus(Nanos a, Nanos b) { return a > INT64_MAX - b ? INT64_MAX : a + b; }  // b >= 0

// A part's place: which stage it belongs to, and which of its parts it is.
struct Role {
  std::uint32_t pipeline = kNone;  // index into Builder::stages
  std::uint32_t part = kNone;      // kNone: the stage itself
};

struct Builder {
  explicit Builder(const Trace& trace) : run(trace) {}

  const Trace& run;
  std::vector<PipelineStage> stages;
  std::vector<PipelineStage> parts;
  std::vector<Role> roles;  // by trace stage
  std::vector<std::vector<Visit>> visits;
  std::vector<bool> own_service;  // by stages: spans of its own, not only of its parts

  // The visits of one stage by item: first[item], then next[visit], ascending by begin.
  struct Index {
    std::vector<std::uint32_t> first, next;
  };
  std::vector<Index> index;

  bool usable(std::size_t span) const {
    return run.spans.item[span] < run.items.size() && run.spans.stage[span] < run.stages.size();
  }
  void find_stages();
  void reserve_visits();
  void collect_visits();
  void index_visits();
  void join();
  void close_parts();
  std::vector<double> offsets() const;
};

PipelineStage stage_of(const Trace& run, std::uint32_t id) {
  const trace::Stage& from = run.stages[id];
  return {id, from.name, from.servers, from.capacity, from.permits, {}};
}

void Builder::find_stages() {
  std::vector<bool> serves(run.stages.size(), false);
  for (std::size_t i = 0; i < run.spans.size(); ++i) {
    if (run.spans.kind[i] == SpanKind::service && usable(i)) serves[run.spans.stage[i]] = true;
  }
  // Where a part itself has a parent, it belongs to the outermost stage's parts only directly.
  const auto parent_of = [&](std::uint32_t id) {
    const std::uint32_t parent = run.stages[id].parent;
    return parent < run.stages.size() && parent != id ? parent : kNone;
  };
  std::vector<bool> member(run.stages.size(), false);
  for (std::uint32_t id = 0; id < run.stages.size(); ++id) {
    if (!serves[id]) continue;
    const std::uint32_t parent = parent_of(id);
    if (parent == kNone) {
      member[id] = true;
    } else if (parent_of(parent) == kNone) {
      member[parent] = true;
    }
  }
  roles.resize(run.stages.size());
  for (std::uint32_t id = 0; id < run.stages.size(); ++id) {
    if (!member[id]) continue;
    roles[id].pipeline = static_cast<std::uint32_t>(stages.size());
    stages.push_back(stage_of(run, id));
    own_service.push_back(serves[id]);
  }
  for (std::uint32_t id = 0; id < run.stages.size(); ++id) {
    const std::uint32_t parent = parent_of(id);
    if (parent == kNone || !member[parent] || !serves[id]) continue;
    PipelineStage& whole = stages[roles[parent].pipeline];
    roles[id] = {roles[parent].pipeline, static_cast<std::uint32_t>(whole.parts.size())};
    whole.parts.push_back(static_cast<std::uint32_t>(parts.size()));
    parts.push_back(stage_of(run, id));
  }
  visits.resize(stages.size());
}

// Logs are in the order of ends: a visit is a few places from its own, and moving it there costs
// less than a merge of everything. Where it is not so, the merge does it.
void sort_by_begin(std::vector<Visit>& visits) {
  std::size_t budget = 32 * visits.size();
  for (std::size_t i = 1; i < visits.size(); ++i) {
    if (visits[i - 1].begin <= visits[i].begin) continue;
    Visit visit = std::move(visits[i]);
    std::size_t at = i;
    for (; at > 0 && budget > 0 && visit.begin < visits[at - 1].begin; --at, --budget)
      visits[at] = std::move(visits[at - 1]);
    visits[at] = std::move(visit);
    if (budget > 0) continue;
    std::stable_sort(visits.begin(), visits.end(),
                     [](const Visit& l, const Visit& r) { return l.begin < r.begin; });
    return;
  }
}

void Builder::reserve_visits() {
  std::vector<std::size_t> services(run.stages.size(), 0);
  for (std::size_t i = 0; i < run.spans.size(); ++i) {
    if (run.spans.kind[i] == SpanKind::service && usable(i)) ++services[run.spans.stage[i]];
  }
  for (std::uint32_t id = 0; id < roles.size(); ++id) {
    if (roles[id].pipeline != kNone && roles[id].part == kNone)
      visits[roles[id].pipeline].reserve(services[id]);
  }
}

void Builder::collect_visits() {
  reserve_visits();
  // Stages known by their parts alone: one visit an item, from its first part to its last.
  std::vector<std::vector<std::uint32_t>> by_item(stages.size());
  for (std::size_t s = 0; s < stages.size(); ++s) {
    if (!own_service[s]) by_item[s].assign(run.items.size(), kNone);
  }
  for (std::size_t i = 0; i < run.spans.size(); ++i) {
    if (run.spans.kind[i] != SpanKind::service || !usable(i)) continue;
    const Role role = roles[run.spans.stage[i]];
    if (role.pipeline == kNone || (role.part != kNone && own_service[role.pipeline])) continue;
    std::vector<Visit>& of = visits[role.pipeline];
    if (role.part != kNone) {
      std::uint32_t& slot = by_item[role.pipeline][run.spans.item[i]];
      if (slot != kNone) {
        of[slot].begin = std::min(of[slot].begin, run.spans.begin[i]);
        of[slot].end = std::max(of[slot].end, run.spans.end[i]);
        continue;
      }
      slot = static_cast<std::uint32_t>(of.size());
    }
    Visit& visit = of.emplace_back();
    visit.item = run.spans.item[i];
    visit.worker = run.spans.worker[i] < run.workers.size() ? run.spans.worker[i] : kNone;
    visit.begin = run.spans.begin[i];
    visit.end = run.spans.end[i];
  }
  for (std::size_t s = 0; s < stages.size(); ++s) {
    sort_by_begin(visits[s]);
    if (stages[s].parts.empty()) continue;
    for (Visit& visit : visits[s]) {
      visit.part_service.assign(stages[s].parts.size(), 0);
      visit.part_wait.assign(stages[s].parts.size(), -1);  // -1: no lock_wait span was seen
    }
  }
}

void Builder::index_visits() {
  index.resize(stages.size());
  for (std::size_t s = 0; s < stages.size(); ++s) {
    index[s].first.assign(run.items.size(), kNone);
    index[s].next.assign(visits[s].size(), kNone);
    for (std::size_t v = visits[s].size(); v-- > 0;) {
      std::uint32_t& head = index[s].first[visits[s][v].item];
      index[s].next[v] = head;
      head = static_cast<std::uint32_t>(v);
    }
  }
}

// The visit that a wait before it (before = true) or a send after it belongs to. An item visits a
// stage once as a rule; a retry makes more.
Visit* visit_beside(Builder& b, std::uint32_t s, std::uint32_t item, Nanos at, bool before) {
  Visit* chosen = nullptr;
  for (std::uint32_t v = b.index[s].first[item]; v != kNone; v = b.index[s].next[v]) {
    Visit& visit = b.visits[s][v];
    if (before) {
      chosen = &visit;  // the first that begins at or after `at`, else the last
      if (visit.begin >= at) break;
    } else {
      if (chosen == nullptr || visit.end <= at) chosen = &visit;  // the last that ended by then
    }
  }
  return chosen;
}

Visit* visit_around(Builder& b, std::uint32_t s, std::uint32_t item, Nanos begin, Nanos end) {
  for (std::uint32_t v = b.index[s].first[item]; v != kNone; v = b.index[s].next[v]) {
    Visit& visit = b.visits[s][v];
    if (begin < visit.end && visit.begin < end) return &visit;
    if (begin == end && visit.begin <= begin && begin <= visit.end) return &visit;
  }
  return nullptr;
}

void Builder::join() {
  for (std::size_t i = 0; i < run.spans.size(); ++i) {
    if (!usable(i)) continue;
    const Role role = roles[run.spans.stage[i]];
    if (role.pipeline == kNone) continue;
    const std::uint32_t item = run.spans.item[i];
    const Nanos begin = run.spans.begin[i], end = run.spans.end[i];
    const SpanKind kind = run.spans.kind[i];
    if (role.part == kNone && kind == SpanKind::queue_wait) {
      Visit* visit = visit_beside(*this, role.pipeline, item, end, true);
      if (visit != nullptr && begin <= visit->begin) {
        visit->queued = visit->queued ? std::min(*visit->queued, begin) : begin;
      }
    } else if (role.part == kNone && kind == SpanKind::blocked_send) {
      Visit* visit = visit_beside(*this, role.pipeline, item, begin, false);
      if (visit != nullptr && end >= visit->end) {
        visit->sent = visit->sent ? std::max(*visit->sent, end) : end;
      }
    } else if (role.part != kNone && kind == SpanKind::service) {
      Visit* visit = visit_around(*this, role.pipeline, item, begin, end);
      if (visit != nullptr)
        visit->part_service[role.part] =
            plus(visit->part_service[role.part], length_of(begin, end));
    } else if (role.part != kNone && kind == SpanKind::lock_wait) {
      Visit* visit = visit_around(*this, role.pipeline, item, begin, end);
      if (visit != nullptr) {
        Nanos& wait = visit->part_wait[role.part];
        wait = plus(std::max<Nanos>(wait, 0), length_of(begin, end));
      }
    }
  }
}

// Where each part of each visit began, from the visit's begin; -1 = it did not. [visit x part].
std::vector<std::vector<Nanos>> part_begins(Builder& b) {
  std::vector<std::vector<Nanos>> begins(b.stages.size());
  for (std::size_t s = 0; s < b.stages.size(); ++s) {
    begins[s].assign(b.visits[s].size() * b.stages[s].parts.size(), -1);
  }
  const trace::Spans& spans = b.run.spans;
  for (std::size_t i = 0; i < spans.size(); ++i) {
    if (spans.kind[i] != SpanKind::service || !b.usable(i)) continue;
    const Role role = b.roles[spans.stage[i]];
    if (role.part == kNone) continue;
    const Visit* visit =
        visit_around(b, role.pipeline, spans.item[i], spans.begin[i], spans.end[i]);
    if (visit == nullptr) continue;
    const auto v = static_cast<std::size_t>(visit - b.visits[role.pipeline].data());
    Nanos& offset = begins[role.pipeline][v * b.stages[role.pipeline].parts.size() + role.part];
    const Nanos here = spans.begin[i] > visit->begin ? length_of(visit->begin, spans.begin[i]) : 0;
    offset = offset < 0 ? here : std::min(offset, here);
  }
  return begins;
}

// The parts in the order of their mean begins.
std::vector<std::size_t> part_order(const std::vector<Nanos>& begins, std::size_t count) {
  std::vector<double> mean(count, 0), n(count, 0);
  for (std::size_t i = 0; i < begins.size(); ++i) {
    if (begins[i] < 0) continue;
    mean[i % count] += static_cast<double>(begins[i]);
    n[i % count] += 1;
  }
  for (std::size_t p = 0; p < count; ++p) mean[p] /= std::max(1.0, n[p]);
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t l, std::size_t r) { return mean[l] < mean[r]; });
  return order;
}

// A wait that was not recorded is the gap before its part.
void Builder::close_parts() {
  const std::vector<std::vector<Nanos>> begins = part_begins(*this);
  for (std::size_t s = 0; s < stages.size(); ++s) {
    const std::size_t count = stages[s].parts.size();
    if (count == 0) continue;
    const std::vector<std::size_t> order = part_order(begins[s], count);
    std::vector<std::uint32_t> sorted_parts;
    for (const std::size_t p : order) sorted_parts.push_back(stages[s].parts[p]);
    stages[s].parts = std::move(sorted_parts);
    for (std::size_t v = 0; v < visits[s].size(); ++v) {
      Visit& visit = visits[s][v];
      std::vector<Nanos> service, wait;
      Nanos at = 0;  // where the part before ended, from the visit's begin
      for (const std::size_t p : order) {
        service.push_back(visit.part_service[p]);
        const Nanos begin = begins[s][v * count + p];
        const Nanos gap = begin < 0 ? 0 : std::max<Nanos>(begin - at, 0);
        wait.push_back(visit.part_wait[p] >= 0 ? visit.part_wait[p] : gap);
        if (begin >= 0) at = std::max(at, plus(begin, visit.part_service[p]));
      }
      visit.part_service = std::move(service);
      visit.part_wait = std::move(wait);
    }
  }
}

double median_of(std::vector<double>& values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// Median time from an item's first begin anywhere to its begin in each stage.
std::vector<double> Builder::offsets() const {
  std::vector<Nanos> first(run.items.size(), INT64_MAX);
  for (const auto& of : visits) {
    for (const Visit& visit : of) first[visit.item] = std::min(first[visit.item], visit.begin);
  }
  std::vector<double> out;
  for (const auto& of : visits) {
    std::vector<double> values;
    values.reserve(of.size());
    for (const Visit& visit : of) {
      values.push_back(static_cast<double>(visit.begin) - static_cast<double>(first[visit.item]));
    }
    out.push_back(median_of(values));
  }
  return out;
}

// next[u] = the pipeline stage that the edges lead to from u; stages without visits (a queue that
// the log draws as a box of its own) are passed through.
Result<std::vector<std::uint32_t>> successors(const Builder& b) {
  std::vector<std::vector<std::uint32_t>> out(b.run.stages.size());
  for (const trace::Edge& edge : b.run.edges) {
    if (edge.from >= out.size() || edge.to >= out.size()) continue;
    out[edge.from].push_back(edge.to);
  }
  std::vector<std::vector<std::uint32_t>> members(b.stages.size());
  for (std::uint32_t id = 0; id < b.roles.size(); ++id) {
    if (b.roles[id].pipeline != kNone) members[b.roles[id].pipeline].push_back(id);
  }
  std::vector<std::uint32_t> next(b.stages.size(), kNone), before(b.stages.size(), kNone);
  for (std::uint32_t u = 0; u < b.stages.size(); ++u) {
    std::vector<bool> visited(out.size(), false);
    std::vector<std::uint32_t> open;
    for (const std::uint32_t id : members[u])
      open.insert(open.end(), out[id].begin(), out[id].end());
    while (!open.empty()) {
      const std::uint32_t id = open.back();
      open.pop_back();
      if (visited[id]) continue;
      visited[id] = true;
      const std::uint32_t v = b.roles[id].pipeline;
      if (v == kNone) {
        open.insert(open.end(), out[id].begin(), out[id].end());
        continue;
      }
      if (v == u) continue;  // from a part to the next, or a retry
      if (next[u] != kNone && next[u] != v) {
        return fail(fmt::format("the stages branch: '{}' leads to '{}' and to '{}'",
                                b.stages[u].name, b.stages[next[u]].name, b.stages[v].name),
                    b.run.source, "a pipeline is a chain of stages; state it with --rules");
      }
      if (before[v] != kNone && before[v] != u) {
        return fail(fmt::format("the stages branch: '{}' and '{}' both lead to '{}'",
                                b.stages[before[v]].name, b.stages[u].name, b.stages[v].name),
                    b.run.source, "a pipeline is a chain of stages; state it with --rules");
      }
      next[u] = v;
      before[v] = u;
    }
  }
  return next;
}

Result<std::vector<std::uint32_t>> order_of(const Builder& b) {
  auto next = successors(b);
  if (!next) return fail(next.error());
  std::vector<bool> has_before(b.stages.size(), false);
  for (const std::uint32_t v : *next) {
    if (v != kNone) has_before[v] = true;
  }
  // Chains that no edge joins (every stage, where there are no edges) follow in median order.
  const std::vector<double> offset = b.offsets();
  std::vector<std::uint32_t> heads;
  for (std::uint32_t u = 0; u < b.stages.size(); ++u) {
    if (!has_before[u]) heads.push_back(u);
  }
  std::stable_sort(heads.begin(), heads.end(),
                   [&](std::uint32_t l, std::uint32_t r) { return offset[l] < offset[r]; });
  std::vector<std::uint32_t> order;
  for (const std::uint32_t head : heads) {
    for (std::uint32_t u = head; u != kNone; u = (*next)[u]) order.push_back(u);
  }
  if (order.size() != b.stages.size()) {
    std::vector<bool> placed(b.stages.size(), false);
    for (const std::uint32_t u : order) placed[u] = true;
    const auto lost = std::find(placed.begin(), placed.end(), false) - placed.begin();
    return fail(fmt::format("the stages loop through '{}'", b.stages[std::size_t(lost)].name),
                b.run.source, "a pipeline is a chain of stages; state it with --rules");
  }
  return order;
}

// Stages that hold the same item at once are nested spans, not steps of a chain.
std::optional<Error> overlapping(const Builder& b, std::uint32_t up, std::uint32_t down) {
  std::size_t both = 0, inside = 0;
  for (const Visit& visit : b.visits[down]) {
    const std::uint32_t above = b.index[up].first[visit.item];
    if (above == kNone) continue;
    ++both;
    if (plus(visit.begin, std::max<Nanos>(b.run.clock.resolution_ns, 0)) < b.visits[up][above].end)
      ++inside;
  }
  if (both == 0 || inside * 2 <= both) return std::nullopt;
  return Error{fmt::format("'{}' runs inside '{}' for {} of {} items: not one after the other",
                           b.stages[down].name, b.stages[up].name, inside, both),
               b.run.source,
               fmt::format("when '{}' is a part of '{}', say parent = \"{}\" in the rules",
                           b.stages[down].name, b.stages[up].name, b.stages[up].name)};
}

}  // namespace

Result<Pipeline> build_pipeline(const trace::Trace& run) {
  Builder b(run);
  b.find_stages();
  if (b.stages.empty()) {
    return fail("no items: plain spans", run.source,
                "a pipeline needs service spans that name their item; --rules can say which field "
                "is the item");
  }
  b.collect_visits();
  b.index_visits();
  b.join();
  b.close_parts();
  const auto order = order_of(b);
  if (!order) return fail(order.error());
  for (std::size_t i = 1; i < order->size(); ++i) {
    if (auto error = overlapping(b, (*order)[i - 1], (*order)[i])) return fail(std::move(*error));
  }
  Pipeline out;
  out.parts = std::move(b.parts);
  out.begin = INT64_MAX;
  out.end = INT64_MIN;
  for (const std::uint32_t s : *order) {
    for (const Visit& visit : b.visits[s]) {
      out.begin = std::min(out.begin, visit.begin);
      out.end = std::max(out.end, visit.end);
    }
    out.stages.push_back(std::move(b.stages[s]));
    out.visits.push_back(std::move(b.visits[s]));
  }
  return out;
}

}  // namespace assay::attribution
