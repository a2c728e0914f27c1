// SPDX-License-Identifier: Apache-2.0
// Two implementations, one answer? Participants of one run answer the same steps; runs whose
// participants are all of one kind (controls) say whether a kind agrees with itself, and so between
// whom a disagreement of the mixed run is.
#pragma once

#include <functional>
#include <span>

#include "base/result.hpp"
#include "diverge/findings.hpp"

namespace assay::diverge {

struct Participant {
  std::string name = {};  // as reports call it
  std::string file = {};
  std::string kind = {};  // the implementation; its name when it is the only one of its kind
};

// A run whose participants are all of `kind`.
struct Control {
  std::string name = {};  // "all-lodestar"
  std::string kind = {};
};

// The answers of one participant, in order; nothing at the end.
using NextAnswer = std::function<Result<std::optional<Observation>>()>;

// Reads all side by side, whoever is behind first, and compares them. Errors: of a participant.
Result<RunFindings> compare_run(std::span<NextAnswer> participants);

// What a control says beside the first disagreement of the run that it is a control of.
enum class ControlSays : std::uint8_t {
  agrees,       // with itself, to its end, at or behind the disagreement
  splits,       // it disagrees with itself
  ends_before,  // it agrees, and ends before the step at which the run splits
  nothing       // fewer than two participants, or no step that two have
};

enum class Between : std::uint8_t {
  nobody,        // the run agrees
  kinds,         // the groups are kinds, and no control speaks against it
  participants,  // kinds are not known: every participant is its own
  across_kinds,  // a kind stands on both sides
  within_kind    // a control of one of the kinds disagrees with itself
};

struct Implication {
  Between between = Between::nobody;
  std::vector<std::string> kinds = {};        // of the first disagreement, in its groups' order
  std::vector<ControlSays> controls = {};     // one each
  std::vector<std::string> confirmed = {};    // kinds whose control agrees
  std::vector<std::string> not_run = {};      // kinds of the disagreement without such a control
  std::vector<std::string> split_kinds = {};  // kinds on both sides, or whose control splits
};

Implication implication_of(const RunFindings& run, std::span<const Participant> participants,
                           std::span<const Control> controls,
                           std::span<const RunFindings> control_runs);

}  // namespace assay::diverge
