// SPDX-License-Identifier: Apache-2.0
#include "trace/pairs.hpp"

#include <gtest/gtest.h>

#include "base/random.hpp"

namespace assay::trace {
namespace {

std::string shown(std::string_view block) {
  std::vector<KeyValue> pairs;
  find_pairs(block, pairs);
  std::string text;
  for (const KeyValue& pair : pairs) {
    if (!text.empty()) text += '|';
    text += block.substr(pair.key, pair.equals - pair.key);
    text += '>';
    text += block.substr(pair.value, pair.value_end - pair.value);
  }
  return text;
}

TEST(Pairs, AreFoundInEveryLine) {
  const std::pair<const char*, const char*> cases[] = {
      {"a=1 b=2,c=3;d=4\ne=5", "a>1|b>2|c>3|d>4|e>5"},
      {"msg=\"x y=1, z\" a=1", "msg>x y=1, z|a>1"},
      {"msg=\"torn\na=1", "msg>torn|a>1"},
      {"gpu{worker=0 x=1}: took", "worker>0|x>1"},
      {"a=b=c", "a>b=c"},
      {"a= =b ==", "a>"},
      {"no pairs", ""},
      {"", ""},
      {"a=", "a>"},
      {"TIMELINE,12,GPU_END,a1,worker=0,gpu_ms=7\n", "worker>0|gpu_ms>7"},
  };
  for (const auto& [block, expected] : cases) EXPECT_EQ(shown(block), expected) << block;
}

// The definition, a byte at a time.
std::vector<KeyValue> by_bytes(std::string_view block) {
  constexpr std::string_view kEnds = " ,;\t\n\r\"()[]{}";
  std::vector<KeyValue> pairs;
  std::uint32_t key = 0;
  for (std::uint32_t at = 0; at < block.size(); ++at) {
    if (kEnds.find(block[at]) != std::string_view::npos) {
      key = at + 1;
      continue;
    }
    if (block[at] != '=' || key == at || block[key] == '=') continue;
    const bool quoted = at + 1 < block.size() && block[at + 1] == '"';
    const std::uint32_t value = at + (quoted ? 2 : 1);
    const std::size_t end = block.find_first_of(quoted ? std::string_view("\"\n") : kEnds, value);
    const auto value_end = static_cast<std::uint32_t>(std::min(end, block.size()));
    pairs.push_back({key, at, value, value_end});
    key = value_end;
    at = value_end - 1;
    if (quoted && value_end < block.size()) {
      key = value_end + 1;
      at = value_end;
    }
  }
  return pairs;
}

TEST(Pairs, VectorsAgreeWithBytes) {
  Random random(5);
  constexpr std::string_view kAlphabet = "ab=1 ,\"\n{x;";
  for (int round = 0; round < 3000; ++round) {
    std::string block(random.below(300), ' ');
    for (char& c : block) c = kAlphabet[random.below(kAlphabet.size())];
    std::vector<KeyValue> fast, plain;
    find_pairs(block, fast);
    find_pairs_plainly(block, plain);
    ASSERT_EQ(fast, plain) << block;
    ASSERT_EQ(fast, by_bytes(block)) << block;
  }
  for (int c = 0; c < 256; ++c) {  // every byte is classified alike
    const std::string block = std::string(40, 'a') + "=b" + static_cast<char>(c) + "c=d" +
                              std::string(40, static_cast<char>(c)) + "e=f";
    std::vector<KeyValue> fast, plain;
    find_pairs(block, fast);
    find_pairs_plainly(block, plain);
    EXPECT_EQ(fast, plain) << c;
  }
}

}  // namespace
}  // namespace assay::trace
