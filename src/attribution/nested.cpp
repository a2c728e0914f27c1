// SPDX-License-Identifier: Apache-2.0
#include "attribution/nested.hpp"

#include <optional>

namespace assay::attribution {

using trace::SpanKind;

NameTimes name_times(const trace::Trace& run, bool with_inside, Groups* workers) {
  const trace::Spans& spans = run.spans;
  NameTimes times;
  times.count.assign(run.stages.size(), 0);
  times.total.assign(run.stages.size(), 0);
  times.self.assign(run.stages.size(), 0);
  Sweep sweep(spans, Overlap::lanes, std::numeric_limits<Nanos>::min(),
              std::numeric_limits<Nanos>::max(), 0);
  std::uint64_t last_pair = ~std::uint64_t{0};
  Wide* last_sum = nullptr;
  const auto done = [&](const Swept& swept) {
    const std::uint32_t stage = spans.stage[swept.span];
    if (stage >= run.stages.size()) return;
    ++times.count[stage];
    times.total[stage] += swept.length;
    times.self[stage] += swept.self;
    if (!with_inside) return;
    const std::uint32_t outer = swept.parent == kNone ? kNone : spans.stage[swept.parent];
    const std::uint64_t pair = std::uint64_t{outer} << 32 | stage;
    if (pair != last_pair) {
      last_sum = &times.inside[pair];
      last_pair = pair;
    }
    *last_sum += swept.length;
  };
  const auto waits = [&](std::uint32_t span) { return spans.kind[span] == SpanKind::queue_wait; };
  std::optional<Groups> own;
  if (workers == nullptr) workers = &own.emplace(spans.worker, run.workers.size(), false);
  for (std::size_t w = 0; w < workers->size(); ++w) {
    sort_by_begin(workers->of(w), spans);
    sweep.run(workers->of(w), waits, done);
  }
  bool any = false;
  for (std::size_t i = 0; i < spans.size() && !any; ++i)
    any = spans.worker[i] >= run.workers.size();
  if (!any) return times;
  const auto skip = [&](std::uint32_t span) {
    return waits(span) || spans.worker[span] < run.workers.size();
  };
  Groups items(spans.item, run.items.size(), true);
  for (std::size_t i = 0; i < items.size(); ++i) {
    sort_by_begin(items.of(i), spans);
    sweep.run(items.of(i), skip, done);
  }
  return times;
}

Lengths::Lengths(const trace::Trace& run) : first_(run.stages.size() * trace::kSpanKinds + 1, 0) {
  const trace::Spans& spans = run.spans;
  const auto slot_of = [&](std::size_t i) {
    return spans.stage[i] * trace::kSpanKinds + static_cast<std::size_t>(spans.kind[i]);
  };
  const auto counts = [&](std::size_t i) {
    return spans.stage[i] < run.stages.size() && spans.quality[i] != trace::Quality::clipped;
  };
  for (std::size_t i = 0; i < spans.size(); ++i) {
    if (counts(i)) ++first_[slot_of(i) + 1];
  }
  for (std::size_t s = 1; s < first_.size(); ++s) first_[s] += first_[s - 1];
  values_.resize(first_.back());
  std::vector<std::size_t> place(first_.begin(), first_.end() - 1);
  for (std::size_t i = 0; i < spans.size(); ++i) {
    if (counts(i)) values_[place[slot_of(i)]++] = seconds(elapsed(spans.begin[i], spans.end[i]));
  }
}

std::vector<double> Lengths::of(std::uint32_t stage, SpanKind kind) const {
  const std::size_t slot = stage * trace::kSpanKinds + static_cast<std::size_t>(kind);
  const auto at = [&](std::size_t i) { return values_.begin() + static_cast<std::ptrdiff_t>(i); };
  return {at(first_[slot]), at(first_[slot + 1])};
}

std::vector<double> Lengths::of(std::uint32_t stage) const {
  std::vector<double> all = of(stage, SpanKind::service);
  for (std::size_t k = 1; k < trace::kSpanKinds; ++k) {
    const auto kind = static_cast<SpanKind>(k);
    if (kind == SpanKind::queue_wait) continue;
    const std::vector<double> more = of(stage, kind);
    all.insert(all.end(), more.begin(), more.end());
  }
  return all;
}

}  // namespace assay::attribution
