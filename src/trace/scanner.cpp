// SPDX-License-Identifier: Apache-2.0
#include "trace/scanner.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/check.hpp"
#include "base/text.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#define ASSAY_HAS_AVX2_CODE 1
#define ASSAY_AVX2 __attribute__((target("avx2,bmi,bmi2")))
#endif

namespace assay::trace {
namespace {

bool has_avx2() {
#if defined(ASSAY_HAS_AVX2_CODE)
  static const bool answer = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2");
  return answer;
#else
  return false;
#endif
}

constexpr std::size_t kVector = 32;

#if defined(ASSAY_HAS_AVX2_CODE)
ASSAY_AVX2 inline __m256i load(const char* from) {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
}

// Newlines in the first `whole` bytes, a multiple of the vector's length.
ASSAY_AVX2 std::size_t count_newlines_avx2(const char* data, std::size_t whole) {
  const __m256i newline = _mm256_set1_epi8('\n');
  __m256i total = _mm256_setzero_si256();
  for (std::size_t i = 0; i < whole;) {
    __m256i counts = _mm256_setzero_si256();  // a byte each: at most 255 rounds
    const std::size_t stop = std::min(whole, i + 255 * kVector);
    for (; i < stop; i += kVector)
      counts = _mm256_sub_epi8(counts, _mm256_cmpeq_epi8(load(data + i), newline));
    total = _mm256_add_epi64(total, _mm256_sad_epu8(counts, _mm256_setzero_si256()));
  }
  alignas(32) std::uint64_t parts[4];
  _mm256_store_si256(reinterpret_cast<__m256i*>(parts), total);
  return parts[0] + parts[1] + parts[2] + parts[3];
}

ASSAY_AVX2 BlockFacts inspect_avx2(const char* data, std::size_t whole) {
  const __m256i zero = _mm256_setzero_si256();
  const __m256i escape = _mm256_set1_epi8(0x1b);
  __m256i nuls = zero, escapes = zero, all = zero;
  for (std::size_t i = 0; i < whole; i += kVector) {
    const __m256i bytes = load(data + i);
    all = _mm256_or_si256(all, bytes);
    nuls = _mm256_or_si256(nuls, _mm256_cmpeq_epi8(bytes, zero));
    escapes = _mm256_or_si256(escapes, _mm256_cmpeq_epi8(bytes, escape));
  }
  return {_mm256_movemask_epi8(nuls) != 0, _mm256_movemask_epi8(all) != 0,
          _mm256_movemask_epi8(escapes) != 0};
}
#endif

std::size_t whole_vectors(std::size_t size) { return has_avx2() ? size / kVector * kVector : 0; }

}  // namespace

std::size_t count_newlines(std::string_view text) {
  std::size_t count = 0;
  std::size_t at = whole_vectors(text.size());
#if defined(ASSAY_HAS_AVX2_CODE)
  if (at > 0) count = count_newlines_avx2(text.data(), at);
#endif
  constexpr std::uint64_t kOnes = 0x0101010101010101U, kLow = 0x7f7f7f7f7f7f7f7fU;
  for (; at + 8 <= text.size(); at += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, text.data() + at, 8);
    word ^= kOnes * '\n';
    // The top bit of each byte that is 0 now.
    count += static_cast<std::size_t>(std::popcount(~(((word & kLow) + kLow) | word | kLow)));
  }
  for (; at < text.size(); ++at) count += text[at] == '\n' ? 1 : 0;
  return count;
}

BlockFacts inspect(std::string_view text) {
  BlockFacts facts;
  const std::size_t whole = whole_vectors(text.size());
#if defined(ASSAY_HAS_AVX2_CODE)
  if (whole > 0) facts = inspect_avx2(text.data(), whole);
#endif
  for (const char c : text.substr(whole)) {
    facts.nul = facts.nul || c == 0;
    facts.wide = facts.wide || static_cast<unsigned char>(c) >= 0x80;
    facts.escape = facts.escape || c == 0x1b;
  }
  return facts;
}

bool is_utf8(std::string_view text) {
  std::size_t i = 0;
  while (i < text.size()) {
    std::uint64_t eight = 0;
    if (i + 8 <= text.size()) {
      std::memcpy(&eight, text.data() + i, 8);
      if ((eight & 0x8080808080808080ULL) == 0) {
        i += 8;
        continue;
      }
    }
    if (static_cast<unsigned char>(text[i]) < 0x80) {
      ++i;
      continue;
    }
    const std::size_t length = decode_utf8(text.substr(i)).length;
    if (length == 0) return false;
    i += length;
  }
  return true;
}

BadLines find_bad_lines(std::string_view text) {
  BadLines bad;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t newline = std::min(text.find('\n', begin), text.size());
    const std::string_view line = text.substr(begin, newline - begin);
    if (line.find('\0') != std::string_view::npos || !is_utf8(line)) {
      if (bad.count == 0) bad.first = begin;
      ++bad.count;
    }
    begin = newline + 1;
  }
  return bad;
}

void strip_escapes(std::string_view text, std::string& out) {
  out.clear();
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t escape = std::min(text.find('\x1b', i), text.size());
    out.append(text.substr(i, escape - i));
    i = escape + 1;
    if (i < text.size() && text[i] == '[') {
      ++i;
      while (i < text.size() && text[i] >= 0x20 && text[i] < 0x40) ++i;  // parameters
      if (i < text.size() && text[i] >= 0x40 && text[i] < 0x7f) ++i;     // the final letter
    }
  }
}

LiteralSearch::LiteralSearch(std::vector<std::string> literals) : literals_(std::move(literals)) {
  ASSAY_CHECK(literals_.size() <= kMostLiterals, "the number of literals is bounded");
  if (literals_.empty()) return;
  shortest_ = literals_.front().size();
  for (const std::string& literal : literals_) shortest_ = std::min(shortest_, literal.size());
  ASSAY_CHECK(shortest_ >= 2, "a literal has two bytes or more");
  window_ = std::min<std::size_t>(4, shortest_);
  // The window may begin anywhere that all literals reach: where they differ most from each other
  // and from text (blanks and lower-case letters are everywhere) is best.
  double best = -1;
  for (std::size_t from = 0; from + window_ <= shortest_; ++from) {
    double rarity = 0;
    for (const std::string& literal : literals_) {
      for (std::size_t i = from; i < from + window_; ++i) {
        const char c = literal[i];
        const bool common = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == ' ';
        rarity += common ? 0.3 : 1;
      }
    }
    if (rarity > best) {
      best = rarity;
      skip_ = from;
    }
  }
  // Literals with the same window share a bucket; the others are dealt out in turn.
  std::vector<std::string_view> windows;
  for (std::uint32_t i = 0; i < literals_.size(); ++i) {
    const std::string_view window = std::string_view(literals_[i]).substr(skip_, window_);
    const auto known = std::find(windows.begin(), windows.end(), window);
    const std::size_t bucket = static_cast<std::size_t>(known - windows.begin()) % 8;
    if (known == windows.end()) windows.push_back(window);
    buckets_[bucket].push_back(i);
    for (std::size_t k = 0; k < window_; ++k) {
      const auto c = static_cast<unsigned char>(window[k]);
      const auto bit = static_cast<std::uint8_t>(1U << bucket);
      for (const std::size_t lane : {0U, 16U}) {  // both halves look up on their own
        masks_[k].low[lane + (c & 15U)] |= bit;
        masks_[k].high[lane + (c >> 4)] |= bit;
      }
    }
  }
}

void LiteralSearch::verify(std::string_view block, std::size_t at, unsigned buckets,
                           std::vector<Hit>& hits) const {
  const std::size_t first = hits.size();
  while (buckets != 0) {
    const auto bucket = static_cast<std::size_t>(std::countr_zero(buckets));
    buckets &= buckets - 1;
    for (const std::uint32_t index : buckets_[bucket]) {
      const std::string& literal = literals_[index];
      if (literal.size() > block.size() - at ||
          std::memcmp(block.data() + at, literal.data(), literal.size()) != 0)
        continue;
      hits.push_back({static_cast<std::uint32_t>(at), index});
    }
  }
  if (hits.size() > first + 1) {
    std::sort(hits.begin() + static_cast<std::ptrdiff_t>(first), hits.end(),
              [](const Hit& a, const Hit& b) { return a.literal < b.literal; });
  }
}

#if defined(ASSAY_HAS_AVX2_CODE)
ASSAY_AVX2 void LiteralSearch::find_avx2(std::string_view block, std::vector<Hit>& hits) const {
  const __m256i nibble = _mm256_set1_epi8(15);
  __m256i low[4], high[4];
  for (std::size_t k = 0; k < window_; ++k) {
    low[k] = _mm256_load_si256(reinterpret_cast<const __m256i*>(masks_[k].low.data()));
    high[k] = _mm256_load_si256(reinterpret_cast<const __m256i*>(masks_[k].high.data()));
  }
  const char* data = block.data() + skip_;
  const std::size_t starts = block.size() - shortest_ + 1;  // places where a literal may begin
  std::size_t i = 0;
  const auto classify = [&](std::size_t at, std::size_t k)
      __attribute__((target("avx2,bmi,bmi2"))) {
    const __m256i bytes = load(data + at + k);
    const __m256i upper = _mm256_and_si256(_mm256_srli_epi16(bytes, 4), nibble);
    return _mm256_and_si256(_mm256_shuffle_epi8(low[k], _mm256_and_si256(bytes, nibble)),
                            _mm256_shuffle_epi8(high[k], upper));
  };
  const std::size_t window = window_;
  for (; i + kVector + window + skip_ <= block.size() && i + kVector <= starts; i += kVector) {
    __m256i found = _mm256_and_si256(classify(i, 0), classify(i, 1));
    if (window > 2) found = _mm256_and_si256(found, classify(i, 2));
    if (_mm256_testz_si256(found, found)) continue;
    if (window > 3) found = _mm256_and_si256(found, classify(i, 3));
    auto places = ~static_cast<std::uint32_t>(
        _mm256_movemask_epi8(_mm256_cmpeq_epi8(found, _mm256_setzero_si256())));
    if (places == 0) continue;
    alignas(32) std::uint8_t sets[kVector];
    _mm256_store_si256(reinterpret_cast<__m256i*>(sets), found);
    for (; places != 0; places &= places - 1) {
      const auto place = static_cast<std::size_t>(std::countr_zero(places));
      verify(block, i + place, sets[place], hits);
    }
  }
  for (; i < starts; ++i) {
    unsigned set = 255;
    for (std::size_t k = 0; k < window && set != 0; ++k) {
      const auto c = static_cast<unsigned char>(data[i + k]);
      set &= masks_[k].low[c & 15U] & masks_[k].high[c >> 4];
    }
    if (set != 0) verify(block, i, set, hits);
  }
}
#else
void LiteralSearch::find_avx2(std::string_view, std::vector<Hit>&) const {}
#endif

void LiteralSearch::find_plainly(std::string_view block, std::vector<Hit>& hits) const {
  hits.clear();
  if (literals_.empty() || block.size() < shortest_) return;
  for (std::size_t i = 0; i + shortest_ <= block.size(); ++i) {
    unsigned set = 255;
    for (std::size_t k = 0; k < window_ && set != 0; ++k) {
      const auto c = static_cast<unsigned char>(block[i + skip_ + k]);
      set &= masks_[k].low[c & 15U] & masks_[k].high[c >> 4];
    }
    if (set != 0) verify(block, i, set, hits);
  }
}

void LiteralSearch::find(std::string_view block, std::vector<Hit>& hits) const {
  if (!has_avx2()) return find_plainly(block, hits);
  hits.clear();
  if (literals_.empty() || block.size() < shortest_) return;
  find_avx2(block, hits);
}

}  // namespace assay::trace
