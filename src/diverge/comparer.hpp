// SPDX-License-Identifier: Apache-2.0
// Compares the answers of several participants to the same steps while they are read, in memory
// that does not grow with their number. Steps are kept open until kMostOpen later ones are there;
// then, in ascending order, they are settled: their answers are compared and forgotten. An answer
// that comes again replaces the one before (a node that goes back answers anew), so what is
// compared is each participant's last word. What comes for a step that is settled already is
// counted, not compared.
#pragma once

#include <map>

#include "diverge/findings.hpp"

namespace assay::diverge {

class Comparer {
 public:
  static constexpr std::size_t kMostOpen = 65'536;
  static constexpr std::uint64_t kStall = 3;  // lines without growth that are worth a word

  explicit Comparer(std::size_t participants, std::size_t most_open = kMostOpen);

  // In the order of the participant's file. Whose turn it is does not matter as long as nobody gets
  // kMostOpen steps ahead of another.
  void add(std::size_t participant, Observation seen);
  // Settles what is open. The comparer is of no further use.
  RunFindings finish();

 private:
  struct State {
    bool any = false;
    std::int64_t previous = 0, highest = 0;
    std::uint64_t highest_first = 0, highest_last = 0, highest_repeats = 0;
    bool rewound = false;  // a rewind whose `from` has not been passed yet
    Rewind rewind = {};
  };
  using Answers = std::vector<std::optional<Answer>>;

  void follow(std::size_t participant, const Observation& seen);
  void close_rewind(std::size_t participant);
  void close_stall(std::size_t participant);
  void settle(std::int64_t step, const Answers& answers);
  void settle_common(std::int64_t step, const Answers& answers);
  void agree_again(std::int64_t step, const Answers& answers);
  void extend_phase(std::int64_t step, const Answers& answers);
  void find_stops();
  void drop_shared_stalls();

  std::size_t most_open_;
  std::map<std::int64_t, Answers> open_ = {};
  std::optional<std::int64_t> settled_to_ = {};
  std::vector<State> states_ = {};
  RunFindings findings_ = {};
};

}  // namespace assay::diverge
