// SPDX-License-Identifier: Apache-2.0
#include "trace/importers/span_builder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/text.hpp"

namespace assay::trace {
namespace {

constexpr Nanos kDay = Nanos{86400} * 1'000'000'000;
constexpr std::size_t kMostItemBits = std::size_t{1} << 32;  // 512 MiB of bits
constexpr std::size_t kPadding = 8;  // readable bytes that TextIndex wants behind a text

double to_seconds(Nanos ns) { return static_cast<double>(ns) * 1e-9; }

std::size_t home_of(std::uint64_t key, std::size_t size) {
  return ((key * 0x9e3779b97f4a7c15U) >> 20) & (size - 1);
}

}  // namespace

std::uint32_t SpanBuilder::slot(std::string_view stage, SpanKind kind) {
  const std::uint32_t id = trace_.stage_id(stage);
  for (std::uint32_t i = 0; i < slots_.size(); ++i)
    if (slots_[i].stage == id && slots_[i].kind == kind) return i;
  slots_.push_back({id, kind});
  return static_cast<std::uint32_t>(slots_.size() - 1);
}

std::uint32_t SpanBuilder::item(std::span<const std::string_view> parts) {
  char buffer[256 + kPadding];
  std::size_t size = 0, wanted = 0;
  for (const std::string_view part : parts) wanted += part.size() + 1;
  char* key = buffer;
  if (wanted > sizeof buffer - kPadding) {
    long_key_.resize(wanted + kPadding);
    key = long_key_.data();
  }
  bool any = false;
  for (const std::string_view part : parts) {
    if (part.data() == nullptr) continue;
    if (any) key[size++] = '/';
    any = true;
    std::memcpy(key + size, part.data(), part.size());
    size += part.size();
  }
  if (!any) return kNone;
  const std::string_view text(key, size);
  const std::uint64_t hash = Strings::hash_of(text);
  Recent& recent = recent_[(hash >> 32) & (recent_.size() - 1)];
  if (recent.hash != hash || recent.item == kNone ||
      trace_.strings.at(trace_.items.key[recent.item]) != text)
    recent = {hash, trace_.items.intern(trace_.strings.intern(text, hash))};
  return recent.item;
}

std::uint32_t SpanBuilder::worker(std::uint32_t slot, std::string_view label) {
  const std::uint32_t stage = slots_[slot].stage;
  char buffer[64 + kPadding];
  std::uint32_t number = 0;
  if (label.size() <= sizeof buffer - kPadding) {
    std::memcpy(buffer, label.data(), label.size());
    number = workers_.find({buffer, label.size()}, stage);
  } else {
    long_key_.assign(label);
    long_key_.append(kPadding, '\0');
    number = workers_.find({long_key_.data(), label.size()}, stage);
  }
  if (number == worker_ids_.size()) worker_ids_.push_back(trace_.worker_id(stage, label));
  return worker_ids_[number];
}

std::optional<Nanos> SpanBuilder::place(const Stamp& stamp, std::uint64_t line) {
  if (!any_) {
    any_ = true;
    absolute_ = stamp.absolute;
    epoch_ = absolute_ ? stamp.ns : 0;
    if (absolute_) trace_.clock.epoch_ns = epoch_;
    trace_.clock.resolution_ns = stamp.resolution;
    last_ = latest_ = stamp.ns - epoch_;
    last_resolution_ = stamp.resolution;
    return last_;
  }
  Nanos t = 0;
  if (stamp.absolute != absolute_ || __builtin_sub_overflow(stamp.ns, epoch_, &t)) {
    if (other_clock_++ == 0) first_other_clock_ = line;
    return std::nullopt;
  }
  if (t < last_) {
    const Nanos back = last_ - t;
    if (back > std::max(stamp.resolution, last_resolution_)) {
      trace_.lose(Loss::clock_backwards, line);
      furthest_back_ = std::max(furthest_back_, back);
    }
    if (back > kDay && jumps_++ == 0) {
      first_jump_ = line;
      jump_ = -back;
    }
  } else if (t - last_ > kDay && jumps_++ == 0) {
    first_jump_ = line;
    jump_ = t - last_;
  }
  last_ = t;
  last_resolution_ = stamp.resolution;
  latest_ = std::max(latest_, t);
  trace_.clock.resolution_ns = std::min(trace_.clock.resolution_ns, stamp.resolution);
  return t;
}

std::optional<Nanos> SpanBuilder::lay(Nanos duration) {
  if (any_ || duration < 0 || __builtin_add_overflow(latest_, duration, &latest_))
    return std::nullopt;
  ++laid_;
  return latest_;
}

std::uint64_t SpanBuilder::key_of(std::uint32_t slot, std::uint32_t item,
                                  std::uint32_t worker) const {
  // Items count from 1, workers from the top down: 0 = neither.
  std::uint32_t part = item + 1;
  if (item == kNone) part = slots_[slot].by_worker && worker != kNone ? ~worker : 0;
  const std::uint64_t is_worker = item == kNone && part != 0 ? 1 : 0;
  return (std::uint64_t{slot} * 2 + is_worker) << 32 | part;
}

SpanBuilder::Open* SpanBuilder::find(std::uint64_t key) {
  const std::size_t mask = open_.size() - 1;
  for (std::size_t at = home_of(key, open_.size()); open_[at].depth != 0; at = (at + 1) & mask)
    if (open_[at].key == key) return &open_[at];
  return nullptr;
}

SpanBuilder::Open& SpanBuilder::put(std::uint64_t key) {
  if ((open_count_ + 1) * 2 > open_.size()) {
    std::vector<Open> larger(open_.size() * 2);
    for (const Open& entry : open_) {
      if (entry.depth == 0) continue;
      std::size_t at = home_of(entry.key, larger.size());
      while (larger[at].depth != 0) at = (at + 1) & (larger.size() - 1);
      larger[at] = entry;
    }
    open_.swap(larger);
  }
  std::size_t at = home_of(key, open_.size());
  while (open_[at].depth != 0) at = (at + 1) & (open_.size() - 1);
  ++open_count_;
  open_[at] = {key, 0, 0, kNone, 1, false};
  return open_[at];
}

// Moves what lies behind the gap forward, so that no chain is broken.
void SpanBuilder::erase(Open* entry) {
  const std::size_t mask = open_.size() - 1;
  auto gap = static_cast<std::size_t>(entry - open_.data());
  for (std::size_t at = (gap + 1) & mask; open_[at].depth != 0; at = (at + 1) & mask) {
    const std::size_t home = home_of(open_[at].key, open_.size());
    if (((at - home) & mask) < ((at - gap) & mask)) continue;  // its home lies behind the gap
    open_[gap] = open_[at];
    gap = at;
  }
  open_[gap].depth = 0;
  --open_count_;
}

void SpanBuilder::see(std::uint32_t item, std::uint32_t worker, Nanos t) {
  const auto note = [t](std::vector<Nanos>& seen, std::uint32_t id, std::size_t count) {
    if (id == kNone) return;
    if (id >= seen.size()) seen.resize(std::max(count, seen.size() * 2), INT64_MIN);
    seen[id] = std::max(seen[id], t);
  };
  note(item_seen_, item, trace_.items.size());
  note(worker_seen_, worker, trace_.workers.size());
}

// Whether the item or the worker of an open span was seen after its begin.
bool SpanBuilder::goes_on(const Open& entry) const {
  const auto part = static_cast<std::uint32_t>(entry.key);
  const bool is_item = (entry.key >> 32 & 1) == 0 && part != 0;
  if (is_item && item_seen_[part - 1] > entry.t) return true;
  return entry.worker != kNone && worker_seen_[entry.worker] > entry.t;
}

void SpanBuilder::begin(std::uint32_t slot, Nanos t, std::uint32_t item, std::uint32_t worker,
                        std::uint64_t line) {
  ++slots_[slot].begins;
  see(item, worker, t);
  const std::uint64_t key = key_of(slot, item, worker);
  Open* entry = find(key);
  if (entry == nullptr) {
    Open& made = put(key);
    made.t = t;
    made.line = line;
    made.worker = worker;
    return;
  }
  trace_.lose(Loss::duplicate, line);
  if ((key & 0xffffffffU) == 0) {  // nothing tells them apart: which end belongs to which begin?
    entry->blurred = true;
    ++entry->depth;
    return;
  }
  // A second try of the same item: the first one never ended.
  entry->t = t;
  entry->line = line;
  entry->worker = worker;
}

void SpanBuilder::end(std::uint32_t slot, Nanos t, std::uint32_t item, std::uint32_t worker,
                      const std::optional<Stamp>& duration, std::uint64_t line) {
  Slot& of = slots_[slot];
  ++of.ends;
  see(item, worker, t);
  Open* entry = find(key_of(slot, item, worker));
  if (entry == nullptr) {
    if (duration && duration->ns >= 0) {
      if (of.derived++ == 0) of.first_derived = line;
      return span(slot, t - duration->ns, t, item, worker, Quality::derived, line);
    }
    trace_.lose(Loss::missing_begin, line);
    if (of.lone_ends++ == 0) of.first_lone_end = line;
    return;
  }
  if (entry->blurred) {
    ++of.blurred;
    if (--entry->depth == 0) {
      entry->depth = 1;
      erase(entry);
    }
    return;
  }
  const Open opened = *entry;
  erase(entry);
  if (duration && t >= opened.t) {
    // Both stamps and the duration are rounded.
    const Nanos differs = t - opened.t - duration->ns;
    const Nanos allowed = trace_.clock.resolution_ns + duration->resolution;
    if (differs > allowed || differs < -allowed) trace_.lose(Loss::duration_differs, line);
  }
  span(slot, opened.t, t, item, worker == kNone ? opened.worker : worker, Quality::exact, line);
}

void SpanBuilder::span(std::uint32_t slot, Nanos from, Nanos to, std::uint32_t item,
                       std::uint32_t worker, Quality quality, std::uint64_t line) {
  if (to < from) return trace_.lose(Loss::negative_span, line);
  const Slot& of = slots_[slot];
  trace_.spans.push(from, to, item, of.stage, worker, of.kind, quality);
}

void SpanBuilder::clip() {
  std::vector<Open> left;
  for (const Open& entry : open_)
    if (entry.depth != 0) left.push_back(entry);
  std::ranges::sort(
      left, [](const Open& a, const Open& b) { return a.t != b.t ? a.t < b.t : a.key < b.key; });
  for (const Open& entry : left) {
    const auto slot = static_cast<std::uint32_t>(entry.key >> 33);
    Slot& of = slots_[slot];
    const auto part = static_cast<std::uint32_t>(entry.key);
    const bool is_item = (entry.key >> 32 & 1) == 0 && part != 0;
    // A wait whose end is never written is not in this log at all.
    if (of.ends == 0 && of.kind != SpanKind::service) continue;
    for (std::uint32_t i = 0; i < entry.depth; ++i) trace_.lose(Loss::missing_end, entry.line);
    if (of.clipped + of.lost_ends == 0 || entry.line < of.first_open) of.first_open = entry.line;
    if (entry.blurred || latest_ < entry.t || goes_on(entry)) {
      of.lost_ends += entry.depth;
      continue;
    }
    ++of.clipped;
    trace_.spans.push(entry.t, latest_, is_item ? part - 1 : kNone, of.stage, entry.worker, of.kind,
                      Quality::clipped);
  }
}

std::string SpanBuilder::name_of(const Slot& slot) const {
  return printable(trace_.stages[slot.stage].name) + "." + std::string(to_word(slot.kind));
}

std::string SpanBuilder::where(std::uint64_t line) const {
  return fmt::format("{}:{}", printable(trace_.source), line);
}

void SpanBuilder::warn_of_balance() {
  for (const Slot& slot : slots_) {
    if (slot.blurred > 0)
      trace_.warn(TraceWarningKind::duplicate_keys,
                  fmt::format("{}: {} open at once that nothing tells apart (no item, no worker); "
                              "{} not used: name the item in the rules (item = [...]) or the "
                              "worker in both patterns",
                              name_of(slot), "several spans are", counted(slot.blurred, "end")));
    if (slot.derived > 0 && slot.begins == 0)
      trace_.warn(TraceWarningKind::derived,
                  fmt::format("{}: the log has no begins; {} computed from the durations it prints",
                              name_of(slot),
                              slot.derived == 1 ? "1 is" : fmt::format("{} are", slot.derived)));
    const std::uint64_t derived = slot.begins == 0 ? 0 : slot.derived;
    const std::uint64_t open = slot.clipped + slot.lost_ends;
    if (slot.lone_ends == 0 && open == 0 && derived == 0) continue;
    trace_.lost(Loss::missing_begin) += derived;
    std::string text = fmt::format("{} is unbalanced: {}, {}", name_of(slot),
                                   counted(slot.begins, "begin"), counted(slot.ends, "end"));
    if (open > 0) {
      text += fmt::format("; {} without its end (first: {})", open, where(slot.first_open));
      if (slot.lost_ends > 0)
        text += fmt::format(", {} of an item or a worker that goes on, not used", slot.lost_ends);
      if (slot.clipped > 0) text += fmt::format(", {} clipped at the log's end", slot.clipped);
    }
    if (slot.lone_ends > 0)
      text += fmt::format("; {} without its begin, not used (first: {})", slot.lone_ends,
                          where(slot.first_lone_end));
    if (derived > 0)
      text += fmt::format("; {} without its begin, computed from the duration (first: {})", derived,
                          where(slot.first_derived));
    trace_.warn(TraceWarningKind::unbalanced,
                text +
                    ". Lines were lost, or the log begins or ends in mid-run: log the whole run "
                    "with --line-buffered, or use the emitter");
  }
}

// Items that pass a slot twice; items that miss a service that most items have.
void SpanBuilder::warn_of_items() {
  const std::size_t items = trace_.items.size();
  if (items == 0 || slots_.size() > kMostItemBits / items) return;
  std::vector<std::uint32_t> slot_of(trace_.stages.size() * kSpanKinds, kNone);
  for (std::uint32_t i = 0; i < slots_.size(); ++i)
    slot_of[slots_[i].stage * kSpanKinds + static_cast<std::size_t>(slots_[i].kind)] = i;
  struct Count {
    std::uint64_t once = 0, again = 0;
    std::uint32_t first_again = kNone;
  };
  std::vector<Count> counts(slots_.size());
  std::vector<bool> seen(items * slots_.size(), false);
  const Spans& spans = trace_.spans;
  for (std::size_t i = 0; i < spans.size(); ++i) {
    if (spans.item[i] == kNone || spans.quality[i] == Quality::clipped) continue;
    const std::uint32_t slot =
        slot_of[spans.stage[i] * kSpanKinds + static_cast<std::size_t>(spans.kind[i])];
    const std::size_t bit = std::size_t{slot} * items + spans.item[i];
    if (!seen[bit]) {
      seen[bit] = true;
      ++counts[slot].once;
    } else if (counts[slot].again++ == 0) {
      counts[slot].first_again = spans.item[i];
    }
  }
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    const Count& count = counts[i];
    if (count.again > 0)
      trace_.warn(
          TraceWarningKind::duplicate_keys,
          fmt::format("{}: {} of an item that passed it before (first: {}). Two runs in one "
                      "log, a retry, or an item key that is too short",
                      name_of(slots_[i]), counted(count.again, "span"),
                      printable(trace_.strings.at(trace_.items.key[count.first_again]))));
    if (slots_[i].kind == SpanKind::service && count.once < items && count.once * 2 > items)
      trace_.warn(
          TraceWarningKind::counts_disagree,
          fmt::format("{} items in the log, {} have a whole {}: lines were lost, or the log "
                      "was cut",
                      items, count.once, name_of(slots_[i])));
  }
}

void SpanBuilder::warn_of_clock() {
  if (laid_ > 0 && any_)
    trace_.warn(TraceWarningKind::two_clocks,
                fmt::format("{} without timestamp before the first line that has one: laid end to "
                            "end from 0, only their durations are true",
                            counted(laid_, "duration")));
  else if (laid_ > 0)
    trace_.warn(
        TraceWarningKind::derived,
        fmt::format("no line has a timestamp: {} laid end to end, so durations are true and "
                    "waits, overlaps and the makespan are not",
                    laid_ == 1 ? "1 span is" : fmt::format("{} spans are", laid_)));
  if (other_clock_ > 0)
    trace_.warn(
        TraceWarningKind::two_clocks,
        fmt::format("two clocks in one log: the first event is in {}, {} in {} (first: {}) "
                    "and not used. Give one rules file a clock, or import them apart",
                    absolute_ ? "Unix time" : "offsets from a start",
                    other_clock_ == 1 ? "1 event is" : fmt::format("{} events are", other_clock_),
                    absolute_ ? "offsets" : "Unix time", where(first_other_clock_)));
  if (jumps_ > 0)
    trace_.warn(
        TraceWarningKind::two_clocks,
        fmt::format("the timestamps jump by {} at {}{}: two clocks, two runs in one log, or "
                    "a clock that was set",
                    format_duration(to_seconds(jump_ < 0 ? -jump_ : jump_)), where(first_jump_),
                    jumps_ > 1 ? fmt::format(" (and {} more times)", jumps_ - 1) : ""));
  if (trace_.lost(Loss::clock_backwards) > 0)
    trace_.warn(
        TraceWarningKind::clock_backwards,
        fmt::format("{} earlier than the line before (first: {}, at most {} back): several "
                    "threads write this log, or its clock was set",
                    trace_.lost(Loss::clock_backwards) == 1
                        ? "1 timestamp is"
                        : fmt::format("{} timestamps are", trace_.lost(Loss::clock_backwards)),
                    trace_.first_lost[static_cast<std::size_t>(Loss::clock_backwards)],
                    format_seconds(to_seconds(furthest_back_))));
}

void SpanBuilder::finish() {
  clip();
  warn_of_balance();
  warn_of_items();
  warn_of_clock();
}

}  // namespace assay::trace
