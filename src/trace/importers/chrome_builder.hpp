// SPDX-License-Identifier: Apache-2.0
// A Trace from the events of a Chrome trace, one at a time, in the order of the file.
#pragma once

#include <array>
#include <limits>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "trace/events.hpp"
#include "trace/importers/chrome_event.hpp"
#include "trace/importers/chrome_links.hpp"
#include "trace/importers/text_index.hpp"

namespace assay::trace {

class ChromeBuilder {
 public:
  // `item_fields`: members of "args" whose values joined by '/' are the key of a span's item.
  explicit ChromeBuilder(std::vector<std::string> item_fields);

  void add(const ChromeEvent& event);

  // What the document says beside its events.
  void set_base_time(Nanos unix_time) { base_time_ = unix_time; }  // of ts 0
  void set_own();  // written by our exporter: args.item and args.quality have their meanings

  Trace& trace() { return trace_; }
  // Closes what is open, names the workers, makes the links. `decimals`: the most in any "ts".
  Trace finish(int decimals);

 private:
  struct Category {
    StageKind stage = StageKind::cpu;
    SpanKind kind = SpanKind::service;
    bool is_launch = false;       // calls of a GPU runtime
    bool is_launch_flow = false;  // arrows that args.correlation says better
    bool is_memory = false;
  };
  struct Open {
    Nanos begin = 0;
    std::uint32_t stage = kNone, item = kNone;
    SpanKind kind = SpanKind::service;
    Quality quality = Quality::exact;
    std::uint32_t name = kNone;  // in name_texts_
  };
  // A number, or a text by its index.
  struct Id {
    std::int64_t value = 0;
    bool is_text = false;
    bool operator==(const Id&) const = default;
  };
  struct Track {
    Id pid, tid;
    std::uint32_t worker = kNone;
    Nanos last = std::numeric_limits<Nanos>::min();  // of its begins and ends
    std::vector<Open> open = {};
    std::string name = {};
  };

  const Category& category(std::string_view text);
  const Category& make_category(std::string_view text);
  std::uint32_t stage(std::string_view name, StageKind kind);
  std::uint32_t make_stage(std::string_view name, StageKind kind);
  std::uint32_t track(const ChromeEvent& event);
  std::uint32_t worker(std::uint32_t track);
  Id id_of(std::int64_t number, std::string_view text);
  std::uint32_t item(std::string_view args);
  std::uint32_t make_item(std::string_view args);
  Open open_of(const ChromeEvent& event, Nanos at);
  Open open_of(const ChromeEvent& event, const Category& kind, Nanos at);
  bool place(const ChromeEvent& event, Nanos& at);  // in time; false = dropped and counted
  void note_stage(std::uint32_t worker, std::uint32_t stage);

  void add_complete(const ChromeEvent& event, Nanos at);
  void add_begin(const ChromeEvent& event, Nanos at);
  void add_end(const ChromeEvent& event, Nanos at);
  void close(std::vector<Open>& open, std::string_view name, Nanos at, std::uint32_t worker_id);
  void add_async(const ChromeEvent& event, Nanos at);
  void add_instant(const ChromeEvent& event, Nanos at);
  void add_counters(const ChromeEvent& event, Nanos at);
  void add_memory(const std::string& scope, const std::string& method, Nanos at, double bytes);
  void add_metadata(const ChromeEvent& event);
  void add_flow(const ChromeEvent& event, Nanos at);
  void correlate(const ChromeEvent& event, const Category& category, std::uint32_t span);
  std::string text(std::string_view written);
  std::string label_of(const Id& id) const;
  void clip_open();
  void name_workers();
  void state_clock(int decimals);

  Trace trace_;
  std::vector<std::string> item_fields_;
  bool is_own_ = false;
  std::optional<Nanos> base_time_ = {}, base_ = {};
  Nanos first_ = std::numeric_limits<Nanos>::max(), last_ = std::numeric_limits<Nanos>::min();

  TextIndex category_texts_ = {}, stage_texts_ = {}, id_texts_ = {}, name_texts_ = {};
  std::vector<Category> categories_ = {};
  std::uint32_t last_category_ = 0;
  std::vector<std::uint32_t> stages_ = {};  // by the number in stage_texts_
  std::vector<Track> tracks_ = {};
  std::vector<std::uint32_t> worker_tracks_ = {};
  std::unordered_map<std::string, std::uint32_t> track_ids_ = {};
  std::array<std::uint32_t, 256> track_cache_ = {};
  std::vector<std::pair<Id, std::string>> process_names_ = {};
  std::unordered_map<std::string, std::vector<Open>> async_ = {};
  std::unordered_map<std::string, std::uint32_t> flow_ids_ = {};
  std::vector<FlowPoint> flows_ = {}, launch_flows_ = {};
  std::vector<Correlation> launches_ = {}, device_spans_ = {};
  std::vector<std::uint32_t> endless_ = {};  // X events without "dur"
};

}  // namespace assay::trace
