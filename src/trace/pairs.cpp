// SPDX-License-Identifier: Apache-2.0
#include "trace/pairs.hpp"

#include <algorithm>
#include <array>
#include <bit>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace assay::trace {
namespace {

constexpr std::string_view kDelimiters = " ,;\t\n\r\"()[]{}";

constexpr std::array<bool, 256> kIsDelimiter = [] {
  std::array<bool, 256> is{};
  for (const char c : kDelimiters) is[static_cast<unsigned char>(c)] = true;
  return is;
}();

bool is_delimiter(char c) { return kIsDelimiter[static_cast<unsigned char>(c)]; }

// Carries what spans two chunks: the last delimiter, and a value whose end is not seen yet.
class PairWalk {
 public:
  PairWalk(std::string_view block, std::vector<KeyValue>& pairs) : block_(block), pairs_(pairs) {}

  // One chunk of 64 bytes from `base`: bits of its '=' and of its delimiters.
  void chunk(std::size_t base, std::uint64_t equals, std::uint64_t delimiters) {
    if (open_ && delimiters != 0) {
      pairs_.back().value_end =
          static_cast<std::uint32_t>(base + static_cast<std::size_t>(std::countr_zero(delimiters)));
      open_ = false;
    }
    for (; equals != 0; equals &= equals - 1) {
      const auto bit = static_cast<unsigned>(std::countr_zero(equals));
      const std::size_t at = base + bit;
      const std::uint64_t before = delimiters & ((std::uint64_t{1} << bit) - 1);
      const std::size_t key =
          before != 0 ? base + 64 - static_cast<std::size_t>(std::countl_zero(before)) : key_from_;
      // Within a value ("a=b=c") or within quotes.
      if (key >= at || block_[key] == '=' || at < taken_ ||
          (!pairs_.empty() && pairs_.back().key == key))
        continue;
      KeyValue pair{static_cast<std::uint32_t>(key), static_cast<std::uint32_t>(at),
                    static_cast<std::uint32_t>(at + 1), static_cast<std::uint32_t>(at + 1)};
      if (at + 1 < block_.size() && block_[at + 1] == '"') {
        take_quoted(at + 1, pair);
      } else {
        const std::uint64_t behind = bit == 63 ? 0 : delimiters >> (bit + 1);
        open_ = behind == 0;
        if (!open_)
          pair.value_end = static_cast<std::uint32_t>(
              at + 1 + static_cast<std::size_t>(std::countr_zero(behind)));
      }
      pairs_.push_back(pair);
    }
    if (delimiters != 0)
      key_from_ = base + 64 - static_cast<std::size_t>(std::countl_zero(delimiters));
  }

  void finish() {
    if (open_) pairs_.back().value_end = static_cast<std::uint32_t>(block_.size());
  }

 private:
  void take_quoted(std::size_t quote, KeyValue& pair) {
    const std::size_t end = std::min(block_.find_first_of("\"\n", quote + 1), block_.size());
    pair.value = static_cast<std::uint32_t>(quote + 1);
    pair.value_end = static_cast<std::uint32_t>(end);
    taken_ = end;
  }

  std::string_view block_;
  std::vector<KeyValue>& pairs_;
  std::size_t key_from_ = 0, taken_ = 0;
  bool open_ = false;
};

struct Bits {
  std::uint64_t equals = 0, delimiters = 0;
};

Bits bits_of(std::string_view bytes) {
  Bits bits;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    bits.equals |= std::uint64_t{bytes[i] == '='} << i;
    bits.delimiters |= std::uint64_t{is_delimiter(bytes[i])} << i;
  }
  return bits;
}

#if defined(__x86_64__)
// By nibbles: the table of the low one says with which high nibbles the byte is a delimiter (a bit
// each), the table of the high one which bit is its own.
__attribute__((target("avx2"))) Bits bits_avx2(const char* data) {
  //   0x09 0x0a 0x0d | 0x20 0x22 0x28 0x29 0x2c | 0x3b | 0x5b 0x5d | 0x7b 0x7d
  const __m256i low = _mm256_broadcastsi128_si256(
      _mm_setr_epi8(2, 0, 2, 0, 0, 0, 0, 0, 2, 1 | 2, 1, 4 | 8 | 16, 2, 1 | 8 | 16, 0, 0));
  // High nibbles 0, 2, 3, 5, 7 have the bits 1, 2, 4, 8, 16.
  const __m256i high =
      _mm256_broadcastsi128_si256(_mm_setr_epi8(1, 0, 2, 4, 0, 8, 0, 16, 0, 0, 0, 0, 0, 0, 0, 0));
  const __m256i nibble = _mm256_set1_epi8(15), sign = _mm256_set1_epi8('=');
  Bits bits;
  for (unsigned half = 0; half < 2; ++half) {
    const __m256i bytes =
        _mm256_loadu_si256(reinterpret_cast<const __m256i*>(data + std::size_t{half} * 32));
    const __m256i upper = _mm256_and_si256(_mm256_srli_epi16(bytes, 4), nibble);
    const __m256i both = _mm256_and_si256(_mm256_shuffle_epi8(low, _mm256_and_si256(bytes, nibble)),
                                          _mm256_shuffle_epi8(high, upper));
    const auto none = static_cast<std::uint32_t>(
        _mm256_movemask_epi8(_mm256_cmpeq_epi8(both, _mm256_setzero_si256())));
    const auto equal =
        static_cast<std::uint32_t>(_mm256_movemask_epi8(_mm256_cmpeq_epi8(bytes, sign)));
    bits.delimiters |= std::uint64_t{~none} << (half * 32);
    bits.equals |= std::uint64_t{equal} << (half * 32);
  }
  return bits;
}
#endif

template <class ChunkBits>
void walk(std::string_view block, std::vector<KeyValue>& pairs, ChunkBits chunk_bits) {
  pairs.clear();
  PairWalk walk(block, pairs);
  std::size_t at = 0;
  for (; at + 64 <= block.size(); at += 64) {
    const Bits bits = chunk_bits(block.data() + at);
    walk.chunk(at, bits.equals, bits.delimiters);
  }
  if (at < block.size()) {
    const Bits bits = bits_of(block.substr(at));
    walk.chunk(at, bits.equals, bits.delimiters);
  }
  walk.finish();
}

}  // namespace

void find_pairs_plainly(std::string_view block, std::vector<KeyValue>& pairs) {
  walk(block, pairs, [](const char* data) { return bits_of({data, 64}); });
}

void find_pairs(std::string_view block, std::vector<KeyValue>& pairs) {
#if defined(__x86_64__)
  static const bool has_avx2 = __builtin_cpu_supports("avx2") != 0;
  if (has_avx2) return walk(block, pairs, [](const char* data) { return bits_avx2(data); });
#endif
  find_pairs_plainly(block, pairs);
}

}  // namespace assay::trace
