// SPDX-License-Identifier: Apache-2.0
#include "trace/importers/chrome_event.hpp"

#include <cstring>

#include "trace/importers/json_scan.hpp"

namespace assay::trace {
namespace {

using json::skip_space;

enum class Key {
  other,
  phase,
  time,
  duration,
  pid,
  tid,
  name,
  category,
  scope,
  id,
  id2,
  args,
  bind
};

// Moves `p` behind `rest` and its closing quote when they stand there.
inline bool is_key(const char*& p, std::string_view rest) {
  if (std::memcmp(p + 1, rest.data(), rest.size()) != 0) return false;  // a few bytes: no call
  p += 1 + rest.size();
  return true;
}

// The text of a string between its quotes, or of another value as it stands. False = no value or
// incomplete; the caller looks where `p` is.
[[gnu::always_inline]] inline bool scan_text(const char*& p, const char* end,
                                             std::string_view& text) {
  if (*p == '"') {
    const char* quote = json::string_end(p + 1, end);
    text = std::string_view(p + 1, static_cast<std::size_t>(quote - p - 1));
    p = quote + 1;
    return quote < end;
  }
  const char* behind = json::skip_value(p, end);
  if (behind == nullptr) {
    p = end;
    return false;
  }
  text = std::string_view(p, static_cast<std::size_t>(behind - p));
  const bool is_value = behind != p;
  p = behind;
  return is_value;
}

inline bool is_delimiter(char c) { return c == ',' || c == '}' || json::is_space(c); }

// An integer, or the text of whatever stands there.
[[gnu::always_inline]] inline bool scan_number_or_text(const char*& p, const char* end,
                                                       std::int64_t& number,
                                                       std::string_view& text) {
  int decimals = 0;
  if (*p != '"') {
    const char* behind = json::scan_fixed<0>(p, number, decimals);
    if (behind != nullptr && is_delimiter(*behind) && decimals == 0) {
      p = behind;
      text = {};
      return true;
    }
  }
  return scan_text(p, end, text);
}

// Microseconds, as nanoseconds; also within quotes.
[[gnu::always_inline]] inline bool scan_micros(const char*& p, const char* end, ChromeEvent& event,
                                               Nanos& value, bool& has_value, int& decimals) {
  const char* number = *p == '"' ? p + 1 : p;
  const char* behind = json::scan_fixed<3>(number, value, decimals);
  if (behind != nullptr && number != p) behind = *behind == '"' ? behind + 1 : nullptr;
  if (behind != nullptr && (is_delimiter(*behind) || behind >= end)) {
    has_value = true;
    p = behind;
    return true;
  }
  std::string_view ignored;
  event.has_bad_number = true;
  return scan_text(p, end, ignored);
}

[[gnu::always_inline]] inline bool scan_member(Key key, const char*& p, const char* end,
                                               ChromeEvent& event, int& decimals) {
  std::string_view text;
  int ignored = 0;
  switch (key) {
    case Key::phase:
      if (*p == '"' && p[1] != '\\' && p[2] == '"') {
        event.phase = p[1];
        p += 3;
        return true;
      }
      event.phase = 0;
      return scan_text(p, end, text);
    case Key::time:
      return scan_micros(p, end, event, event.time, event.has_time, decimals);
    case Key::duration:
      return scan_micros(p, end, event, event.duration, event.has_duration, ignored);
    case Key::pid:
      return scan_number_or_text(p, end, event.pid, event.pid_text);
    case Key::tid:
      return scan_number_or_text(p, end, event.tid, event.tid_text);
    case Key::name:
      return scan_text(p, end, event.name);
    case Key::category:
      return scan_text(p, end, event.category);
    case Key::scope:
      return scan_text(p, end, event.scope);
    case Key::id:
      return scan_text(p, end, event.id);
    case Key::bind:
      if (!scan_text(p, end, text)) return false;
      event.binds_enclosing = text == "e";
      return true;
    case Key::args:
    case Key::id2:
      if (*p != '{') {
        return scan_text(p, end, text);
      } else {
        const char* behind = json::skip_nested(p, end);
        if (behind == nullptr) {
          p = end;
          return false;
        }
        (key == Key::args ? event.args : event.id2) =
            std::string_view(p, static_cast<std::size_t>(behind - p));
        p = behind;
        return true;
      }
    case Key::other:
      break;
  }
  return scan_text(p, end, text);
}

// The member whose key ends at `p`: its colon and its value. One instance a key, so that a key is
// told apart once.
template <Key kKey>
[[gnu::always_inline]] inline Scan scan_rest(const char*& p, const char* end, ChromeEvent& event,
                                             int& decimals) {
  p = skip_space(p);
  if (p >= end) return Scan::incomplete;
  if (*p != ':') return Scan::malformed;
  p = skip_space(p + 1);
  const bool is_value = scan_member(kKey, p, end, event, decimals);
  if (p >= end) return Scan::incomplete;
  return is_value ? Scan::complete : Scan::malformed;
}

// The member whose key's opening quote is before `p`.
[[gnu::always_inline]] inline Scan scan_key_and_rest(const char*& p, const char* end,
                                                     ChromeEvent& event, int& decimals) {
  switch (*p) {
    case 'p':
      if (is_key(p, "h\"")) return scan_rest<Key::phase>(p, end, event, decimals);
      if (is_key(p, "id\"")) return scan_rest<Key::pid>(p, end, event, decimals);
      break;
    case 't':
      if (is_key(p, "s\"")) return scan_rest<Key::time>(p, end, event, decimals);
      if (is_key(p, "id\"")) return scan_rest<Key::tid>(p, end, event, decimals);
      break;
    case 'n':
      if (is_key(p, "ame\"")) return scan_rest<Key::name>(p, end, event, decimals);
      break;
    case 'd':
      if (is_key(p, "ur\"")) return scan_rest<Key::duration>(p, end, event, decimals);
      break;
    case 'c':
      if (is_key(p, "at\"")) return scan_rest<Key::category>(p, end, event, decimals);
      break;
    case 'a':
      if (is_key(p, "rgs\"")) return scan_rest<Key::args>(p, end, event, decimals);
      break;
    case 'i':
      if (is_key(p, "d\"")) return scan_rest<Key::id>(p, end, event, decimals);
      if (is_key(p, "d2\"")) return scan_rest<Key::id2>(p, end, event, decimals);
      break;
    case 's':
      if (is_key(p, "cope\"")) return scan_rest<Key::scope>(p, end, event, decimals);
      break;
    case 'b':
      if (is_key(p, "p\"")) return scan_rest<Key::bind>(p, end, event, decimals);
      break;
    default:
      break;
  }
  p = json::string_end(p, end) + 1;
  return scan_rest<Key::other>(p, end, event, decimals);
}

}  // namespace

Scan scan_chrome_event(const char*& at, const char* end, ChromeEvent& event, int& decimals) {
  event = {};
  const char* p = at + 1;
  for (;;) {
    p = skip_space(p);
    if (*p == ',') p = skip_space(p + 1);
    if (*p == '}') {
      at = p + 1;
      return Scan::complete;
    }
    if (p >= end) return Scan::incomplete;
    if (*p != '"') return Scan::malformed;
    ++p;
    const Scan member = scan_key_and_rest(p, end, event, decimals);
    if (member != Scan::complete) return member;
  }
}

}  // namespace assay::trace
