// SPDX-License-Identifier: Apache-2.0
// `bisect`: Which commit? The ends first, until they differ beyond doubt; then always the run that
// says most for its price about where the change sits (verdict/step_posterior.hpp), until one
// commit has 97 %; then that commit against its parent by the rule of `compare`, whose runs count
// for the posterior too; then inside a merge, what is left on either side, and the bad end without
// the culprit. Commits that do not build, crash or hang stay among the hypotheses.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "experiment/arm_runs.hpp"
#include "experiment/bisect_search.hpp"
#include "experiment/blocks.hpp"
#include "experiment/experiment.hpp"
#include "verdict/pair_test.hpp"

namespace assay::experiment {

inline constexpr std::uint32_t kMostPair = 60;  // runs a side of a confirmation

class Bisect final : public Experiment {
 public:
  explicit Bisect(Plan plan);
  Step next(std::span<const Entry> entries, std::size_t jobs_in_flight) override;
  Progress progress() const override;

 private:
  enum class Phase { warm_up, ends, search, confirm, give_back, over };

  // Two arms compared by the rule, a against b.
  struct Pair {
    std::uint32_t a = 0, b = 0;
    double effect = 0;        // that is expected, log units
    CommitGroup group = {};   // confirm: who is suspected
    std::size_t culprit = 0;  // give_back: whose
    std::optional<verdict::PairTest> test = {};
    std::vector<double> all_a = {}, all_b = {};  // oriented, in run order
  };

  // A line to search: the whole range, the inside of a merge, or what is left beside a culprit.
  struct Line {
    LineSearch search;
    std::optional<std::size_t> inside = {};   // index of the culprit that is this merge
    bool part = false;                        // beside a culprit: a second change is suspected
    bool searched = false;                    // its ends differ
    bool closed = false;                      // with an answer
    std::size_t seen_good = 0, seen_bad = 0;  // runs of the ends that were made before this line
    double effect = 0;                        // between its ends
    std::uint32_t runs = 0;                   // ends and search
    std::uint32_t since_end = 0;              // search runs since an end was run again
    bool end_turn = false;                    // which end is next
    std::uint32_t refuted = 0;
    std::vector<Pair> pairs = {};  // the comparisons made

    bool is_whole() const { return !part && !inside; }
    const Pair* pair_of(std::uint32_t commit) const;  // the last one of it that did not refute
  };

  std::vector<Run> schedule(std::uint32_t block) const;
  bool end_block(std::span<const Trial* const> trials);

  // What follows, by phase; each sets the phase and what the next block runs.
  void begin_line();
  void after_ends();
  void begin_search();
  void look_for_next();
  void begin_pair(Phase phase, Pair pair);
  void after_pair(std::span<const Trial* const> trials);
  void end_confirm();
  void accept(const CommitGroup& group);
  void close_line();
  void begin_give_back();
  void end();

  void run_next(std::vector<std::uint32_t> arms, std::uint32_t per_arm, bool shuffled);
  bool can_afford(std::span<const std::uint32_t> arms, std::uint32_t per_arm) const;
  RunPrice price() const;
  bool has_build(std::uint32_t arm) const { return plan_.arms[arm].build.has_value(); }
  std::uint32_t first() const { return line_->search.path().commits.front(); }
  std::uint32_t last() const { return line_->search.path().commits.back(); }
  bool is_wanted(double effect);
  bool too_different(const verdict::EndsTest& test) const;
  Culprit culprit_of(const Line& line, const CommitGroup& group);
  Culprit open_culprit(const Line& line) const;
  bool supports(const Line& line, const Pair* pair) const;
  std::uint32_t add_finding(const Pair& pair);
  void suspect_rest(const CommitGroup& group);
  void look_inside(std::size_t culprit, std::uint32_t parent);
  std::string name_of(std::uint32_t commit) const;
  std::string answer_of(const BisectFinding& found) const;
  void warn(std::span<const Entry> entries, Conclusion& conclusion) const;
  Conclusion conclude(std::span<const Entry> entries, bool stopped) const;
  BisectFinding finding_now() const;
  std::vector<CommitFinding> commits_of_lines() const;

  Plan plan_;
  std::uint32_t commits_ = 0;
  ArmRuns runs_;
  Phase phase_ = Phase::warm_up;
  std::optional<Line> line_;
  std::vector<Line> open_lines_;    // searched later, the last first
  std::vector<Line> closed_lines_;  // for what every commit was found to be
  std::optional<Pair> pair_;
  std::vector<std::size_t> to_give_back_;  // culprits whose revert is still to be tried
  BisectFinding found_;
  std::vector<MetricFinding> findings_;
  std::string failure_;
  std::optional<EndedBy> ended_by_;
  // The block to run next.
  std::vector<std::uint32_t> next_arms_;
  std::uint32_t next_per_arm_ = 1;
  bool next_shuffled_ = false;
  Blocks blocks_;
};

// With its 99 % interval.
Estimate estimate_of(const verdict::EndsTest& test);

}  // namespace assay::experiment
