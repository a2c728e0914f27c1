// SPDX-License-Identifier: Apache-2.0
// What comparing the answers of several participants found: where they last agreed, where they
// first disagreed, and what in each of their logs is not as it should be. Plain data; a step is an
// integer that grows (a slot, a block, a height), an answer is a text (a root, a hash). Lists keep
// the first kMostKept of their kind; the counts beside them count all.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace assay::diverge {

inline constexpr std::size_t kMostKept = 20;
inline constexpr std::size_t kMostPhases = 1000;

struct Observation {
  std::int64_t step = 0;
  std::string value = {};
  std::uint64_t line = 0;  // in the participant's file, from 1
};

// One participant's answer to one step.
struct Answer {
  std::string value = {};
  std::uint64_t line = 0;
};

// A step that all who have it (two at least) answered alike, or not: an answer for each
// participant, nothing where it has none.
struct StepAnswers {
  std::int64_t step = 0;
  std::vector<std::optional<Answer>> answers = {};
};

struct Rewind {
  std::int64_t from = 0, to = 0;  // the step before, the lower one behind it
  std::uint64_t line = 0;         // of `to`
  std::uint64_t repeated = 0;     // steps that came again until `from` was passed
  std::uint64_t changed = 0;      // of these, with another answer
};

// The highest step so far came again and again, and nothing grew between.
struct Stall {
  std::int64_t step = 0;
  std::uint64_t first_line = 0, last_line = 0;
  std::uint64_t repeats = 0;  // lines with that step behind the first
};

// The same step with another answer. The later one is compared with the others'.
struct Changed {
  std::int64_t step = 0;
  Answer was = {}, now = {};
};

// Consecutive steps, of those that anybody has: from and to, and how many.
struct Range {
  std::int64_t from = 0, to = 0;
  std::uint64_t steps = 0;
};

// What a file had besides answers.
struct Lines {
  std::uint64_t lines = 0, bytes = 0;
  std::uint64_t with_answer = 0;
  std::uint64_t no_value = 0, bad_step = 0, bad_json = 0, long_lines = 0;
  std::uint64_t first_no_value = 0, first_bad_step = 0, first_bad_json = 0;  // line numbers
  bool torn = false;                                                         // the last line
  // While no line has an answer: what the first lines have, as --key and --value name it.
  std::vector<std::string> names = {};
};

struct ParticipantFindings {
  std::uint64_t answers = 0;                   // observations
  std::int64_t first_step = 0, last_step = 0;  // lowest and highest; when answers > 0
  std::uint64_t last_line = 0;                 // where the highest came first
  std::vector<Rewind> rewinds = {};
  std::uint64_t rewind_count = 0;
  // Where the log goes on after it, and nobody else stalls at the same step.
  std::vector<Stall> stalls = {};
  std::uint64_t stall_count = 0;
  std::vector<Changed> changed = {};
  std::uint64_t changed_count = 0;
  std::uint64_t repeated_count = 0;  // the same step with the same answer
  std::vector<Range> missing = {};   // steps that others have
  std::uint64_t missing_count = 0;
  std::vector<Range> alone = {};  // steps that nobody else has
  std::uint64_t alone_count = 0;
  // The highest step when others go on to higher ones; repeats may be 0.
  std::optional<Stall> stops = {};
  std::uint64_t late_count = 0;  // came too late to be compared (see Comparer)
  std::uint64_t late_line = 0;   // the first of them
};

// Consecutive steps with the same grouping. groups[p] is the number of participant p's group,
// counted from 0 in the order of participants; nothing where p had no answer in all of them.
struct Phase {
  std::int64_t from = 0, to = 0;
  std::uint64_t steps = 0;
  std::vector<std::optional<std::uint32_t>> groups = {};
};

struct RunFindings {
  std::vector<ParticipantFindings> participants = {};
  std::uint64_t steps = 0;                      // that anybody has
  std::uint64_t common = 0;                     // that two at least have
  std::uint64_t disagreements = 0;              // of these, not alike
  std::optional<StepAnswers> last_agreed = {};  // before the first disagreement
  std::optional<StepAnswers> first_disagreed = {};
  // Behind it: steps that are answered alike, also by two who disagreed there. Up to the next
  // disagreement they are one range.
  std::vector<Range> agreed_again = {};
  std::uint64_t agreed_again_count = 0;
  // The first step of the last of these ranges when no disagreement follows it.
  std::optional<std::int64_t> agrees_since = {};
  std::vector<Phase> phases = {};
  std::uint64_t phases_left_out = 0;
};

}  // namespace assay::diverge
