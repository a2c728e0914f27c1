// SPDX-License-Identifier: Apache-2.0
// What an experiment over many arms varies, and which arm stands for what. The arms themselves are
// made when the plan is made (Plan::arms); nothing here is needed to run one of them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace assay {

// `sweep`: one parameter and its values, in the order in which they were given.
struct Parameter {
  std::string name = {};
  std::vector<std::string> levels = {};

  bool operator==(const Parameter&) const = default;
};

// `ablate`: what a change is made of.
enum class ChangeKind {
  environment,  // NAME=VALUE on top of the environment
  flag,         // words behind the command
  value,        // {NAME} in command, environment and build command: one value off, another on
  definition,   // NAME=VALUE for {defines} of the build command, as -DNAME=VALUE
  patch,        // a patch file, applied to the tree
  commit        // a commit: reverted when off if the tree contains it, else applied when on
};

// One thing that is on or off. In the arm with number `mask`, change i is on when bit i is set.
struct Change {
  std::string name = {};
  ChangeKind kind = ChangeKind::environment;
  std::string spec = {};  // as it was written behind the name

  bool operator==(const Change&) const = default;
};

// `bisect`, `timeline`: a commit and where it hangs.
struct Commit {
  std::string id = {};                      // in full
  std::string subject = {};                 // first line of its message
  std::vector<std::uint32_t> parents = {};  // indices into Design::commits, the first parent first;
                                            // parents that are not listed are left out
  double weight = 1;                        // how likely beforehand, relative to the others; > 0

  bool operator==(const Commit&) const = default;
};

struct Design {
  // sweep: one or two. Arm = row-major index over the levels, the last parameter fastest.
  std::vector<Parameter> parameters = {};
  std::optional<double> memory_budget = {};  // bytes; the largest level that fits is wanted

  // ablate: 2 to 10. Arm = set of changes that are on; arm 0 = all off, the last = all on.
  std::vector<Change> changes = {};
  bool anyway = false;    // go on although all-on and all-off do not differ
  bool adaptive = false;  // choose configurations one by one, although builds are not dear

  // bisect, timeline: parents in front of their children; [0] is the good end (the first), the last
  // one the bad end. Arm i = commit i. bisect only: arm N + i = the bad end with commit i reverted.
  std::vector<Commit> commits = {};
  std::optional<double> expect = {};  // bisect: bad / good as it was reported, 1.05 = +5 %

  double build_timeout_s = 0;  // of one build; 0 = none

  // The command line as it was typed, behind "assay KIND", without the seed and where reports go;
  // what stands behind "--" included. Empty = unknown.
  std::vector<std::string> asked = {};

  bool operator==(const Design&) const = default;
};

}  // namespace assay
