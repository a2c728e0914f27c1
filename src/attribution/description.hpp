// SPDX-License-Identifier: Apache-2.0
// What `explain` says about one run: plain data. Seconds as double (results, not clock arithmetic);
// shares in 0..1. The rows are in pipeline order, or by total time where there is no pipeline.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "trace/events.hpp"

namespace assay::attribution {

// Quantiles are of the values as they are (type 7 of Hyndman and Fan). n = 0: everything else is 0.
struct Distribution {
  std::uint64_t n = 0;
  double mean = 0, median = 0, p90 = 0, p99 = 0, min = 0, max = 0, total = 0;
  // Quantiles at 0, .01, ..., 1 for drawing; empty when n = 0.
  std::vector<double> curve = {};
  // "mean 7,281 ms, median 7,052: the slowest tenth holds 14 % of the time"; empty when symmetric.
  std::string skew = {};
};
Distribution distribution_of(std::vector<double> values);

struct StageRow {
  std::string name = {};
  std::string parent = {};  // of a part, or of a nested span
  std::optional<std::uint32_t> servers = {};
  std::string servers_from = {};
  std::optional<std::uint64_t> capacity = {};
  std::optional<std::uint32_t> permits = {};
  Distribution service = {}, queue_wait = {}, blocked_send = {}, lock_wait = {}, intervals = {};
  Distribution steady_service = {};        // the steady part alone
  bool blocked_derived = false;            // not in the log: an estimate from other events
  std::optional<double> utilisation = {};  // busy / (servers x makespan), needs servers
  double busy_s = 0;                       // sum of service
  std::uint64_t in_flight_max = 0;         // queued, in service or blocked there, at once
  double in_flight_mean = 0;               // over time
};

// wall = the sum of `seconds` + unknown, to the nanosecond.
struct Book {
  std::string who = {};  // "gpu worker 0", "synth, 5 permits", "items"
  double wall_s = 0;
  std::array<double, trace::kSpanKinds> seconds = {};
  // No span records when it starved: read off the gaps in which its queue was empty.
  bool starved_derived = false;
  double unknown_s = 0;  // negative: spans overlap that cannot (two clocks, a wrong worker)
};

struct Phases {
  double fill_s = 0;  // to the first completion of the last stage
  double steady_s = 0;
  double drain_s = 0;  // from when the first stage has nothing left to begin
  double makespan_s = 0;
  double first_completion_s = 0;
  double interval_sum_s = 0;  // of the last stage's completions: first + sum = makespan
};

struct LawCheck {
  std::string law = {};  // "U = X S / c", "L = X W"
  std::string stage = {};
  double left = 0, right = 0;
  double difference = 0;  // |left - right| / larger
  bool violated = false;  // above 5 %
};

struct Bottleneck {
  std::string stage = {};
  double utilisation = 0;
  double upstream_blocked = 0;  // share of the makespan that workers above stood blocked
  double downstream_starved = 0;
  std::string next = {};  // the stage that would bind next
  double headroom = 0;    // 1 - utilisation(next) / utilisation(stage)
  // 20 windows of equal length: the busiest stage of each, and its utilisation there.
  std::vector<std::string> window_stage = {};
  std::vector<double> window_utilisation = {};
  bool moves = false;  // not the same stage in all windows of the steady part
};

struct PermitCheck {
  std::string stage = {};
  std::uint64_t permits = 0, capacity = 0;
  // Workers of the next stage: each may have taken an item out of the queue and not begun it yet.
  std::uint64_t in_hand = 0;
  std::uint64_t most = 0;  // items at once begun there and not yet in service downstream
  double at_s = 0;         // when, from the run's begin
  bool exceeded = false;   // most > permits + capacity + in_hand
};

// A span that is not what its name says: split by its parts or by the spans inside it.
struct Challenge {
  std::string stage = {};
  double total_s = 0;
  struct Share {
    std::string name = {};
    double seconds = 0;
  };
  std::vector<Share> shares = {};
};

// Nested spans without a pipeline: time per name. self = total less what is inside.
struct SpanRow {
  std::string name = {};
  std::uint64_t count = 0;
  double total_s = 0, self_s = 0;
  Distribution duration = {};
};

struct MemoryModel {
  std::string scope = {}, method = {};
  std::uint64_t samples = 0;
  double base_bytes = 0;
  struct Term {
    std::string stage = {};  // items from its begin until they leave it
    double bytes_per_item = 0;
    double in_flight_at_peak = 0;
  };
  std::vector<Term> terms = {};
  double residual_bytes = 0;  // root mean square
  double explained = 0;       // R^2, 0..1
  double peak_bytes = 0, peak_at_s = 0;
  double peak_model_bytes = 0;  // base + sum of in-flight x bytes at that instant
};

struct RunDescription {
  std::string source = {}, format = {};
  trace::Clock clock = {};
  bool is_pipeline = false;
  std::string not_pipeline_because = {};
  std::uint64_t items = 0, spans = 0, jobs = 0;
  double makespan_s = 0;
  std::vector<trace::Setting> settings = {};
  std::vector<StageRow> stages = {};
  std::vector<Book> books = {};
  std::optional<Phases> phases = {};
  std::vector<LawCheck> laws = {};
  std::optional<Bottleneck> bottleneck = {};
  std::vector<PermitCheck> permits = {};
  std::vector<Challenge> challenges = {};
  std::vector<SpanRow> spans_by_name = {};
  Distribution latency = {};  // of items: first begin to last end
  std::vector<MemoryModel> memory = {};
  std::vector<trace::TraceWarning> warnings = {};  // the run's own first, then what was found here
  // Whether the numbers above can carry an attribution: no lost events, books and laws hold.
  bool trusted = true;
};

RunDescription describe(const trace::Trace& run);

}  // namespace assay::attribution
