// SPDX-License-Identifier: Apache-2.0
#include "report/plain.hpp"

#include <gtest/gtest.h>

#include "base/text.hpp"

namespace assay::report {
namespace {

TEST(Plain, MakesForeignTextPrintable) {
  const std::pair<std::string, std::string> cases[] = {
      {"plain text", "plain text"},
      {"größer ≤ 日本", "größer ≤ 日本"},
      {"a\nb\tc", "a b c"},
      {"\x1b[31mred", "\\x1b[31mred"},
      {std::string("nul\0l", 5), "nul\\x00l"},
      {"\x7f", "\\x7f"},
      {"\xc2\x9b", "\\u009b"},  // C1: a control sequence introducer
      {"\xe2\x80\xae"
       "abc",
       "\\u202eabc"},  // right-to-left override
      {"\xff\xfe", "\\xff\\xfe"},
      {"\xc0\xaf", "\\xc0\\xaf"},                    // overlong
      {"\xed\xa0\x80", "\\xed\\xa0\\x80"},           // a surrogate
      {"\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80"},  // beyond Unicode
      {"cut \xe2\x82", "cut \\xe2\\x82"},
      {"", ""}};
  for (const auto& [text, expected] : cases) EXPECT_EQ(plain(text), expected);
  EXPECT_EQ(plain_lines("a\nb\r"), "a\nb\\x0d");
}

TEST(Plain, FitsAndPads) {
  EXPECT_EQ(fit("abcdef", 6), "abcdef");
  EXPECT_EQ(fit("abcdefg", 6), "abc...");
  EXPECT_EQ(fit("ääääääää", 6), "äää...");
  EXPECT_EQ(fit("abcdefg", 0), "abcdefg");
  EXPECT_EQ(fit("abcdefg", 2), "ab");
  EXPECT_EQ(pad("ä", 3), "ä  ");
  EXPECT_EQ(pad_front("ä", 3), "  ä");
  EXPECT_EQ(pad("abcd", 3), "abcd");
}

TEST(Plain, WrapsAtBlanks) {
  struct Case {
    const char* text;
    std::size_t width, hanging;
    const char* expected;
  };
  const Case cases[] = {{"one two three", 0, 0, "one two three\n"},
                        {"one two three", 7, 0, "one two\nthree\n"},
                        {"one two three", 7, 2, "one two\n  three\n"},
                        {"  indented line", 10, 4, "  indented\n    line\n"},
                        {"abcdefghij", 4, 0, "abcd\nefgh\nij\n"},
                        {"a bcdefgh", 4, 1, "a\n bcd\n efg\n h\n"},
                        {"by 2 % now", 4, 0, "by\n2 %\nnow\n"},
                        {"takes 2.31 s.", 10, 0, "takes\n2.31 s.\n"},
                        {"has 41.0 MiB, 2 more", 12, 0, "has\n41.0 MiB, 2\nmore\n"},
                        {"", 10, 0, ""}};
  for (const Case& c : cases) EXPECT_EQ(wrap(c.text, c.width, c.hanging), c.expected) << c.text;
}

TEST(Plain, PaintsOnlyWhenAsked) {
  EXPECT_EQ(paint("SLOWER", Tone::bad, false), "SLOWER");
  EXPECT_EQ(paint("SLOWER", Tone::bad, true), "\x1b[1;31mSLOWER\x1b[0m");
  EXPECT_EQ(paint("FASTER", Tone::good, true), "\x1b[32mFASTER\x1b[0m");
  EXPECT_EQ(paint("x", Tone::neutral, true), "x");
  EXPECT_EQ(paint("", Tone::bad, true), "");
}

TEST(Plain, LimitsTheWidth) {
  TextOptions options;
  for (const auto& [asked, got] :
       std::initializer_list<std::pair<std::size_t, std::size_t>>{{0, 0}, {10, 40}, {80, 80}}) {
    options.width = asked;
    EXPECT_EQ(columns(options), got);
  }
}

}  // namespace
}  // namespace assay::report
