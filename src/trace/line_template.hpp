// SPDX-License-Identifier: Apache-2.0
// Lines of one shape, and the pattern of a rules file that matches them and says what they say.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "trace/line_shape.hpp"

namespace assay::trace {

struct Row {
  std::uint32_t line = 0;
  std::vector<std::string_view> values = {};  // of the words that vary, in order
};

struct Template {
  std::string_view example = {};
  LineShape shape = {};
  std::vector<std::size_t> varying = {};  // indices of words
  std::vector<Row> rows = {};
  // Of the varying word i: its name as a field, and its type when it is a duration.
  std::vector<std::string> names = {};
  std::vector<std::string> durations = {};
  bool used = false;

  const Word& word(std::size_t i) const { return shape.words[varying[i]]; }
  int find(std::string_view name) const;
  int duration() const;  // the first varying word that is one, or -1
  const Word* role(RoleWord wanted) const;
  // How many values a field has in the lines.
  std::size_t cardinality(std::size_t field) const;
};

// How much of a line counts as its text: `message` leaves the level and what stands in front of the
// message (the target of "engine: proving", a logger's name) away; `targets` has these too; `all`
// is the line from its first to its last word.
enum class Width : std::uint8_t { message, targets, all };

std::string field_name(std::string_view key);
bool is_time_key(std::string_view key);
// Fills names and durations from the rows.
void name_fields(Template& made);

// The words that say what a line is about, lower case, without the word that begins or ends it (its
// rest, when it is "gpu_start") and without words that only join.
std::vector<std::string> words_of(const Template& made, RoleWord role, Width width);
// The same as one name, load_user_from_db, with the joining words between others; "" when no word
// is left. `whole`: every word, those too that only join.
std::string phrase_of(const Template& made, RoleWord role, Width width, bool whole = false);

struct LineMatch {
  std::string match = {};
  std::vector<std::string> pairs = {};  // fields outside of `match`, in any order
};

// A pattern of all of the line's text of that width, with the fields `wanted` (indices of varying
// words; `duration` of them is called d, -1 = none). Nothing when it would have too many fields or
// no text to search for.
std::optional<LineMatch> match_of(const Template& made, const std::set<std::size_t>& wanted,
                                  RoleWord role, int duration, Width width);

}  // namespace assay::trace
