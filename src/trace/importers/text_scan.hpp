// SPDX-License-Identifier: Apache-2.0
// One pass over a log for all rules of a file: the literals of all rules are searched at once; only
// a line that holds one is cut out and parsed.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trace/importers/span_builder.hpp"
#include "trace/rules.hpp"
#include "trace/scanner.hpp"

namespace assay::trace {

class TextScan {
 public:
  TextScan(const Rules& rules, Trace& trace);

  // Whole lines; `first_line` is the number of the first one.
  void block(std::string_view text, std::uint64_t first_line);
  // Rules that never matched, overlaps, spans left open. Call once, behind the last block.
  void finish();
  // Lines by event rule.
  std::vector<std::uint64_t> matches() const;

 private:
  using Values = std::array<FieldValue, Pattern::kMostFields>;

  // Where in the fields of an event's pattern things stand; -1 = nowhere.
  struct Event {
    const EventRule* rule = nullptr;
    int t = -1, d = -1, worker = -1, label = -1, bytes = -1, v = -1;
    std::vector<int> item = {};
    // Slots of begin, end, span; or the field that names the stage.
    struct Target {
      std::uint32_t slot = kNone;
      int stage_field = -1;
      SpanKind kind = SpanKind::service;
    };
    std::vector<Target> begin = {}, end = {}, span = {};
    std::uint32_t instant = kNone, counter = kNone;  // strings
    std::uint64_t matches = 0, overlaps = 0, first_overlap = 0;
    std::size_t overlapped_by = 0;  // the rule that came first
  };
  struct Setting {
    const SettingRule* rule = nullptr;
    int v = -1, name = -1;
    std::uint64_t matches = 0;
  };

  void add_event(const EventRule& rule);
  void decide_worker_keys();
  void choose_literals(std::string_view sample);
  void scan(std::string_view text);
  void line(std::string_view text, std::span<const std::uint32_t> rules);
  void match_events(std::string_view text, std::span<const std::uint32_t> rules);
  void apply(Event& event, const Values& values, std::string_view text);
  std::optional<Stamp> stamp_of(const Event& event, const Values& values, std::string_view text);
  std::optional<Stamp> duration_of(const Event& event, const Values& values);
  std::uint32_t slot_of(const Event::Target& target, const Values& values);
  std::uint32_t item_of(const Event& event, const Values& values);
  void apply_setting(Setting& setting, std::string_view text);
  void echoed_setting(std::string_view text, std::size_t at);
  std::uint64_t line_number(const char* at);

  const Rules& rules_;
  Trace& trace_;
  SpanBuilder builder_;
  std::vector<Event> events_ = {};
  std::vector<Setting> settings_ = {};
  // Rule ids: events first, then settings, then the echoed settings.
  std::vector<std::vector<std::uint32_t>> rules_of_literal_ = {};
  std::vector<std::uint32_t> always_ = {};  // rules without a literal: tried on every line
  std::optional<LiteralSearch> search_ = {};

  Values values_ = {};  // of the line in hand
  std::vector<LiteralSearch::Hit> hits_ = {};
  std::vector<std::uint32_t> candidates_ = {};
  std::string stripped_ = {}, clean_item_ = {};
  // Lines are counted from hit to hit, not one by one.
  const char* counted_to_ = nullptr;
  std::uint64_t counted_ = 1;
  std::uint64_t current_ = 0;  // number of the line in hand
};

}  // namespace assay::trace
