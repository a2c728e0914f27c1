// SPDX-License-Identifier: Apache-2.0
// What was predicted, held against what was measured.
//
//   RULED OUT   the measured interval lies below the prediction (or beyond it on the other side of
//               zero): what the mechanism can account for is bounded, and the bound is too small
//   CONFIRMED   the measured interval lies inside the prediction
//   OPEN        anything else: nothing measured, an interval across an edge, more than predicted
//
// Errors. The interval is one of 99 %: an effect that lies inside the prediction is RULED OUT, and
// one that lies outside is CONFIRMED, in at most 0.5 % of the tests, and 1 % where seconds or bytes
// were predicted, because the baseline's median has an interval of its own. For shapes the words
// are those of `sweep`: FLAT, TREND and STEP hold with the errors that
// docs/operating_characteristics.md states. A record whose interval is of another kind gives a
// number and no word. `assay simulate case` measures the rates.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cases/case.hpp"
#include "cases/effects.hpp"
#include "model/record.hpp"

namespace assay::cases {

enum class Word { ruled_out, confirmed, open };
std::string_view to_word(Word word);  // "RULED OUT", "CONFIRMED", "OPEN"

// A part of the gap, as fractions of it; the ends are of 99 % each.
struct Share {
  double value = 0;
  std::optional<double> lo = {}, hi = {};
};

struct HypothesisStatus {
  std::size_t hypothesis = 0;  // index into the case
  Word word = Word::open;
  std::string reason = {};  // a clause: "cannot explain more than 4 % of the gap"
  std::optional<Measured> measured = {};
  std::optional<ShapeSeen> seen = {};
  std::optional<Share> share = {};
  std::size_t tests = 0;                    // records that measured it; the last one decides
  std::optional<double> more_runs = {};     // a side, that would decide it, predicted
  std::optional<double> more_seconds = {};  // of machine time for those
  std::string next = {};   // OPEN: a command or a sentence that would decide it; may be empty
  std::string price = {};  // of that: as stated in the file, or predicted
  std::vector<std::string> notes = {};
};

// The gap less the effects that are proven, in one quantity. Ends are added end to end: the line
// holds whatever the parts' errors have to do with one another. Never clipped.
struct Remainder {
  Quantity quantity = Quantity::seconds;
  Effect gap = {}, rest = {};
  std::string gap_source = {};
  std::vector<std::size_t> explained = {};  // indices of hypotheses
  std::optional<Share> share = {};
};

struct Fact {
  std::size_t evidence = 0;
  std::string text = {};  // "SLOWER +6.1 % [+5.2, +7.0], wall"
};

struct RoundStatus {
  std::size_t round = 0;
  std::string effect = {};  // of its record; empty without
};

struct CaseStatus {
  std::vector<HypothesisStatus> hypotheses = {};
  std::vector<Remainder> remainders = {};  // one a quantity; none while the gap is not known
  std::vector<Fact> facts = {};
  std::vector<RoundStatus> rounds = {};
  bool patch_on_patch = false;             // three rounds or more
  std::optional<double> run_seconds = {};  // machine time of a run, by the gap's record
  std::size_t open = 0, ruled_out = 0, confirmed = 0;
  std::string sentence = {};               // the whole in one or two sentences
  std::vector<std::string> warnings = {};  // records that are missing or say nothing
};

inline constexpr std::size_t kPatchOnPatch = 3;

// `records`: those of the case that the store has, in any order.
CaseStatus status_of(const Case& of, std::span<const Record> records);

// What `size` and `effect` say of each other; the reason is for people. `share` may be nothing.
struct Judgement {
  Word word = Word::open;
  std::string reason = {};
  std::optional<double> more_runs = {};
};
Judgement judge(const Size& size, const Measured& measured, const std::optional<Share>& share);
Judgement judge(const ShapeClaim& claim, const ShapeSeen& seen);

// Ids of all records that the case names, each once.
std::vector<std::string> records_of(const Case& of);

}  // namespace assay::cases
