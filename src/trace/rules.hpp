// SPDX-License-Identifier: Apache-2.0
// A rules file (TOML): what the lines of a log mean, and the topology that is in no log.
//
//     item = ["job", "partition"]          # fields that name an item, joined by '/'
//     setting = ["effective_lookahead={v:int}"]
//     expect = 150                         # items; or "setting(items)"
//     [[event]]
//     match =
//     "TIMELINE,{t:ms},GPU_END,{job},worker={worker},partition={partition:int},gpu_ms={d:ms}" end =
//     "gpu.service"                  # or begin, span (the line is the end of d), instant, counter
//     [[stage]]
//     name = "gpu"
//     after = "synth"
//     servers = "count(worker)"            # or 2, "setting(gpu_workers)"; capacity and permits too
//     [csv]
//     time = "ms"
//
// Fields with a meaning: t the line's time (absent: the timestamp that the line itself carries), d
// a duration that ends at t, worker, the item's fields, label, bytes, v (of counters and settings).
// "gpu.service" is a stage and a kind of time; without a kind it is service. "{field}" as the stage
// takes the stage's name from the line. Of several events that match one line the first counts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "trace/events.hpp"
#include "trace/pattern.hpp"

namespace assay::trace {

struct SpanRef {
  std::string stage = {};  // "{name}": from that field of the line
  SpanKind kind = SpanKind::service;

  bool operator==(const SpanRef&) const = default;
  std::string to_text() const { return stage + "." + std::string(to_word(kind)); }
};

struct EventRule {
  Pattern pattern = {};
  std::vector<SpanRef> begin = {}, end = {}, span = {};
  std::string instant = {}, counter = {};  // names; "" = none
  std::uint32_t line = 0;                  // in the rules file
};

struct SettingRule {
  Pattern pattern = {};
  std::string name = {};  // "" = the value of the field `name`
  std::uint32_t line = 0;
};

// A number that rules may leave to the log.
struct Bound {
  enum class From : std::uint8_t { none, number, workers, setting };
  From from = From::none;
  std::uint64_t number = 0;
  std::string setting = {};

  // "2", "count(worker)", "setting(gpu_workers)", "".
  std::string to_text() const;
};

struct StageRule {
  std::string name = {};
  std::vector<std::string> after = {};
  Bound servers = {}, capacity = {}, permits = {};
  std::optional<std::uint64_t> capacity_bytes = {};
  std::optional<StageKind> kind = {};
  std::string parent = {};
  std::uint32_t line = 0;
};

struct Rules {
  std::string file = {};
  std::string format = {};  // "csv" when there is a [csv] table and no event
  std::vector<std::string> item = {};
  std::vector<EventRule> events = {};
  std::vector<SettingRule> settings = {};
  std::vector<StageRule> stages = {};
  Bound expect = {};
  std::string csv_time = {};  // "ms", ...: unit of CSV times whose header names none
  bool quiet = false;         // not written by the user: a rule that never matches is no news
};

inline constexpr std::size_t kMostEventRules = 256;

// Errors carry file:line:column and a caret: not TOML; unknown keys, types, stages, kinds (with the
// nearest); an event without match, or without anything it means; the same pattern twice; a pattern
// without text to search for; a regular expression that does not compile.
Result<Rules> parse_rules(std::string_view text, const std::string& file);

}  // namespace assay::trace
