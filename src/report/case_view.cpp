// SPDX-License-Identifier: Apache-2.0
#include "report/case_view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/plain.hpp"
#include "report/wording.hpp"

namespace assay::report {
namespace {

using cases::CaseStatus;
using cases::Effect;
using cases::Evidence;
using cases::Hypothesis;
using cases::HypothesisStatus;
using cases::Quantity;
using cases::Remainder;
using cases::Round;
using cases::Share;
using cases::Word;

std::string effect_cell(const Effect& effect, Quantity quantity) {
  return cases::interval_text(effect.value, effect.lo, effect.hi, quantity);
}

std::string share_cell(const std::optional<Share>& share) {
  if (!share || !share->lo || !share->hi) return "-";
  const std::string lo = fmt::format("{:.0f}", 100 * *share->lo);
  const std::string hi = fmt::format("{:.0f}", 100 * *share->hi);
  return lo == hi ? hi + " %" : fmt::format("{} to {} %", lo, hi);
}

std::string shape_cell(const cases::ShapeSeen& seen) {
  switch (seen.shape) {
    case Shape::flat:
      return "FLAT";
    case Shape::trend:
      return seen.rises ? "TREND, rises" : "TREND, falls";
    case Shape::step:
      return fmt::format("STEP {} at {}", seen.rises ? "up" : "down", plain(seen.at));
    case Shape::undecided:
      break;
  }
  return "UNDECIDED";
}

Tone tone_of(Word word) {
  switch (word) {
    case Word::confirmed:
      return Tone::bad;
    case Word::ruled_out:
      return Tone::good;
    case Word::open:
      break;
  }
  return Tone::open;
}

CaseRow row_of(const Hypothesis& hypothesis, const HypothesisStatus& status) {
  CaseRow row{.id = plain(hypothesis.id),
              .predicted = cases::to_text(hypothesis.prediction),
              .measured = "-",
              .share = share_cell(status.share),
              .word = std::string(cases::to_word(status.word)),
              .reason = plain(status.reason),
              .tone = tone_of(status.word)};
  row.predicted = plain(row.predicted);
  if (status.measured)
    row.measured = effect_cell(status.measured->effect, status.measured->quantity);
  if (status.seen) row.measured = shape_cell(*status.seen);
  return row;
}

}  // namespace

std::vector<CaseRow> case_rows(const CaseView& view) {
  std::vector<CaseRow> rows;
  for (const HypothesisStatus& status : view.status.hypotheses)
    rows.push_back(row_of(view.of.hypotheses[status.hypothesis], status));
  for (const Remainder& remainder : view.status.remainders) {
    std::vector<std::string> ids;
    for (const std::size_t i : remainder.explained) ids.push_back(plain(view.of.hypotheses[i].id));
    const std::string names = join_and(ids);
    CaseRow row{
        .id = "unexplained",
        .predicted = "-",
        .measured = effect_cell(remainder.rest, remainder.quantity),
        .share = share_cell(remainder.share),
        .word = "",
        .reason = names.empty() ? "the whole gap: no effect is proven" : "the gap less " + names,
        .tone = Tone::strong};
    if (remainder.rest.hi && *remainder.rest.hi < 0)
      row.reason += "; less than nothing is left: the effects overlap, or were measured elsewhere";
    rows.push_back(std::move(row));
  }
  if (view.status.remainders.empty())
    rows.push_back({.id = "unexplained",
                    .predicted = "-",
                    .measured = "not known",
                    .share = "-",
                    .word = "",
                    .reason = "the gap is not known",
                    .tone = Tone::strong});
  return rows;
}

std::vector<std::string> gap_lines(const CaseView& view) {
  std::vector<std::string> lines;
  for (const Remainder& remainder : view.status.remainders) {
    lines.push_back(fmt::format("{}: {}", effect_cell(remainder.gap, remainder.quantity),
                                plain(remainder.gap_source)));
    if (!remainder.gap.is_proven()) lines.back() += "; it is not proven to be there";
  }
  if (lines.empty())
    lines.push_back(view.of.gap_record.empty() && view.of.gap_text.empty()
                        ? "not known: add gap-record = \"ID\" or gap = \"SIZE\" to the file"
                        : "not known");
  return lines;
}

std::vector<NextStep> next_steps(const CaseView& view) {
  std::vector<NextStep> steps;
  for (const HypothesisStatus& status : view.status.hypotheses)
    if (status.word == Word::open)
      steps.push_back({plain(view.of.hypotheses[status.hypothesis].id), plain(status.next),
                       plain(status.price)});
  return steps;
}

std::vector<std::string> fact_lines(const CaseView& view) {
  std::vector<std::string> lines;
  for (const cases::Fact& fact : view.status.facts) {
    const Evidence& evidence = view.of.evidence[fact.evidence];
    lines.push_back(fmt::format("{}: {}", plain(evidence.record), plain(fact.text)));
    if (!evidence.note.empty()) lines.back() += " (" + plain(evidence.note) + ")";
  }
  return lines;
}

std::vector<std::string> note_lines(const CaseView& view) {
  std::vector<std::string> lines;
  for (const HypothesisStatus& status : view.status.hypotheses)
    for (const std::string& note : status.notes)
      lines.push_back(
          fmt::format("{}: {}", plain(view.of.hypotheses[status.hypothesis].id), plain(note)));
  return lines;
}

std::vector<RoundRow> round_rows(const CaseView& view) {
  std::vector<RoundRow> rows;
  for (const cases::RoundStatus& status : view.status.rounds) {
    const Round& round = view.of.rounds[status.round];
    RoundRow row{.number = std::to_string(status.round + 1),
                 .date = plain(round.date),
                 .text = plain(round.text),
                 .result = plain(round.result.empty() ? status.effect : round.result),
                 .record = plain(round.record)};
    if (row.result.empty()) row.result = "not measured";
    rows.push_back(std::move(row));
  }
  return rows;
}

std::string round_remark(const CaseView& view) {
  if (!view.status.patch_on_patch) return {};
  const auto unmeasured = std::ranges::count_if(
      view.status.rounds, [](const auto& round) { return round.effect.empty(); });
  std::string text = fmt::format(
      "{} patches on top of one another. Before the next one, measure each against the first: "
      "'assay timeline FIRST..HEAD'; when the last equals the first, undo them all.",
      view.status.rounds.size());
  if (unmeasured > 0)
    text +=
        fmt::format(" {} of them {} never measured.", unmeasured, unmeasured == 1 ? "was" : "were");
  return text;
}

std::string case_legend() {
  return "RULED OUT: the measured 99 % interval lies below what was predicted. CONFIRMED: it lies "
         "inside. OPEN: neither. Effects are of the cause, + costs. The unexplained line is the "
         "gap "
         "less the effects that are proven, ends added to ends.";
}

std::optional<IntervalPlot> case_plot(const CaseView& view) {
  if (view.status.remainders.empty()) return std::nullopt;
  const Remainder& remainder = view.status.remainders.front();
  if (remainder.explained.empty()) return std::nullopt;
  // Values on the axis are percent of the gap, so that every part is seen against it.
  const double scale = 100 / std::fabs(remainder.gap.value);
  if (!std::isfinite(scale)) return std::nullopt;
  const double sign = remainder.gap.value < 0 ? -1 : 1;
  const auto point = [&](std::string label, const Effect& effect, Tone tone) {
    PlotPoint made{.label = std::move(label), .value = sign * effect.value * scale, .tone = tone};
    if (effect.lo) made.lo = sign * *effect.lo * scale;
    if (effect.hi) made.hi = sign * *effect.hi * scale;
    if (sign < 0) std::swap(made.lo, made.hi);
    made.note = effect_cell(effect, remainder.quantity);
    return made;
  };
  IntervalPlot plot{.title = "what explains the gap", .axis = "% of the gap", .reference = 0.0};
  plot.points.push_back(point("gap", remainder.gap, Tone::strong));
  for (const std::size_t i : remainder.explained) {
    const HypothesisStatus& status = view.status.hypotheses[i];
    if (!status.measured || status.measured->quantity != remainder.quantity) continue;
    plot.points.push_back(
        point(plain(view.of.hypotheses[i].id), status.measured->effect, tone_of(status.word)));
  }
  plot.points.push_back(point("unexplained", remainder.rest, Tone::neutral));
  return plot;
}

}  // namespace assay::report
