// SPDX-License-Identifier: Apache-2.0
// Two sides: whether they can be compared at all, the delta and its parts, the stages before and
// after. Without trials there is no verdict word: the numbers describe what the logs hold.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/text.hpp"
#include "report/explain_sentence.hpp"
#include "report/explain_text.hpp"
#include "report/numbers.hpp"
#include "report/plain.hpp"
#include "report/table.hpp"

namespace assay::report {
namespace {

using attribution::Attribution;
using attribution::Comparability;
using attribution::DeltaDescription;
using attribution::Difference;
using attribution::Distribution;
using attribution::Interaction;
using attribution::Part;
using attribution::RunDescription;
using attribution::Shape;
using attribution::SpanDelta;
using attribution::StageDelta;
using attribution::TailDelta;
using attribution::TailRow;

std::string side_line(std::string_view letter, const std::vector<RunDescription>& side) {
  if (side.empty()) return fmt::format("{}: nothing", letter);
  std::string text = fmt::format("{}: {}", letter, plain(side.front().source));
  if (side.size() > 1) text += fmt::format(" and {} more", side.size() - 1);
  const RunDescription& run = side.front();
  if (run.items > 0) text += fmt::format(", {} items", grouped(static_cast<double>(run.items)));
  if (side.size() == 1) return text + ", " + seconds_text(run.makespan_s);
  const auto [least, most] = std::ranges::minmax_element(side, {}, &RunDescription::makespan_s);
  return text +
         fmt::format(", {} to {}", seconds_text(least->makespan_s), seconds_text(most->makespan_s));
}

std::string comparability_text(const Comparability& c, const ExplainOptions& options) {
  std::string text;
  if (c.differences.empty()) {
    text = "comparable: stages, items, workers, queues and settings are the same on both sides\n";
  } else {
    std::vector<TableRow> rows;
    for (const Difference& d : c.differences)
      rows.push_back({.cells = {{plain(d.what), d.forbids ? Tone::open : Tone::neutral},
                                plain(d.a),
                                plain(d.b),
                                d.forbids ? "forbids an attribution" : ""}});
    const std::size_t shown = explain::rows_shown(rows.size(), options);
    const std::string rest = explain::left_out(rows.size(), options);
    rows.resize(shown);
    text = draw_table({{.head = "differs", .left = true},
                       {.head = "A", .left = true},
                       {.head = "B", .left = true},
                       {.head = "", .left = true}},
                      rows, options.text) +
           rest;
  }
  if (c.stages_matched < 1 || c.items_matched < 1)
    text += explain::prose(fmt::format("matched: {} of the stages, {} of the items",
                                       share_text(c.stages_matched), share_text(c.items_matched)),
                           options);
  return text;
}

std::string replication_line(const DeltaDescription& delta) {
  if (delta.replicated)
    return fmt::format(
        "{} + {} logs: intervals are over runs. Verdicts need runs in random order: "
        "'assay compare'.",
        delta.a.size(), delta.b.size());
  return "One log a side describes and does not decide (unreplicated), so no verdict is given: "
         "'assay compare' runs both sides in random order.";
}

std::string bracket_of(const std::optional<double>& lo, const std::optional<double>& hi,
                       const SecondsScale& scale) {
  if (!lo || !hi) return "-";
  return fmt::format("[{}, {}]", signed_number(*lo, scale), signed_number(*hi, scale));
}

SecondsScale scale_of(const Attribution& attribution) {
  double largest = std::fabs(attribution.delta_s);
  for (const Part& part : attribution.parts) largest = std::max(largest, std::fabs(part.seconds));
  return scale_for(largest);
}

std::string part_table(const Attribution& attribution, const ExplainOptions& options) {
  const SecondsScale scale = scale_of(attribution);
  const std::string basis =
      attribution.interval_basis.empty() ? std::string() : " " + plain(attribution.interval_basis);
  const auto of_delta = [&](double seconds) {
    return std::fabs(attribution.delta_s) < scale.unit * 1e-9
               ? std::string("-")
               : share_text(seconds / attribution.delta_s);
  };
  std::vector<TableRow> rows;
  const auto add = [&](const std::string& what, double seconds, const std::string& interval,
                       Tone tone) {
    rows.push_back(
        {.cells = {{what, tone}, signed_seconds(seconds, scale), interval, of_delta(seconds)}});
  };
  const std::size_t shown = explain::rows_shown(attribution.parts.size(), options);
  double others = 0;
  for (std::size_t i = 0; i < attribution.parts.size(); ++i) {
    const Part& part = attribution.parts[i];
    if (i < shown)
      add(plain(part.factor), part.seconds, bracket_of(part.lo, part.hi, scale), Tone::neutral);
    else
      others += part.seconds;
  }
  if (shown < attribution.parts.size())
    add(fmt::format("{} others", attribution.parts.size() - shown), others, "-", Tone::neutral);
  add("remainder", attribution.remainder_s, "-", Tone::neutral);
  add("makespan", attribution.delta_s, bracket_of(attribution.lo_s, attribution.hi_s, scale),
      Tone::strong);
  return draw_table({{.head = "part", .left = true},
                     {.head = "seconds"},
                     {.head = "99 %" + basis, .left = true},
                     {.head = "of the change"}},
                    rows, options.text);
}

std::string attribution_text(const Attribution& attribution, const ExplainOptions& options) {
  const SecondsScale scale = scale_of(attribution);
  std::string text;
  if (!attribution.refused) text += part_table(attribution, options);
  for (const Interaction& interaction : attribution.interactions)
    if (!attribution.refused)
      text += explain::prose(
          fmt::format("of it by {} and {} changing together: {}", plain(interaction.first),
                      plain(interaction.second), signed_seconds(interaction.seconds, scale)),
          options);
  if (attribution.replays > 0) {
    const auto& [error_a, error_b] = attribution.model_error_s;
    const SecondsScale own = scale_for(std::max(std::fabs(error_a), std::fabs(error_b)));
    text +=
        explain::prose(fmt::format("model error (replay less log): A {}, B {}; {} replays{}",
                                   signed_seconds(error_a, own), signed_seconds(error_b, own),
                                   grouped(attribution.replays),
                                   attribution.sampled ? ", orders of the factors sampled" : ""),
                       options);
  }
  for (const std::string& note : attribution.notes) text += explain::prose(plain(note), options);
  return text;
}

std::string arrow(const Distribution& a, const Distribution& b, double Distribution::*member) {
  const auto side = [member](const Distribution& d) {
    return d.n == 0 ? std::string("-") : seconds_text(d.*member);
  };
  if (a.n == 0 && b.n == 0) return "-";
  return side(a) + " -> " + side(b);
}

std::string counts_text(std::uint64_t a, std::uint64_t b) {
  const std::string first = grouped(static_cast<double>(a));
  return a == b ? first : first + " -> " + grouped(static_cast<double>(b));
}

Tone tone_of(const StageDelta& stage) {
  return stage.shape == Shape::same ? Tone::neutral : Tone::strong;
}

std::string stage_table(const DeltaDescription& delta, const ExplainOptions& options) {
  std::vector<TableRow> rows;
  for (std::size_t i = 0; i < explain::rows_shown(delta.stages.size(), options); ++i) {
    const StageDelta& stage = delta.stages[i];
    const SecondsScale scale = scale_for(std::max(stage.a.mean, stage.b.mean));
    const std::string bracket = bracket_of(stage.lo_s, stage.hi_s, scale);
    rows.push_back(
        {.cells = {fmt::format("{} {}", plain(stage.stage), explain::short_word(stage.kind)),
                   counts_text(stage.a.n, stage.b.n),
                   arrow(stage.a, stage.b, &Distribution::mean),
                   arrow(stage.a, stage.b, &Distribution::median),
                   arrow(stage.a, stage.b, &Distribution::p99),
                   signed_seconds(stage.mean_delta_s, scale),
                   bracket == "-" ? "" : bracket,
                   {std::string(attribution::to_word(stage.shape)), tone_of(stage)}},
         .note = plain(stage.sentence)});
  }
  return draw_table({{.head = "stage", .left = true},
                     {.head = "n"},
                     {.head = "mean"},
                     {.head = "median"},
                     {.head = "p99"},
                     {.head = "change"},
                     {.head = "", .left = true},
                     {.head = "", .left = true}},
                    rows, options.text) +
         explain::left_out(delta.stages.size(), options);
}

std::string tail_text(const TailDelta& tail, const ExplainOptions& options) {
  std::string text = explain::prose(
      fmt::format("tail{}: p99 of latency {} -> {}; what the items above it spent ({} and {}):",
                  tail.label.empty() ? "" : " of " + plain(tail.label), seconds_text(tail.p99_a_s),
                  seconds_text(tail.p99_b_s), tail.items_a, tail.items_b),
      options);
  std::vector<TableRow> rows;
  double largest = std::fabs(tail.gap_b_s - tail.gap_a_s);
  for (const TailRow& row : tail.rows) largest = std::max(largest, std::fabs(row.b_s - row.a_s));
  const SecondsScale scale = scale_for(largest);
  const auto add = [&](std::string what, double a, double b) {
    rows.push_back(
        {.cells = {"  " + what, seconds_text(a), seconds_text(b), signed_seconds(b - a, scale)}});
  };
  for (const TailRow& row : tail.rows)
    if (row.a_s != 0 || row.b_s != 0)
      add(fmt::format("{} {}", plain(row.stage), explain::short_word(row.kind)), row.a_s, row.b_s);
  if (tail.gap_a_s != 0 || tail.gap_b_s != 0) add("between stages", tail.gap_a_s, tail.gap_b_s);
  return text +
         draw_table({{.head = "", .left = true}, {.head = "A"}, {.head = "B"}, {.head = "change"}},
                    rows, options.text);
}

std::string span_table(const DeltaDescription& delta, const ExplainOptions& options) {
  std::vector<SpanDelta> spans = delta.spans;
  std::ranges::stable_sort(spans, std::greater<>(),
                           [](const SpanDelta& s) { return std::fabs(s.self_b_s - s.self_a_s); });
  const std::size_t shown = explain::rows_shown(spans.size(), options);
  double largest = 0;
  for (const SpanDelta& span : spans)
    largest = std::max(largest, std::fabs(span.self_b_s - span.self_a_s));
  const SecondsScale scale = scale_for(largest);
  std::vector<TableRow> rows;
  for (std::size_t i = 0; i < shown; ++i) {
    const SpanDelta& s = spans[i];
    const bool only_a = s.name_b.empty(), only_b = s.name_a.empty();
    const std::string how = only_a   ? "only in A"
                            : only_b ? "only in B"
                            : s.name_a == s.name_b
                                ? ""
                                : fmt::format("called {} in A{}", plain(s.name_a),
                                              s.matched_by == "tree" ? ", told by its place" : "");
    rows.push_back(
        {.cells = {plain(only_b || !only_a ? s.name_b : s.name_a),
                   only_b ? "-" : seconds_text(s.self_a_s), only_a ? "-" : seconds_text(s.self_b_s),
                   signed_seconds(s.self_b_s - s.self_a_s, scale),
                   counts_text(s.count_a, s.count_b)},
         .note = how});
  }
  std::string text = draw_table({{.head = "time by itself", .left = true},
                                 {.head = "A"},
                                 {.head = "B"},
                                 {.head = "change"},
                                 {.head = "n"}},
                                rows, options.text) +
                     explain::left_out(spans.size(), options);
  if (delta.unmatched_share > 0 && !spans.empty())
    text += explain::prose(fmt::format("{} of the time is in spans that only one side has",
                                       share_text(delta.unmatched_share)),
                           options);
  return text;
}

// Each side in one sentence, and its memory.
std::string sides_text(const DeltaDescription& delta, const ExplainOptions& options) {
  std::string text;
  const auto add = [&](std::string_view letter, const std::vector<RunDescription>& side) {
    if (side.empty()) return;
    text += explain::prose(fmt::format("{}: {}", letter, sentence_of(side.front())), options);
    text += explain::memory_lines(side.front(), options);
  };
  add("A", delta.a);
  add("B", delta.b);
  return text;
}

}  // namespace

namespace {

// Of several runs a side one line a kind: they differ in names and numbers only.
struct SideWarning {
  trace::TraceWarning warning = {};  // the first one's text
  std::size_t runs = 0;
};
std::vector<SideWarning> side_warnings(const DeltaDescription& delta,
                                       const std::vector<RunDescription>& side) {
  std::vector<SideWarning> all;
  for (const RunDescription& run : side) {
    std::set<trace::TraceWarningKind> seen;
    for (const trace::TraceWarning& warning : run.warnings) {
      if (std::ranges::find(delta.warnings, warning) != delta.warnings.end()) continue;
      const auto known = std::ranges::find_if(all, [&](const SideWarning& known_one) {
        return side.size() > 1 ? known_one.warning.kind == warning.kind
                               : known_one.warning == warning;
      });
      if (known == all.end())
        all.push_back({warning, 1});
      else
        known->runs += seen.contains(warning.kind) ? 0 : 1;
      seen.insert(warning.kind);
    }
  }
  return all;
}

}  // namespace

std::vector<trace::TraceWarning> warnings_of(const DeltaDescription& delta) {
  std::vector<trace::TraceWarning> all = delta.warnings;
  const auto of_a = side_warnings(delta, delta.a), of_b = side_warnings(delta, delta.b);
  const auto runs = [](const SideWarning& warning, std::size_t of) {
    return of == 1 ? std::string() : fmt::format(", in {} of {} runs", warning.runs, of);
  };
  const auto same = [&](const SideWarning& warning, const std::vector<SideWarning>& others) {
    return std::ranges::any_of(others, [&](const SideWarning& other) {
      return other.warning == warning.warning && other.runs == warning.runs;
    });
  };
  for (const SideWarning& warning : of_a)
    all.push_back(
        {warning.warning.kind, fmt::format("{}{}: {}", same(warning, of_b) ? "A and B" : "A",
                                           runs(warning, delta.a.size()), warning.warning.text)});
  for (const SideWarning& warning : of_b)
    if (!same(warning, of_a))
      all.push_back({warning.warning.kind,
                     fmt::format("B{}: {}", runs(warning, delta.b.size()), warning.warning.text)});
  return all;
}

namespace {

// Below a comparison, which has said what the sides are and how each stage's mean moved.
Text beside_verdict(const DeltaDescription& delta, const ExplainOptions& options) {
  Text text;
  text.warnings = explain::warning_lines(warnings_of(delta), options);
  if (!delta.comparability.differences.empty())
    text.out = comparability_text(delta.comparability, options);
  text.out += explain::prose("Where it sits: " + sentence_of(delta), options);
  if (delta.attribution)
    text.out += explain::section("", attribution_text(*delta.attribution, options));
  else
    text.out += explain::section("", span_table(delta, options));
  return text;
}

}  // namespace

Text explain_text(const DeltaDescription& delta, const ExplainOptions& options) {
  if (options.beside_verdict) return beside_verdict(delta, options);
  Text text;
  text.warnings = explain::warning_lines(warnings_of(delta), options);
  text.out = explain::prose(side_line("A", delta.a), options) +
             explain::prose(side_line("B", delta.b), options) +
             comparability_text(delta.comparability, options) +
             explain::prose(sentence_of(delta), options) +
             explain::prose(replication_line(delta), options);
  if (!delta.comparability.comparable && !delta.comparability.because.empty() &&
      !(delta.attribution && delta.attribution->refused))
    text.out += explain::prose(
        fmt::format("no attribution: {}", plain(delta.comparability.because)), options);
  if (delta.attribution)
    text.out += explain::section("", attribution_text(*delta.attribution, options));
  text.out += explain::section("", stage_table(delta, options));
  text.out += explain::section("", span_table(delta, options));
  for (std::size_t i = 0; i < explain::rows_shown(delta.tails.size(), options); ++i)
    text.out += explain::section("", tail_text(delta.tails[i], options));
  text.out += explain::section("", sides_text(delta, options));
  if (!options.all) return text;
  for (const auto* side : {&delta.a, &delta.b})
    for (const RunDescription& run : *side) {
      Text one = explain_text(run, options);
      text.out += "\n" + one.out;
    }
  return text;
}

}  // namespace assay::report
