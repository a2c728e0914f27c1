// SPDX-License-Identifier: Apache-2.0
#include "trace/scanner.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/random.hpp"

namespace assay::trace {
namespace {

std::string random_text(Random& random, std::size_t size, std::string_view alphabet) {
  std::string text(size, ' ');
  for (char& c : text) c = alphabet[random.below(alphabet.size())];
  return text;
}

std::vector<std::pair<std::size_t, std::size_t>> brute(std::string_view text,
                                                       const std::vector<std::string>& literals) {
  std::vector<std::pair<std::size_t, std::size_t>> hits;
  for (std::size_t at = 0; at < text.size(); ++at)
    for (std::size_t i = 0; i < literals.size(); ++i)
      if (text.substr(at).starts_with(literals[i])) hits.emplace_back(at, i);
  return hits;
}

TEST(Scanner, FindsWhatBruteForceFinds) {
  Random random(7);
  for (int round = 0; round < 300; ++round) {
    std::vector<std::string> literals;
    const std::size_t count = 1 + random.below(20);
    while (literals.size() < count) {
      std::string literal = random_text(random, 2 + random.below(5), "abc,=");
      if (std::ranges::find(literals, literal) == literals.end()) literals.push_back(literal);
    }
    const std::string text = random_text(random, random.below(300), "abc,=\n");
    const LiteralSearch search(literals);
    const auto expected = brute(text, literals);
    for (const bool plain : {false, true}) {
      std::vector<LiteralSearch::Hit> hits;
      if (plain)
        search.find_plainly(text, hits);
      else
        search.find(text, hits);
      std::vector<std::pair<std::size_t, std::size_t>> found;
      for (const auto& hit : hits) found.emplace_back(hit.offset, hit.literal);
      ASSERT_EQ(found, expected) << text << " plain " << plain;
    }
  }
}

TEST(Scanner, CountsNewlinesAndSeesOddBytes) {
  Random random(8);
  for (int round = 0; round < 200; ++round) {
    const std::string text = random_text(random, random.below(20000), "ab\n");
    EXPECT_EQ(count_newlines(text), static_cast<std::size_t>(std::ranges::count(text, '\n')));
    for (const char odd : {'\0', '\x1b', '\xc3'}) {
      if (text.empty()) continue;
      std::string with = text;
      with[random.below(with.size())] = odd;
      const BlockFacts facts = inspect(with);
      EXPECT_EQ(facts.nul, odd == '\0');
      EXPECT_EQ(facts.escape, odd == '\x1b');
      EXPECT_EQ(facts.wide, odd == '\xc3');
    }
    EXPECT_FALSE(inspect(text).nul);
  }
}

TEST(Scanner, BadLinesAreCountedWithTheFirst) {
  using namespace std::string_literals;
  const BadLines bad = find_bad_lines("fine \xC2\xB5s\nb\0d\n\xff\nfine\n"s);
  EXPECT_EQ(bad.count, 2U);
  EXPECT_EQ(bad.first, 9U);
  EXPECT_EQ(find_bad_lines("a\nb\n").count, 0U);
  EXPECT_FALSE(is_utf8("\xC2"));
  EXPECT_TRUE(is_utf8("12345678\xE2\x82\xAC"));
}

TEST(Scanner, EscapesAreStripped) {
  std::string out;
  strip_escapes("\x1b[2m2026\x1b[0m \x1b[1;32mINFO\x1b[0m a\x1b", out);
  EXPECT_EQ(out, "2026 INFO a");
  strip_escapes("\x1b[", out);
  EXPECT_EQ(out, "");
}

}  // namespace
}  // namespace assay::trace
