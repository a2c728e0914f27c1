// SPDX-License-Identifier: Apache-2.0
// Spans from events that arrive one by one: begins wait for their ends, durations become begins,
// timestamps of any kind become one clock. What does not fit is counted in the trace, not guessed.
// Text and CSV importers feed it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "trace/events.hpp"
#include "trace/importers/text_index.hpp"
#include "trace/timestamps.hpp"

namespace assay::trace {

class SpanBuilder {
 public:
  explicit SpanBuilder(Trace& trace) : trace_(trace), open_(64) {}

  // The slot of (stage, kind): what a begin and its end have in common besides the item.
  std::uint32_t slot(std::string_view stage, SpanKind kind);
  // Begins and ends of this slot that have no item are matched by their worker. Without it, and
  // without an item, two that are open at once cannot be told apart, and are not used.
  void match_by_worker(std::uint32_t slot) { slots_[slot].by_worker = true; }

  // The item with this key; kNone when all parts are absent (null). Absent parts are left out.
  std::uint32_t item(std::span<const std::string_view> parts);
  std::uint32_t worker(std::uint32_t slot, std::string_view label);

  // Time in the run. Nothing when the stamp is of another clock than the first one (offset against
  // Unix time). `line` is counted from 1.
  std::optional<Nanos> place(const Stamp& stamp, std::uint64_t line);

  // Time of a duration whose line has no timestamp, in a log that has none at all: durations are
  // laid end to end, and a warning says so. Nothing when the log has timestamps.
  std::optional<Nanos> lay(Nanos duration);

  void begin(std::uint32_t slot, Nanos t, std::uint32_t item, std::uint32_t worker,
             std::uint64_t line);
  // `duration`: as the line says it, to check the begin or to stand in for one.
  void end(std::uint32_t slot, Nanos t, std::uint32_t item, std::uint32_t worker,
           const std::optional<Stamp>& duration, std::uint64_t line);
  // A span that is known whole.
  void span(std::uint32_t slot, Nanos from, Nanos to, std::uint32_t item, std::uint32_t worker,
            Quality quality, std::uint64_t line);

  // Clips what is open at the last timestamp (unless its item or its worker was seen later: then
  // only the end was lost, and the span is not used); says per slot what is unbalanced, which items
  // pass a slot twice or not at all, where the clock changed. Call once.
  void finish();

 private:
  struct Slot {
    std::uint32_t stage = kNone;
    SpanKind kind = SpanKind::service;
    bool by_worker = false;
    std::uint64_t begins = 0, ends = 0, lone_ends = 0, derived = 0, clipped = 0, lost_ends = 0,
                  blurred = 0;
    std::uint64_t first_lone_end = 0, first_derived = 0, first_open = 0;  // lines
  };
  struct Open {
    std::uint64_t key = 0;  // slot and item + 1
    Nanos t = 0;
    std::uint64_t line = 0;
    std::uint32_t worker = kNone;
    std::uint32_t depth = 0;  // 0 = a free place; > 1 = several that cannot be told apart
    bool blurred = false;
  };

  std::uint64_t key_of(std::uint32_t slot, std::uint32_t item, std::uint32_t worker) const;
  Open* find(std::uint64_t key);
  Open& put(std::uint64_t key);
  void erase(Open* entry);
  void see(std::uint32_t item, std::uint32_t worker, Nanos t);
  bool goes_on(const Open& entry) const;
  void clip();
  void warn_of_balance();
  void warn_of_items();
  void warn_of_clock();
  std::string name_of(const Slot& slot) const;
  std::string where(std::uint64_t line) const;

  Trace& trace_;
  std::vector<Slot> slots_ = {};
  std::vector<Open> open_;  // open addressing, a power of two
  std::size_t open_count_ = 0;
  TextIndex workers_ = {};
  std::vector<std::uint32_t> worker_ids_ = {};
  // Items in flight come again and again; those looked up last, by hash, spare the large table.
  struct Recent {
    std::uint64_t hash = 0;
    std::uint32_t item = kNone;
  };
  std::vector<Recent> recent_ = std::vector<Recent>(4096);
  std::vector<Nanos> item_seen_ = {}, worker_seen_ = {};  // last event, by item and worker
  std::string long_key_ = {};

  bool any_ = false, absolute_ = false;
  std::uint64_t laid_ = 0;
  Nanos epoch_ = 0, last_ = 0, latest_ = 0, last_resolution_ = 1;
  std::uint64_t other_clock_ = 0, first_other_clock_ = 0, first_jump_ = 0, jumps_ = 0;
  Nanos jump_ = 0, furthest_back_ = 0;
};

}  // namespace assay::trace
