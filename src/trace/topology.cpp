// SPDX-License-Identifier: Apache-2.0
#include "trace/topology.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/text.hpp"

namespace assay::trace {
namespace {

constexpr std::uint64_t kPage = 4096;  // what a C library writes at once into a file

std::optional<std::uint64_t> whole_number(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

// Settings are kept without "effective_"; rules may name them either way.
const Setting* echoed(const Trace& trace, std::string_view name) {
  if (const Setting* found = trace.find_setting(name)) return found;
  if (name.starts_with("effective_")) return trace.find_setting(name.substr(10));
  return trace.find_setting("effective_" + std::string(name));
}

void warn_unresolved(Trace& trace, const StageRule& rule, std::string_view what,
                     const Bound& bound) {
  std::string why;
  if (bound.from == Bound::From::workers) {
    why = "no event of this stage names a worker";
  } else if (const Setting* found = echoed(trace, bound.setting)) {
    why = fmt::format("the log says '{}', which is no number from 1", printable(found->value));
  } else {
    why = "the log does not echo that setting";
    std::vector<std::string> names;
    for (const Setting& setting : trace.settings) names.push_back(setting.name);
    if (const auto near = nearest(bound.setting, names))
      why += fmt::format(" (it echoes '{}')", printable(*near));
  }
  trace.warn(TraceWarningKind::topology,
             fmt::format("{} of stage {} is {}: {}; it counts as unknown, write the number instead",
                         what, printable(rule.name), printable(bound.to_text()), why));
}

std::uint32_t known_stage(Trace& trace, const std::string& name) {
  const std::uint32_t stage = trace.find_stage(name);
  if (stage != kNone) return stage;
  std::vector<std::string> names;
  for (const Stage& known : trace.stages) names.push_back(known.name);
  const auto near = nearest(name, names);
  trace.warn(TraceWarningKind::topology,
             fmt::format("stage {} of the rules does not occur in this run{}", printable(name),
                         near ? fmt::format("; did you mean '{}'?", printable(*near))
                         : names.empty()
                             ? std::string()
                             : fmt::format("; it has {}",
                                           printable(fmt::format("{}", fmt::join(names, ", "))))));
  return kNone;
}

void lay_stage(Trace& trace, const StageRule& rule) {
  const std::uint32_t stage = known_stage(trace, rule.name);
  if (stage == kNone) return;
  const auto lay = [&](std::string_view what, const Bound& bound, auto& into) {
    if (bound.from == Bound::From::none) return false;
    using Number = typename std::remove_reference_t<decltype(into)>::value_type;
    const auto number = resolve(trace, stage, bound);
    into.reset();
    if (number && *number >= 1 && *number <= std::uint64_t{0xfffffffe})
      into = static_cast<Number>(*number);
    else
      warn_unresolved(trace, rule, what, bound);
    return into.has_value();
  };
  Stage& into = trace.stages[stage];
  if (lay("servers", rule.servers, into.servers))
    into.servers_from =
        rule.servers.from == Bound::From::number ? "declared" : rule.servers.to_text();
  lay("capacity", rule.capacity, into.capacity);
  lay("permits", rule.permits, into.permits);
  if (rule.capacity_bytes) into.capacity_bytes = rule.capacity_bytes;
  if (rule.kind) into.kind = *rule.kind;
  if (!rule.parent.empty()) into.parent = known_stage(trace, rule.parent);
  for (const std::string& name : rule.after) {
    const Edge edge{known_stage(trace, name), stage};
    if (edge.from != kNone && std::ranges::find(trace.edges, edge) == trace.edges.end())
      trace.edges.push_back(edge);
  }
}

// The sentence of one loss: how many, where the first, the way out.
struct LossText {
  Loss loss;
  TraceWarningKind kind;
  const char* one;
  const char* many;
  const char* way_out;
};
constexpr LossText kLossTexts[] = {
    {Loss::dropped_by_writer, TraceWarningKind::lost_events, "event was dropped by the program",
     "events were dropped by the program", "give it a larger buffer"},
    {Loss::malformed_record, TraceWarningKind::lost_events, "malformed record was skipped",
     "malformed records were skipped", "look at the file there; was it cut or edited?"},
    {Loss::missing_begin, TraceWarningKind::unbalanced, "end without its begin was not used",
     "ends without their begin were not used",
     "the log begins in mid-run, or lines were lost: log the whole run"},
    {Loss::missing_end, TraceWarningKind::unbalanced,
     "begin without its end was clipped at the log's end",
     "begins without their end were clipped at the log's end",
     "the log ends in mid-run, or lines were lost: log the whole run"},
    {Loss::duplicate, TraceWarningKind::duplicate_keys, "begin was repeated before its end",
     "begins were repeated before their end",
     "the last one counts; a retry, two runs in one log, or an item key that is too short"},
    {Loss::negative_span, TraceWarningKind::lost_events,
     "span that ends before it begins was not used",
     "spans that end before they begin were not used", "its two ends are of two clocks"},
    {Loss::clock_backwards, TraceWarningKind::clock_backwards,
     "timestamp is earlier than the one before", "timestamps are earlier than the one before",
     "several threads write, or the clock was set"},
    {Loss::duration_differs, TraceWarningKind::duration_differs,
     "duration in the log differs from its end - begin",
     "durations in the log differ from their end - begin",
     "end - begin is used; the program times something else than it logs"},
    {Loss::bad_field, TraceWarningKind::lost_events,
     "line matches a rule but for a field or a timestamp that does not parse",
     "lines match a rule but for a field or a timestamp that does not parse",
     "they are not used: look at the line, change the field's type"},
    {Loss::long_line, TraceWarningKind::lost_events, "line was longer than 16 MiB and skipped",
     "lines were longer than 16 MiB and skipped", "nothing in them was read"},
    {Loss::bad_bytes, TraceWarningKind::other, "line has NUL bytes or is not UTF-8",
     "lines have NUL bytes or are not UTF-8", "they were read as they are"},
    {Loss::unknown_record, TraceWarningKind::other, "record of an unknown kind was skipped",
     "records of an unknown kind were skipped", "they hold no time that this importer knows"},
};

void warn_of_torn(Trace& trace) {
  const std::string& where = trace.first_lost[static_cast<std::size_t>(Loss::torn_line)];
  const std::string at = where.empty() ? std::string() : " (" + printable(where) + ")";
  if (trace.bytes_read % kPage == 0)
    trace.warn(
        TraceWarningKind::block_buffered,
        fmt::format("the log ends in mid-line{} after a multiple of {} bytes: its program is "
                    "block-buffered and the end of the run is missing: use --line-buffered",
                    at, kPage));
  else
    trace.warn(TraceWarningKind::torn,
               fmt::format("the last line has no newline{} and is not used: the program was killed "
                           "or still writes; with --line-buffered at most that line is lost",
                           at));
}

}  // namespace

std::optional<std::uint64_t> resolve(const Trace& trace, std::uint32_t stage, const Bound& bound) {
  switch (bound.from) {
    case Bound::From::none:
      return std::nullopt;
    case Bound::From::number:
      return bound.number;
    case Bound::From::workers: {
      const auto count = std::ranges::count_if(
          trace.workers, [&](const Worker& worker) { return worker.stage == stage; });
      if (count == 0) return std::nullopt;
      return static_cast<std::uint64_t>(count);
    }
    case Bound::From::setting:
      if (const Setting* found = echoed(trace, bound.setting)) return whole_number(found->value);
      return std::nullopt;
  }
  return std::nullopt;
}

void lay_topology(Trace& trace, const Rules& rules) {
  for (const StageRule& rule : rules.stages) lay_stage(trace, rule);
  if (rules.expect.from == Bound::From::none) return;
  const auto expected = resolve(trace, kNone, rules.expect);
  if (!expected)
    trace.warn(TraceWarningKind::counts_disagree,
               fmt::format("{} items are expected, and the log does not echo that setting",
                           printable(rules.expect.to_text())));
  else if (*expected != trace.items.size())
    trace.warn(TraceWarningKind::counts_disagree,
               fmt::format("{} items expected, {} in the log: lines are missing, or it is another "
                           "run",
                           *expected, trace.items.size()));
}

void warn_of_losses(Trace& trace) {
  const auto is_told = [&](TraceWarningKind kind) {
    return std::ranges::any_of(trace.warnings,
                               [&](const TraceWarning& w) { return w.kind == kind; });
  };
  if (trace.bytes_read == 0) {
    trace.warn(TraceWarningKind::empty,
               "the input is empty: nothing was printed, or the program is block-buffered and was "
               "killed: use --line-buffered");
  }
  if (trace.lost(Loss::torn_line) > 0 && !is_told(TraceWarningKind::torn)) warn_of_torn(trace);
  const bool balance_told = is_told(TraceWarningKind::unbalanced);
  const bool clock_told = is_told(TraceWarningKind::clock_backwards);
  for (const LossText& text : kLossTexts) {
    const std::uint64_t count = trace.lost(text.loss);
    if (count == 0) continue;
    if (text.kind == TraceWarningKind::unbalanced && balance_told) continue;
    if (text.kind == TraceWarningKind::clock_backwards && clock_told) continue;
    const std::string& first = trace.first_lost[static_cast<std::size_t>(text.loss)];
    trace.warn(text.kind, fmt::format("{} {}{}: {}", count, count == 1 ? text.one : text.many,
                                      first.empty() ? "" : " (first: " + printable(first) + ")",
                                      text.way_out));
  }
  for (const Setting& setting : trace.settings) {
    if (setting.changed)
      trace.warn(TraceWarningKind::setting_changed,
                 fmt::format("setting {} changes within the run; its last value {} is shown",
                             printable(setting.name), printable(setting.value)));
  }
}

}  // namespace assay::trace
