// SPDX-License-Identifier: Apache-2.0
#include "prover/base/text.hpp"

#include <gtest/gtest.h>

namespace prover {
namespace {

TEST(Text, SizesAreReadInPowersOfTwo) {
  const struct {
    const char* text;
    std::uint64_t bytes;
  } good[] = {{"4GiB", 4ull << 30},
              {"512MiB", 512ull << 20},
              {"1.5KiB", 1536},
              {"1048576", 1048576},
              {"0", 0},
              {"7B", 7}};
  for (const auto& one : good) {
    const auto read = parse_bytes(one.text);
    ASSERT_TRUE(read) << one.text;
    EXPECT_EQ(*read, one.bytes) << one.text;
  }
  for (const char* bad : {"", "GiB", "4GB", "4 GiB", "-1", "1e9", "1.2.3MiB", "nan", "4GiBs",
                          "99999999999TiB", "0x10"})
    EXPECT_FALSE(parse_bytes(bad)) << bad;
  EXPECT_NE(parse_bytes("4GB").error().hint.find("powers of two"), std::string::npos);
}

TEST(Text, NumbersAreReadWholeAndInRange) {
  EXPECT_EQ(*parse_count("12", 1, 20), 12u);
  for (const char* bad : {"", "0", "21", "-1", "1.5", "12x", " 12", "99999999999999999999"})
    EXPECT_FALSE(parse_count(bad, 1, 20)) << bad;
  EXPECT_DOUBLE_EQ(*parse_number("0.25", 0, 1), 0.25);
  EXPECT_DOUBLE_EQ(*parse_number("1e-1", 0, 1), 0.1);
  for (const char* bad : {"", "x", "1.01", "-0.1", "nan", "inf", "0.5 "})
    EXPECT_FALSE(parse_number(bad, 0, 1)) << bad;
  EXPECT_EQ(parse_count("21", 1, 20).error().to_text(),
            "21 is out of range\n  give a number from 1 to 20");
}

TEST(Text, IsShownAsPeopleReadIt) {
  EXPECT_EQ(show_bytes(17), "17 B");
  EXPECT_EQ(show_bytes(416u << 20), "416 MiB");
  EXPECT_EQ(show_bytes(3ull << 29), "1.5 GiB");
  EXPECT_EQ(show_ms(12.34), "12.3 ms");
  EXPECT_EQ(show_ms(1234), "1.23 s");
  EXPECT_EQ(show_ms(123456), "123 s");
  EXPECT_EQ(show_ms(0.0456), "45.6 us");
  EXPECT_EQ(show_ms(0), "0 ms");
  EXPECT_EQ(show_number(0.1), "0.1");
  EXPECT_EQ(show_number(60), "60");
  EXPECT_EQ(printable("a\x1b[2J\xff"), "a\\x1b[2J\\xff");
}

TEST(Text, TheNearestWordIsNearOrNone) {
  const std::vector<std::string> words = {"--channel", "--count", "--cv"};
  EXPECT_EQ(nearest("--chanel", words), "--channel");
  EXPECT_EQ(nearest("--coun", words), "--count");
  EXPECT_EQ(nearest("--permit-scope", words), "");
  EXPECT_EQ(nearest("", words), "");
}

}  // namespace
}  // namespace prover
