// SPDX-License-Identifier: Apache-2.0
// A suite described by a TOML file: how it is listed, how units are run, what is printed.
// docs/manual/suite.md shows every key.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/document.hpp"
#include "base/result.hpp"

namespace assay::suite {

enum class LinesAre { units, ids, families };
enum class ResultsFrom { out, err, file };

struct LineRule {
  std::string pattern = {};  // RE2, with a group named id
  Position at = {};          // of the pattern
  double seconds = 1;        // one unit of the group `value`, in seconds
};

struct TomlRules {
  std::vector<std::string> command = {};  // for when none is given
  std::vector<std::string> list = {};     // empty: `units` says it
  std::vector<std::string> units = {};
  std::vector<std::string> run = {};
  std::vector<std::pair<std::string, std::string>> env = {};
  LinesAre lines_are = LinesAre::units;  // of the listing
  std::string separator = ",";           // of units in one word
  bool joins = true, reorders = false, repeats = false;
  ResultsFrom from = ResultsFrom::out;
  std::string format = {};  // a result format; empty: `lines` read it
  std::vector<LineRule> lines = {};
};

// Errors: not TOML, an unknown key or word (with the nearest one), a value of another kind, no way
// to list or to run, no results; with file, line and column.
Result<TomlRules> parse_toml_rules(const std::string& text, const std::string& file);

// `words` with {command} and {units} (a word of their own: one word each), {units} inside a word
// (joined by the separator), {pattern} (a regular expression that matches their names) and
// {results}.
std::vector<std::string> fill_words(const TomlRules& rules, const std::vector<std::string>& words,
                                    const std::vector<std::string>& command,
                                    const std::vector<std::string>& units,
                                    const std::string& results);

}  // namespace assay::suite
