// SPDX-License-Identifier: Apache-2.0
// What `explain A B` says about two sides: plain data. A side is one run or several of the same
// command. Seconds as double; B - A, so that positive = B takes longer.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "attribution/description.hpp"

namespace assay::attribution {

struct Difference {
  std::string what =
      {};  // "items", "workers of gpu", "setting lookahead", "clock", "dropped events"
  std::string a = {}, b = {};
  bool forbids = false;  // no attribution with this difference
};

struct Comparability {
  std::vector<Difference> differences = {};
  double stages_matched = 1, items_matched = 1;  // shares
  bool comparable = true;
  std::string because = {};  // why not
};

enum class Shape { same, shift, tail, mode };  // SAME, SHIFT, TAIL, MODE
std::string_view to_word(Shape);

struct StageDelta {
  std::string stage = {};
  trace::SpanKind kind = trace::SpanKind::service;
  Distribution a = {}, b = {};
  double mean_delta_s = 0;                     // per item
  std::optional<double> lo_s = {}, hi_s = {};  // 99 %, of mean_delta_s
  Shape shape = Shape::same;
  std::string sentence = {};  // "all of them slower by about 9 %"
};

// One factor of the replay: "gpu.service", "channel capacity", "workers of synth", "permits of
// synth", "order".
struct Part {
  std::string factor = {};
  double seconds = 0;
  std::optional<double> lo = {}, hi = {};  // 99 %
};
struct Interaction {
  std::string first = {}, second = {};
  double seconds = 0;  // Shapley interaction index; listed when it matters beside the delta
};

struct Attribution {
  double delta_s = 0;  // makespan of B less that of A (medians of the sides' runs)
  std::optional<double> lo_s = {}, hi_s = {};
  std::vector<Part> parts = {};  // the largest first; parts + remainder = delta
  std::vector<Interaction> interactions = {};
  double remainder_s = 0;
  std::array<double, 2> model_error_s = {0, 0};  // replay less measured, of A and of B
  std::string interval_basis = {};               // "within this run", "over runs"
  bool refused = false;
  std::string refused_because = {};
  std::vector<std::string> notes =
      {};  // "service of gpu inflated together with workers of synth: ..."
  std::uint32_t replays = 0;
  bool sampled = false;  // permutations sampled instead of all subsets
};

struct TailRow {
  std::string stage = {};
  trace::SpanKind kind = trace::SpanKind::service;
  double a_s = 0, b_s = 0;  // mean of this component among the items above the side's p99 latency
};
struct TailDelta {
  std::string label = {};  // class of the items; "" = all
  double p99_a_s = 0, p99_b_s = 0;
  std::uint64_t items_a = 0, items_b = 0;  // above it
  std::vector<TailRow> rows = {};  // rows and gap sum to the difference of the conditional means
  double gap_a_s = 0, gap_b_s = 0;
};

// Plain nested spans: names matched exactly, then normalised, then by their place in the tree.
struct SpanDelta {
  std::string name_a = {}, name_b = {};  // one empty: only on the other side
  std::string matched_by = {};           // "exact", "normalised", "tree", ""
  double self_a_s = 0, self_b_s = 0;
  std::uint64_t count_a = 0, count_b = 0;
};

struct DeltaDescription {
  std::vector<RunDescription> a = {}, b = {};
  bool replicated = false;  // more than one run on both sides
  Comparability comparability = {};
  std::vector<StageDelta> stages = {};
  std::optional<Attribution> attribution = {};  // pipelines only
  std::vector<TailDelta> tails = {};
  std::vector<SpanDelta> spans = {};
  double unmatched_share = 0;  // of the self time of both sides
  std::vector<trace::TraceWarning> warnings = {};
};

struct DeltaOptions {
  std::uint64_t seed = 1;
  std::uint32_t bootstrap = 200;  // resamples
};

// Each side at least one run; runs of a side are repetitions of one command.
DeltaDescription explain_delta(std::span<const trace::Trace* const> a,
                               std::span<const trace::Trace* const> b, const DeltaOptions& options);

}  // namespace assay::attribution
