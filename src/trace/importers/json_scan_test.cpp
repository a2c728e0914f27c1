// SPDX-License-Identifier: Apache-2.0
#include "trace/importers/json_scan.hpp"

#include <gtest/gtest.h>

#include "base/random.hpp"
#include "trace/importers/json_window.hpp"
#include "trace/source.hpp"

namespace assay::trace::json {
namespace {

// Padded text that lives as long as the object.
struct Padded {
  explicit Padded(const std::string& text)
      : bytes(text + std::string(kScanPadding, '"')), size(text.size()) {}
  const char* begin() const { return bytes.data(); }
  const char* end() const { return bytes.data() + size; }
  std::string_view view() const { return std::string_view(bytes).substr(0, size); }
  std::string bytes;
  std::size_t size;
};

TEST(JsonScan, DecimalsBecomeIntegersExactly) {
  const struct {
    const char* text;
    std::optional<std::int64_t> expected;  // of us, in ns
  } cases[] = {
      {"0", 0},
      {"-0.0", 0},
      {"7", 7000},
      {"12.5", 12500},
      {"-12.5", -12500},
      {"0.0004", 0},
      {"0.0005", 1},
      {"0.9996", 1000},
      {"1712345678901234.567", 1712345678901234567},
      {"1712345678901234.5674999999999999999", 1712345678901234567},
      {"9223372036854775.807", 9223372036854775807},
      {"9223372036854775.808", std::nullopt},
      {"9223372036854776", std::nullopt},
      {"-9223372036854775.807", -9223372036854775807},
      {"99999999999999999999999999", std::nullopt},
      {"1e3", 1000000},
      {"1.5E+3", 1500000},
      {"1.712345678901234567e15", 1712345678901234567},
      {"1234567e-3", 1234567},
      {"5e-4", 1},
      {"1e-400", 0},
      {"0e999999999999", 0},
      {"1e400", std::nullopt},
      {"00000000000000000000000000012", 12000},
      {"", std::nullopt},
      {"-", std::nullopt},
      {".5", std::nullopt},
      {"1.", std::nullopt},
      {"1e", std::nullopt},
      {"null", std::nullopt},
  };
  for (const auto& c : cases) {
    const Padded text(c.text);
    std::int64_t value = 0;
    int decimals = 0;
    const char* behind = scan_fixed<3>(text.begin(), value, decimals);
    EXPECT_EQ(behind != nullptr, c.expected.has_value()) << c.text;
    if (behind == nullptr || !c.expected) continue;
    EXPECT_EQ(behind, text.end()) << c.text;
    EXPECT_EQ(value, *c.expected) << c.text;
  }
}

TEST(JsonScan, FastAndSlowDecimalsAgree) {
  Random random(3);
  for (int i = 0; i < 20000; ++i) {
    std::string number = random.below(2) == 0 ? "" : "-";
    for (std::uint64_t k = 1 + random.below(18); k > 0; --k) number += char('0' + random.below(10));
    if (random.below(2) == 0) {
      number += '.';
      for (std::uint64_t k = 1 + random.below(6); k > 0; --k)
        number += char('0' + random.below(10));
    }
    const Padded text(number);
    std::int64_t fast = 0, slow = 0;
    int decimals = 0;
    const char* a = scan_fixed<3>(text.begin(), fast, decimals);
    const char* b = scan_decimal(text.begin(), 3, slow);
    ASSERT_EQ(a, b) << number;
    if (a != nullptr) {
      ASSERT_EQ(fast, slow) << number;
    }
  }
}

TEST(JsonScan, ValuesEndWhereTheyEnd) {
  const struct {
    const char* text;
    int length;  // -1 = incomplete, 0 = no value
  } cases[] = {
      {"1,", 1},
      {"true}", 4},
      {R"("a",)", 3},
      {R"("a\"b",)", 6},
      {R"("a\\",)", 5},
      {R"({"a":[1,{"b":"}]"}]},)", 20},
      {R"({"a":"\"}"} )", 11},
      {"[]", 2},
      {"[1", -1},
      {R"("a)", -1},
      {R"("a\)", -1},
      {R"({"a":"\)", -1},
      {"1", -1},
      {"}", 0},
      {",", 0},
  };
  for (const auto& c : cases) {
    for (int lead = 0; lead < 70; ++lead) {
      const Padded text(std::string(static_cast<std::size_t>(lead), ' ') + c.text);
      const char* from = text.begin() + lead;
      const char* behind = skip_value(from, text.end());
      ASSERT_EQ(behind == nullptr ? -1 : behind - from, c.length) << c.text << " at " << lead;
    }
  }
}

TEST(JsonScan, BracketsInStringsOfAnyLengthDoNotCount) {
  Random random(5);
  for (int i = 0; i < 3000; ++i) {
    std::string inside;
    for (std::uint64_t k = random.below(200); k > 0; --k) {
      constexpr std::string_view kPieces[] = {"{", "}", "[", "]", "\\\"", "\\\\", "x", " "};
      inside += kPieces[random.below(random.below(2) == 0 ? 4 : 8)];
    }
    std::string nested = "{\"k\":\"" + inside + "\"}";
    for (std::uint64_t k = random.below(3); k > 0; --k) nested = "[" + nested + "," + nested + "]";
    const Padded text(nested + ",{");
    ASSERT_EQ(skip_nested(text.begin(), text.end()) - text.begin(),
              static_cast<std::ptrdiff_t>(nested.size()))
        << nested;
  }
}

TEST(JsonScan, DepthIsACounter) {
  const std::size_t depth = 1000000;
  const Padded text(std::string(depth, '[') + std::string(depth, ']'));
  EXPECT_EQ(skip_nested(text.begin(), text.end()), text.end());
}

TEST(JsonScan, MembersAndElements) {
  const Padded text(R"( { "a" : 1 , "b":{"c":[1,2]}, "d\n":"x" } )");
  const std::string_view object = text.view().substr(1, text.size - 2);
  EXPECT_EQ(member(object, "a"), "1");
  EXPECT_EQ(member(object, "b"), R"({"c":[1,2]})");
  EXPECT_EQ(member(object, "d\\n"), "\"x\"");
  EXPECT_EQ(member(object, "c"), std::nullopt);
  int count = 0;
  const Padded array(R"([1,"a,b",{"x":[]},null])");
  EXPECT_TRUE(each_element(array.view(), [&](std::string_view) { ++count; }));
  EXPECT_EQ(count, 4);
  for (const char* wrong : {"{", "{1:2}", "{\"a\"}", "{\"a\":}", "[", "[:]", "1", ""}) {
    const Padded bad(wrong);
    EXPECT_FALSE(each_member(bad.view(), [](std::string_view, std::string_view) {})) << wrong;
    EXPECT_FALSE(each_element(bad.view(), [](std::string_view) {})) << wrong;
  }
}

TEST(JsonScan, TextIsUnescapedAndMadeHarmless) {
  const struct {
    std::string written, expected;
    bool is_bad;
  } cases[] = {
      {"plain", "plain", false},
      {R"(a\n\t\"\\\/b)", "a\n\t\"\\/b", false},
      {R"(\u00e9\u20ac)", "\u00e9\u20ac", false},
      {R"(\ud83d\ude00)", "\U0001f600", false},
      {R"(\ud83d)", R"(\ud83d)", true},
      {R"(\ud83d\u0041)", R"(\ud83d\u0041)", true},
      {R"(\u12)", R"(\u12)", true},
      {R"(\q)", R"(\q)", true},
      {"a\xff", "a\\xff", true},
      {R"(a\u0000b)", "a\\x00b", true},
      {"\\", "\\", true},
  };
  for (const auto& c : cases) {
    bool is_bad = false;
    const std::string got = unescape(c.written, &is_bad);
    EXPECT_EQ(is_bad, c.is_bad) << c.written;
    if (c.written.find("ud83d\\u0041") == std::string::npos) {
      EXPECT_EQ(got, c.expected) << c.written;
    }
  }
}

TEST(JsonWindow, ValuesCrossBlocksAndLongOnesAreSkipped) {
  const std::string medium = "[\"" + std::string(JsonWindow::kBlock * 3, '[') + "\"]";
  const std::string giant = "{\"a\":\"" + std::string(JsonWindow::kLongest + 100, '}') + "\\\"\"}";
  auto source = memory_source("  1 " + medium + giant + "[7]");
  ImportOptions options;
  JsonWindow window(*source, options);
  EXPECT_EQ(**window.value(), "1");
  EXPECT_EQ(**window.value(), medium);
  EXPECT_EQ(*window.value(), std::nullopt);
  EXPECT_EQ(window.long_values(), 1U);
  EXPECT_EQ(**window.value(), "[7]");
  EXPECT_EQ(*window.peek(), '\0');
  EXPECT_EQ(*window.value(), std::nullopt);
  EXPECT_EQ(window.offset(), window.bytes());
}

TEST(JsonWindow, LimitsAreErrors) {
  ImportOptions options;
  options.most_bytes = 1000;
  auto source = memory_source(std::string(2000, ' '), "big.json");
  JsonWindow window(*source, options);
  const auto got = window.peek();
  ASSERT_FALSE(got);
  EXPECT_EQ(got.error().where, "big.json");
  options.most_bytes = 1 << 20;
  options.progress = [](std::uint64_t) { return false; };
  source = memory_source(std::string(2000, ' '));
  JsonWindow stopped(*source, options);
  ASSERT_FALSE(stopped.peek());
}

}  // namespace
}  // namespace assay::trace::json
