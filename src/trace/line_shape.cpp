// SPDX-License-Identifier: Apache-2.0
#include "trace/line_shape.hpp"

#include <algorithm>
#include <array>
#include <span>

#include "trace/timestamps.hpp"

namespace assay::trace {
namespace {

using Words = std::span<const std::string_view>;

constexpr std::string_view kBegins[] = {"start",  "started",   "starting", "begin",    "began",
                                        "begins", "beginning", "enter",    "entered",  "entering",
                                        "open",   "opened",    "acquire",  "acquired", "accepted",
                                        "launch", "launched",  "spawn",    "spawned"};
constexpr std::string_view kEnds[] = {"end",       "ended",   "ending",   "finish",    "finished",
                                      "finishing", "done",    "complete", "completed", "exit",
                                      "exited",    "exiting", "stop",     "stopped",   "close",
                                      "closed",    "release", "released", "leave",     "left"};
constexpr std::string_view kWorkers[] = {"worker", "worker_id", "workerid", "thread", "thread_id",
                                         "tid",    "gpu",       "gpu_id",   "device", "core",
                                         "cpu",    "lane",      "stream",   "slot",   "executor"};
constexpr std::string_view kItems[] = {
    "job",       "job_id",     "jobid",   "id",       "request",  "request_id", "req",    "req_id",
    "requestid", "task",       "task_id", "item",     "item_id",  "partition",  "part",   "chunk",
    "block",     "block_id",   "batch",   "batch_id", "trace_id", "uuid",       "key",    "order",
    "msg_id",    "message_id", "tx",      "shard",    "index",    "seq",        "session"};
constexpr std::string_view kStages[] = {"stage",     "phase",    "step",   "span", "op",
                                        "operation", "name",     "kernel", "func", "function",
                                        "method",    "route",    "query",  "cmd",  "command",
                                        "handler",   "endpoint", "path",   "url",  "uri"};
constexpr std::string_view kMessages[] = {"msg",   "message", "event",  "evt",    "action",
                                          "state", "status",  "level",  "lvl",    "severity",
                                          "type",  "kind",    "target", "logger", "module"};
constexpr std::string_view kLevels[] = {"info",  "debug",  "warn",  "warning", "error",
                                        "trace", "notice", "fatal", "critical"};

constexpr std::string_view kLevelKeys[] = {"level", "lvl", "severity"};
constexpr std::size_t kLevelWithin = 6;  // words at the front of a line

bool contains(Words words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_alpha(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_word_char(char c) {
  return is_digit(c) || is_alpha(c) || c == '_' || c == '.' || c == '-' || c == '/' || c == '+' ||
         c == '#' || c == '@' || c == '%' || c == '*' || static_cast<unsigned char>(c) >= 0x80;
}

// The part between _, - and . (or a change to upper case) that begins or ends something.
void find_role(Word& word) {
  const std::string_view text = word.text;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= text.size() && i < 250; ++i) {
    const bool cut = i == text.size() || text[i] == '_' || text[i] == '-' || text[i] == '.';
    const bool hump = i > 0 && i < text.size() && text[i] >= 'A' && text[i] <= 'Z' &&
                      text[i - 1] >= 'a' && text[i - 1] <= 'z';
    if (!cut && !hump) continue;
    const std::string part = lower(text.substr(begin, i - begin));
    const RoleWord role = contains(kBegins, part) ? RoleWord::begin
                          : contains(kEnds, part) ? RoleWord::end
                                                  : RoleWord::none;
    if (role != RoleWord::none) {
      word.role = role;
      word.role_begin = static_cast<std::uint8_t>(begin);
      word.role_size = static_cast<std::uint8_t>(i - begin);
    }
    begin = hump ? i : i + 1;
  }
}

bool has_digit(std::string_view text) { return std::ranges::any_of(text, is_digit); }

// "abcdef01" has a digit; "deadbeef" is an id too.
bool is_hex_id(std::string_view text) {
  return text.size() >= 8 && std::ranges::all_of(text, [](char c) {
           return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F') || c == '-';
         });
}

// The key of the word that begins at `at`: what stands before = or : (and quotes) in front of it.
void find_key(std::string_view line, LineShape& shape, Word& word) {
  std::size_t at = word.begin;
  const std::size_t floor = shape.stamp;
  const auto before = [&]() { return at > floor ? line[at - 1] : '\0'; };
  if (before() == '"' || before() == '\'') --at;
  while (before() == ' ') --at;
  const bool equals = before() == '=', colon = before() == ':';
  if (!equals && !colon) {  // "job 17": the word before, if nothing else stands between
    if (at == word.begin || shape.words.empty()) return;
    const Word& last = shape.words.back();
    if (!last.varies && !last.keyed && last.begin + last.text.size() == at) word.key = last.text;
    return;
  }
  --at;
  if (before() == '"') --at;
  if (shape.words.empty()) return;
  Word& key = shape.words.back();
  if (key.begin + key.text.size() != at || key.varies) return;
  if (colon && key.level) return;  // "INFO: 12 proofs"
  // "engine: proving" is a target and its message, "{"a":1}" and a=1 are pairs.
  const bool json = line[at] == '"';
  if (colon && !json && !has_digit(word.text)) return;
  word.key = key.text;
  word.keyed = true;
  key.is_key = true;
}

// The end of the quoted value that begins at `at` ("connection reset by peer" is one value, not
// four words); `end` when no quote stands there, none closes, or a word inside begins or ends
// something.
std::size_t quoted_end(std::string_view line, std::size_t at, std::size_t end) {
  if (at == 0 || (line[at - 1] != '"' && line[at - 1] != '\'')) return end;
  std::size_t close = end;
  while (close < line.size() && line[close] != line[at - 1]) close += line[close] == '\\' ? 2 : 1;
  if (close >= line.size()) return end;
  for (std::size_t word = at; word < close;) {
    std::size_t behind = word;
    while (behind < close && is_word_char(line[behind])) ++behind;
    Word inside;
    inside.text = line.substr(word, behind - word);
    find_role(inside);
    if (inside.role != RoleWord::none) return end;
    word = behind + 1;
  }
  return close;
}

bool is_level_word(const LineShape& shape, const Word& word) {
  if (!is_level(word.text)) return false;
  if (word.keyed) return contains(kLevelKeys, lower(word.key));
  if (shape.words.size() >= kLevelWithin) return false;
  const bool loud = std::ranges::none_of(word.text, [](char c) { return c >= 'a' && c <= 'z'; });
  return loud || std::ranges::all_of(shape.words, [](const Word& before) {
           return before.varies || before.is_key || before.keyed;
         });
}

// "worker-3", "gpu0": a worker with its number.
void split_worker(Word& word) {
  std::size_t number = word.text.size();
  while (number > 0 && is_digit(word.text[number - 1])) --number;
  if (number == 0 || number == word.text.size() || is_worker_key(word.key)) return;
  std::string_view key = word.text.substr(0, number);
  if (key.back() == '-' || key.back() == '_' || key.back() == '#') key.remove_suffix(1);
  if (!is_worker_key(key)) return;
  word.key = key;
  word.lead = static_cast<std::uint32_t>(number);
  word.begin += word.lead;
  word.text.remove_prefix(number);
}

}  // namespace

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return result;
}

bool is_worker_key(std::string_view key) { return contains(kWorkers, lower(key)); }
bool is_item_key(std::string_view key) { return contains(kItems, lower(key)); }
bool is_stage_key(std::string_view key) { return contains(kStages, lower(key)); }

bool is_level(std::string_view word) { return contains(kLevels, lower(word)); }

std::string_view duration_type(std::string_view key, std::string_view value) {
  const auto stamp = parse_go_duration(value);
  const std::string name = lower(key);
  if (stamp && stamp->length == value.size() && stamp->ns >= 0) return "duration";
  if (value.empty() || !is_digit(value[0])) return {};
  const auto number = parse_decimal(value, 1'000'000'000);
  if (!number || number->length != value.size()) return {};
  static constexpr std::pair<std::string_view, std::string_view> kSuffixes[] = {
      {"_ms", "ms"},     {"_millis", "ms"}, {"ms", "ms"}, {"_us", "us"}, {"_micros", "us"},
      {"_ns", "ns"},     {"_nanos", "ns"},  {"_s", "s"},  {"_sec", "s"}, {"_secs", "s"},
      {"_seconds", "s"}, {"millis", "ms"},  {"Ms", "ms"}};
  for (const auto& [suffix, type] : kSuffixes)
    if (name.ends_with(suffix) && (suffix[0] == '_' || name.size() == suffix.size())) return type;
  return {};
}

LineShape shape_of(std::string_view line) {
  LineShape shape;
  std::size_t at = 0;
  while (at < line.size() && (line[at] == ' ' || line[at] == '[')) ++at;
  if (at < line.size() && is_digit(line[at]))
    if (const auto stamp = line_stamp(line)) shape.stamp = stamp->length;
  at = shape.stamp;
  shape.shape.reserve(line.size());
  while (at < line.size()) {
    if (!is_word_char(line[at])) {
      shape.shape += line[at++];
      continue;
    }
    std::size_t end = at;
    while (end < line.size() && is_word_char(line[end])) ++end;
    while (end > at + 1 && (line[end - 1] == '.' || line[end - 1] == '-')) --end;
    Word word;
    word.text = line.substr(at, end - at);
    word.begin = static_cast<std::uint32_t>(at);
    find_key(line, shape, word);
    const bool message = word.keyed && contains(kMessages, lower(word.key));
    if (word.keyed && !message) {
      end = quoted_end(line, at, end);
      word.text = line.substr(at, end - at);
    }
    find_role(word);
    word.level = is_level_word(shape, word);
    word.varies = has_digit(word.text) || is_hex_id(word.text) || (word.keyed && !message);
    if (word.role != RoleWord::none && (!word.keyed || message)) word.varies = false;
    if (word.varies && !word.keyed) split_worker(word);
    if (word.level) {
      word.varies = false;
      shape.shape += '\x02';
      while (end < line.size() && line[end] == ' ') ++end;  // padding: INFO is shorter than ERROR
    } else if (word.varies) {
      shape.shape.append(line.substr(at, word.lead)) += '\x01';
    } else {
      shape.shape += word.text;
    }
    shape.words.push_back(word);
    at = end;
  }
  return shape;
}

}  // namespace assay::trace
