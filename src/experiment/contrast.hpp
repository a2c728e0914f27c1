// SPDX-License-Identifier: Apache-2.0
// One effect by the rule of `compare`: two arms, or the interaction of a 2x2. The logs of the arms
// on the plus side are added run by run, and those of the minus side: with four arms both sides
// have the noise of two runs, and they are alike when the two changes do not interact.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "model/conclusion.hpp"
#include "model/plan.hpp"
#include "verdict/pair_test.hpp"

namespace assay::experiment {

struct Contrast {
  std::vector<std::uint32_t> plus = {}, minus = {};  // arms, as many on either side
  std::vector<std::uint32_t> arms() const;
};

class ContrastTest {
 public:
  // alpha: of this test; tolerance: a fraction; most_runs: per side.
  ContrastTest(const Plan& plan, Contrast contrast, double alpha, double tolerance,
               std::uint32_t most_runs);

  // Six logs of every arm, in the order of contrast().arms().
  void add_block(const std::vector<std::vector<double>>& logs);

  const Contrast& contrast() const { return contrast_; }
  bool is_open() const { return test_.is_open(); }
  // Open, and another look may come and may decide.
  bool goes_on() const;
  Verdict verdict() const { return test_.verdict(); }
  std::uint32_t runs() const { return test_.runs(); }
  // arm: the one that the finding is about.
  MetricFinding finding(std::uint32_t arm) const;

 private:
  const Plan& plan_;
  std::uint32_t metric_ = 0;
  Contrast contrast_;
  std::uint32_t most_runs_ = 0;
  verdict::PairTest test_;
  std::vector<double> plus_, minus_;  // sums of logs, per run
};

}  // namespace assay::experiment
