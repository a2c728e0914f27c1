// SPDX-License-Identifier: Apache-2.0
// The benchmarks of a suite that is compared: which sides have them, what each run of theirs gave,
// and the rule's test of each. All of them are one family and share the 1 %: a benchmark is sampled
// at .01 / M, and Holm at the end gives back what the decided ones leave over (rule.md section 4).
// Controls, which the change cannot reach, are a family of their own.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "model/conclusion.hpp"
#include "model/plan.hpp"
#include "model/trial.hpp"
#include "verdict/pair_test.hpp"

namespace assay::experiment {

class SuiteCompareTable {
 public:
  // `groups`: what one process runs, indices into SuitePlan::units; they outlive the table.
  SuiteCompareTable(const Plan& plan, const std::vector<std::vector<std::uint32_t>>& groups);

  // The warm-up says which benchmarks there are, and on which side.
  void take_warmup(std::size_t group, const Trial& trial);
  // Behind all warm-ups: how many share the 1 %.
  void end_warmup();
  // One complete block of a group: six runs a side, in the order in which they were made.
  void take_block(std::size_t group, std::span<const Trial* const> trials);
  // The last runs of a group that had no block, fewer than one: for its medians.
  void take_part(std::size_t group, std::span<const Trial* const> trials);
  // No more runs of this group: why.
  void give_up(std::size_t group, const std::string& why);

  // A benchmark of the group waits for its verdict.
  bool is_open(std::size_t group) const;
  // Of those that wait none can get one within `reachable` runs a side (rule.md section 4).
  bool is_futile(std::size_t group, std::uint32_t reachable) const;
  std::size_t open_count() const;
  std::size_t size() const { return rows_.size(); }
  std::uint32_t family() const { return family_; }

  bool control_moved() const;
  SuiteCompareFinding finding() const;

 private:
  using Key = std::pair<std::uint32_t, std::string>;  // unit, id
  struct Side {
    std::vector<double> values = {};
    std::vector<Fact> facts = {};           // as they were first
    std::vector<std::string> varying = {};  // names of those that did not stay
  };
  struct Row {
    SuiteCompareRow row = {};
    std::size_t group = 0;
    bool seen[2] = {false, false};  // ok in the warm-up of that side
    bool closed = false;            // there will be no verdict; row says why
    std::optional<verdict::PairTest> test = {};
    Side sides[2] = {};
  };
  struct Group {
    std::uint32_t runs = 0;
    std::string trouble = {};
    std::vector<double> memory[2] = {};
  };

  Row& row_of(std::size_t group, std::uint32_t unit, const std::string& id);
  void take_run(std::size_t group, const Trial& trial, std::uint32_t number);
  void take_value(Row& row, const Measurement& measurement, const Trial& trial,
                  std::uint32_t number);
  void close(Row& row, Verdict verdict, Reason reason, std::string trouble);
  void compare_facts(Row& row);
  void feed(Row& row);
  MetricFinding finding_of(const Row& row, std::uint32_t index) const;
  void correct_family(std::vector<SuiteCompareRow>& rows) const;

  const Plan& plan_;
  const std::vector<std::vector<std::uint32_t>>& groups_;
  std::map<Key, std::size_t> places_ = {};
  std::vector<Row> rows_ = {};
  std::vector<Group> states_;
  std::uint32_t family_ = 0, controls_ = 0;
  std::optional<std::size_t> memory_metric_ = {};
};

}  // namespace assay::experiment
