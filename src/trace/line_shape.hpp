// SPDX-License-Identifier: Apache-2.0
// A line as words, and what of it varies from line to line: the base of suggest_rules.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace assay::trace {

enum class RoleWord : std::uint8_t { none, begin, end };

struct Word {
  std::string_view text = {};
  std::uint32_t begin = 0;    // in the line
  std::string_view key = {};  // "job" of job=17, "job":17, job: 17 or job 17
  bool keyed = false;         // by = or :, not only by the word before
  std::uint32_t lead = 0;     // "worker-" of worker-3: bytes in front of `text`, no part of it
  bool varies = false;        // a number, an id, a value
  bool is_key = false;        // the word before = or ": is no part of the message
  bool level = false;         // INFO, level=info: lines that differ only by it are of one shape
  RoleWord role = RoleWord::none;
  std::uint8_t role_begin = 0, role_size = 0;  // the part of the word that is START, END, ...
};

struct LineShape {
  std::vector<Word> words = {};
  std::string shape =
      {};  // the line, \x01 for what varies, \x02 for the level: equal for lines of one template
  std::size_t stamp = 0;  // bytes of the line's own timestamp
};

LineShape shape_of(std::string_view line);

// "ms", "us", "ns", "s", "duration" when a value of that key is a duration; "" otherwise.
std::string_view duration_type(std::string_view key, std::string_view value);
bool is_worker_key(std::string_view key);
bool is_item_key(std::string_view key);
bool is_stage_key(std::string_view key);
bool is_level(std::string_view word);
std::string lower(std::string_view text);

}  // namespace assay::trace
