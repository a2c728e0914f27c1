// SPDX-License-Identifier: Apache-2.0
#include "trace/importers/emitter_builder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <numeric>

#include "base/text.hpp"

namespace assay::trace {

namespace format = emit::format;
using format::FileHeader;
using format::Slot;
using format::SlotType;

namespace {

constexpr Nanos kSkew = 1000;       // two processors' clocks may differ by so much
constexpr double kFarthest = 4e18;  // ns: what an int64 holds, with room
constexpr std::size_t kMostSettings = 512;
constexpr std::uint32_t kSeveral = kNone - 1;  // a worker of several stages; taken back in finish()

// ns - origin, where both are of one clock; nothing when that is too far.
std::optional<Nanos> difference(std::uint64_t ns, std::uint64_t origin) {
  const auto apart = static_cast<Nanos>(ns - origin);
  if (std::abs(static_cast<double>(apart)) > kFarthest) return std::nullopt;
  return apart;
}

}  // namespace

std::size_t EmitterBuilder::KeyHash::operator()(const Key& key) const {
  return static_cast<std::size_t>((key.job * 0x9e3779b97f4a7c15U ^ key.part) * 0xbf58476d1ce4e5b9U);
}

EmitterBuilder::EmitterBuilder() {
  trace_.format = "emitter";
  trace_.clock.resolution_ns = 1;
}

Result<EmitterBuilder::Clock> EmitterBuilder::clock_of(const FileHeader& header,
                                                       const std::string& where) {
  Clock clock;
  clock.first = header.pairs[0];
  if (header.clock == format::Clock::tsc) {
    const format::ClockPair& newest = header.pairs[header.latest == 1 ? 1 : 2];
    const auto ticks = static_cast<std::int64_t>(newest.ticks - clock.first.ticks);
    const auto ns = static_cast<std::int64_t>(newest.ns - clock.first.ns);
    clock.ns_per_tick = static_cast<double>(ns) / static_cast<double>(ticks);
    // Counters of 10 MHz to 100 GHz.
    if (ticks <= 0 || ns <= 0 || clock.ns_per_tick < 0.01 || clock.ns_per_tick > 100) {
      return fail("its clock pairs are damaged, so that no time can be converted", where,
                  "record the run anew");
    }
  } else if (header.clock != format::Clock::monotonic) {
    return fail(fmt::format("a clock that is not known: {}", static_cast<unsigned>(header.clock)),
                where, "was it written by a newer assay/trace.hpp?");
  } else {
    clock.first.ticks = clock.first.ns;
  }
  if (!first_) return clock;
  std::optional<Nanos> shift;
  if (std::memcmp(header.boot_id, first_->boot_id, sizeof header.boot_id) == 0) {
    shift = difference(clock.first.ns, first_->pairs[0].ns);
  } else {
    shift = difference(header.realtime_ns, first_->realtime_ns);
    has_two_boots_ = true;
  }
  if (!shift) {
    return fail("its times lie centuries from those of the files beside it", where,
                "is it of another run? Remove it");
  }
  clock.shift = *shift;
  return clock;
}

Result<void> EmitterBuilder::begin_file(const FileHeader& header, const std::string& where) {
  auto clock = clock_of(header, where);
  if (!clock) return fail(clock.error());
  clock_ = *clock;
  header_ = header;
  where_ = where;
  if (!first_) {
    first_ = header;
    trace_.clock.source = header.clock == format::Clock::tsc ? "time-stamp counter" : "monotonic";
    if (header.realtime_ns < static_cast<std::uint64_t>(kFarthest)) {
      trace_.clock.epoch_ns = static_cast<Nanos>(header.realtime_ns);
    }
  }
  trace_.lost(Loss::dropped_by_writer) += header.dropped;
  names_.clear();
  lost_name_ = {};
  threads_.clear();
  thread_of_ordinal_.clear();
  said_.clear();
  first_span_ = trace_.spans.size();
  first_instant_ = trace_.instants.size();
  first_counter_ = trace_.counters.size();
  first_open_ = open_.size();
  return {};
}

// Slots before the first thread's are nobody's: a damaged chunk.
void EmitterBuilder::begin_chunk(std::uint64_t dropped) {
  trace_.lost(Loss::dropped_by_writer) += dropped;
  thread_ = kNone;
}

std::optional<Nanos> EmitterBuilder::time_of(std::uint64_t ticks) const {
  const auto since = static_cast<double>(static_cast<std::int64_t>(ticks - clock_.first.ticks));
  const double ns = since * clock_.ns_per_tick + static_cast<double>(clock_.shift);
  if (std::abs(ns) > kFarthest) return std::nullopt;
  return static_cast<Nanos>(std::llround(since * clock_.ns_per_tick)) + clock_.shift;
}

bool EmitterBuilder::name(std::uint32_t id, std::string_view text) {
  if (id == 0 || id > format::kMostNames || text.size() > format::kLongestName) return false;
  std::optional<std::string>& known = named(id).text;
  if (known) return false;
  known = std::string(text);
  return true;
}

EmitterBuilder::Named& EmitterBuilder::named(std::uint32_t name) {
  if (name > format::kMostNames) return lost_name_;
  if (name >= names_.size()) names_.resize(name + std::size_t{1});
  return names_[name];
}

std::string EmitterBuilder::text_of(std::uint32_t name) {
  const std::optional<std::string>& text = named(name).text;
  if (text) return *text;
  return name == format::kNoName      ? "(no name)"
         : name <= format::kMostNames ? fmt::format("(name {} is lost)", name)
                                      : "(name is lost)";
}

std::uint32_t EmitterBuilder::stage_of(std::uint32_t name) {
  Named& known = named(name);
  if (known.stage == kNone) known.stage = trace_.stage_id(text_of(name));
  return known.stage;
}

std::uint32_t EmitterBuilder::string_of(std::uint32_t name) {
  Named& known = named(name);
  if (known.string == kNone) known.string = trace_.strings.intern(text_of(name));
  return known.string;
}

std::uint32_t EmitterBuilder::item_of(const Slot& slot) {
  if (slot.job == emit::kNoKey && slot.part == emit::kNoKey) return kNone;
  const auto [place, is_new] = items_.try_emplace(Key{slot.job, slot.part}, 0);
  if (is_new) {
    std::string key = slot.job == emit::kNoKey ? "-" : fmt::format("{}", slot.job);
    if (slot.part != emit::kNoKey) key += fmt::format("/{}", slot.part);
    place->second = trace_.items.intern(trace_.strings.intern(key));
  }
  return place->second;
}

void EmitterBuilder::begin_thread(const Slot& slot) {
  const auto [place, is_new] =
      thread_of_ordinal_.try_emplace(slot.part, static_cast<std::uint32_t>(threads_.size()));
  if (is_new) {
    threads_.emplace_back();
    threads_.back().ordinal = slot.part;
    threads_.back().tid = slot.job;
  }
  thread_ = place->second;
  threads_[thread_].name = format::name_of(slot.head);
}

// Stage and worker are settled at the file's end: until then they are the name's id and the thread.
void EmitterBuilder::span(const Slot& slot, Nanos begin) {
  const std::uint8_t kind = format::kind_of(slot.head);
  std::optional<Nanos> end = slot.end == 0 ? begin : time_of(slot.end);
  if (!end || kind >= kSpanKinds) return trace_.lose(Loss::malformed_record);
  if (*end < begin) {
    if (begin - *end > kSkew) return trace_.lose(Loss::negative_span);
    end = begin;
  }
  if (slot.end == 0) open_.push_back(static_cast<std::uint32_t>(trace_.spans.size()));
  last_ = std::max(last_, *end);
  trace_.spans.push(begin, *end, item_of(slot), format::name_of(slot.head), thread_,
                    static_cast<SpanKind>(kind), slot.end == 0 ? Quality::clipped : Quality::exact);
}

void EmitterBuilder::slot(const Slot& slot) {
  const SlotType type = format::type_of(slot.head);
  const std::optional<Nanos> begin = time_of(slot.begin);
  if (type == SlotType::thread) begin_thread(slot);
  if (!begin || thread_ == kNone) return trace_.lose(Loss::malformed_record);
  last_ = std::max(last_, *begin);
  const std::uint32_t name = format::name_of(slot.head);
  switch (type) {
    case SlotType::span:
      return span(slot, *begin);
    case SlotType::instant:
      trace_.instants.at.push_back(*begin);
      trace_.instants.name.push_back(name);
      trace_.instants.item.push_back(item_of(slot));
      return;
    case SlotType::counter: {
      const auto value = std::bit_cast<double>(slot.end);
      if (!std::isfinite(value)) return trace_.lose(Loss::malformed_record);
      trace_.counters.at.push_back(*begin);
      trace_.counters.name.push_back(name);
      trace_.counters.value.push_back(value);
      return;
    }
    case SlotType::worker:
      threads_[thread_].namings.push_back({*begin, name, slot.part});
      return;
    case SlotType::memory:
    case SlotType::setting:
    case SlotType::stage:
      said_.push_back({*begin, slot});
      return;
    case SlotType::thread:
      return;
    case SlotType::none:
      break;
  }
  trace_.lose(Loss::unknown_record);
}

// --- the end of a file ---------------------------------------------------------------------------

// Each process has series of its own: its "pid" is not another one's.
void EmitterBuilder::remember(const Said& said) {
  const std::uint32_t name = format::name_of(said.slot.head);
  std::uint32_t& series = named(name).series;
  if (series == kNone) {
    series = static_cast<std::uint32_t>(trace_.memory.size());
    trace_.memory.push_back(
        {text_of(name), fmt::format("said by process {}", header_.pid), {}, {}});
  }
  trace_.memory[series].at.push_back(said.at);
  trace_.memory[series].bytes.push_back(said.slot.end);
}

void EmitterBuilder::declare(const Slot& slot) {
  const std::uint32_t id = stage_of(format::name_of(slot.head));
  const auto after = static_cast<std::uint32_t>(slot.job);
  const auto parent = static_cast<std::uint32_t>(slot.job >> 32);
  const auto servers = static_cast<std::uint32_t>(slot.part);
  const auto permits = static_cast<std::uint32_t>(slot.part >> 32);
  // Others may be made here, which moves the stages.
  const std::uint32_t whole = parent == format::kNoName ? kNone : stage_of(parent);
  if (after != format::kNoName) {
    const Edge edge{stage_of(after), id};
    if (edge.from != edge.to && edges_.emplace(edge.from, edge.to).second) {
      trace_.edges.push_back(edge);
    }
  }
  Stage& stage = trace_.stages[id];
  if (whole != kNone && whole != id) stage.parent = whole;
  if (static_cast<std::int32_t>(servers) > 0) {
    stage.servers = servers;
    stage.servers_from = "declared";
  }
  if (static_cast<std::int32_t>(permits) > 0) stage.permits = permits;
  if (static_cast<std::int64_t>(slot.end) >= 0) stage.capacity = slot.end;
}

void EmitterBuilder::settle(const Said& said) {
  switch (format::type_of(said.slot.head)) {
    case SlotType::memory:
      return remember(said);
    case SlotType::stage:
      return declare(said.slot);
    default:
      break;
  }
  // A value that stays what it was needs no looking up.
  const auto value = static_cast<std::uint32_t>(said.slot.job);
  std::uint32_t& last = named(format::name_of(said.slot.head)).value;
  if (last == value) return;
  if (trace_.settings.size() >= kMostSettings) return trace_.lose(Loss::malformed_record);
  last = value;
  trace_.set(text_of(format::name_of(said.slot.head)), text_of(value));
}

std::string EmitterBuilder::label_of(const Thread& thread, const Naming* naming) {
  if (naming != nullptr) return fmt::format("{}", static_cast<std::int64_t>(naming->number));
  const std::optional<std::string>& name = named(thread.name).text;
  return name && !name->empty() ? fmt::format("{} ({})", *name, thread.tid)
                                : fmt::format("thread {}", thread.tid);
}

// The worker that `thread` was at that time: what it said last, or, before it said anything, what
// it said first. A thread that says nothing is a worker of the stage of its spans.
std::uint32_t EmitterBuilder::worker_at(Thread& thread, Nanos at, std::uint32_t stage) {
  const std::vector<Naming>& said = thread.namings;
  std::size_t which = 0;
  if (!said.empty()) {
    const auto later = std::upper_bound(
        said.begin(), said.end(), at, [](Nanos t, const Naming& naming) { return t < naming.at; });
    which = later == said.begin() ? 0 : static_cast<std::size_t>(later - said.begin()) - 1;
  }
  thread.workers.resize(std::max<std::size_t>(said.size(), 1), kNone);
  std::uint32_t& worker = thread.workers[which];
  if (worker == kNone) {
    worker = static_cast<std::uint32_t>(trace_.workers.size());
    const Naming* naming = said.empty() ? nullptr : &said[which];
    trace_.workers.push_back({naming != nullptr ? stage_of(naming->stage_name) : stage,
                              label_of(thread, naming), static_cast<std::int64_t>(header_.pid),
                              static_cast<std::int64_t>(thread.tid)});
  } else if (said.empty() && trace_.workers[worker].stage != stage) {
    trace_.workers[worker].stage = kSeveral;
  }
  return worker;
}

void EmitterBuilder::settle_spans() {
  for (Thread& thread : threads_) {
    std::ranges::stable_sort(thread.namings, {}, &Naming::at);
  }
  Spans& spans = trace_.spans;
  for (std::size_t i = first_span_; i < spans.size(); ++i) {
    spans.stage[i] = stage_of(spans.stage[i]);
    spans.worker[i] = worker_at(threads_[spans.worker[i]], spans.begin[i], spans.stage[i]);
  }
  for (std::size_t i = first_instant_; i < trace_.instants.size(); ++i) {
    trace_.instants.name[i] = string_of(trace_.instants.name[i]);
  }
  for (std::size_t i = first_counter_; i < trace_.counters.size(); ++i) {
    trace_.counters.name[i] = string_of(trace_.counters.name[i]);
  }
}

void EmitterBuilder::warn_of_file() {
  std::string program(header_.program, strnlen(header_.program, sizeof header_.program));
  const std::string who = fmt::format("process {} ({})", header_.pid, printable(program));
  if (header_.stopped == format::kLimitReached) {
    trace_.warn(TraceWarningKind::lost_events,
                fmt::format("{}: the file reached its limit of {}; raise ASSAY_EVENTS_LIMIT, or "
                            "the shell's limit of file sizes",
                            who, format_bytes(static_cast<double>(header_.limit_bytes))));
  } else if (header_.stopped != format::kGrowing) {
    trace_.warn(TraceWarningKind::lost_events,
                fmt::format("{}: the file could not grow: {}; use a folder with more room", who,
                            std::strerror(static_cast<int>(header_.stopped & 0xffff))));
  }
  if (header_.names_lost > 0) {
    trace_.warn(TraceWarningKind::other,
                fmt::format("{}: names of events were lost {} times; at most {} different ones are "
                            "kept",
                            who, header_.names_lost, format::kMostNames));
  }
  const std::size_t open = open_.size() - first_open_;
  if (open == 0) return;
  trace_.lost(Loss::missing_end) += open;
  trace_.warn(
      TraceWarningKind::unbalanced,
      fmt::format("{}: {} open when the {}; clipped at the last event", who,
                  open == 1 ? "1 span was" : fmt::format("{} spans were", open),
                  header_.ended == 1 ? "program ended" : "process was killed, or ended by _exit"));
}

void EmitterBuilder::end_file() {
  std::ranges::stable_sort(said_, {}, &Said::at);
  for (const Said& said : said_) settle(said);
  settle_spans();
  warn_of_file();
  ++files_;
}

// --- the end of all ------------------------------------------------------------------------------

// A stage that is a part of itself, by whatever way, is a part of nothing.
void EmitterBuilder::break_cycles() {
  for (std::uint32_t id = 0; id < trace_.stages.size(); ++id) {
    std::uint32_t at = trace_.stages[id].parent;
    for (std::size_t steps = 0; at != kNone && at != id && steps < trace_.stages.size(); ++steps) {
      at = trace_.stages[at].parent;
    }
    if (at != id) continue;
    trace_.warn(TraceWarningKind::topology,
                fmt::format("stage {} is declared as a part of itself; taken as part of none",
                            printable(trace_.stages[id].name)));
    trace_.stages[id].parent = kNone;
  }
}

void EmitterBuilder::clip_open() {
  for (const std::uint32_t span : open_) {
    trace_.spans.end[span] = std::max(trace_.spans.begin[span], last_);
  }
}

// Threads were read one behind the other.
void EmitterBuilder::sort_by_time() {
  const auto order_of = [](const std::vector<Nanos>& at) {
    std::vector<std::uint32_t> order(at.size());
    std::iota(order.begin(), order.end(), 0U);
    std::ranges::stable_sort(order, {}, [&](std::uint32_t i) { return at[i]; });
    return order;
  };
  const auto reorder = [](const std::vector<std::uint32_t>& order, auto& column) {
    auto sorted = column;
    for (std::size_t i = 0; i < order.size(); ++i) sorted[i] = column[order[i]];
    column = std::move(sorted);
  };
  const auto moments = order_of(trace_.instants.at);
  reorder(moments, trace_.instants.at);
  reorder(moments, trace_.instants.name);
  reorder(moments, trace_.instants.item);
  const auto values = order_of(trace_.counters.at);
  reorder(values, trace_.counters.at);
  reorder(values, trace_.counters.name);
  reorder(values, trace_.counters.value);
}

Trace EmitterBuilder::finish() {
  clip_open();
  sort_by_time();
  break_cycles();
  for (Worker& worker : trace_.workers) {
    if (worker.stage == kSeveral) worker.stage = kNone;
  }
  if (files_ > 1) {
    // Which worker 0 of which process.
    bool several = false;
    for (const Worker& worker : trace_.workers) several |= worker.pid != trace_.workers[0].pid;
    if (several) {
      for (Worker& worker : trace_.workers) {
        worker.label = fmt::format("{} of process {}", worker.label, worker.pid);
      }
    }
  }
  if (has_two_boots_) {
    trace_.warn(TraceWarningKind::two_clocks,
                "the files are of two boots or machines: their times were aligned by the wall "
                "clock, and may be off by milliseconds");
  }
  return std::move(trace_);
}

}  // namespace assay::trace
