// SPDX-License-Identifier: Apache-2.0
// Slots of event files, one file after the other, into one Trace. Names may come behind the slots
// that use them, and a thread's slots in any order of chunks: what depends on them is settled at
// the end of each file. Nothing here is trusted: every id, time and name is checked.
#pragma once

#include <assay/trace_format.hpp>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "trace/events.hpp"

namespace assay::trace {

class EmitterBuilder {
 public:
  EmitterBuilder();

  // Errors: a clock that cannot be converted.
  Result<void> begin_file(const emit::format::FileHeader& header, const std::string& where);
  // The next slot of a chunk; begin_chunk() before the first one.
  void begin_chunk(std::uint64_t dropped);
  void slot(const emit::format::Slot& slot);
  // False: the id or the text is not possible.
  bool name(std::uint32_t id, std::string_view text);
  void end_file();
  Trace finish();

  Trace& trace() { return trace_; }

 private:
  struct Clock {
    emit::format::ClockPair first = {};
    double ns_per_tick = 1;
    Nanos shift = 0;  // of this file's CLOCK_MONOTONIC to the run's times
  };
  // A worker's name that a thread gave itself at some time.
  struct Naming {
    Nanos at;
    std::uint32_t stage_name;
    std::uint64_t number;
  };
  struct Thread {
    std::uint64_t ordinal = 0, tid = 0;
    std::uint32_t name = 0;  // name id
    std::vector<Naming> namings = {};
    std::vector<std::uint32_t> workers = {};  // of each naming, or one for all; made when used
  };
  struct Key {
    std::uint64_t job, part;
    bool operator==(const Key&) const = default;
  };
  struct KeyHash {
    std::size_t operator()(const Key& key) const;
  };
  // A name and what it stands for in the trace, once that was needed.
  struct Named {
    std::optional<std::string> text = {};
    std::uint32_t stage = kNone, string = kNone, series = kNone;
    std::uint32_t value = 0;  // name id of the setting's last value
  };
  // What only full names can settle.
  struct Said {
    Nanos at;
    emit::format::Slot slot;
  };

  Result<Clock> clock_of(const emit::format::FileHeader& header, const std::string& where);
  std::optional<Nanos> time_of(std::uint64_t ticks) const;
  void span(const emit::format::Slot& slot, Nanos begin);
  void begin_thread(const emit::format::Slot& slot);
  std::uint32_t item_of(const emit::format::Slot& slot);
  Named& named(std::uint32_t name);
  std::string text_of(std::uint32_t name);
  std::uint32_t stage_of(std::uint32_t name);
  std::uint32_t string_of(std::uint32_t name);
  void settle(const Said& said);
  void declare(const emit::format::Slot& slot);
  void remember(const Said& said);
  std::uint32_t worker_at(Thread& thread, Nanos at, std::uint32_t stage);
  std::string label_of(const Thread& thread, const Naming* naming);
  void settle_spans();
  void warn_of_file();
  void break_cycles();
  void clip_open();
  void sort_by_time();

  Trace trace_ = {};
  std::unordered_map<Key, std::uint32_t, KeyHash> items_ = {};
  std::set<std::pair<std::uint32_t, std::uint32_t>> edges_ = {};
  std::vector<std::uint32_t> open_ = {};  // spans without end
  std::optional<emit::format::FileHeader> first_ = {};
  Nanos last_ = 0;
  bool has_two_boots_ = false;
  std::size_t files_ = 0;

  // Of the file being read.
  emit::format::FileHeader header_ = {};
  std::string where_ = {};
  Clock clock_ = {};
  std::vector<Named> names_ = {};  // by id, as far as they were used
  Named lost_name_ = {};           // for ids that are none
  std::vector<Thread> threads_ = {};
  std::unordered_map<std::uint64_t, std::uint32_t> thread_of_ordinal_ = {};
  std::uint32_t thread_ = 0;  // whose slots come now
  std::vector<Said> said_ = {};
  std::size_t first_span_ = 0, first_instant_ = 0, first_counter_ = 0, first_open_ = 0;
};

}  // namespace assay::trace
