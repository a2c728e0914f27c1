// SPDX-License-Identifier: Apache-2.0
#include "trace/importers/json_scan.hpp"

#include <algorithm>
#include <cstdlib>

#include "base/text.hpp"

namespace assay::trace::json {
namespace {

// What stands where in 64 bytes, a bit a byte.
struct Marks {
  std::uint64_t quote = 0, backslash = 0, open = 0, close = 0;
};

#if defined(__SSE2__)
std::uint64_t bits(__m128i equal, int part) {
  return static_cast<std::uint64_t>(static_cast<unsigned>(_mm_movemask_epi8(equal))) << (16 * part);
}

Marks classify(const char* p) {
  const __m128i quote = _mm_set1_epi8('"'), backslash = _mm_set1_epi8('\\');
  const __m128i open = _mm_set1_epi8('{'), close = _mm_set1_epi8('}'), lower = _mm_set1_epi8(0x20);
  Marks marks;
  for (int part = 0; part < 4; ++part) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p + 16 * part));
    // '[' and ']' differ from '{' and '}' in the bit that tells lower case.
    const __m128i lowered = _mm_or_si128(bytes, lower);
    marks.quote |= bits(_mm_cmpeq_epi8(bytes, quote), part);
    marks.backslash |= bits(_mm_cmpeq_epi8(bytes, backslash), part);
    marks.open |= bits(_mm_cmpeq_epi8(lowered, open), part);
    marks.close |= bits(_mm_cmpeq_epi8(lowered, close), part);
  }
  return marks;
}
#else
Marks classify(const char* p) {
  Marks marks;
  for (int i = 0; i < 64; ++i) {
    const std::uint64_t bit = std::uint64_t{1} << i;
    if (p[i] == '"') marks.quote |= bit;
    if (p[i] == '\\') marks.backslash |= bit;
    if (p[i] == '{' || p[i] == '[') marks.open |= bit;
    if (p[i] == '}' || p[i] == ']') marks.close |= bit;
  }
  return marks;
}
#endif

// Bit i of the result = parity of the bits 0..i: ones from an opening quote up to its closing one.
std::uint64_t prefix_xor(std::uint64_t bits) {
  for (int step = 1; step < 64; step *= 2) bits ^= bits << step;
  return bits;
}

void append_utf8(std::string& out, char32_t code) {
  const auto byte = [&](char32_t value) { out.push_back(static_cast<char>(value)); };
  if (code < 0x80) {
    byte(code);
  } else if (code < 0x800) {
    byte(0xc0 | (code >> 6));
    byte(0x80 | (code & 0x3f));
  } else if (code < 0x10000) {
    byte(0xe0 | (code >> 12));
    byte(0x80 | ((code >> 6) & 0x3f));
    byte(0x80 | (code & 0x3f));
  } else {
    byte(0xf0 | (code >> 18));
    byte(0x80 | ((code >> 12) & 0x3f));
    byte(0x80 | ((code >> 6) & 0x3f));
    byte(0x80 | (code & 0x3f));
  }
}

std::optional<char32_t> hex4(std::string_view text) {
  if (text.size() < 4) return std::nullopt;
  char32_t code = 0;
  for (const char c : text.substr(0, 4)) {
    const char lower = static_cast<char>(c | 0x20);
    if (c >= '0' && c <= '9') {
      code = code * 16 + static_cast<char32_t>(c - '0');
    } else if (lower >= 'a' && lower <= 'f') {
      code = code * 16 + static_cast<char32_t>(lower - 'a' + 10);
    } else {
      return std::nullopt;
    }
  }
  return code;
}

// The \u escape at the front of `text` (behind the u); how many bytes it takes, 0 = wrong.
std::size_t append_code(std::string& out, std::string_view text) {
  std::optional<char32_t> code = hex4(text);
  if (!code) return 0;
  std::size_t used = 4;
  if (*code >= 0xd800 && *code < 0xdc00 && text.substr(4).starts_with("\\u")) {
    const std::optional<char32_t> low = hex4(text.substr(6));
    if (!low || *low < 0xdc00 || *low > 0xdfff) return 0;
    code = 0x10000 + ((*code - 0xd800) << 10) + (*low - 0xdc00);
    used = 10;
  }
  if (*code >= 0xd800 && *code <= 0xdfff) return 0;
  append_utf8(out, *code);
  return used;
}

bool is_clean(std::string_view text) {
  while (!text.empty()) {
    if (text.front() == '\0') return false;
    if (static_cast<unsigned char>(text.front()) < 0x80) {
      text.remove_prefix(1);
      continue;
    }
    const std::size_t length = decode_utf8(text).length;
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

}  // namespace

const char* skip_nested(const char* p, const char* end) {
  std::int64_t depth = 0;
  bool is_inside = false;  // of a string
  while (p < end) {
    const Marks marks = classify(p);
    if (marks.backslash != 0) {
      // Byte by byte up to the end of the block, or one behind it.
      const char* stop = std::min(p + 64, end);
      while (p < stop) {
        const char c = *p++;
        if (c == '"') {
          is_inside = !is_inside;
        } else if (is_inside) {
          if (c == '\\') ++p;
        } else if (c == '{' || c == '[') {
          ++depth;
        } else if ((c == '}' || c == ']') && --depth <= 0) {
          return p;
        }
      }
      continue;
    }
    const std::uint64_t inside = prefix_xor(marks.quote) ^ (is_inside ? ~std::uint64_t{0} : 0);
    is_inside = (inside >> 63) != 0;
    std::uint64_t brackets = (marks.open | marks.close) & ~inside;
    while (brackets != 0) {
      const std::uint64_t bit = brackets & (~brackets + 1);
      brackets ^= bit;
      if ((marks.open & bit) != 0) {
        ++depth;
      } else if (--depth <= 0) {
        return p + std::countr_zero(bit) + 1;
      }
    }
    p += 64;
  }
  return nullptr;
}

std::optional<std::string_view> member(std::string_view object, std::string_view key) {
  std::optional<std::string_view> found;
  each_member(object, [&](std::string_view name, std::string_view value) {
    if (name != key) return false;
    found = value;
    return true;
  });
  return found;
}

std::string unescape(std::string_view written, bool* bad) {
  std::string text;
  text.reserve(written.size());
  bool is_bad = false;
  while (!written.empty()) {
    const std::size_t run = std::min(written.find('\\'), written.size());
    text += written.substr(0, run);
    written.remove_prefix(run);
    if (written.empty()) break;
    constexpr std::string_view kEscapes = "\"\\/bfnrt", kMeanings = "\"\\/\b\f\n\r\t";
    const std::size_t which =
        written.size() < 2 ? std::string_view::npos : kEscapes.find(written[1]);
    std::size_t used = 2;
    if (which != std::string_view::npos) {
      text.push_back(kMeanings[which]);
    } else {
      const std::size_t code =
          written.size() >= 2 && written[1] == 'u' ? append_code(text, written.substr(2)) : 0;
      if (code == 0) {
        is_bad = true;
        text.push_back('\\');
        used = 1;
      } else {
        used = 2 + code;
      }
    }
    written.remove_prefix(used);
  }
  if (!is_clean(text)) {
    is_bad = true;
    text = printable(text, "\t\n\r");
  }
  if (is_bad && bad != nullptr) *bad = true;
  return text;
}

std::string to_text(std::string_view value, bool* bad) {
  if (value.size() >= 2 && value.front() == '"') value = value.substr(1, value.size() - 2);
  return unescape(value, bad);
}

std::optional<double> to_double(std::string_view value) {
  if (value.size() >= 2 && value.front() == '"') value = value.substr(1, value.size() - 2);
  return parse_number(value);
}

const char* scan_decimal(const char* p, int shift, std::int64_t& value) {
  const bool is_negative = *p == '-';
  if (is_negative) ++p;
  // The significant digits, and where the decimal point stands among them.
  std::string digits;
  std::int64_t point = 0;
  bool is_behind = false, has_digits = false;
  for (;; ++p) {
    if (*p == '.' && !is_behind) {
      if (!has_digits) return nullptr;
      is_behind = true;
      has_digits = false;
      continue;
    }
    if (*p < '0' || *p > '9') break;
    has_digits = true;
    if (!is_behind && (!digits.empty() || *p != '0')) ++point;
    if (is_behind && digits.empty() && *p == '0') --point;
    if (digits.empty() && *p == '0') continue;
    if (digits.size() < 40) digits.push_back(*p);  // more would not matter
  }
  if (!has_digits) return nullptr;
  if (*p == 'e' || *p == 'E') {
    ++p;
    const bool is_down = *p == '-';
    if (*p == '-' || *p == '+') ++p;
    const char* first = p;
    std::int64_t exponent = 0;
    for (; *p >= '0' && *p <= '9'; ++p)
      exponent = std::min<std::int64_t>(exponent * 10 + (*p - '0'), 1000000);
    if (p == first) return nullptr;
    point += is_down ? -exponent : exponent;
  }
  point += shift;
  value = 0;
  if (digits.empty() || point < 0) return p;
  if (point > 19) return nullptr;
  std::uint64_t result = 0;
  for (std::int64_t i = 0; i < point; ++i) {
    const std::uint64_t digit =
        static_cast<std::size_t>(i) < digits.size()
            ? static_cast<std::uint64_t>(digits[static_cast<std::size_t>(i)] - '0')
            : 0;
    result = result * 10 + digit;  // 19 digits fit in 64 bits
  }
  if (static_cast<std::size_t>(point) < digits.size() &&
      digits[static_cast<std::size_t>(point)] >= '5')
    ++result;
  if (result > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) return nullptr;
  value = is_negative ? -static_cast<std::int64_t>(result) : static_cast<std::int64_t>(result);
  return p;
}

}  // namespace assay::trace::json
