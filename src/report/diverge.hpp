// SPDX-License-Identifier: Apache-2.0
// Where answers part, as text and JSON: the last agreed step, the first disagreement with the lines
// around it on each side, the groups over time, what each log has of rewinds, stalls and gaps, and
// what runs of one kind imply.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/json.hpp"
#include "diverge/diverge.hpp"
#include "diverge/step_reader.hpp"
#include "report/options.hpp"

namespace assay::report {

struct DivergeRun {
  std::string name = {};  // of a control; empty for the run in question
  std::vector<diverge::Participant> participants = {};
  std::vector<diverge::Lines> lines = {};  // one each
  diverge::RunFindings findings = {};
  // Around the first disagreement, of the first participant with each answer; nothing for the
  // others, and where there is no second look at the input (stdin).
  std::vector<std::optional<diverge::Excerpt>> excerpts = {};
};

struct DivergeView {
  std::string key = {}, value = {};  // as reports call them
  DivergeRun run = {};
  std::vector<diverge::Control> controls = {};
  std::vector<DivergeRun> control_runs = {};  // one each
  diverge::Implication implication = {};
};

// "a.log and b.log agree up to slot 7 and disagree from slot 8 on."
std::string sentence_of(const DivergeView& view);
std::string diverge_text(const DivergeView& view, const TextOptions& options);
// One line each: torn and skipped lines, what came too late.
std::vector<std::string> diverge_warnings(const DivergeView& view);

// {"schema_version", "kind": "diverge", "verdict": "agree" | "diverge" | "nothing_in_common",
//  "sentence", "key", "value", "run": RUN, "controls": [RUN + {"of_kind", "says"}],
//  "implication": {between, kinds, confirmed, not_run, split_kinds, "sentences"},
//  "warnings"}; RUN = {"name", "steps", "common", "disagreements", "last_agreed": {step, answers:
//  [{participant, value, line}]}, "first_disagreement": {step, answers: [.. excerpt]},
//  "agreed_again": [{from, to, steps}], "agreed_again_count", "agrees_since", "phases": [{from, to,
//  steps, groups: [[name]]}], "participants": [..]}.
Json diverge_json(const DivergeView& view);

// What the runs of one kind imply, as sentences; empty when there is nothing to say. (For the two
// writers.)
std::vector<std::string> implication_sentences(const DivergeView& view);

}  // namespace assay::report
