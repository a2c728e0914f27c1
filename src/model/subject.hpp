// SPDX-License-Identifier: Apache-2.0
// What can be run: a command, where and with what, and optionally how it is built from a revision.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace assay {

// What is done to a tree behind the checkout: a patch applied, a commit applied on top or taken
// back.
enum class TreeStepKind { patch, pick, revert };
struct TreeStep {
  TreeStepKind kind = TreeStepKind::patch;
  std::string what = {};  // for people: the patch's file name, the revision as asked
  std::string data = {};  // patch: its text; pick, revert: the commit, in full

  bool operator==(const TreeStep&) const = default;
};

// A git revision that a subject is built from, once, in a worktree of a mirror in the store.
struct BuildSpec {
  std::string repository = {};       // absolute path of the user's checkout
  std::string revision = {};         // as asked: "main", "HEAD~3"
  std::string commit = {};           // resolved, 40 hex digits; empty before resolution
  std::string command = {};          // run by /bin/sh in the worktree; empty = nothing to build
  std::vector<TreeStep> steps = {};  // in order, in front of the command

  bool operator==(const BuildSpec&) const = default;
};

struct Subject {
  std::string label = {};              // for people; the command line unless --name was given
  std::vector<std::string> argv = {};  // never empty in a valid plan
  std::vector<std::pair<std::string, std::string>> env = {};  // on top of the caller's environment
  std::string cwd = {};                                       // absolute; empty = where assay runs
  std::string input = {};                                     // file on stdin; empty = /dev/null
  std::string setup{}, cleanup{};     // shell commands, once an arm; empty = none
  std::string prepare{}, conclude{};  // shell commands around every run, untimed; empty = none
  std::optional<BuildSpec> build = {};
  std::string binary_digest = {};  // sha256 of the resolved executable; empty when unknown

  bool operator==(const Subject&) const = default;
};

}  // namespace assay
