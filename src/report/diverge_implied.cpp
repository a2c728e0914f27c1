// SPDX-License-Identifier: Apache-2.0
// What a split means once runs of one kind are known, and what is doubtful about the input.
#include <fmt/format.h>

#include <algorithm>

#include "report/diverge.hpp"
#include "report/plain.hpp"
#include "report/wording.hpp"

namespace assay::report {
namespace {

using diverge::Between;
using diverge::ControlSays;
using diverge::Lines;

std::vector<std::string> plain_all(const std::vector<std::string>& texts) {
  std::vector<std::string> safe;
  for (const std::string& text : texts) safe.push_back(plain(text));
  return safe;
}

// The mixed run by its kinds, "lodestar+teku"; by its participants when those are few kinds.
std::string mixed_name(const DivergeView& view) {
  return fmt::format("{}", fmt::join(plain_all(view.implication.kinds), "+"));
}

// Kinds of the disagreement, one side behind the other: "A and B", "A, C on one side and B".
std::string between_text(const DivergeView& view) {
  const auto& answers = view.run.findings.first_disagreed->answers;
  std::vector<std::string> values, sides;
  for (std::size_t p = 0; p < answers.size(); ++p) {
    if (!answers[p]) continue;
    const std::string kind = plain(view.run.participants[p].kind);
    const auto found = std::ranges::find(values, answers[p]->value);
    if (found == values.end()) {
      values.push_back(answers[p]->value);
      sides.push_back(kind);
      continue;
    }
    std::string& side = sides[static_cast<std::size_t>(found - values.begin())];
    // A kind once, however many of it there are.
    if ((", " + side + ", ").find(", " + kind + ", ") == std::string::npos) side += ", " + kind;
  }
  const bool alone = std::ranges::all_of(
      sides, [](const std::string& side) { return side.find(", ") == std::string::npos; });
  if (alone) return join_and(sides);
  std::vector<std::string> bracketed;
  for (const std::string& side : sides)
    bracketed.push_back(side.find(", ") == std::string::npos ? side : "(" + side + ")");
  return join_and(bracketed);
}

std::string control_clause(const DivergeView& view, std::size_t c) {
  const DivergeRun& control = view.control_runs[c];
  const std::string name = plain(control.name);
  switch (view.implication.controls[c]) {
    case ControlSays::agrees:
      return fmt::format("{} agrees to its end, {} {}", name, view.key,
                         control.findings.last_agreed->step);
    case ControlSays::ends_before:
      return fmt::format("{} agrees, and ends at {} {}, before the split: it says nothing about it",
                         name, view.key, control.findings.last_agreed->step);
    case ControlSays::splits:
      return fmt::format("{} splits at {} {} by itself", name, view.key,
                         control.findings.first_disagreed->step);
    case ControlSays::nothing:
      return fmt::format("{} has no {} that two participants answer: it says nothing", name,
                         view.key);
  }
  return {};
}

std::string conclusion_of(const DivergeView& view) {
  const diverge::Implication& implied = view.implication;
  switch (implied.between) {
    case Between::nobody:
    case Between::participants:
      return {};
    case Between::across_kinds:
      return fmt::format("{} {} on both sides: the disagreement is not one between kinds",
                         join_and(plain_all(implied.split_kinds)),
                         implied.split_kinds.size() == 1 ? "stands" : "stand");
    case Between::within_kind:
      return fmt::format(
          "{} {} not agree with itself: what its answers differ in from others says nothing about "
          "them",
          join_and(plain_all(implied.split_kinds)),
          implied.split_kinds.size() == 1 ? "does" : "do");
    case Between::kinds:
      return "the disagreement is between " + between_text(view);
  }
  return {};
}

void warn_of_lines(const DivergeView& view, const DivergeRun& run, std::size_t p,
                   std::vector<std::string>& warnings) {
  const Lines& lines = run.lines[p];
  const std::string file = plain(run.participants[p].file);
  const auto skipped = [&](std::uint64_t count, std::uint64_t first, const std::string& why) {
    if (count == 0) return;
    warnings.push_back(fmt::format("{}: {} line{} {} (first: line {})", file, count,
                                   count == 1 ? "" : "s", why, first));
  };
  if (lines.torn)
    warnings.push_back(
        fmt::format("{}: the last line has no newline and is not used: the program "
                    "was killed or still writes",
                    file));
  skipped(lines.bad_json, lines.first_bad_json, "skipped: not a whole JSON object");
  skipped(lines.bad_step, lines.first_bad_step,
          fmt::format("skipped: {} is not an integer", view.key));
  skipped(lines.no_value, lines.first_no_value,
          fmt::format("with {} and without {}", view.key, view.value));
  if (lines.long_lines > 0)
    warnings.push_back(
        fmt::format("{}: {} lines longer than 16 MiB are skipped", file, lines.long_lines));
  const auto& found = run.findings.participants[p];
  if (found.late_count > 0)
    warnings.push_back(fmt::format(
        "{}: {} answers go back further than can be compared again (first: line {}): the answers "
        "before them count",
        file, found.late_count, found.late_line));
}

}  // namespace

std::vector<std::string> implication_sentences(const DivergeView& view) {
  const diverge::Implication& implied = view.implication;
  std::vector<std::string> sentences, clauses;
  if (view.run.findings.first_disagreed && !view.controls.empty())
    clauses.push_back(fmt::format("{} splits at {} {}", mixed_name(view), view.key,
                                  view.run.findings.first_disagreed->step));
  for (std::size_t c = 0; c < view.controls.size(); ++c) clauses.push_back(control_clause(view, c));
  const std::string conclusion = conclusion_of(view);
  std::string text = fmt::format("{}", fmt::join(clauses, ", "));
  if (!conclusion.empty()) text += (text.empty() ? "" : ": ") + conclusion;
  if (!text.empty()) sentences.push_back(capitalised(text) + ".");
  if (implied.between != Between::kinds) return sentences;
  if (!view.controls.empty() && !implied.not_run.empty())
    sentences.push_back(
        fmt::format("Nothing shows that {} agrees with itself: a run of this kind alone would.",
                    join_and(plain_all(implied.not_run))));
  if (view.controls.empty())
    sentences.push_back(
        "A run of one kind alone (--control KIND=FILE,FILE) would show whether that kind agrees "
        "with itself.");
  sentences.push_back("Who is right is not said by it.");
  return sentences;
}

std::vector<std::string> diverge_warnings(const DivergeView& view) {
  std::vector<std::string> warnings;
  const auto add = [&](const DivergeRun& run) {
    for (std::size_t p = 0; p < run.participants.size(); ++p) warn_of_lines(view, run, p, warnings);
  };
  add(view.run);
  for (const DivergeRun& control : view.control_runs) add(control);
  return warnings;
}

}  // namespace assay::report
