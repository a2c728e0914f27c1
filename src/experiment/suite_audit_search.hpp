// SPDX-License-Identifier: Apache-2.0
// Which of the units in front of a victim make it what it is? Asked as runs: a part of them in
// their order, the victim behind. In this order, the cheap questions first:
//   1. those that polluted others                        [polluter, victim]
//   2. the predecessor                                   [last, victim]
//   3. halving, as if one were enough: the later half is run; when it is innocent the earlier one
//      is taken to be guilty without a run. What is left is run with the victim alone.
//   4. when that one is innocent, several are needed: by halving, the shortest beginning that still
//      pollutes, whose last unit is needed, and so on; then ddmin on those, to a set from which
//      none can be left out (1-minimal). Also right where a unit in between undoes what another
//      did.
// A search knows only answers; whoever asks runs the parts, and a fresh search with the same
// answers is at the same question. Ref: Zeller and Hildebrandt, Simplifying and Isolating
// Failure-Inducing Input, IEEE TSE 28, 2002.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace assay::experiment {

class PolluterSearch {
 public:
  using Units = std::vector<std::uint32_t>;

  // sequence: what ran in front of the victim, in order, none twice; known to pollute as a whole.
  // known: sets to try first, the likeliest first; those that are not all in the sequence are not.
  explicit PolluterSearch(Units sequence, std::vector<Units> known = {});

  // What to run in front of the victim next, in order and never empty; nothing when found() is the
  // answer.
  const std::optional<Units>& question() const { return question_; }
  // What came out of `part`; also one that was not asked for.
  void answer(const Units& part, bool polluted);
  // Units that pollute together, in order; empty until there is no question left.
  const Units& found() const { return found_; }
  // Units that are still suspected, for progress.
  std::size_t suspects() const { return suspects_; }

 private:
  std::optional<bool> ask(const Units& part);
  void solve();
  std::optional<Units> try_known();
  std::optional<Units> halve();
  Units narrow();
  Units minimise(Units units);

  Units sequence_;
  std::vector<Units> known_;
  std::map<Units, bool> answers_;
  std::optional<Units> question_;
  Units found_;
  std::size_t suspects_ = 0;
};

}  // namespace assay::experiment
