// SPDX-License-Identifier: Apache-2.0
#include "base/text.hpp"

#include <gtest/gtest.h>

namespace assay {
namespace {

TEST(Counted, HasAPlural) {
  EXPECT_EQ(counted(1, "run"), "1 run");
  EXPECT_EQ(counted(0, "run"), "0 runs");
  EXPECT_EQ(counted(2, "process"), "2 processes");
  EXPECT_EQ(counted(1, "process"), "1 process");
}

TEST(Text, FormatsSeconds) {
  const std::pair<double, const char*> cases[] = {
      {0.0381, "38.1 ms"}, {2.314, "2.31 s"}, {125, "125 s"},       {0.9996, "1.00 s"},
      {12e-6, "12.0 us"},  {0, "0 s"},        {6000, "1 h 40 min"}, {3e-9, "3.00 ns"}};
  for (const auto& [value, text] : cases) EXPECT_EQ(format_seconds(value), text);
}

TEST(Text, FormatsDurations) {
  const std::pair<double, const char*> cases[] = {
      {0.2, "under 1 s"}, {40, "40 s"},        {250, "4 min 10 s"}, {240, "4 min"},
      {1800, "30 min"},   {3900, "1 h 5 min"}, {0, "0 s"},          {1e300, "1e+300 s"}};
  for (const auto& [value, text] : cases) EXPECT_EQ(format_duration(value), text);
}

TEST(Text, FormatsBytesCountsAndValues) {
  EXPECT_EQ(format_bytes(43), "43 B");
  EXPECT_EQ(format_bytes(43e6), "41.0 MiB");
  EXPECT_EQ(format_count(12), "12");
  EXPECT_EQ(format_count(1234567), "1.23 M");
  EXPECT_EQ(format_value(3.25, "req/s"), "3.25 req/s");
}

TEST(Text, FormatsChanges) {
  const std::pair<double, const char*> cases[] = {
      {1.069, "+6.9 %"},       {0.5, "-50 %"},       {3.2, "+220 %"},     {1, "+0.0 %"},
      {0.99999999, "+0.00 %"}, {1.0002, "+0.02 %"},  {19.99, "+1899 %"},  {20, "x 20.0"},
      {2868.5, "x 2868"},      {3.1e7, "x 3.1e+07"}, {0.0099, "-99.0 %"}, {0.004, "-99.6 %"},
      {0.00038, "x 0.00038"},  {0, "-100 %"}};
  for (const auto& [ratio, text] : cases) EXPECT_EQ(format_change(ratio), text);
  EXPECT_EQ(format_percent_number(2868.5), "+286750");
}

TEST(Text, SplitsCommandsLikeAShell) {
  using Words = std::vector<std::string>;
  const std::pair<const char*, Words> cases[] = {{"a b  c", {"a", "b", "c"}},
                                                 {"", {}},
                                                 {"  ", {}},
                                                 {"'a b' c", {"a b", "c"}},
                                                 {R"("a \" b" '$x' \ y)", {"a \" b", "$x", " y"}},
                                                 {"a'b'\"c\"", {"abc"}},
                                                 {"''", {""}},
                                                 {"x=$HOME *", {"x=$HOME", "*"}}};
  for (const auto& [line, words] : cases) {
    const auto split = split_command(line);
    ASSERT_TRUE(split) << line;
    EXPECT_EQ(*split, words) << line;
    EXPECT_EQ(*split_command(join_command(*split)), words) << line;
  }
}

TEST(Text, FindsWhatOnlyAShellUnderstands) {
  const struct {
    const char* line;
    std::optional<std::size_t> offset;
    bool is_operator;
  } cases[] = {{"a b", {}, false},          {"a | b", 2, true},
               {"a '|' b", {}, false},      {"a \"x > y\"", {}, false},
               {"a \\| b", {}, false},      {"sort < f", 5, true},
               {"echo $HOME", 5, false},    {"echo \"$HOME\"", 6, false},
               {"echo '$HOME'", {}, false}, {"ls *.c > f", 9 - 2, true},
               {"ls *.c", 3, false},        {"ls ~/x", 3, false},
               {"ls a~", {}, false},        {"a; b", 1, true}};
  for (const auto& c : cases) {
    const auto found = find_shell_syntax(c.line);
    ASSERT_EQ(found.has_value(), c.offset.has_value()) << c.line;
    if (!found) continue;
    EXPECT_EQ(found->offset, *c.offset) << c.line;
    EXPECT_EQ(found->is_operator, c.is_operator) << c.line;
  }
}

TEST(Text, NamesTheUnbalancedQuote) {
  const auto split = split_command("sleep 'a b");
  ASSERT_FALSE(split);
  EXPECT_EQ(split.error().what, "column 7: this quote is never closed\n  sleep 'a b\n        ^");
  EXPECT_FALSE(split_command("a \\"));
}

TEST(Text, ParsesAmounts) {
  EXPECT_DOUBLE_EQ(*parse_duration("10m"), 600);
  EXPECT_DOUBLE_EQ(*parse_duration("300ms"), 0.3);
  EXPECT_DOUBLE_EQ(*parse_duration("2"), 2);
  EXPECT_FALSE(parse_duration("soon"));
  EXPECT_FALSE(parse_duration("-1s"));
  EXPECT_FALSE(parse_duration("inf"));
  EXPECT_DOUBLE_EQ(*parse_bytes("1.5GiB"), 1.5 * 0x1p30);
  EXPECT_DOUBLE_EQ(*parse_bytes("10MB"), 1e7);
  EXPECT_FALSE(parse_bytes("lots"));
  EXPECT_DOUBLE_EQ(*parse_fraction("+5%"), 0.05);
  EXPECT_DOUBLE_EQ(*parse_fraction("0.02"), 0.02);
  EXPECT_FALSE(parse_fraction("two"));
}

TEST(Text, PointsAtAndSuggests) {
  EXPECT_EQ(point_at("one\ntwo three\nfour", 8), "  two three\n      ^");
  EXPECT_EQ(point_at("", 0), "  \n  ^");
  const std::vector<std::string> words = {"compare", "measure", "calibrate"};
  EXPECT_EQ(nearest("comapre", words), "compare");
  EXPECT_EQ(nearest("zzz", words), std::nullopt);
  const std::string names[] = {"main", "next"};
  EXPECT_EQ(nearest("mian", names), "main");  // neighbours swapped: one slip, not two
}

TEST(Text, KeepsTerminalsSafe) {
  const std::pair<std::string_view, std::string_view> cases[] = {
      {"a\x1b[31m", "a\\x1b[31m"},
      {"a\tb\r\n\x7f", "a\tb\\x0d\\x0a\\x7f"},
      {"\x9b[2J", "\\x9b[2J"},                           // C1 as a raw byte
      {"\xc2\x9b[2J", "\\u009b[2J"},                     // C1 as a character
      {"\xe2\x80\xaegpj.exe", "\\u202egpj.exe"},         // right to left from here
      {"\xe2\x81\xa6x\xe2\x80\x8f", "\\u2066x\\u200f"},  // isolate, mark
      {"\xe2\x80\xa8", "\\u2028"},                       // line separator
      {"caf\xc3\xa9 \xf0\x9f\x9a\x80", "caf\xc3\xa9 \xf0\x9f\x9a\x80"},
      {"caf\xe9", "caf\\xe9"},                                // Latin-1
      {"\xc0\xaf\xed\xa0\x80", "\\xc0\\xaf\\xed\\xa0\\x80"},  // overlong, surrogate
      {"\xf0\x9f\x9a", "\\xf0\\x9f\\x9a"}};                   // cut off
  for (const auto& [text, expected] : cases) EXPECT_EQ(printable(text), expected);
  EXPECT_EQ(printable("a\nb\tc", "\n"), "a\nb\\x09c");
  EXPECT_EQ(display_width("\x1b[1mab\x1b[0m\xc3\xa9"), 3u);
}

TEST(Text, ShortensInTheMiddle) {
  EXPECT_EQ(shorten("short", 20), "short");
  EXPECT_EQ(shorten("encode --level=9 --threads=4 out.bin", 24), "encode --l ... 4 out.bin");
  EXPECT_EQ(shorten("\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9", 7),
            "\xc3\xa9 ... \xc3\xa9");
  for (std::size_t width = 6; width < 40; ++width)
    EXPECT_EQ(display_width(shorten(std::string(500, 'x'), width)), width);
  EXPECT_EQ(shorten("\x80\x80\x80", 2), "\x80\x80\x80");
}

TEST(MatchesPattern, TakesStarsAndPartsInFrontOfASlash) {
  struct Case {
    const char* text;
    const char* pattern;
    bool matches;
  };
  for (const Case& c : {Case{"BM_Sort/8", "BM_Sort", true},
                        {"BM_SortAll", "BM_Sort", false},
                        {"BM_Sort/8", "BM_Sort/8", true},
                        {"BM_Sort/8/x", "BM_Sort/8", true},
                        {"BM_Sort/8", "*Sort*", true},
                        {"BM_Sort", "BM_?ort", true},
                        {"BM_Sort", "*", true},
                        {"", "", true},
                        {"a", "", false},
                        {"", "*", true},
                        {"aab", "*ab", true},
                        {"aab", "a*c", false},
                        {"abc", "a?", false},
                        {"x/y", "*y", true},
                        {"aaaaaaaaaaaaaaaaaaaab", "*a*a*a*a*c", false}})
    EXPECT_EQ(matches_pattern(c.text, c.pattern), c.matches) << c.text << " " << c.pattern;
}

}  // namespace
}  // namespace assay
