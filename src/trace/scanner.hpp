// SPDX-License-Identifier: Apache-2.0
// Vectorised passes over blocks of text: AVX2 where the processor has it (asked at run time), the
// same answers without it. A log is mostly lines that no rule wants, so what matters is how fast
// they are passed over: a search for all literals at once, by the nibbles of their first bytes
// (one lookup for the low and one for the high nibble of each byte; Hyperscan's "Teddy" idea).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace assay::trace {

std::size_t count_newlines(std::string_view text);

// What a block needs beyond the plain search.
struct BlockFacts {
  bool nul = false;     // a NUL byte
  bool wide = false;    // a byte that is not ASCII
  bool escape = false;  // an ESC: terminal colours
};
BlockFacts inspect(std::string_view text);

bool is_utf8(std::string_view text);
// Lines of `text` with a NUL or with bytes that are not UTF-8, and the offset of the first of them.
struct BadLines {
  std::uint64_t count = 0;
  std::size_t first = 0;
};
BadLines find_bad_lines(std::string_view text);

// `text` without terminal colours and other CSI sequences, into `out` (cleared first).
void strip_escapes(std::string_view text, std::string& out);

// Where one of several literals begins. Literals are 2 bytes or longer and distinct; at most 512.
class LiteralSearch {
 public:
  struct Hit {
    std::uint32_t offset = 0, literal = 0;  // literal: index into the list given
  };
  static constexpr std::size_t kMostLiterals = 512;

  explicit LiteralSearch(std::vector<std::string> literals);

  // Every occurrence of every literal in `block` (< 4 GiB), ascending by offset, into `hits`
  // (cleared first).
  void find(std::string_view block, std::vector<Hit>& hits) const;
  // The same without vectors, to test against.
  void find_plainly(std::string_view block, std::vector<Hit>& hits) const;

 private:
  struct alignas(32) Masks {
    std::array<std::uint8_t, 32> low = {}, high = {};
  };

  void verify(std::string_view block, std::size_t at, unsigned buckets,
              std::vector<Hit>& hits) const;
  void find_avx2(std::string_view block, std::vector<Hit>& hits) const;

  std::vector<std::string> literals_;
  std::array<std::vector<std::uint32_t>, 8> buckets_ = {};
  std::size_t window_ = 2;           // bytes of a literal that the vectors compare
  std::array<Masks, 4> masks_ = {};  // one per byte of the window
  std::size_t shortest_ = 0;
  std::size_t skip_ = 0;  // where in the literals the window begins
};

}  // namespace assay::trace
