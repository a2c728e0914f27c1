// SPDX-License-Identifier: Apache-2.0
// Reading JSON where it lies, without a tree: find where a value ends, walk the members of an
// object, take a decimal as an integer. For importers of large documents, which know what they look
// for and skip the rest.
//
// All functions need PADDED text: kScanPadding bytes of '"' behind its end (JsonWindow has them),
// so that loops need no bound: every scan stops at a quote, and whoever stops at or behind the end
// has an incomplete value. A part of padded text is padded. Nothing recurses: depth is a counter.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace assay::trace::json {

inline constexpr std::size_t kScanPadding = 64;

inline bool is_space(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

inline const char* skip_space(const char* p) {
  // Mostly there is none: one comparison tells.
  while (static_cast<unsigned char>(*p) <= ' ' && is_space(*p)) ++p;
  return p;
}

// The first quote or backslash at or behind `p`.
inline const char* string_stop(const char* p) {
#if defined(__SSE2__)
  const __m128i quote = _mm_set1_epi8('"'), backslash = _mm_set1_epi8('\\');
  for (;; p += 16) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
    const int found = _mm_movemask_epi8(
        _mm_or_si128(_mm_cmpeq_epi8(bytes, quote), _mm_cmpeq_epi8(bytes, backslash)));
    if (found != 0) return p + std::countr_zero(static_cast<unsigned>(found));
  }
#else
  while (*p != '"' && *p != '\\') ++p;
  return p;
#endif
}

// `p` is behind an opening quote. Returns where the closing quote is; at or behind `end` =
// incomplete.
inline const char* string_end(const char* p, const char* end) {
  p = string_stop(p);
  while (*p == '\\' && p < end) p = string_stop(p + 2);
  return p;
}

// Behind the bracket that closes the one at `p`; nullptr = incomplete. Kinds of brackets are not
// compared.
const char* skip_nested(const char* p, const char* end);

// Behind the value at `p`, which is no space. nullptr = incomplete; `p` itself = no value there.
inline const char* skip_value(const char* p, const char* end) {
  if (p >= end) return nullptr;
  if (*p == '"') {
    const char* quote = string_end(p + 1, end);
    return quote < end ? quote + 1 : nullptr;
  }
  if (*p == '{' || *p == '[') return skip_nested(p, end);
  while (!is_space(*p) && *p != ',' && *p != '}' && *p != ']' && *p != ':' && *p != '"') ++p;
  return p < end ? p : nullptr;
}

// Calls visit(key, value) for each member of a complete object: the key as it is written between
// its quotes, the value as it is written, with its quotes or brackets. A visit that returns bool
// ends the walk with true. False = not a well-formed object (what was visited is right).
template <class Visit>
bool each_member(std::string_view object, const Visit& visit) {
  if (object.size() < 2 || object.front() != '{') return false;
  const char* p = object.data() + 1;
  const char* end = object.data() + object.size();
  for (;;) {
    p = skip_space(p);
    if (p < end && *p == ',') p = skip_space(p + 1);
    if (p >= end) return false;
    if (*p == '}') return true;
    if (*p != '"') return false;
    const char* key = p + 1;
    const char* quote = string_end(key, end);
    if (quote >= end) return false;
    p = skip_space(quote + 1);
    if (*p != ':') return false;
    p = skip_space(p + 1);
    const char* behind = skip_value(p, end);
    if (behind == nullptr || behind == p) return false;
    const std::string_view name(key, static_cast<std::size_t>(quote - key));
    const std::string_view value(p, static_cast<std::size_t>(behind - p));
    if constexpr (std::is_same_v<std::invoke_result_t<Visit, std::string_view, std::string_view>,
                                 bool>) {
      if (visit(name, value)) return true;
    } else {
      visit(name, value);
    }
    p = behind;
  }
}

// The same for the elements of a complete array.
template <class Visit>
bool each_element(std::string_view array, const Visit& visit) {
  if (array.size() < 2 || array.front() != '[') return false;
  const char* p = array.data() + 1;
  const char* end = array.data() + array.size();
  for (;;) {
    p = skip_space(p);
    if (p < end && *p == ',') p = skip_space(p + 1);
    if (p >= end) return false;
    if (*p == ']') return true;
    const char* behind = skip_value(p, end);
    if (behind == nullptr || behind == p) return false;
    visit(std::string_view(p, static_cast<std::size_t>(behind - p)));
    p = behind;
  }
}

// The value of the first member `key` of a complete object as it is written; nothing when absent.
std::optional<std::string_view> member(std::string_view object, std::string_view key);

// Text of a string as it is written between its quotes. `bad` is set when it held NUL, invalid
// UTF-8 or a wrong escape: such bytes come out as \xNN.
std::string unescape(std::string_view written, bool* bad);
// Text of a value as it is written: a string without its quotes, anything else as it stands.
std::string to_text(std::string_view value, bool* bad);
// A number, also one written as a string.
std::optional<double> to_double(std::string_view value);

inline std::uint64_t load8(const char* p) {
  std::uint64_t word;
  std::memcpy(&word, p, 8);
  return word;
}

// Slow, exact half of scan_fixed: exponents, many digits.
const char* scan_decimal(const char* p, int shift, std::int64_t& value);

// The JSON number at `p` times 10^kShift, rounded half away from zero, without going through a
// double: "1712345678901234.567" with kShift 3 is 1712345678901234567. Returns behind the number,
// or nullptr when there is none or it does not fit. `decimals` grows to the most decimals seen.
template <int kShift>
inline const char* scan_fixed(const char* p, std::int64_t& value, int& decimals) {
  static_assert(kShift >= 0 && kShift <= 9);
  constexpr std::uint64_t kScale = [] {
    std::uint64_t scale = 1;
    for (int i = 0; i < kShift; ++i) scale *= 10;
    return scale;
  }();
  constexpr std::uint64_t kMost =
      static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()) / kScale - 1;
  const char* start = p;
  const bool is_negative = *p == '-';
  p += is_negative ? 1 : 0;
  const char* first = p;
  std::uint64_t whole = 0;
  if constexpr (std::endian::native == std::endian::little) {
    // Eight digits by three multiplications.
    for (int i = 0; i < 2; ++i) {
      std::uint64_t word = load8(p);
      const bool is_digits =
          ((word & 0xf0f0f0f0f0f0f0f0U) |
           (((word + 0x0606060606060606U) & 0xf0f0f0f0f0f0f0f0U) >> 4)) == 0x3333333333333333U;
      if (!is_digits) break;
      word = ((word & 0x0f0f0f0f0f0f0f0fU) * 2561) >> 8;
      word = ((word & 0x00ff00ff00ff00ffU) * 6553601) >> 16;
      word = ((word & 0x0000ffff0000ffffU) * 42949672960001) >> 32;
      whole = whole * 100000000 + word;
      p += 8;
    }
  }
  unsigned digit = 0;
  while ((digit = static_cast<unsigned char>(*p) - unsigned{'0'}) < 10) {
    whole = whole * 10 + digit;
    ++p;
    if (p - first > 18) return scan_decimal(start, kShift, value);
  }
  if (p == first) return nullptr;
  std::uint64_t scaled = whole * kScale;
  if (*p == '.') {
    const char* point = p++;
    std::uint64_t fraction = 0;
    int count = 0;
    while ((digit = static_cast<unsigned char>(*p) - unsigned{'0'}) < 10) {
      if (count < kShift) fraction = fraction * 10 + digit;
      if (count == kShift && digit >= 5) ++fraction;
      ++count;
      ++p;
    }
    if (p == point + 1) return nullptr;
    for (int i = count; i < kShift; ++i) fraction *= 10;
    scaled += fraction;
    if (count > decimals) decimals = count;
  }
  if (whole > kMost || *p == 'e' || *p == 'E') return scan_decimal(start, kShift, value);
  value = is_negative ? -static_cast<std::int64_t>(scaled) : static_cast<std::int64_t>(scaled);
  return p;
}

}  // namespace assay::trace::json
