// SPDX-License-Identifier: Apache-2.0
// Every key=value of every line of a block. Keys and values end at blanks, commas, semicolons,
// quotes, brackets and line ends; a quoted value runs to its closing quote on the same line.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace assay::trace {

struct KeyValue {
  std::uint32_t key = 0, equals = 0;       // offsets in the block; the key ends at `equals`
  std::uint32_t value = 0, value_end = 0;  // without quotes

  bool operator==(const KeyValue&) const = default;
};

// The pairs of `block` (< 4 GiB) in their order, into `pairs` (cleared first). A pair without a key
// ("=x", "==x") is none; an empty value is one.
void find_pairs(std::string_view block, std::vector<KeyValue>& pairs);
// The same without vectors, to test against.
void find_pairs_plainly(std::string_view block, std::vector<KeyValue>& pairs);

}  // namespace assay::trace
