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

// `p` is behind the opening quote of a key; moves it behind the closing one (at or behind `end` =
// incomplete).
inline Key scan_key(const char*& p, const char* end) {
  switch (*p) {
    case 'p':
      if (is_key(p, "h\"")) return Key::phase;
      if (is_key(p, "id\"")) return Key::pid;
      break;
    case 't':
      if (is_key(p, "s\"")) return Key::time;
      if (is_key(p, "id\"")) return Key::tid;
      break;
    case 'n':
      if (is_key(p, "ame\"")) return Key::name;
      break;
    case 'd':
      if (is_key(p, "ur\"")) return Key::duration;
      break;
    case 'c':
      if (is_key(p, "at\"")) return Key::category;
      break;
    case 'a':
      if (is_key(p, "rgs\"")) return Key::args;
      break;
    case 'i':
      if (is_key(p, "d\"")) return Key::id;
      if (is_key(p, "d2\"")) return Key::id2;
      break;
    case 's':
      if (is_key(p, "cope\"")) return Key::scope;
      break;
    case 'b':
      if (is_key(p, "p\"")) return Key::bind;
      break;
    default:
      break;
  }
  p = json::string_end(p, end) + 1;
  return Key::other;
}

// The text of a string between its quotes, or of another value as it stands. False = no value or
// incomplete; the caller looks where `p` is.
inline bool scan_text(const char*& p, const char* end, std::string_view& text) {
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
inline bool scan_number_or_text(const char*& p, const char* end, std::int64_t& number,
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
inline bool scan_micros(const char*& p, const char* end, ChromeEvent& event, Nanos& value,
                        bool& has_value, int& decimals) {
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

inline bool scan_member(Key key, const char*& p, const char* end, ChromeEvent& event,
                        int& decimals) {
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
    const Key key = scan_key(p, end);
    p = skip_space(p);
    if (p >= end) return Scan::incomplete;
    if (*p != ':') return Scan::malformed;
    p = skip_space(p + 1);
    const bool is_value = scan_member(key, p, end, event, decimals);
    if (p >= end) return Scan::incomplete;
    if (!is_value) return Scan::malformed;
  }
}

}  // namespace assay::trace
