// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "report/diverge.hpp"
#include "report/plain.hpp"
#include "report/table.hpp"
#include "report/wording.hpp"

namespace assay::report {
namespace {

using diverge::Answer;
using diverge::Phase;
using diverge::RunFindings;
using diverge::Stall;

constexpr std::size_t kShownPhases = 12;
constexpr std::size_t kShownOfKind = 3;  // rewinds, stalls, ... of one participant
constexpr std::size_t kDivergeAnswerWidth = 80;

std::string participant_name(const DivergeRun& run, std::size_t p) {
  return plain(run.participants[p].name);
}

std::string place_of(const DivergeRun& run, std::size_t p, std::uint64_t line) {
  return fmt::format("{}:{}", plain(run.participants[p].file), line);
}

std::string all_names(const DivergeRun& run) {
  std::vector<std::string> names;
  for (std::size_t p = 0; p < run.participants.size(); ++p)
    names.push_back(participant_name(run, p));
  return join_and(names);
}

std::string range_text(const diverge::Range& range) {
  return range.from == range.to ? fmt::format("{}", range.from)
                                : fmt::format("{} to {}", range.from, range.to);
}

std::string ranges_text(const std::vector<diverge::Range>& ranges) {
  std::string text;
  for (std::size_t i = 0; i < ranges.size() && i < kShownOfKind; ++i)
    text += (i > 0 ? ", " : "") + range_text(ranges[i]);
  return ranges.size() > kShownOfKind ? text + ", ..." : text;
}

// The members of every group of a phase, "a, b | c".
std::string groups_text(const DivergeRun& run, const Phase& phase) {
  std::vector<std::string> groups;
  std::string silent;
  for (std::size_t p = 0; p < phase.groups.size(); ++p) {
    if (!phase.groups[p]) {
      silent += (silent.empty() ? "" : ", ") + participant_name(run, p);
      continue;
    }
    const std::size_t group = *phase.groups[p];
    if (groups.size() <= group) groups.resize(group + 1);
    groups[group] += (groups[group].empty() ? "" : ", ") + participant_name(run, p);
  }
  std::string text = fmt::format("{}", fmt::join(groups, " | "));
  return silent.empty() ? text : text + fmt::format(" (without {})", silent);
}

std::string participant_table(const DivergeView& view, const DivergeRun& run,
                              const TextOptions& options) {
  std::vector<TableRow> rows;
  for (std::size_t p = 0; p < run.participants.size(); ++p) {
    const auto& found = run.findings.participants[p];
    const bool has_kind = run.participants[p].kind != run.participants[p].name;
    rows.push_back({.cells = {{participant_name(run, p), Tone::strong},
                              has_kind ? plain(run.participants[p].kind) : std::string(),
                              fmt::format("{}", run.lines[p].lines),
                              fmt::format("{}", found.answers),
                              fmt::format("{} to {}", found.first_step, found.last_step)}});
  }
  return draw_table({{.head = "", .left = true},
                     {.head = "kind", .left = true},
                     {.head = "lines"},
                     {.head = "answers"},
                     {.head = view.key, .left = true}},
                    rows, options);
}

std::string excerpt_text(const diverge::Excerpt& excerpt, std::uint64_t marked,
                         const std::string& file, const TextOptions& options) {
  const std::size_t width =
      display_width(fmt::format("{}:{}", file, excerpt.first_line + excerpt.lines.size() - 1));
  std::string text;
  for (std::size_t i = 0; i < excerpt.lines.size(); ++i) {
    const std::uint64_t number = excerpt.first_line + i;
    const std::string line =
        fmt::format("  {} {}  {}", number == marked ? '>' : ' ',
                    pad(fmt::format("{}:{}", file, number), width), plain(excerpt.lines[i]));
    text += fit(line, columns(options)) + "\n";
  }
  return text;
}

// Each different answer once, with who gave it and the lines around the first one's.
std::string disagreement_text(const DivergeView& view, const TextOptions& options) {
  const DivergeRun& run = view.run;
  const auto& answers = run.findings.first_disagreed->answers;
  std::string text;
  std::vector<std::string> told;
  for (std::size_t p = 0; p < answers.size(); ++p) {
    if (!answers[p] || std::ranges::find(told, answers[p]->value) != told.end()) continue;
    told.push_back(answers[p]->value);
    std::vector<std::string> places;
    for (std::size_t q = p; q < answers.size(); ++q)
      if (answers[q] && answers[q]->value == answers[p]->value)
        places.push_back(place_of(run, q, answers[q]->line));
    text += wrap(fmt::format("{} = {}  at {}", view.value,
                             fit(plain(told.back()), kDivergeAnswerWidth), fmt::join(places, ", ")),
                 columns(options), 2);
    if (p < run.excerpts.size() && run.excerpts[p])
      text += excerpt_text(*run.excerpts[p], answers[p]->line, plain(run.participants[p].file),
                           options);
  }
  return text;
}

std::string phases_text(const DivergeView& view, const TextOptions& options) {
  const RunFindings& found = view.run.findings;
  if (found.phases.size() < 2 && !found.first_disagreed) return {};
  std::vector<TableRow> rows;
  for (std::size_t i = 0; i < found.phases.size() && i < kShownPhases; ++i) {
    const Phase& phase = found.phases[i];
    rows.push_back(
        {.cells = {range_text({phase.from, phase.to, 0})}, .note = groups_text(view.run, phase)});
  }
  std::string text =
      draw_table({{.head = view.key, .left = true, .optional = false}}, rows, options);
  const std::uint64_t more = found.phases.size() - rows.size() + found.phases_left_out;
  if (more > 0) text += fmt::format("... and {} more changes of the groups\n", more);
  return text;
}

std::string stall_text(const DivergeView& view, const DivergeRun& run, std::size_t p,
                       const Stall& stall) {
  return fmt::format("{} stays at {} {} for {} (lines {} to {} of {})", participant_name(run, p),
                     view.key, stall.step, counted(stall.repeats, "more answer"), stall.first_line,
                     stall.last_line, plain(run.participants[p].file));
}

std::string stops_text(const DivergeView& view, const DivergeRun& run, std::size_t p) {
  const Stall& stop = *run.findings.participants[p].stops;
  std::int64_t highest = stop.step;
  for (const auto& other : run.findings.participants)
    if (other.answers > 0) highest = std::max(highest, other.last_step);
  std::string text = fmt::format("{} does not get beyond {} {} ({})", participant_name(run, p),
                                 view.key, stop.step, place_of(run, p, stop.first_line));
  if (stop.repeats > 0)
    text += fmt::format(", which it repeats {} up to line {}",
                        stop.repeats == 1 ? "once" : fmt::format("{} times", stop.repeats),
                        stop.last_line);
  return text + fmt::format("; others go on to {}", highest);
}

// Lines about one participant's log.
std::vector<std::string> remarks_on(const DivergeView& view, const DivergeRun& run, std::size_t p) {
  const auto& found = run.findings.participants[p];
  std::vector<std::string> remarks;
  const auto more = [&](std::uint64_t count, const char* what) {
    if (count > kShownOfKind)
      remarks.push_back(fmt::format("{}: {} {} in all", participant_name(run, p), count, what));
  };
  if (found.stops) remarks.push_back(stops_text(view, run, p));
  for (std::size_t i = 0; i < found.rewinds.size() && i < kShownOfKind; ++i) {
    const auto& r = found.rewinds[i];
    std::string text = fmt::format("{} goes back from {} {} to {} ({})", participant_name(run, p),
                                   view.key, r.from, r.to, place_of(run, p, r.line));
    if (r.repeated > 0)
      text += fmt::format(
          " and answers {} again, {}", counted(r.repeated, "step"),
          r.changed == 0 ? std::string("alike") : fmt::format("{} of them differently", r.changed));
    remarks.push_back(text);
  }
  more(found.rewind_count, "rewinds");
  for (std::size_t i = 0; i < found.stalls.size() && i < kShownOfKind; ++i)
    remarks.push_back(stall_text(view, run, p, found.stalls[i]) + ", then goes on");
  more(found.stall_count, "stalls");
  for (std::size_t i = 0; i < found.changed.size() && i < kShownOfKind; ++i) {
    const auto& c = found.changed[i];
    remarks.push_back(fmt::format(
        "{} answers {} {} twice: {} ({}), then {} ({}); the later one is compared",
        participant_name(run, p), view.key, c.step, fit(plain(c.was.value), 20),
        place_of(run, p, c.was.line), fit(plain(c.now.value), 20), place_of(run, p, c.now.line)));
  }
  more(found.changed_count, "changed answers");
  if (found.missing_count > 0)
    remarks.push_back(fmt::format("{} has no answer to {} that others have: {}",
                                  participant_name(run, p), counted(found.missing_count, "step"),
                                  ranges_text(found.missing)));
  if (found.alone_count > 0 && run.participants.size() > 2)
    remarks.push_back(fmt::format("{} alone answers {}: {}", participant_name(run, p),
                                  counted(found.alone_count, "step"), ranges_text(found.alone)));
  return remarks;
}

std::string run_remarks(const DivergeView& view, const DivergeRun& run,
                        const TextOptions& options) {
  std::string text;
  for (std::size_t p = 0; p < run.participants.size(); ++p)
    for (const std::string& remark : remarks_on(view, run, p))
      text += wrap(remark, columns(options), 2);
  return text;
}

// When those who disagreed agree again: "from 310 to 499 and from 501 on", "at 8, 10, 12 and 96
// times more, at last from 990 on".
std::string again_text(const RunFindings& found) {
  std::vector<std::string> parts;
  for (const diverge::Range& range : found.agreed_again) {
    if (parts.size() == kShownOfKind) break;
    if (found.agrees_since == range.from)
      parts.push_back(fmt::format("from {} on", range.from));
    else if (range.from == range.to)
      parts.push_back(fmt::format("at {}", range.from));
    else
      parts.push_back(fmt::format("from {} to {}", range.from, range.to));
  }
  const std::uint64_t more = found.agreed_again_count - parts.size();
  if (more == 0) return join_and(parts);
  parts.push_back(more == 1 ? std::string("once more") : fmt::format("{} times more", more));
  return join_and(parts) + (found.agrees_since
                                ? fmt::format(", at last from {} on", *found.agrees_since)
                                : std::string());
}

}  // namespace

std::string sentence_of(const DivergeView& view) {
  const DivergeRun& run = view.run;
  const RunFindings& found = run.findings;
  const std::string names = all_names(run);
  if (found.common == 0) return fmt::format("{} have no {} in common.", names, view.key);
  if (!found.first_disagreed)
    return fmt::format("{} agree on all of {} in common, up to {} {}.", names,
                       counted(found.common, "step"), view.key, found.last_agreed->step);
  const std::int64_t at = found.first_disagreed->step;
  const std::string until =
      found.last_agreed ? fmt::format("agree up to {} {} and ", view.key, found.last_agreed->step)
                        : std::string();
  if (found.agreed_again.empty())
    return fmt::format("{} {}disagree from {} {} on.", names, until, view.key, at);
  return fmt::format("{} {}disagree at {} {}; in all at {} of {} in common. They agree again {}.",
                     names, until, view.key, at, found.disagreements, counted(found.common, "step"),
                     again_text(found));
}

std::string diverge_text(const DivergeView& view, const TextOptions& options) {
  const std::size_t width = columns(options);
  const RunFindings& found = view.run.findings;
  std::string text = wrap(sentence_of(view), width, 2) + "\n";
  text += participant_table(view, view.run, options);
  if (found.first_disagreed) {
    text += "\n";
    if (found.last_agreed) {
      const auto& agreed = *found.last_agreed;
      std::vector<std::string> places;
      for (std::size_t p = 0; p < agreed.answers.size(); ++p)
        if (agreed.answers[p]) places.push_back(place_of(view.run, p, agreed.answers[p]->line));
      text += wrap(
          fmt::format("last agreed: {} {}, at {}", view.key, agreed.step, fmt::join(places, ", ")),
          width, 2);
    }
    text += fmt::format("first disagreement: {} {}\n", view.key, found.first_disagreed->step);
    text += disagreement_text(view, options);
  }
  if (const std::string phases = phases_text(view, options); !phases.empty()) text += "\n" + phases;
  if (const std::string remarks = run_remarks(view, view.run, options); !remarks.empty())
    text += "\n" + remarks;
  for (const DivergeRun& control : view.control_runs) text += run_remarks(view, control, options);
  std::string implied;
  for (const std::string& sentence : implication_sentences(view))
    implied += wrap(sentence, width, 2);
  return implied.empty() ? text : text + "\n" + implied;
}

}  // namespace assay::report
