// SPDX-License-Identifier: Apache-2.0
// The changes of `assay ablate`: things that are on or off, as they are written on a command line
// or in a file, and the configurations that they make of one subject.
//
//   pin=PROVER_PIN=on          an environment variable (env:VAR=VALUE says so explicitly)
//   early='--early-free -x'    words behind the command (flag:WORDS)
//   cap=set:cap=4,1            {cap} in command, environment, input, hooks and build: 4 off, 1 on
//   lto=define:LTO=1           -DLTO=1 in {defines} of the build command
//   pool=patch:pool.diff       a patch, applied to the tree when on
//   size=commit:3fa1c2d        a commit: reverted when off if the tree has it, else applied when on
//
// The same as a file:
//
//   [change.pin]
//   env = "PROVER_PIN=on"      # or flag = "...", define = "...", patch = "...", commit = "..."
//   [change.cap]
//   value = "cap"
//   off = 4
//   on = 1
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "model/design.hpp"
#include "model/subject.hpp"

namespace assay::plan {

inline constexpr std::size_t kMostChanges = 10;

struct ChangeSpec {
  Change change = {};
  std::string where = {};  // "file:line:column"; empty on a command line
  // environment: variable and value; value: placeholder, off and on; definition: NAME or NAME=VALUE
  // in `on`; flag: the words; patch: file in `on`; commit: revision in `on`
  std::string key = {}, off = {}, on = {};
  std::vector<std::string> words = {};
  // patch, commit: what is done to the tree; the caller, who reads files and asks git, sets one.
  std::optional<TreeStep> when_on = {}, when_off = {};
  std::size_t order = 0;  // among the steps: lower ones are done first, equal ones as given

  bool operator==(const ChangeSpec&) const = default;
};

// "NAME=SPEC". Errors: no name, a name that is not letters, digits and _ . -, an empty or unknown
// spec.
Result<ChangeSpec> parse_change(std::string_view text);

// The tables [change.NAME] of a file, in its order; errors with the place, the line and a caret.
// At most 1 MiB.
Result<std::vector<ChangeSpec>> parse_changes(std::string_view toml, const std::string& file);

// Errors: fewer than 2 changes, more than 10 (with a hint how to group them), a name given twice.
Result<void> check_changes(const std::vector<ChangeSpec>& changes);

// The 2^k subjects, bit i of an index = change i on; labels "all off", "pin+early", "all on".
// Errors: a change that nothing uses ({cap} is nowhere, no {defines} in the build command), two
// that set the same variable or value, a patch, commit or definition without a build.
Result<std::vector<Subject>> configurations(const Subject& base,
                                            const std::vector<ChangeSpec>& changes);

}  // namespace assay::plan
