// SPDX-License-Identifier: Apache-2.0
// The event model: what a program did over time, whichever tool wrote it down. Importers make a
// Run; attribution reads it. Columns instead of objects, interned strings: a span costs 33 bytes.
//
// Times are nanoseconds (int64) since Clock::epoch_ns of the run; they may be negative. Ids are
// indices into the vectors of the same Trace; kNone = absent.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace assay::trace {

using Nanos = std::int64_t;
inline constexpr std::uint32_t kNone = 0xffffffffU;

// What a span's time was spent on. `service` is work; the others say what was waited for.
enum class SpanKind : std::uint8_t {
  service,
  queue_wait,    // ready, waiting for a server of its stage
  blocked_send,  // done, waiting for room in the next stage's queue
  wait_permit,
  starved,    // a worker without input
  lock_wait,  // inside a stage, waiting for something exclusive
  transfer,
  other
};
inline constexpr std::size_t kSpanKinds = 8;

enum class Quality : std::uint8_t {
  exact,    // both ends were recorded
  derived,  // one end was computed, from a duration or from other events
  clipped   // open when the log ended, or begun before it: the recorded part only
};

// "service", "queue_wait", ...; nothing when unknown.
std::string_view to_word(SpanKind);
std::optional<SpanKind> span_kind(std::string_view word);
std::string_view to_word(Quality);

// Each distinct string once; ids count from 0 in the order of first use. Importers look a string up
// for every event: the table has 8 bytes an entry, and no allocation of its own per string.
class Strings {
 public:
  static std::uint64_t hash_of(std::string_view text);
  std::uint32_t intern(std::string_view text) { return intern(text, hash_of(text)); }
  std::uint32_t intern(std::string_view text, std::uint64_t hash);  // hash = hash_of(text)
  // kNone when `text` was never interned.
  std::uint32_t find(std::string_view text) const;
  std::string_view at(std::uint32_t id) const { return id < texts_.size() ? texts_[id] : ""; }
  std::size_t size() const { return texts_.size(); }
  Strings() = default;
  Strings(Strings&&) = default;
  Strings& operator=(Strings&&) = default;
  Strings(const Strings&) = delete;  // the texts lie in the blocks
  Strings& operator=(const Strings&) = delete;

 private:
  struct Slot {
    std::uint32_t hash = 0, id = kNone;
  };
  const Slot* look(std::string_view text, std::uint64_t hash) const;  // its slot or a free one
  void grow();

  std::vector<std::unique_ptr<char[]>> blocks_;
  std::size_t used_ = 0, room_ = 0;
  std::vector<std::string_view> texts_;
  std::vector<Slot> slots_;  // a power of two, half full at most
};

enum class StageKind : std::uint8_t { cpu, gpu, io, queue };

// A stage of the pipeline, or, where there is no pipeline, a span name. What is absent was neither
// declared nor found in the log.
struct Stage {
  std::string name = {};
  StageKind kind = StageKind::cpu;
  std::optional<std::uint32_t> servers = {};   // workers that serve it at once
  std::optional<std::uint64_t> capacity = {};  // items in the queue before it
  std::optional<std::uint64_t> capacity_bytes = {};
  std::optional<std::uint32_t> permits = {};  // items allowed in it, sends included
  std::uint32_t parent = kNone;               // a part of that stage: its worker is held meanwhile
  std::string servers_from =
      {};  // "declared", "count(worker)", "setting(gpu_workers)"; "" = unknown
};

struct Edge {
  std::uint32_t from = kNone, to = kNone;  // stages

  bool operator==(const Edge&) const = default;
};

// A thread, a GPU stream, a numbered worker: what runs one span at a time (streams may overlap).
struct Worker {
  std::uint32_t stage = kNone;
  std::string label = {};  // as the log names it
  std::int64_t pid = -1, tid = -1;
};

struct Items {
  std::vector<std::uint32_t> key = {};    // strings: the key's fields joined by '/', "a1b2/7"
  std::vector<std::uint32_t> label = {};  // strings: class of the item, kNone = one class
  std::vector<std::uint64_t> bytes = {};  // 0 = unknown

  std::size_t size() const { return key.size(); }
  // The item with this key, made when it is new. `key_string` is a string id.
  std::uint32_t intern(std::uint32_t key_string);

 private:
  std::vector<std::uint32_t> by_string_ = {};
};

// One entry a span in each column.
struct Spans {
  std::vector<Nanos> begin = {}, end = {};  // end >= begin
  std::vector<std::uint32_t> item = {}, stage = {}, worker = {};
  std::vector<SpanKind> kind = {};
  std::vector<Quality> quality = {};

  std::size_t size() const { return begin.size(); }
  void push(Nanos from, Nanos to, std::uint32_t item_id, std::uint32_t stage_id,
            std::uint32_t worker_id, SpanKind span_kind, Quality span_quality);
  void reserve(std::size_t count);
};

struct Instants {
  std::vector<Nanos> at = {};
  std::vector<std::uint32_t> name = {}, item = {};  // name: strings

  std::size_t size() const { return at.size(); }
};

struct Counters {
  std::vector<Nanos> at = {};
  std::vector<std::uint32_t> name = {};  // strings
  std::vector<double> value = {};

  std::size_t size() const { return at.size(); }
};

struct MemorySeries {
  std::string scope = {};   // "pid", "tree", "cgroup", "gpu"
  std::string method = {};  // how it was read: "statm", "samples of the tree", "log line"
  std::vector<Nanos> at = {};
  std::vector<std::uint64_t> bytes = {};
};

enum class LinkKind : std::uint8_t { enqueue, wake, launch, permit };
struct Link {
  std::uint32_t from = kNone, to = kNone;  // spans
  LinkKind kind = LinkKind::enqueue;
};

// The program's own word on its configuration. A value that changed within the run keeps the last.
struct Setting {
  std::string name = {}, value = {};
  bool changed = false;
};

struct Clock {
  std::string source = {};             // "offset in ms", "unix", "tsc", ...
  Nanos resolution_ns = 1;             // the step the timestamps are written in
  std::optional<Nanos> epoch_ns = {};  // Unix time of t = 0
};

// What was lost or mended while reading. Counts, so that nothing is skipped silently.
enum class Loss : std::uint8_t {
  torn_line,          // the last line has no newline: not used
  long_line,          // longer than the limit: skipped
  bad_bytes,          // NUL or invalid UTF-8 in a line
  bad_field,          // a line matched a rule up to a field that does not parse
  missing_begin,      // an end without its begin
  missing_end,        // a begin without its end: clipped
  duplicate,          // the same begin twice for one key
  negative_span,      // ends before it begins: not used
  clock_backwards,    // a timestamp earlier than the line before it by more than the resolution
  duration_differs,   // a line's duration field and its END - START disagree
  dropped_by_writer,  // the program said that it dropped events
  unknown_record,     // well-formed, but of a kind that this importer does not know
  malformed_record
};
inline constexpr std::size_t kLosses = 13;
// "torn last line", "begin without end", ...
std::string_view to_text(Loss);

enum class TraceWarningKind : std::uint8_t {
  empty,
  binary,
  block_buffered,
  torn,
  lost_events,
  never_occurs,
  unbalanced,
  counts_disagree,
  two_clocks,
  clock_backwards,
  duplicate_keys,
  duration_differs,
  derived,
  overlap,
  setting_changed,
  sequence_gap,
  coarse_clock,
  topology,
  other
};
// The stable word of a kind, "lost-events".
std::string_view to_word(TraceWarningKind);

struct TraceWarning {
  TraceWarningKind kind = TraceWarningKind::other;
  std::string text = {};  // a sentence: what, how many, the way out

  bool operator==(const TraceWarning&) const = default;
};

struct Trace {
  std::string source = {};  // the file as the user named it, "-" for standard input
  std::string format = {};  // the importer's name, "timeline", "chrome", ...
  std::string host = {}, build = {};
  Clock clock = {};
  std::vector<Setting> settings = {};
  std::vector<Stage> stages = {};
  std::vector<Edge> edges = {};
  std::vector<Worker> workers = {};
  Strings strings = {};
  Items items = {};
  Spans spans = {};
  Instants instants = {};
  Counters counters = {};
  std::vector<MemorySeries> memory = {};
  std::vector<Link> links = {};

  std::uint64_t bytes_read = 0, lines_read = 0, lines_matched = 0;
  std::uint64_t losses[kLosses] = {};
  std::string first_lost[kLosses] = {};  // where the first of each was, "run.log:17"; "" = unknown
  std::vector<TraceWarning> warnings = {};

  std::uint64_t& lost(Loss kind) { return losses[static_cast<std::size_t>(kind)]; }
  std::uint64_t lost(Loss kind) const { return losses[static_cast<std::size_t>(kind)]; }
  // Counts one more; remembers line `line` of the source (0 = none) when it is the first.
  void lose(Loss kind, std::uint64_t line = 0);
  // The stage of that name, made when it is new.
  std::uint32_t stage_id(std::string_view name);
  // kNone when there is none.
  std::uint32_t find_stage(std::string_view name) const;
  const Setting* find_setting(std::string_view name) const;
  void set(std::string_view name, std::string_view value);  // a setting, as the log gives it
  std::uint32_t worker_id(std::uint32_t stage, std::string_view label);  // made when new
  void warn(TraceWarningKind kind, std::string text);

 private:
  std::unordered_map<std::string, std::uint32_t> stage_ids_ = {}, worker_ids_ = {};
};

}  // namespace assay::trace
