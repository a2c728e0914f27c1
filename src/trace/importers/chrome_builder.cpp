// SPDX-License-Identifier: Apache-2.0
#include "trace/importers/chrome_builder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "trace/importers/json_scan.hpp"

namespace assay::trace {
namespace {

// From here on a count of ns is no longer exact as a double: such times are moved to begin near 0.
constexpr Nanos kLarge = Nanos{1} << 53;

}  // namespace

ChromeBuilder::ChromeBuilder(std::vector<std::string> item_fields)
    : item_fields_(std::move(item_fields)) {
  for (std::string& field : item_fields_) {
    if (field.starts_with("args.")) field.erase(0, 5);
  }
  track_cache_.fill(kNone);
}

void ChromeBuilder::set_own() {
  is_own_ = true;
  if (item_fields_.empty()) item_fields_ = {"item"};
}

std::string ChromeBuilder::text(std::string_view written) {
  bool is_bad = false;
  std::string plain = json::unescape(written, &is_bad);
  if (is_bad) ++trace_.lost(Loss::bad_bytes);
  return plain;
}

const ChromeBuilder::Category& ChromeBuilder::category(std::string_view written) {
  // Neighbours mostly have the same.
  if (!categories_.empty() && TextIndex::is_equal(category_texts_.at(last_category_), written)) {
    return categories_[last_category_];
  }
  last_category_ = category_texts_.find(written);
  if (last_category_ < categories_.size()) return categories_[last_category_];
  return make_category(written);
}

const ChromeBuilder::Category& ChromeBuilder::make_category(std::string_view written) {
  Category result;
  const std::string all = text(written);
  for (std::string_view rest = all; !rest.empty();) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    std::string word(rest.substr(0, comma));
    rest.remove_prefix(std::min(comma + 1, rest.size()));
    if (const std::optional<SpanKind> kind = span_kind(word)) result.kind = *kind;
    for (char& c : word) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c;
    const bool is_copy = word == "memcpy" || word == "gpu_memcpy";
    if (word == "gpu" || word == "kernel" || word == "cuda" || word == "memset" || is_copy ||
        word.starts_with("gpu_")) {
      result.stage = StageKind::gpu;
    }
    if (is_copy) result.kind = SpanKind::transfer;
    if (word == "io") result.stage = StageKind::io;
    if (word == "queue") result.stage = StageKind::queue;
    result.is_launch |=
        word == "runtime" || word.ends_with("_runtime") || word.ends_with("_driver");
    result.is_launch_flow |= word == "ac2g";
    result.is_memory |= word == "memory";
  }
  categories_.push_back(result);
  return categories_.back();
}

std::uint32_t ChromeBuilder::stage(std::string_view name, StageKind kind) {
  const std::uint32_t number = stage_texts_.find(name, static_cast<std::uint32_t>(kind));
  if (number < stages_.size()) return stages_[number];
  return make_stage(name, kind);
}

// The same name on the CPU and on the GPU (an annotation) is two stages.
std::uint32_t ChromeBuilder::make_stage(std::string_view name, StageKind kind) {
  constexpr std::string_view kSuffixes[] = {" (cpu)", " (gpu)", " (io)", " (queue)"};
  std::string plain = text(name);
  std::uint32_t id = trace_.find_stage(plain);
  if (id != kNone && trace_.stages[id].kind != kind) {
    plain += kSuffixes[static_cast<std::size_t>(kind)];
    id = trace_.find_stage(plain);
  }
  if (id == kNone) {
    id = trace_.stage_id(plain);
    trace_.stages[id].kind = kind;
  }
  stages_.push_back(id);
  return id;
}

ChromeBuilder::Id ChromeBuilder::id_of(std::int64_t number, std::string_view written) {
  if (written.empty()) return {number, false};
  return {id_texts_.find(written), true};
}

std::uint32_t ChromeBuilder::track(const ChromeEvent& event) {
  const Id pid = id_of(event.pid, event.pid_text), tid = id_of(event.tid, event.tid_text);
  const std::uint64_t mix = static_cast<std::uint64_t>(pid.value) * 0x9e3779b97f4a7c15U +
                            static_cast<std::uint64_t>(tid.value) * 0xd6e8feb86659fd93U;
  std::uint32_t& cached = track_cache_[mix >> 56];
  if (cached != kNone && tracks_[cached].pid == pid && tracks_[cached].tid == tid) return cached;
  const auto [place, is_new] = track_ids_.try_emplace(
      fmt::format("{} {} {} {}", pid.value, pid.is_text, tid.value, tid.is_text),
      static_cast<std::uint32_t>(tracks_.size()));
  if (is_new) {
    tracks_.emplace_back();
    tracks_.back().pid = pid;
    tracks_.back().tid = tid;
  }
  cached = place->second;
  return cached;
}

std::uint32_t ChromeBuilder::worker(std::uint32_t track_number) {
  Track& track = tracks_[track_number];
  if (track.worker == kNone) {
    track.worker = static_cast<std::uint32_t>(trace_.workers.size());
    Worker worker;
    if (!track.pid.is_text) worker.pid = track.pid.value;
    if (!track.tid.is_text) worker.tid = track.tid.value;
    trace_.workers.push_back(std::move(worker));
    worker_tracks_.push_back(track_number);
  }
  return track.worker;
}

std::uint32_t ChromeBuilder::item(std::string_view args) {
  if (item_fields_.empty() || args.empty()) return kNone;
  return make_item(args);
}

std::uint32_t ChromeBuilder::make_item(std::string_view args) {
  std::string key;
  for (const std::string& field : item_fields_) {
    const std::optional<std::string_view> value = json::member(args, field);
    if (!value) return kNone;
    bool is_bad = false;
    if (&field != item_fields_.data()) key += '/';
    key += json::to_text(*value, &is_bad);
    if (is_bad) ++trace_.lost(Loss::bad_bytes);
  }
  return trace_.items.intern(trace_.strings.intern(key));
}

bool ChromeBuilder::place(const ChromeEvent& event, Nanos& at) {
  if (event.has_bad_number) {
    ++trace_.lost(Loss::bad_field);
    return false;
  }
  if (!event.has_time) {
    ++trace_.lost(Loss::malformed_record);
    return false;
  }
  if (!base_) base_ = event.time >= kLarge || event.time <= -kLarge ? event.time : 0;
  if (__builtin_sub_overflow(event.time, *base_, &at)) {
    ++trace_.lost(Loss::bad_field);
    return false;
  }
  first_ = std::min(first_, at);
  last_ = std::max(last_, at);
  ++trace_.lines_matched;
  return true;
}

void ChromeBuilder::add(const ChromeEvent& event) {
  ++trace_.lines_read;
  if (event.phase == 'M') {
    add_metadata(event);
    return;
  }
  if (event.phase == 0) {
    ++trace_.lost(Loss::malformed_record);
    return;
  }
  Nanos at = 0;
  switch (event.phase) {
    case 'X':
      if (place(event, at)) add_complete(event, at);
      return;
    case 'B':
      if (place(event, at)) add_begin(event, at);
      return;
    case 'E':
      if (place(event, at)) add_end(event, at);
      return;
    case 'i':
    case 'I':
    case 'R':
    case 'n':
    case 'T':
      if (place(event, at)) add_instant(event, at);
      return;
    case 'C':
      if (place(event, at)) add_counters(event, at);
      return;
    case 'b':
    case 'e':
    case 'S':
    case 'F':
      if (place(event, at)) add_async(event, at);
      return;
    case 's':
    case 't':
    case 'f':
      if (place(event, at)) add_flow(event, at);
      return;
    default:
      ++trace_.lost(Loss::unknown_record);
      return;
  }
}

// The only stage of a worker, while it has only one.
void ChromeBuilder::note_stage(std::uint32_t worker_id, std::uint32_t stage_id) {
  constexpr std::uint32_t kSeveral = kNone - 1;  // taken back in finish()
  std::uint32_t& only = trace_.workers[worker_id].stage;
  if (only == stage_id || only == kSeveral) return;
  only = only == kNone ? stage_id : kSeveral;
}

ChromeBuilder::Open ChromeBuilder::open_of(const ChromeEvent& event, Nanos at) {
  return open_of(event, category(event.category), at);
}

ChromeBuilder::Open ChromeBuilder::open_of(const ChromeEvent& event, const Category& kind,
                                           Nanos at) {
  Open open{at, stage(event.name, kind.stage), item(event.args), kind.kind, Quality::exact, kNone};
  if (is_own_ && !event.args.empty()) {
    const std::optional<std::string_view> quality = json::member(event.args, "quality");
    if (quality == "\"derived\"") open.quality = Quality::derived;
    if (quality == "\"clipped\"") open.quality = Quality::clipped;
  }
  return open;
}

void ChromeBuilder::add_complete(const ChromeEvent& event, Nanos at) {
  Nanos end = 0;
  if (__builtin_add_overflow(at, event.duration, &end)) {
    ++trace_.lost(Loss::bad_field);
    return;
  }
  if (end < at) {
    ++trace_.lost(Loss::negative_span);
    return;
  }
  const std::uint32_t worker_id = worker(track(event));
  const Category kind = category(event.category);
  Open open = open_of(event, kind, at);
  if (!event.has_duration) {
    open.quality = Quality::clipped;
    endless_.push_back(static_cast<std::uint32_t>(trace_.spans.size()));
    ++trace_.lost(Loss::missing_end);
  }
  last_ = std::max(last_, end);
  note_stage(worker_id, open.stage);
  if (kind.is_launch || kind.stage == StageKind::gpu) {
    correlate(event, kind, static_cast<std::uint32_t>(trace_.spans.size()));
  }
  trace_.spans.push(at, end, open.item, open.stage, worker_id, open.kind, open.quality);
}

void ChromeBuilder::correlate(const ChromeEvent& event, const Category& kind, std::uint32_t span) {
  if (event.args.empty()) return;
  const std::optional<std::string_view> number = json::member(event.args, "correlation");
  std::int64_t value = 0;
  int decimals = 0;
  // 0 stands for "none" in profiles of the driver.
  if (!number || json::scan_fixed<0>(number->data(), value, decimals) == nullptr || value == 0) {
    return;
  }
  (kind.stage == StageKind::gpu ? device_spans_ : launches_)
      .push_back({static_cast<std::uint64_t>(value), span});
}

void ChromeBuilder::add_begin(const ChromeEvent& event, Nanos at) {
  const std::uint32_t number = track(event);
  worker(number);
  Track& track = tracks_[number];
  if (at < track.last) ++trace_.lost(Loss::clock_backwards);
  track.last = std::max(track.last, at);
  track.open.push_back(open_of(event, at));
  track.open.back().name = name_texts_.find(event.name);
}

void ChromeBuilder::add_end(const ChromeEvent& event, Nanos at) {
  const std::uint32_t number = track(event);
  Track& track = tracks_[number];
  if (at < track.last) ++trace_.lost(Loss::clock_backwards);
  track.last = std::max(track.last, at);
  close(track.open, event.name, at, track.worker);
}

// Ends the innermost open span, or, when the end names another one that is open, that one: those
// inside it have no end and are cut off there.
void ChromeBuilder::close(std::vector<Open>& open, std::string_view name, Nanos at,
                          std::uint32_t worker_id) {
  std::size_t which = open.size();
  if (name.empty()) {
    if (!open.empty()) --which;
  } else {
    const std::uint32_t number = name_texts_.find(name);
    while (which > 0 && open[which - 1].name != number) --which;
    which = which > 0 ? which - 1 : open.size();
  }
  if (which == open.size()) {
    ++trace_.lost(Loss::missing_begin);
    return;
  }
  while (open.size() > which) {
    const Open span = open.back();
    open.pop_back();
    const bool is_cut = open.size() > which;
    if (is_cut) ++trace_.lost(Loss::missing_end);
    if (at < span.begin) {
      ++trace_.lost(Loss::negative_span);
      continue;
    }
    if (worker_id != kNone) note_stage(worker_id, span.stage);
    trace_.spans.push(span.begin, at, span.item, span.stage, worker_id, span.kind,
                      is_cut ? Quality::clipped : span.quality);
  }
}

// Asynchronous spans have no worker: they overlap, and no thread is busy for their whole length.
void ChromeBuilder::add_async(const ChromeEvent& event, Nanos at) {
  std::string key;
  for (const std::string_view part : {event.category, event.scope, event.id, event.id2}) {
    key += part;
    key += '\0';
  }
  // The older S and F belong together by name too; a local id means this process.
  if (event.phase == 'S' || event.phase == 'F') key += event.name;
  if (event.id2.find("\"local\"") != std::string_view::npos) {
    key += fmt::format("{} {}", event.pid, event.pid_text);
  }
  const auto found = async_.find(key);
  if (event.phase == 'b' || event.phase == 'S') {
    std::vector<Open>& open = found != async_.end() ? found->second : async_[key];
    open.push_back(open_of(event, at));
    open.back().name = name_texts_.find(event.name);
    return;
  }
  if (found == async_.end()) {
    ++trace_.lost(Loss::missing_begin);
    return;
  }
  close(found->second, event.name, at, kNone);
  if (found->second.empty()) async_.erase(found);
}

void ChromeBuilder::add_instant(const ChromeEvent& event, Nanos at) {
  if (event.name == "[memory]") {
    // PyTorch's allocators report their totals as instants.
    const auto number = [&](std::string_view key) {
      const std::optional<std::string_view> value = json::member(event.args, key);
      return value ? json::to_double(*value) : std::nullopt;
    };
    const std::optional<double> total = number("Total Allocated");
    if (total && *total >= 0) {
      const bool is_gpu = number("Device Type").value_or(0) != 0;
      const double device = number("Device Id").value_or(0);
      add_memory(is_gpu ? "gpu" : "pid",
                 is_gpu ? fmt::format("allocator of device {}", device) : "allocator of the CPU",
                 at, *total);
      return;
    }
  }
  trace_.instants.at.push_back(at);
  trace_.instants.name.push_back(trace_.strings.intern(text(event.name)));
  trace_.instants.item.push_back(item(event.args));
}

void ChromeBuilder::add_memory(const std::string& scope, const std::string& method, Nanos at,
                               double bytes) {
  if (!(bytes >= 0 && bytes < 1.8e19)) {
    ++trace_.lost(Loss::bad_field);
    return;
  }
  auto found = std::find_if(
      trace_.memory.begin(), trace_.memory.end(),
      [&](const MemorySeries& series) { return series.scope == scope && series.method == method; });
  if (found == trace_.memory.end()) {
    trace_.memory.push_back({scope, method, {}, {}});
    found = trace_.memory.end() - 1;
  }
  found->at.push_back(at);
  found->bytes.push_back(static_cast<std::uint64_t>(bytes));
}

void ChromeBuilder::add_counters(const ChromeEvent& event, Nanos at) {
  const std::string name = text(event.name);
  const bool is_memory = is_own_ && category(event.category).is_memory;
  const bool is_whole =
      json::each_member(event.args, [&](std::string_view key, std::string_view value) {
        const std::optional<double> number = json::to_double(value);
        if (!number) {
          ++trace_.lost(Loss::bad_field);
          return;
        }
        if (is_memory) {
          // "memory SCOPE: METHOD", as our exporter writes it.
          constexpr std::size_t kPrefix = 7;
          const std::size_t colon = name.find(": ");
          if (colon != std::string::npos && colon >= kPrefix) {
            add_memory(name.substr(kPrefix, colon - kPrefix), name.substr(colon + 2), at, *number);
            return;
          }
        }
        const std::string series = text(key);
        const std::string full = series == "value" ? name : name + "/" + series;
        trace_.counters.at.push_back(at);
        trace_.counters.name.push_back(trace_.strings.intern(full));
        trace_.counters.value.push_back(*number);
      });
  if (!is_whole) ++trace_.lost(Loss::malformed_record);
}

void ChromeBuilder::add_metadata(const ChromeEvent& event) {
  if (event.name != "process_name" && event.name != "thread_name") return;
  const std::optional<std::string_view> name = json::member(event.args, "name");
  if (!name) return;
  bool is_bad = false;
  std::string plain = json::to_text(*name, &is_bad);
  if (is_bad) ++trace_.lost(Loss::bad_bytes);
  if (event.name == "thread_name") {
    tracks_[track(event)].name = std::move(plain);
    return;
  }
  const Id pid = id_of(event.pid, event.pid_text);
  for (auto& [id, text_of_id] : process_names_) {
    if (id == pid) {
      text_of_id = std::move(plain);
      return;
    }
  }
  process_names_.emplace_back(pid, std::move(plain));
}

void ChromeBuilder::add_flow(const ChromeEvent& event, Nanos at) {
  std::string key;
  for (const std::string_view part :
       {event.category, event.name, event.scope, event.id, event.id2}) {
    key += part;
    key += '\0';
  }
  const auto [place, is_new] =
      flow_ids_.try_emplace(std::move(key), static_cast<std::uint32_t>(flow_ids_.size()));
  std::vector<FlowPoint>& points = category(event.category).is_launch_flow ? launch_flows_ : flows_;
  points.push_back({at, worker(track(event)), place->second, event.phase, event.binds_enclosing});
}

}  // namespace assay::trace
