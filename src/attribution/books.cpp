// SPDX-License-Identifier: Apache-2.0
#include "attribution/books.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace assay::attribution {
namespace {

using trace::SpanKind;

constexpr std::size_t kMostWorkers = 4096;  // more are tasks, not workers

std::size_t index(SpanKind kind) { return static_cast<std::size_t>(kind); }

Wide sum_of(const KindTimes& kinds) {
  Wide sum = 0;
  for (const Wide nanos : kinds) sum += nanos;
  return sum;
}

std::uint64_t tolerance_of(const trace::Trace& run) {
  return 2 * static_cast<std::uint64_t>(std::max<Nanos>(run.clock.resolution_ns, 1));
}

}  // namespace

BookKeeper::BookKeeper(const trace::Trace& run, const Pipeline* pipeline, Nanos begin, Nanos end)
    : run_(run),
      pipeline_(pipeline),
      begin_(begin),
      end_(end),
      pipeline_stage_(run.stages.size(), kNone),
      worker_stage_(run.workers.size(), kNone),
      worker_sweep_(run.spans, pipeline == nullptr ? Overlap::lanes : Overlap::worker, begin, end,
                    tolerance_of(run)) {
  if (run.workers.size() <= kMostWorkers) {
    workers_.emplace(run.spans.worker, run.workers.size(), false);
  } else {
    result_.too_many_workers = true;
  }
  if (pipeline == nullptr) return;
  for (std::uint32_t s = 0; s < pipeline->stages.size(); ++s) {
    pipeline_stage_[pipeline->stages[s].stage] = s;
    for (const std::uint32_t part : pipeline->stages[s].parts)
      pipeline_stage_[pipeline->parts[part].stage] = s;
  }
  named_.assign(pipeline->stages.size(), workers_.has_value());
  stage_kinds_.assign(pipeline->stages.size(), KindTimes{});
  stage_spans_.assign(pipeline->stages.size(), 0);
  for (std::uint32_t w = 0; w < run.workers.size(); ++w) {
    if (run.workers[w].stage < run.stages.size())
      worker_stage_[w] = pipeline_stage_[run.workers[w].stage];
  }
  for (std::uint32_t s = 0; s < pipeline->stages.size(); ++s) {
    for (const Visit& visit : pipeline->visits[s]) {
      if (visit.worker >= run.workers.size()) {
        named_[s] = false;
      } else if (worker_stage_[visit.worker] == kNone) {
        worker_stage_[visit.worker] = s;
      }
    }
  }
}

std::uint32_t BookKeeper::stage_of_span(std::uint32_t span) const {
  const std::uint32_t stage = run_.spans.stage[span];
  return stage < pipeline_stage_.size() ? pipeline_stage_[stage] : kNone;
}

std::string BookKeeper::stage_name(std::uint32_t id) const {
  return id < run_.stages.size() ? run_.stages[id].name : std::string("no stage");
}

void BookKeeper::close(std::string who, Wide wall, const KindTimes& kinds, std::uint64_t spans) {
  Book book;
  const Wide unknown = wall - sum_of(kinds);
  // Rounded times overlap by a tick at most a span; a thousandth is below what anybody would act
  // on.
  const Wide allowed = std::max<Wide>(Wide{tolerance_of(run_)} * spans, wall / 1000);
  // Without items, spans that overlap on a track are legal (GPU streams): no book can close there.
  if (unknown < -allowed && pipeline_ == nullptr) {
    ++result_.overlapping;
    return;
  }
  if (unknown < -allowed) result_.overdrawn.push_back(who);
  book.who = std::move(who);
  book.wall_s = seconds(wall);
  for (std::size_t k = 0; k < kinds.size(); ++k) book.seconds[k] = seconds(kinds[k]);
  book.unknown_s = seconds(unknown);
  result_.books.push_back(std::move(book));
}

void BookKeeper::note_nested(const Swept& swept) {
  if (pipeline_ == nullptr || swept.parent == kNone) return;
  const trace::Spans& spans = run_.spans;
  if (spans.kind[swept.parent] != SpanKind::service) return;
  if (spans.kind[swept.span] == SpanKind::queue_wait) return;
  const std::uint64_t outer = spans.stage[swept.parent], inner = spans.stage[swept.span];
  if (outer >= run_.stages.size() || inner >= run_.stages.size()) return;
  if (outer == inner && spans.kind[swept.span] == SpanKind::service) return;
  // Fewer than 2^28 stages, or the pair is not told apart; nothing else depends on it.
  nested_[outer << 34 | (inner & 0x7fffffff) << 3 | index(spans.kind[swept.span])] += swept.length;
}

void BookKeeper::add_items() {
  if (run_.items.size() == 0) return;
  const trace::Spans& spans = run_.spans;
  Groups items(spans.item, run_.items.size(), true);
  Sweep sweep(spans, Overlap::later_wins, std::numeric_limits<Nanos>::min(),
              std::numeric_limits<Nanos>::max(), 0);
  KindTimes kinds = {};
  Wide wall = 0;
  std::uint64_t count = 0;
  const auto done = [&](const Swept& swept) {
    const std::size_t kind = index(spans.kind[swept.span]);
    kinds[kind] += swept.self;
    ++count;
    if (pipeline_ == nullptr) return;
    if (const std::uint32_t s = stage_of_span(swept.span); s != kNone) {
      stage_kinds_[s][kind] += swept.self;
      ++stage_spans_[s];
    }
    const bool same_worker = swept.parent != kNone && workers_ &&
                             spans.worker[swept.span] != kNone &&
                             spans.worker[swept.span] == spans.worker[swept.parent];
    if (!same_worker) note_nested(swept);  // else the worker's sweep sees it
  };
  for (std::size_t item = 0; item + 1 < items.size(); ++item) {
    const std::span<std::uint32_t> of = items.of(item);
    if (of.empty()) continue;
    sort_by_begin(of, spans);
    Nanos last = spans.end[of.front()];
    for (const std::uint32_t span : of) last = std::max(last, spans.end[span]);
    wall += elapsed(spans.begin[of.front()], last);
    sweep.run(of, {}, done);
  }
  if (count == 0) return;
  close("items", wall, kinds, count);
  if (pipeline_ == nullptr) return;
  // Spans of no item belong to their stage's book: a producer that waits has none.
  for (const std::uint32_t span : items.of(items.size() - 1)) {
    const std::uint32_t s = stage_of_span(span);
    const Nanos from = std::max(spans.begin[span], begin_), to = std::min(spans.end[span], end_);
    if (s == kNone || from >= to) continue;
    stage_kinds_[s][index(spans.kind[span])] += elapsed(from, to);
    ++stage_spans_[s];
  }
}

void BookKeeper::add_worker(std::uint32_t worker, const Stretches* empty) {
  const std::span<std::uint32_t> of = workers_->of(worker);
  if (of.empty()) return;
  const trace::Spans& spans = run_.spans;
  sort_by_begin(of, spans);
  KindTimes kinds = {};
  std::uint64_t count = 0;
  // The waiting in a queue is the item's, whoever wrote it down.
  const auto skip = [&](std::uint32_t span) { return spans.kind[span] == SpanKind::queue_wait; };
  worker_sweep_.run(of, skip, [&](const Swept& swept) {
    kinds[index(spans.kind[swept.span])] += swept.self;
    ++count;
    note_nested(swept);
  });
  if (count == 0) return;
  const trace::Worker& named = run_.workers[worker];
  std::string who = named.stage < run_.stages.size()
                        ? fmt::format("{} worker {}", run_.stages[named.stage].name, named.label)
                    : named.label.empty() ? fmt::format("worker {}", worker)
                                          : named.label;
  const bool recorded = kinds[index(SpanKind::starved)] > 0;
  if (empty != nullptr && !recorded) {
    Wide starved = 0;
    for (const Sweep::Gap& gap : worker_sweep_.gaps()) starved += empty->within(gap.from, gap.to);
    kinds[index(SpanKind::starved)] = starved;
  }
  const bool derived = empty != nullptr && !recorded && kinds[index(SpanKind::starved)] > 0;
  close(std::move(who), Wide{elapsed(begin_, end_)}, kinds, count);
  if (derived) result_.books.back().starved_derived = true;
}

void BookKeeper::add_stage(std::size_t stage, const StageTimes& times, const Stretches& empty) {
  const PipelineStage& of = pipeline_->stages[stage];
  challenge_parts(stage);
  if (named_[stage]) {
    for (std::uint32_t w = 0; w < run_.workers.size(); ++w) {
      if (worker_stage_[w] == stage) add_worker(w, &empty);
    }
    return;
  }
  const bool by_permits = of.permits && *of.permits > 0 && of.permits <= of.servers.value_or(~0U);
  std::uint64_t count = by_permits ? *of.permits : of.servers.value_or(0);
  std::string who = by_permits ? fmt::format("{}, {} permits", of.name, count)
                               : fmt::format("{}, {} servers", of.name, count);
  if (count == 0) {
    count = levels_of({times.begin, times.leave}).most;
    who = fmt::format("{}, {} at once", of.name, count);
  }
  KindTimes kinds = stage_kinds_[stage];
  kinds[index(SpanKind::queue_wait)] = 0;
  // Who waits for a permit does not hold one.
  if (by_permits) kinds[index(SpanKind::wait_permit)] = 0;
  const bool recorded = kinds[index(SpanKind::starved)] > 0;
  if (!recorded)
    kinds[index(SpanKind::starved)] = idle_of(*pipeline_, times, stage, count, true).starved;
  const bool derived = !recorded && kinds[index(SpanKind::starved)] > 0;
  close(std::move(who), Wide{elapsed(begin_, end_)} * Wide{count}, kinds, stage_spans_[stage]);
  if (derived) result_.books.back().starved_derived = true;
}

void BookKeeper::add_other_workers() {
  if (!workers_) return;
  for (std::uint32_t w = 0; w < run_.workers.size(); ++w) {
    if (pipeline_ == nullptr || worker_stage_[w] == kNone) add_worker(w, nullptr);
  }
}

// A stage cut into parts is split by them, as its visits saw them.
void BookKeeper::challenge_parts(std::size_t stage) {
  const PipelineStage& of = pipeline_->stages[stage];
  if (of.parts.empty()) return;
  Wide total = 0, shown = 0;
  std::vector<Wide> service(of.parts.size(), 0), wait(of.parts.size(), 0);
  for (const Visit& visit : pipeline_->visits[stage]) {
    total += elapsed(visit.begin, visit.end);
    for (std::size_t p = 0; p < of.parts.size() && p < visit.part_service.size(); ++p) {
      service[p] += visit.part_service[p];
      if (p < visit.part_wait.size() && visit.part_wait[p] > 0) wait[p] += visit.part_wait[p];
    }
  }
  Challenge challenge = {of.name, seconds(total), {}};
  for (std::size_t p = 0; p < of.parts.size(); ++p) {
    const std::string& name = pipeline_->parts[of.parts[p]].name;
    if (wait[p] > 0) challenge.shares.push_back({"waiting for " + name, seconds(wait[p])});
    challenge.shares.push_back({name, seconds(service[p])});
    shown += wait[p] + service[p];
  }
  if (total > shown) challenge.shares.push_back({"rest", seconds(total - shown)});
  result_.challenges.push_back(std::move(challenge));
}

void BookKeeper::challenge_nested() {
  if (nested_.empty()) return;
  std::map<std::uint32_t, std::vector<std::pair<std::string, Wide>>> by_stage;
  std::map<std::uint64_t, Wide> ordered(nested_.begin(), nested_.end());
  for (const auto& [key, nanos] : ordered) {
    const auto outer = static_cast<std::uint32_t>(key >> 34);
    const auto inner = static_cast<std::uint32_t>(key >> 3 & 0x7fffffff);
    const auto kind = static_cast<SpanKind>(key & 7);
    if (outer >= run_.stages.size() || inner >= run_.stages.size()) continue;
    const bool has_parts = pipeline_stage_[outer] != kNone &&
                           pipeline_->stages[pipeline_stage_[outer]].stage == outer &&
                           !pipeline_->stages[pipeline_stage_[outer]].parts.empty();
    if (has_parts) continue;  // challenge_parts has said it
    std::string name = kind == SpanKind::service ? stage_name(inner)
                       : inner == outer          ? std::string(to_word(kind))
                                        : fmt::format("{} of {}", to_word(kind), stage_name(inner));
    by_stage[outer].push_back({std::move(name), nanos});
  }
  std::vector<Wide> totals(run_.stages.size(), 0);
  for (std::size_t i = 0; i < run_.spans.size(); ++i) {
    if (run_.spans.kind[i] == SpanKind::service && run_.spans.stage[i] < totals.size())
      totals[run_.spans.stage[i]] += elapsed(run_.spans.begin[i], run_.spans.end[i]);
  }
  for (auto& [outer, shares] : by_stage) {
    std::stable_sort(shares.begin(), shares.end(),
                     [](const auto& l, const auto& r) { return l.second > r.second; });
    Wide shown = 0;
    for (const auto& share : shares) shown += share.second;
    if (shown * 100 < totals[outer]) continue;  // below one percent it is what its name says
    Challenge challenge = {stage_name(outer), seconds(totals[outer]), {}};
    for (const auto& [name, nanos] : shares) challenge.shares.push_back({name, seconds(nanos)});
    if (totals[outer] > shown) challenge.shares.push_back({"rest", seconds(totals[outer] - shown)});
    result_.challenges.push_back(std::move(challenge));
  }
}

Books BookKeeper::finish() {
  challenge_nested();
  return std::move(result_);
}

}  // namespace assay::attribution
