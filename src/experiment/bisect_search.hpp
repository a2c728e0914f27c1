// SPDX-License-Identifier: Apache-2.0
// One line of commits under search: what its runs say of every commit, and which run says most for
// its price.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "experiment/arm_runs.hpp"
#include "experiment/bisect_path.hpp"
#include "verdict/step_posterior.hpp"

namespace assay::experiment {

inline constexpr double kNamed = 0.97;  // posterior from which on a commit is named

// Positions first..last of a line that no run can tell apart, because only `last` can be measured.
struct CommitGroup {
  std::size_t first = 1, last = 1;
  double probability = 0;
};

struct RunPrice {
  double run_s = 1, build_s = 0;
  bool warms_up = false;  // the first run of an arm is discarded
};

struct RunChoice {
  std::size_t position = 0;
  std::uint32_t runs = 1;
};

class LineSearch {
 public:
  explicit LineSearch(CommitPath path) : path_(std::move(path)) {}

  // After new runs of its commits. Both ends must have two.
  void update(const ArmRuns& runs);

  const CommitPath& path() const { return path_; }
  std::size_t size() const { return path_.commits.size(); }
  const verdict::StepPosterior& posterior() const { return posterior_; }
  CommitGroup likeliest() const { return likeliest_; }
  // The fewest positions with 97 %, ascending; all when that is not reached.
  std::vector<std::size_t> smallest_set() const;
  // Which commit to run next; nothing when every one between the ends is broken.
  std::optional<RunChoice> choose(const ArmRuns& runs, const RunPrice& price) const;
  // Runs of built commits that would probably name one.
  std::uint32_t runs_to_name() const;
  // A comparison of its own said that these did not change it.
  void doubt(const CommitGroup& group);
  // Mean of everything behind position `at` against everything before it.
  verdict::EndsTest sides_of(std::size_t at, const ArmRuns& runs) const;

 private:
  double strength() const;  // effect / noise of one run

  CommitPath path_;
  verdict::StepPosterior posterior_;
  std::vector<double> behind_;
  CommitGroup likeliest_;
};

}  // namespace assay::experiment
